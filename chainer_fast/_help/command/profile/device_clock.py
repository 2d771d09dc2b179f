"""Times of a GPU."""
import collections
from time import perf_counter_ns

from chainer_fast.backends import cuda

# Maximal number of pending events; beyond it, the host waits for them.
_MOST_PENDING = 10000


def is_capturing():
    """Return whether work on the GPU is only recorded: it runs later, or never."""
    return cuda.cupy.cuda.get_current_stream().is_capturing()


class DeviceClock:
    """Measures phases by events in the current stream of a GPU.

    The device executes the host's requests later. The time between two events is that
    of the phase between them on the host, including the device's idle time. The host
    does not wait for events, except for the first.

    Parameters
    ----------
    traced : bool
        Whether to keep the spans between events.

    Attributes
    ----------
    device : int
        Number of the GPU. Work of the thread on other GPUs is not measured.
    times : dict
        Nanoseconds by phase.
    spans : list of tuple
        If traced, phase, begin and end, in nanoseconds by the clock of the host.
    """

    def __init__(self, traced):
        self.device = cuda.cupy.cuda.get_device_id()
        self.times = collections.Counter()
        self.spans = []
        self._traced = traced
        self._pending = []
        self._last = cuda.Event()
        self._last.record()
        self._last.synchronize()
        self._now = perf_counter_ns()

    def mark(self, phase):
        """Record that a phase has ended."""
        if cuda.cupy.cuda.get_device_id() != self.device or is_capturing():
            return
        event = cuda.Event()
        event.record()
        self._pending.append((phase, event))
        if len(self._pending) >= _MOST_PENDING:
            self.read()

    def read(self):
        """Wait for all events, and add up the times between them."""
        pending, self._pending = self._pending, []
        for phase, event in pending:
            event.synchronize()
            # Events of different streams may occur in any order.
            elapsed = max(
                cuda.cupy.cuda.get_elapsed_time(self._last, event) * 1e6, 0.)
            self.times[phase] += elapsed
            if self._traced:
                self.spans.append((phase, self._now, self._now + elapsed))
            self._now += elapsed
            self._last = event

"""Times of a GPU."""
import collections
from time import perf_counter_ns

from chainer_fast.backends import cuda

# Events that are kept; the host then waits until they have happened.
_MOST_PENDING = 10000


def is_capturing():
    """Return whether work on the GPU is only noted: it happens later, or never."""
    return cuda.cupy.cuda.get_current_stream().is_capturing()


class DeviceClock:
    """Measures phases by events in the stream of a GPU, the current one.

    What the host asks for, the device does later. The time between two events belongs
    to the phase that lay between them on the host; if the device was idle, that
    belongs to the phase, too. The host does not wait for events, except for the first.

    Parameters
    ----------
    traced : bool
        Whether to keep what lay between two events.

    Attributes
    ----------
    device : int
        Number of the GPU. What the thread does on others is not measured.
    times : dict
        Nanoseconds by phase.
    spans : list of tuple
        Phase, begin and end, in nanoseconds by the clock of the host; if it is traced.
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
        """Note that a phase has ended."""
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
            # Events of different streams may come in any order.
            elapsed = max(
                cuda.cupy.cuda.get_elapsed_time(self._last, event) * 1e6, 0.)
            self.times[phase] += elapsed
            if self._traced:
                self.spans.append((phase, self._now, self._now + elapsed))
            self._now += elapsed
            self._last = event

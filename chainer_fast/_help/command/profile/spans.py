"""The time of a thread by phase."""
import collections
from time import perf_counter_ns

from chainer_fast._help.command.profile import device_clock

# Maximal number of events of a thread in a trace, of about 100 bytes each; the first
# ones are kept.
MOST_EVENTS = 1_000_000
_COMPUTING = 'forward', 'backward'


class Row:
    """Sums over the spans of a phase.

    Attributes
    ----------
    calls : int
    host, device : float
        Nanoseconds by the clock of the host, and by events on a GPU.
    """

    def __init__(self):
        self.calls = self.host = self.device = 0


class Spans:
    """The time of a thread, divided among phases.

    Each moment counts for the innermost open span, so that the phases sum to the time
    of the thread.

    Parameters
    ----------
    traced : bool
        Whether to keep events, too.

    Attributes
    ----------
    rows : dict of (tuple of str, str or None) to Row
        By the names of groups, the outermost first, and the phase. The phase None
        holds time that belongs to no phase of the group.
    events : list or None
        Tuples of name, category, begin and end, the latter in nanoseconds.
    clock : DeviceClock or None
        The clock of the GPU that the thread uses, if any.
    """

    def __init__(self, traced):
        self.rows = collections.defaultdict(Row)
        self.events = [] if traced else None
        self.clock = None
        self.place = (), None
        self._since = perf_counter_ns()

    def span(self, phase, name=None, group=None):
        """Return the context of a span.

        Parameters
        ----------
        phase : str or None
        name : str, optional
            Name of the event; by default the group or the phase.
        group : str, optional
            Group that begins with the span.
        """
        groups = self.place[0]
        if group is not None:
            groups = (*groups, group)
        return _Span(self, (groups, phase), name or group or phase)

    def forward(self):
        """Return the context of a forward computation; nested ones are not counted."""
        return self.span(self.place[1] if self._computes() else 'forward', 'forward')

    def past(self, begin, end):
        """Count a forward computation that has just ended and had no spans within."""
        if not self._computes():
            place = self.place
            self.move((place[0], 'forward'), begin)
            self.rows[self.place].calls += 1
            self.move(place, end)
            self.note('forward', 'phase', begin, end)

    def _computes(self):
        return self.place[1] in _COMPUTING

    def move(self, place, now):
        """Assign the time from now on to another row."""
        self.rows[self.place].host += now - self._since
        if self.clock is not None:
            self.clock.mark(self.place)
        self.place, self._since = place, now

    def note(self, name, category, begin, end):
        """Keep an event if a trace is to be written."""
        if self.events is not None and len(self.events) < MOST_EVENTS:
            self.events.append((name, category, begin, end))

    def watch_device(self):
        """Measure the GPU that is in use from now on."""
        if not device_clock.is_capturing():
            self.clock = device_clock.DeviceClock(self.events is not None)

    def start(self, now):
        """Start counting at a moment."""
        self._since = now

    def stop(self, now):
        """Count the time since the row last changed."""
        self.move(self.place, now)
        if self.clock is not None:
            self.clock.read()
            for place, elapsed in self.clock.times.items():
                self.rows[place].device = elapsed


class _Span:
    __slots__ = '_spans', '_place', '_name', '_outer', '_begin'

    def __init__(self, spans, place, name):
        self._spans, self._place, self._name = spans, place, name

    def __enter__(self):
        spans = self._spans
        self._outer, self._begin = spans.place, perf_counter_ns()
        if self._place != self._outer:
            spans.move(self._place, self._begin)
            spans.rows[self._place].calls += 1

    def __exit__(self, *_):
        spans, end = self._spans, perf_counter_ns()
        group, phase = self._place
        if self._place != self._outer:
            spans.move(self._outer, end)
        elif self._name == phase:
            return      # a method that calls another method of the same phase
        spans.note(self._name, 'phase' if phase else 'group', self._begin, end)

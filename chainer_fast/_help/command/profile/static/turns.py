"""The turns of updates: which method is static in which of them."""
import collections
import statistics
from typing import Any

# Updates of a turn. The first one is not counted: it may use graphs and states of links
# of the turn before.
LENGTH = 5
# Updates after which a method may be regarded as slower when it is static.
_ENOUGH = 20


class Turns:
    """Equal numbers of updates without static methods, and with each of some methods.

    Attributes
    ----------
    method : Method or None
        The method that is static in this turn.
    samples : dict of (Method or None) to list
        The nanoseconds of each phase, for each update, by the method that was static.
    """

    def __init__(self):
        self.begin()

    def begin(self):
        """Start with a turn without static methods; drop all samples."""
        self.method: Any = None
        self.samples: dict[Any, Any] = collections.defaultdict(list)
        self._left = LENGTH
        self._waiting = collections.deque()

    def note(self, sample):
        """Record an update, and return whether it is the last one of the turn.

        Parameters
        ----------
        sample : list or None
            None if the update does not count.
        """
        if self._left < LENGTH and sample is not None:
            self.samples[self.method].append(sample)
        self._left -= 1
        return self._left == 0

    def is_slower(self, method):
        """Return whether updates with a static method take longer."""
        plain, static = self.samples[None], self.samples[method]
        return min(len(plain), len(static)) >= _ENOUGH and (
            statistics.median(map(sum, static)) >= statistics.median(map(sum, plain)))

    def next(self, methods):
        """Start the next turn.

        Parameters
        ----------
        methods : sequence of Method
            Those that have turns from now on.
        """
        self._left = LENGTH
        waiting = [each for each in self._waiting if each is None or each in methods]
        self._waiting = collections.deque(waiting or [*methods, None])
        self.method = self._waiting.popleft()

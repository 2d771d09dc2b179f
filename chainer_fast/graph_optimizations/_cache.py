"""Plans and recordings of calls of a static chain, by kind."""
import collections
from typing import Any

from chainer_fast.graph_optimizations._replay import RefusedCall

# Number of kinds that are kept by default.
LIMIT = 64
# How often a plan or recording of a kind is made again because links changed.
RENEWALS = 8


class Cache:
    """Plans, or recordings, of the calls of a chain.

    Parameters
    ----------
    latest : LatestCalls
        Records what made the latest calls.
    verbosity_level : int
        If 2 or more, a line is printed for each kind that is refused.
    limit : int
        Maximum number of kinds; the least recently called kind is dropped.

    Attributes
    ----------
    refused : dict
        Reasons why the chain's code makes the calls of a kind.
    """

    def __init__(self, latest, verbosity_level=0, limit=LIMIT):
        self.latest = latest
        self._verbosity_level = verbosity_level
        self._limit = limit
        # All kinds, the most recent last, and whether each was called more than once.
        self._kinds: dict[Any, bool] = {}
        self._is_crowded = False
        self._kept = {}
        self._renewals = collections.Counter()
        self.refused: dict[Any, Any] = {}

    def touch(self, kind):
        """Record that a call of a kind is made."""
        self._kinds[kind] = self._kinds.pop(kind, None) is not None
        if len(self._kinds) > self._limit:
            self._is_crowded = True
            self._drop_one()

    def _drop_one(self):
        """Drop the least recently called kind."""
        *others, _ = self._kinds
        # Calls that compiled code recognizes are not counted here: these are a few
        # kinds, in the order of their calls. The first of the other kinds is the
        # oldest.
        kind = min(others, key=lambda kind: self.latest.turn_of(self._of(kind)))
        self.forget(kind)
        for kept in (self._kinds, self.refused, self._renewals):
            kept.pop(kind, None)

    def is_worth_it(self, kind):
        """Return whether a call may be recorded.

        If there are more kinds than can be kept, as with a number that differs in
        each call, only kinds that are called again are recorded.
        """
        return not self._is_crowded or self._kinds.get(kind, False)

    def _of(self, kind):
        """Return the repeated calls of a kind, a list."""
        return self._kept.get(kind, ())

    def find(self, kind):
        """Return the plan or recording of a kind, or None.

        It is dropped if its method ``holds()`` returns that links have changed.
        """
        kept = self._kept.get(kind)
        return kept if kept is not None and self.is_kept(kind, kept) else None

    def is_kept(self, kind, repeated):
        """Return whether links are unchanged; otherwise drop the kind."""
        if repeated.holds():
            return True
        self.forget(kind)
        self._renewals[kind] += 1
        if self._renewals[kind] > RENEWALS:
            self.refuse(kind, 'attributes of links change')
        return False

    def forget(self, kind):
        """Drop the plan or recording of a kind."""
        self.latest.drop(self._kept.pop(kind, ()))

    def refuse(self, kind, reason):
        """Let the chain's code make all calls of a kind."""
        self.forget(kind)
        self.refused[kind] = reason
        if self._verbosity_level > 1:
            print('static_graph: not compiled, as', reason)

    def remember_refused(self, call, schedule):
        """Let compiled code recognize a refused call the next time."""
        refused = RefusedCall()
        call.note_settings(refused)
        refused.pattern = call.pattern(is_refused=True)
        self.latest.note(call.func, refused, schedule)

"""What makes calls of a static chain without its code, by their kinds."""
import collections
import typing as tp

from chainer_fast.graph_optimizations._replay import RefusedCall

# Kinds that are kept, unless the user tells another number.
LIMIT = 64
# Times that it is made anew for a kind of calls, since links have changed.
RENEWALS = 8


class Cache:
    """Plans, or recordings, of the calls of a chain.

    Parameters
    ----------
    latest : LatestCalls
        Notes by what calls are made.
    verbosity_level : int
        If 2 or more, a line is printed for each kind that is refused.
    limit : int
        Number of kinds at most; the kind that was not called for longest is forgotten.

    Attributes
    ----------
    refused : dict
        Why calls of a kind are left to the chain's code.
    """

    def __init__(self, latest, verbosity_level=0, limit=LIMIT):
        self.latest = latest
        self._verbosity_level = verbosity_level
        self._limit = limit
        # All kinds, the latest last, and whether they were called more than once.
        self._kinds: dict[tp.Any, bool] = {}
        self._is_crowded = False
        self._kept = {}
        self._renewals = collections.Counter()
        self.refused: dict[tp.Any, tp.Any] = {}

    def touch(self, kind):
        """Note that a call of a kind is made."""
        self._kinds[kind] = self._kinds.pop(kind, None) is not None
        if len(self._kinds) > self._limit:
            self._is_crowded = True
            self._drop_one()

    def _drop_one(self):
        """Forget all of the kind that was not called for longest."""
        *others, _ = self._kinds
        # Calls that compiled code recognizes do not come here: a few kinds, which are
        # in the order of their turns. The first of the others is the oldest.
        kind = min(others, key=lambda kind: self.latest.turn_of(self._of(kind)))
        self.forget(kind)
        for kept in (self._kinds, self.refused, self._renewals):
            kept.pop(kind, None)

    def is_worth_it(self, kind):
        """Return whether a call may be recorded.

        Where there are more kinds than can be kept, as with a number that is another
        one in each call, those alone that are called again.
        """
        return not self._is_crowded or self._kinds.get(kind, False)

    def _of(self, kind):
        """Return the repeated calls of a kind, a list."""
        return self._kept.get(kind, ())

    def find(self, kind):
        """Return what is kept for a kind, or None.

        It is forgotten if ``holds()``, a method of it, tells that links have changed.
        """
        kept = self._kept.get(kind)
        return kept if kept is not None and self.is_kept(kind, kept) else None

    def is_kept(self, kind, repeated):
        """Return whether links are as they were; otherwise forget the kind."""
        if repeated.holds():
            return True
        self.forget(kind)
        self._renewals[kind] += 1
        if self._renewals[kind] > RENEWALS:
            self.refuse(kind, 'attributes of links change')
        return False

    def forget(self, kind):
        """Drop what is kept for a kind."""
        self.latest.drop(self._kept.pop(kind, ()))

    def refuse(self, kind, reason):
        """Have the chain's code make all calls of a kind."""
        self.forget(kind)
        self.refused[kind] = reason
        if self._verbosity_level > 1:
            print('static_graph: not compiled, as', reason)

    def remember_refused(self, call, schedule):
        """Recognize a refused call the next time, at no cost."""
        refused = RefusedCall()
        call.note_settings(refused)
        refused.pattern = call.pattern(is_refused=True)
        self.latest.note(call.func, refused, schedule)

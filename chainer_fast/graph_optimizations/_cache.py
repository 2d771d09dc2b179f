"""What makes calls of a static chain without its code, by their kinds."""
import collections
import typing as tp

from chainer_fast.backends.kernels.plan.calls import MISS as MISS

# Times that it is made anew for a kind of calls, since links have changed.
RENEWALS = 8


class Cache:
    """Plans, or recordings, of the calls of a chain.

    Parameters
    ----------
    verbosity_level : int
        If 2 or more, a line is printed for each kind that is refused.

    Attributes
    ----------
    refused : dict
        Why calls of a kind are left to the chain's code.
    """

    def __init__(self, verbosity_level=0):
        self._verbosity_level = verbosity_level
        self._kept = {}
        self._renewals = collections.Counter()
        self.refused: dict[tp.Any, tp.Any] = {}

    def find(self, kind):
        """Return what is kept for a kind, or None.

        It is forgotten if ``holds()``, a method of it, tells that links have changed.
        """
        kept = self._kept.get(kind)
        if kept is None or kept.holds():
            return kept
        self.forget(kind)
        self._renewals[kind] += 1
        if self._renewals[kind] > RENEWALS:
            self.refuse(kind, 'attributes of links change')
        return None

    def forget(self, kind):
        """Drop what is kept for a kind."""
        self._kept.pop(kind, None)

    def refuse(self, kind, reason):
        """Have the chain's code make all calls of a kind."""
        self.forget(kind)
        self.refused[kind] = reason
        if self._verbosity_level > 1:
            print('static_graph: not compiled, as', reason)

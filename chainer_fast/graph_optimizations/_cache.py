"""What makes calls of a static chain without its code, by their kinds."""
import collections
import typing as tp

from chainer_fast.backends.kernels.plan.calls import MISS as MISS
from chainer_fast.backends.kernels.plan.steps import NotStatic

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
        self._latest = ()
        self._renewals = collections.Counter()
        self.refused: dict[tp.Any, tp.Any] = {}

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
        self._kept.pop(kind, None)
        self._latest = ()

    def refuse(self, kind, reason):
        """Have the chain's code make all calls of a kind."""
        self.forget(kind)
        self.refused[kind] = reason
        if self._verbosity_level > 1:
            print('static_graph: not compiled, as', reason)

    def remember(self, func, repeated, schedule):
        """Note by what a call was made.

        Parameters
        ----------
        func : function
            The method that was called.
        repeated : RepeatedCall
        schedule : StaticScheduleFunction
            The schedule of the chain for such calls.
        """
        others = [each for each in self._latest if each[1] is not repeated]
        self._latest = ((func, repeated, schedule), *others[:3])

    def repeat(self, chain, func, args, kwargs):
        """Make a call that is the same as one of the latest ones.

        Returns
        -------
        object
            What the call returned, or ``MISS``.
        """
        for known, repeated, schedule in self._latest:
            if known is func:
                try:
                    returned = repeated.repeat(args, kwargs)
                except NotStatic:
                    returned = MISS
                if returned is not MISS:
                    vars(chain)['static_schedule'] = schedule
                    return returned
        return MISS

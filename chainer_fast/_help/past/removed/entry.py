"""One entry of the list."""
from typing import NamedTuple


class Removed(NamedTuple):
    """One name, argument or idiom that stopped working.

    Attributes
    ----------
    what : str
        The full name in Chainer's terms: ``chainer.functions.Linear``,
        ``chainer.Optimizer.zero_grads``, ``numpy.float``. An argument is in parentheses
        after the callable: ``chainer.functions.dropout(train=)``. An idiom without a
        name is described in words.
    last : str
        Last release that had it: ``Chainer 1.24``, ``NumPy 1.23``, ``Python 3.9``.
    instead : str
        What to write today, as code or as an instruction: ``write L.Linear``.
    part : str
        Part of legacy mode that adapts it, or an empty string if none does.
    remark : str
        What the adaptation does if that is not obvious, or why there is none.
    """

    what: str
    last: str
    instead: str
    part: str = ''
    remark: str = ''

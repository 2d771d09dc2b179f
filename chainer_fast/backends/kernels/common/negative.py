"""A warning of labels and ids below zero, which count from the end as in NumPy."""
from __future__ import annotations

import numpy

from chainer_fast._help import mistakes
from chainer_fast.types import NdArray


def warn(
        name: str, values: NdArray, ignored: int | None, count: int, what: str,
        clipped: bool = False) -> None:
    """Warn, once for each name, of the first number below zero that is not ignored.

    Arrays on a GPU are not checked, as the host would have to wait for them.

    Parameters
    ----------
    name : str
        Name of the argument.
    values : array of integers
        Labels or ids.
    ignored : int or None
        Number that represents no class or row.
    count : int
        Number of classes or rows.
    what : str
        Name of these: ``'classes'`` or ``'rows'``.
    clipped : bool
        Whether numbers below zero are replaced by zero instead.
    """
    if not isinstance(values, numpy.ndarray):
        return
    below = values < 0
    if ignored is not None:
        below &= values != ignored
    if not below.any():
        return
    place = tuple(numpy.argwhere(below)[0].tolist())
    value = int(values[place])
    mistakes.warn_once((name, what), (
        '%s[%s] is %s, and there are %d %s, 0 to %d: it is treated as %s %d. To '
        'ignore a number, pass it as ignore_label; with config.debug, such numbers '
        'are errors.' % (
            name, ', '.join(map(str, place)), value, count, what, count - 1,
            what.replace('classes', 'class').replace('rows', 'row'),
            0 if clipped else value + count)))

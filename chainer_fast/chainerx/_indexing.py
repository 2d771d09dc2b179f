"""Elements and parts of arrays."""
from __future__ import annotations

import typing as tp

from chainer_fast.chainerx import _array, _errors, _routines
from chainer_fast.chainerx._array import ndarray
from chainer_fast.functions.array import get_item


def _index(indices):
    """Return an index that makes a view, of plain arrays where there are any."""
    if not isinstance(indices, tuple):
        indices = indices,
    indices = tuple([each._array if isinstance(each, ndarray) else each
                     for each in indices])
    if any([each is Ellipsis for each in indices]):
        return indices
    return (*indices, Ellipsis)


def _getitem(a, indices):
    index = _index(indices)
    return _routines.compute(
        [a], lambda xp, a: a[index], lambda a: get_item.get_item(a, index))


def _setitem(a, indices, value):
    writable(a)
    if isinstance(value, ndarray):
        writable(value)
        value = value._array
    with a._device.scope():
        a._array[_index(indices)] = value


def writable(a: ndarray) -> None:
    """Refuse to change an array that is in a graph.

    Raises
    ------
    ChainerxError
    """
    if a._is_connected():
        raise _errors.ChainerxError(
            'an array that is in a graph is not changed in place: '
            'as_grad_stopped() returns a view outside of graphs')


ndarray.__getitem__ = _getitem
ndarray.__setitem__ = _setitem


@_routines.method
def fill(a: ndarray, value: tp.Any) -> None:
    """Set all elements to a number.

    Parameters
    ----------
    value : number

    Raises
    ------
    ChainerxError
        If the array is in a graph.
    """
    writable(a)
    a._array.fill(value)

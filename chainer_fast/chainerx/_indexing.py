"""Elements and parts of arrays."""
from __future__ import annotations

from typing import Any

import numpy

from chainer_fast import backend
from chainer_fast.chainerx import (
    _array,
    _conversion,
    _dtypes,
    _errors,
    _functions,
    _routines,
    _running,
)
from chainer_fast.chainerx._array import ndarray
from chainer_fast.functions.array import get_item
from chainer_fast.functions.array import where as where_

__all__ = ['copyto', 'take', 'where']


def _index(indices):
    """Return an index with plain arrays, which makes a view if it has none."""
    if not isinstance(indices, tuple):
        indices = indices,
    indices = tuple([each._array if isinstance(each, ndarray) else each
                     for each in indices])
    if any([each is Ellipsis for each in indices]):
        return indices
    return (*indices, Ellipsis)


def getitem(a: ndarray, indices: Any) -> ndarray:
    """Return a part of an array, which is a view if no arrays are indices."""
    index = _index(indices)
    return _routines.compute(
        [a], lambda xp, a: a[index], lambda a: get_item.get_item(a, index))


def _setitem(a, indices, value):
    check_writable(a)
    if _routines.is_scalar(value):
        value = _dtypes.number(value, a.dtype)
    else:
        value = _conversion.asarray(value, device=a._device)
        check_writable(value)
        value = value._array
    try:
        with a._device.scope():
            a._array[_index(indices)] = value
    except ValueError as e:
        raise _errors.DimensionError(str(e)) from e


def _iter(a):
    return (getitem(a, i) for i in range(len(a)))


def check_writable(a: ndarray) -> None:
    """Raise an error if an array to be changed is in a graph.

    Raises
    ------
    ChainerxError
    """
    if a._is_connected():
        raise _errors.ChainerxError(
            'an array that is in a graph cannot be part of an operation in place: '
            'as_grad_stopped() returns a view outside of graphs')


for _name, _method in {
        '__getitem__': getitem, '__setitem__': _setitem, '__iter__': _iter}.items():
    setattr(ndarray, _name, _method)


@_array.method
def fill(a: ndarray, value: Any) -> None:
    """Set all elements to a number.

    Parameters
    ----------
    value : number

    Raises
    ------
    ChainerxError
        If the array is in a graph.
    """
    _setitem(a, ..., value)


def copyto(dst: ndarray, src: Any, casting: str = 'same_kind',
           where: Any = True) -> None:
    """Write the elements of an array into another.

    Parameters
    ----------
    dst : ndarray
    src : ndarray or number
        Array that is broadcast to the shape of ``dst``.
    casting : str
        Allowed conversions of dtypes, as in NumPy.
    where : ndarray or bool
        Mask of the elements to write.

    Raises
    ------
    ChainerxError
        If an array is in a graph.
    DtypeError
        If the conversion is not allowed.
    """
    _routines.check(dst)
    given = [x for x in (dst, src, where) if isinstance(x, ndarray)]
    for each in given:
        check_writable(each)
    device = _running.common_device(given)
    source, mask = [x._array if isinstance(x, ndarray) else x for x in (src, where)]
    if not isinstance(where, ndarray):
        mask = bool(where)
    try:
        with device.scope():
            device.xp.copyto(dst._array, source, casting=casting, where=mask)
    except TypeError as e:
        raise _errors.DtypeError(str(e)) from e


@_array.method
def take(a: ndarray, indices: Any, axis: int | None = None,
         mode: str | None = None) -> ndarray:
    """Return parts of an array along an axis.

    Parameters
    ----------
    a : ndarray
    indices : ndarray, array of NumPy, or sequence of int
    axis : int, optional
        None means the flattened array.
    mode : {'raise', 'wrap', 'clip'}, optional
        Treatment of indices out of bounds: an error, which is the default but not
        supported on ``cuda``; modulo the length; or the nearest end.

    Raises
    ------
    IndexError
        If an index is out of bounds.
    DimensionError
        If the array does not have the axis.
    """
    _routines.check(a)
    if axis is None:
        a, axis = a.ravel(), 0
    axis = _functions.one_axis(axis, a.ndim)
    length = a.shape[axis]
    indices = _conversion.asarray(indices, device=a.device)._array
    if indices.dtype.kind not in 'iu' and indices.size:
        raise _errors.DtypeError('indices must be integers, not %s' % (indices.dtype,))
    found = _bounded(indices.astype(numpy.int64), length, mode, a.device)

    def of_variable(a):
        # Arrays for the preceding axes make the result contiguous, like that of take.
        xp = backend.get_array_module(found)
        before = [xp.arange(n).reshape((n,) + (1,) * (axis - 1 - i + found.ndim))
                  for i, n in enumerate(a.shape[:axis])]
        return get_item.get_item(a, (*before, found))
    return _routines.compute([a], lambda xp, a: a.take(found, axis), of_variable)


def _bounded(indices, length, mode, device):
    """Return indices within bounds."""
    if mode is None:
        mode = 'raise' if device.native else 'wrap'
    if mode == 'wrap' and length:
        return indices % length
    if mode == 'clip' and length:
        return indices.clip(0, length - 1)
    if mode not in ('raise', 'wrap', 'clip'):
        raise ValueError("the mode must be 'raise', 'wrap' or 'clip', not %r" % (mode,))
    if not device.native:
        raise _errors.BackendError("the mode 'raise' is not supported on cuda")
    if indices.size and not -length <= indices.min() <= indices.max() < length:
        raise IndexError('an index is out of bounds for %s elements' % (length,))
    return indices


def where(condition: ndarray, x: Any, y: Any) -> ndarray:
    """Return elements selected from two arrays or numbers.

    Parameters
    ----------
    condition : ndarray
        Where it is nonzero, the element is that of ``x``, otherwise of ``y``.
    x, y : ndarray or number

    Raises
    ------
    DimensionError
        If the shapes cannot be broadcast.
    """
    _routines.check(condition)
    given = [each for each in (x, y) if isinstance(each, ndarray)]
    numbers = [each for each in (x, y) if _routines.is_scalar(each)]
    if len(given) + len(numbers) < 2:
        raise TypeError('x and y must be chainerx.ndarray or numbers')
    dtype = _dtypes.result_type([a.dtype for a in given], numbers)
    device = _running.common_device([condition, *given])
    mask = condition._array.astype(bool, copy=False)
    try:
        numpy.broadcast_shapes(condition.shape, *[a.shape for a in given])
    except ValueError as e:
        raise _errors.DimensionError(str(e)) from e
    with device.scope():
        x, y = [each if isinstance(each, ndarray) else _array.plain(
            device.xp.asarray(each).astype(dtype), device) for each in (x, y)]
    return _routines.compute(
        [x, y], lambda xp, x, y: xp.where(mask, x, y),
        lambda x, y: where_.where(mask, x, y), dtype)

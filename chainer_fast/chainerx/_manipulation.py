"""Changes of shapes and of the order of axes."""
from __future__ import annotations

import math
from typing import Any

from chainer_fast.chainerx import (
    _array,
    _dtypes,
    _errors,
    _functions,
    _indexing,
    _routines,
)
from chainer_fast.chainerx._array import ndarray
from chainer_fast.chainerx._functions import _Axis
from chainer_fast.functions.array import broadcast
from chainer_fast.functions.array import reshape as reshape_
from chainer_fast.functions.array import squeeze as squeeze_
from chainer_fast.functions.array import transpose as transpose_

__all__ = [
    'atleast_2d', 'atleast_3d', 'broadcast_to', 'expand_dims', 'flip', 'fliplr',
    'flipud', 'moveaxis', 'ravel', 'reshape', 'rollaxis', 'squeeze', 'swapaxes',
    'transpose']


def _whole_shape(shape, size):
    """Return a shape with its open length filled in."""
    unknown = [i for i, length in enumerate(shape) if length < 0]
    known = math.prod([length for length in shape if length >= 0])
    if len(unknown) > 1 or (
            unknown and (not known or size % known)) or (
            not unknown and known != size):
        raise _errors.DimensionError(
            '%s elements cannot have the shape %s' % (size, shape))
    if unknown:
        shape = tuple([size // known if n < 0 else n for n in shape])
    return shape


def reshape(a: ndarray, newshape: Any) -> ndarray:
    """Return the elements with another shape, as a view if possible.

    Parameters
    ----------
    a : ndarray
    newshape : int or sequence of int
        One length may be negative, which is inferred.

    Raises
    ------
    DimensionError
        If the number of elements differs.
    """
    _routines.check(a)
    shape = _whole_shape(_dtypes.shape(newshape), a.size)
    return _routines.compute(
        [a], lambda xp, a: a.reshape(shape), lambda a: reshape_.reshape(a, shape))


def _reshape_method(a, *newshape):
    if not newshape:
        raise TypeError('reshape needs a shape')
    return reshape(a, newshape[0] if len(newshape) == 1 else newshape)


@_array.method
def ravel(a: ndarray) -> ndarray:
    """Return the elements along one axis, as a view if possible."""
    return reshape(a, -1)


@_array.method
def flatten(a: ndarray) -> ndarray:
    """Return a copy of the elements along one axis."""
    return ravel(a).copy()


@_array.method
def squeeze(a: ndarray, axis: _Axis = None) -> ndarray:
    """Return the array without axes of length 1.

    Parameters
    ----------
    a : ndarray
    axis : int or tuple of int, optional
        By default all axes of length 1.

    Raises
    ------
    DimensionError
        If the length of an axis is not 1.
    """
    _routines.check(a)
    axes = _functions.axes(a, axis)
    if axes is None:
        axes = tuple([i for i, n in enumerate(a.shape) if n == 1])
    if any([a.shape[i] != 1 for i in axes]):
        raise _errors.DimensionError(
            'axes %s of an array of shape %s are not all of length 1' % (axes, a.shape))
    return _routines.compute(
        [a], lambda xp, a: a.squeeze(axes), lambda a: squeeze_.squeeze(a, axes))


def expand_dims(a: ndarray, axis: int) -> ndarray:
    """Return a view with another axis, of length 1.

    Parameters
    ----------
    a : ndarray
    axis : int
        Its position in the result.

    Raises
    ------
    DimensionError
        If the result has no such axis.
    """
    _routines.check(a)
    place = _functions.one_axis(axis, a.ndim + 1)
    return reshape(a, (*a.shape[:place], 1, *a.shape[place:]))


def atleast_2d(a: ndarray) -> ndarray:
    """Return a view with at least two axes: new ones come first."""
    _routines.check(a)
    if a.ndim >= 2:
        return a
    return _indexing.getitem(a, None) if a.ndim else reshape(a, (1, 1))


def atleast_3d(a: ndarray) -> ndarray:
    """Return a view with at least three axes: new ones come last, or around one."""
    _routines.check(a)
    if a.ndim >= 3:
        return a
    if not a.ndim:
        return reshape(a, (1, 1, 1))
    return _indexing.getitem(a, (..., None) if a.ndim == 2 else (None, ..., None))


def broadcast_to(array: ndarray, shape: Any) -> ndarray:
    """Return a view that repeats elements along axes of length 1 and before all axes.

    Parameters
    ----------
    array : ndarray
    shape : int or sequence of int

    Raises
    ------
    DimensionError
        If the array cannot be broadcast to that shape.
    """
    _routines.check(array)
    shape = _dtypes.shape(shape)
    lead = len(shape) - array.ndim
    if lead < 0 or any([n not in (1, wanted) for n, wanted in zip(
            array.shape, shape[lead:], strict=True)]):
        raise _errors.DimensionError(
            'an array of shape %s cannot be broadcast to %s' % (array.shape, shape))
    return _routines.compute(
        [array], lambda xp, a: xp.broadcast_to(a, shape),
        lambda a: broadcast.broadcast_to(a, shape))


def transpose(a: ndarray, axes: Any = None) -> ndarray:
    """Return a view with the axes in another order.

    Parameters
    ----------
    a : ndarray
    axes : int or sequence of int, optional
        By default all axes in reverse order.

    Raises
    ------
    DimensionError
        If these are not all axes of the array.
    """
    _routines.check(a)
    axes = _functions.axes(a, axes)
    if axes is not None and len(axes) != a.ndim:
        raise _errors.DimensionError(
            '%s is not an order of %d axes' % (axes, a.ndim))
    return _routines.compute(
        [a], lambda xp, a: a.transpose(axes), lambda a: transpose_.transpose(a, axes))


def _transpose_method(a, *order, axes=None):
    return transpose(a, order[0] if len(order) == 1 else order or axes)


@_array.method
def swapaxes(a: ndarray, axis1: int, axis2: int) -> ndarray:
    """Return a view with two axes interchanged.

    Raises
    ------
    DimensionError
        If the array does not have one of them.
    """
    _routines.check(a)
    order = list(range(a.ndim))
    i, j = _functions.one_axis(axis1, a.ndim), _functions.one_axis(axis2, a.ndim)
    order[i], order[j] = j, i
    return transpose(a, order)


def rollaxis(a: ndarray, axis: int, start: int = 0) -> ndarray:
    """Return a view with an axis moved before another.

    Parameters
    ----------
    a : ndarray
    axis : int
    start : int
        The axis before which it is moved; the number of axes for the last
        position.

    Raises
    ------
    DimensionError
        If the array does not have one of them.
    """
    _routines.check(a)
    axis = _functions.one_axis(axis, a.ndim)
    start = start if start == a.ndim else _functions.one_axis(start, a.ndim)
    order = [i for i in range(a.ndim) if i != axis]
    order.insert(start - (axis < start), axis)
    return transpose(a, order)


def moveaxis(a: ndarray, source: _Axis,
             destination: _Axis) -> ndarray:
    """Return a view with axes moved to other positions, keeping the order of others.

    Parameters
    ----------
    a : ndarray
    source, destination : int or tuple of int

    Raises
    ------
    DimensionError
        If the array does not have one of them, one is repeated, or the numbers of
        positions and axes differ.
    """
    _routines.check(a)
    axes, places = _functions.axes(a, source), _functions.axes(a, destination)
    if axes is None or places is None or len(axes) != len(places):
        raise _errors.DimensionError(
            'axes %s cannot be moved to %s' % (source, destination))
    order = [i for i in range(a.ndim) if i not in axes]
    for place, axis in sorted(zip(places, axes, strict=True)):
        order.insert(place, axis)
    return transpose(a, order)


def flip(m: ndarray, axis: _Axis = None) -> ndarray:
    """Return a view with the elements in reverse order.

    Parameters
    ----------
    m : ndarray
    axis : int or tuple of int, optional
        By default all axes.

    Raises
    ------
    DimensionError
        If the array does not have one of them.
    """
    _routines.check(m)
    axes = _functions.axes(m, axis)
    return _indexing.getitem(m, tuple([
        slice(None, None, -1 if axes is None or i in axes else None)
        for i in range(m.ndim)]))


def fliplr(m: ndarray) -> ndarray:
    """Return a view with the second axis in reverse order."""
    return flip(m, 1)


def flipud(m: ndarray) -> ndarray:
    """Return a view with the first axis in reverse order."""
    return flip(m, 0)


for _name, _method in {
        'reshape': _reshape_method, 'transpose': _transpose_method,
        'T': property(transpose, doc='A view with the axes in reverse order.')
        }.items():
    setattr(ndarray, _name, _method)

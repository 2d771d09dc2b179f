"""Positions of maxima, minima, and nonzero elements."""
from __future__ import annotations

from chainer_fast.chainerx import _array, _functions, _routines
from chainer_fast.chainerx._array import ndarray
from chainer_fast.chainerx._functions import _Axis

__all__ = [
    'argmax', 'argmin', 'count_nonzero', 'nanargmax', 'nanargmin', 'nonzero']


@_array.method
def argmax(a: ndarray, axis: int | None = None) -> ndarray:
    """Return the indices of the largest elements, as int64.

    Parameters
    ----------
    a : ndarray
    axis : int, optional
        By default the array is flattened.

    Raises
    ------
    DimensionError
        If the axis does not exist, or there are no elements.
    """
    return _position('argmax', a, axis)


@_array.method
def argmin(a: ndarray, axis: int | None = None) -> ndarray:
    """Return the indices of the smallest elements: see :func:`argmax`."""
    return _position('argmin', a, axis)


def nanargmax(a: ndarray, axis: int | None = None) -> ndarray:
    """Return the indices of the largest elements, ignoring NaN: see :func:`argmax`."""
    return _position('nanargmax', a, axis)


def nanargmin(a: ndarray, axis: int | None = None) -> ndarray:
    """Return the indices of the smallest elements, ignoring NaN: see :func:`argmax`."""
    return _position('nanargmin', a, axis)


@_routines.dimension_errors
def _position(name, a, axis):
    _routines.check(a)
    found = None if axis is None else _functions.axes(a, axis)[0]
    return _routines.compute([a], lambda xp, x: getattr(xp, name)(x, found))


def count_nonzero(a: ndarray, axis: _Axis = None) -> ndarray:
    """Return the numbers of nonzero elements over axes, by default all.

    Parameters
    ----------
    a : ndarray
    axis : int or tuple of int, optional

    Raises
    ------
    DimensionError
        If an axis does not exist, or is repeated.
    """
    _routines.check(a)
    found = _functions.axes(a, axis)
    return _routines.compute([a], lambda xp, x: xp.count_nonzero(x, found))


def nonzero(a: ndarray) -> tuple[ndarray, ...]:
    """Return the indices of nonzero elements: positions along each axis, as int64."""
    _routines.check(a)
    return _routines.compute([a], lambda xp, x: xp.nonzero(x))

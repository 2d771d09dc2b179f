"""Positions of the largest and the smallest, and of what is not zero."""
from __future__ import annotations

from chainer_fast.chainerx import _array, _functions, _routines
from chainer_fast.chainerx._array import ndarray
from chainer_fast.chainerx._functions import _Axis

__all__ = [
    'argmax', 'argmin', 'count_nonzero', 'nanargmax', 'nanargmin', 'nonzero']


@_array.method
def argmax(a: ndarray, axis: int | None = None) -> ndarray:
    """Return where the largest elements are, as int64.

    Parameters
    ----------
    a : ndarray
    axis : int, optional
        By default the array is flattened.

    Raises
    ------
    DimensionError
        If there is no such axis, or no element.
    """
    return _position('argmax', a, axis)


@_array.method
def argmin(a: ndarray, axis: int | None = None) -> ndarray:
    """Return where the smallest elements are: see :func:`argmax`."""
    return _position('argmin', a, axis)


def nanargmax(a: ndarray, axis: int | None = None) -> ndarray:
    """Return where the largest elements but NaN are: see :func:`argmax`."""
    return _position('nanargmax', a, axis)


def nanargmin(a: ndarray, axis: int | None = None) -> ndarray:
    """Return where the smallest elements but NaN are: see :func:`argmax`."""
    return _position('nanargmin', a, axis)


@_routines.dimension_errors
def _position(name, a, axis):
    _routines.check(a)
    found = None if axis is None else _functions.axes(a, axis)[0]
    return _routines.compute([a], lambda xp, x: getattr(xp, name)(x, found))


def count_nonzero(a: ndarray, axis: _Axis = None) -> ndarray:
    """Return how many elements over axes, by default of all, are not zero.

    Parameters
    ----------
    a : ndarray
    axis : int or tuple of int, optional

    Raises
    ------
    DimensionError
        If there is no such axis, or one is told twice.
    """
    _routines.check(a)
    found = _functions.axes(a, axis)
    return _routines.compute([a], lambda xp, x: xp.count_nonzero(x, found))


def nonzero(a: ndarray) -> tuple[ndarray, ...]:
    """Return where an array is not zero: the positions along each axis, as int64."""
    _routines.check(a)
    return _routines.compute([a], lambda xp, x: xp.nonzero(x))

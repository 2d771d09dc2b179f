"""Maxima, minima, averages and variances."""
from __future__ import annotations

import math

from chainer_fast import utils
from chainer_fast.chainerx import _array, _dtypes, _functions, _routines
from chainer_fast.chainerx._array import ndarray
from chainer_fast.chainerx._functions import _Axis
from chainer_fast.functions.math import average, minmax
from chainer_fast.functions.math import sum as sum_mod

__all__ = ['amax', 'amin', 'max', 'mean', 'min', 'var']


@_array.method
def max(a: ndarray, axis: _Axis = None, keepdims: bool = False) -> ndarray:
    """Return the largest elements over axes, by default all.

    Parameters
    ----------
    a : ndarray
    axis : int or tuple of int, optional
    keepdims : bool
        Whether to keep the axes with length 1.

    Raises
    ------
    DimensionError
        If an axis does not exist or is repeated, or there are no elements.
    """
    _routines.check(a)
    found = _functions.axes(a, axis)
    return _select(a, lambda xp, x: x.max(found, keepdims=keepdims),
                   lambda v: minmax.max(v, found, keepdims))


@_array.method
def min(a: ndarray, axis: _Axis = None, keepdims: bool = False) -> ndarray:
    """Return the smallest elements over axes: see :func:`max`."""
    _routines.check(a)
    found = _functions.axes(a, axis)
    return _select(a, lambda xp, x: x.min(found, keepdims=keepdims),
                   lambda v: minmax.min(v, found, keepdims))


@_routines.dimension_errors
def _select(a, ordinary, function):
    return _routines.compute([a], ordinary, function)


amax, amin = max, min


@_array.method
def mean(a: ndarray, axis: _Axis = None, keepdims: bool = False) -> ndarray:
    """Return the averages over axes, by default all; float32 for integers.

    Parameters
    ----------
    a : ndarray
    axis : int or tuple of int, optional
    keepdims : bool
        Whether to keep the axes with length 1.

    Raises
    ------
    DimensionError
        If an axis does not exist, or is repeated.
    """
    _routines.check(a)
    found = _functions.axes(a, axis)
    return _functions.apply(lambda v: _mean(v, found, keepdims), a)


@_array.method
def var(a: ndarray, axis: _Axis = None, keepdims: bool = False) -> ndarray:
    """Return the variances over axes: see :func:`mean`."""
    _routines.check(a)
    found = _functions.axes(a, axis)
    return _routines.compute(
        [a], lambda xp, x: x.var(found, keepdims=keepdims),
        lambda v: _var(v, found, keepdims), _dtypes.floating(a.dtype))


def _mean(v, axis, keepdims):
    """Return the mean of a variable; NaN without elements, as in NumPy."""
    if utils.size_of_shape(v.shape):
        return average.average(v, axis, keepdims=keepdims)
    return sum_mod.sum(v, axis, keepdims) * math.nan


def _var(v, axis, keepdims):
    distances = v - _mean(v, axis, True)
    return _mean(distances * distances, axis, keepdims)

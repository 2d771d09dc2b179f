"""Sums and other reductions."""
from __future__ import annotations

import numpy

from chainer_fast.chainerx import _array, _functions, _routines
from chainer_fast.chainerx._array import ndarray
from chainer_fast.chainerx._functions import _Axis
from chainer_fast.functions.array import reshape, where
from chainer_fast.functions.math import cumsum as cumsum_mod
from chainer_fast.functions.math import logsumexp as logsumexp_mod
from chainer_fast.functions.math import sum as sum_mod

__all__ = ['all', 'any', 'cumsum', 'logsumexp', 'nansum', 'sum']


def _total_dtype(a):
    """Return the dtype of sums: int64 for integers."""
    return a.dtype if a.dtype.kind == 'f' else numpy.dtype('int64')


@_array.method
def sum(a: ndarray, axis: _Axis = None, keepdims: bool = False) -> ndarray:
    """Return the sums over axes, by default over all.

    Sums of integers are int64; those of floats keep their dtype.

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
    if a.dtype.kind == 'f':
        return _functions.apply(lambda v: sum_mod.sum(v, found, keepdims), a)
    return _routines.compute(
        [a], lambda xp, x: x.sum(found, dtype='int64', keepdims=keepdims))


def nansum(a: ndarray, axis: _Axis = None, keepdims: bool = False) -> ndarray:
    """Return the sums over axes, ignoring NaN: see :func:`sum`."""
    _routines.check(a)
    found, dtype = _functions.axes(a, axis), _total_dtype(a)

    def function(v):
        array = v.raw_array
        numbers = where.where(array == array, v, a.device.xp.zeros_like(array))
        return sum_mod.sum(numbers, found, keepdims)

    return _routines.compute(
        [a], lambda xp, x: xp.nansum(x, found, dtype=dtype, keepdims=keepdims),
        function)


def cumsum(x: ndarray, axis: int | None = None) -> ndarray:
    """Return the cumulative sums.

    Parameters
    ----------
    x : ndarray
    axis : int, optional
        By default the array is flattened.

    Raises
    ------
    DimensionError
        If there is no such axis.
    """
    _routines.check(x)
    found = None if axis is None else _functions.axes(x, axis)[0]
    dtype = _total_dtype(x)
    return _routines.compute(
        [x], lambda xp, array: xp.cumsum(array, found, dtype=dtype),
        lambda v: cumsum_mod.cumsum(v, found))


def logsumexp(x: ndarray, axis: _Axis = None, keepdims: bool = False) -> ndarray:
    """Return the logarithms of sums of exponentials over axes, without overflow.

    Parameters
    ----------
    x : ndarray
    axis : int or tuple of int, optional
        By default all.
    keepdims : bool
        Whether to keep the axes with length 1.

    Raises
    ------
    DimensionError
        If an axis does not exist, or is repeated.
    """
    _routines.check(x)
    found = _functions.axes(x, axis)

    def function(v):
        y = logsumexp_mod.logsumexp(v, found)
        return reshape.reshape(y, _functions.kept_shape(x, found)) if keepdims else y

    return _functions.apply(function, x)


@_array.method
def all(a: ndarray, axis: _Axis = None, keepdims: bool = False) -> ndarray:
    """Return whether all elements over axes are true: see :func:`sum`."""
    _routines.check(a)
    found = _functions.axes(a, axis)
    return _routines.compute([a], lambda xp, x: x.all(found, keepdims=keepdims))


@_array.method
def any(a: ndarray, axis: _Axis = None, keepdims: bool = False) -> ndarray:
    """Return whether any element over axes is true: see :func:`sum`."""
    _routines.check(a)
    found = _functions.axes(a, axis)
    return _routines.compute([a], lambda xp, x: x.any(found, keepdims=keepdims))

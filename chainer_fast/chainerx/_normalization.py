"""Batch normalization."""
from __future__ import annotations

from typing import TypeAlias

from chainer_fast.chainerx import _errors, _functions, _routines, _running
from chainer_fast.chainerx._array import ndarray
from chainer_fast.functions.normalization import batch_normalization

__all__ = ['batch_norm', 'fixed_batch_norm']

_Axes: TypeAlias = int | tuple[int, ...] | None


def batch_norm(
        x: ndarray, gamma: ndarray, beta: ndarray, running_mean: ndarray,
        running_var: ndarray, eps: float = 2e-5, decay: float = 0.9,
        axis: _Axes = None) -> ndarray:
    """Return an array normalized by the mean and variance of a batch.

    Parameters
    ----------
    x : ndarray
    gamma, beta : ndarray
        Scale and shift of the result.
    running_mean, running_var : ndarray
        Averages over batches, which are updated in place.
    eps : float
        Constant added to the variance.
    decay : float
        Fraction of the averages that is kept.
    axis : int or tuple of int, optional
        Axes over which means are computed; by default the first.

    Raises
    ------
    DimensionError
        If the shapes do not match.
    ChainerxError
        If ``running_mean`` or ``running_var`` is in a graph.
    """
    _routines.check(running_mean, running_var)
    axis = _check(x, axis, gamma, beta, running_mean, running_var)
    for each in running_mean, running_var:
        if each._is_connected():
            raise _errors.ChainerxError(
                'running values in a graph cannot be updated in place')
    return _functions.apply_unchanged(
        lambda v, g, b: batch_normalization.batch_normalization(
            v, g, b, eps=eps, running_mean=running_mean._array,
            running_var=running_var._array, decay=decay, axis=axis), x, gamma, beta)


def fixed_batch_norm(
        x: ndarray, gamma: ndarray, beta: ndarray, mean: ndarray, var: ndarray,
        eps: float = 2e-5, axis: _Axes = None) -> ndarray:
    """Return an array normalized by a given mean and variance.

    Parameters
    ----------
    x, gamma, beta, mean, var : ndarray
    eps : float
        Constant added to the variance.
    axis : int or tuple of int, optional
        Axes that the mean lacks; by default the first.

    Raises
    ------
    DimensionError
        If the shapes do not match.
    """
    axis = _check(x, axis, gamma, beta, mean, var)
    return _functions.apply_unchanged(
        lambda v, g, b, m, s: batch_normalization.fixed_batch_normalization(
            v, g, b, m, s, eps, axis), x, gamma, beta, mean, var)


def _check(x, axis, *arrays):
    """Return the axes, after checking dtypes and shapes."""
    _functions.expect_dtypes('f', x, *arrays)
    _running.common_device((x, *arrays))
    axis = _functions.axes(x, 0 if axis is None else axis)
    shape = tuple([n for i, n in enumerate(x.shape) if i not in axis])
    for array in arrays:
        if array.shape != shape:
            raise _errors.DimensionError(
                'expected the shape %s, not %s' % (shape, array.shape))
    return tuple(sorted(axis))

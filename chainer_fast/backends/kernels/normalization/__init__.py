"""Normalization: moments, the normalized array, and gradients through both.

The arrays of a call may have different floating-point dtypes, and results have those of
the arrays to which they belong. Statistics and intermediate results have the common
dtype of values and parameters, but never half precision: neither the squares of halves
nor their sums fit in halves. ``axis`` is a sorted tuple of the axes over which
statistics are computed. Statistics and parameters of a batch have the shape of the
other axes.
"""
from __future__ import annotations

import typing as tp

import numpy

from chainer_fast.backends import arrays
from chainer_fast.backends.cuda import get_array_module
from chainer_fast.backends.kernels import kernel
from chainer_fast.backends.kernels.declared import declared
from chainer_fast.backends.kernels.normalization import compiled as _compiled
from chainer_fast.backends.kernels.normalization import cuda as _cuda
from chainer_fast.backends.kernels.normalization.axes import kept_shape
from chainer_fast.backends.kernels.normalization.dtypes import (
    by_interm,
    cast_all,
    interm,
)
from chainer_fast.types import NdArray


def _sum(x, axis):
    return arrays.force_array(x.sum(axis=axis))


@by_interm(1, '--')
@kernel(compiled=declared('moments'), device=_cuda.moments)
def moments(x: NdArray, axis: tuple[int, ...]) -> tuple[NdArray, ...]:
    """Mean and variance over axes.

    The variance is the biased one, a sum divided by the number of elements. Without
    elements, both moments are zero. Floats are summed as in NumPy: if the axes are
    the outer ones in memory, row by row, which rounds more than other sums.

    Parameters
    ----------
    x : array
        Values.
    axis : tuple of int
        Axes over which the moments are computed.

    Returns
    -------
    tuple of array
        Mean and variance, of the shape of the other axes.
    """
    xp = get_array_module(x)
    count = arrays.size_of_shape([x.shape[i] for i in axis])
    if count == 0:
        shape = tuple([n for i, n in enumerate(x.shape) if i not in axis])
        return xp.zeros(shape, x.dtype), xp.zeros(shape, x.dtype)
    # Not `var`, which would compute the mean again.
    mean = x.mean(axis=axis, keepdims=True)
    shifted = x - mean
    variance = arrays.force_array((shifted * shifted).mean(axis=axis))
    return mean.reshape(variance.shape), variance


@by_interm(5, '0')
@kernel(compiled=declared('batch_apply'), device=_cuda.batch_apply)
def batch_apply(
        x: NdArray, gamma: NdArray, beta: NdArray, mean: NdArray, inv_std: NdArray,
        axis: tuple[int, ...]) -> NdArray:
    """Normalize by given statistics, scale and shift.

    Parameters
    ----------
    x : array
        Values.
    gamma, beta : array
        Factors and offsets.
    mean, inv_std : array
        Statistics: means and reciprocals of standard deviations.
    axis : tuple of int
        Axes along which the statistics are constant.

    Returns
    -------
    array
        ``(x - mean) * inv_std * gamma + beta``.
    """
    shape = kept_shape(x.shape, axis)
    y = x - mean.reshape(shape)
    y *= (inv_std * gamma).reshape(shape)
    y += beta.reshape(shape)
    return y


@by_interm(3, '0---')
@kernel(compiled=declared('batch_forward'), device=_cuda.batch_forward)
def batch_forward(
        x: NdArray, gamma: NdArray, beta: NdArray, axis: tuple[int, ...],
        eps: float) -> tuple[NdArray, ...]:
    """Normalize by the moments of the batch, scale and shift.

    Parameters
    ----------
    x : array
        Values.
    gamma, beta : array
        Factors and offsets.
    axis : tuple of int
        Axes over which the moments are computed.
    eps : float
        Constant added to the variance.

    Returns
    -------
    tuple of array
        The result, mean, variance, and reciprocal of the standard deviation.
    """
    xp = get_array_module(x)
    mean, var = moments.reference(x, axis)
    inv_std = arrays.force_array(xp.reciprocal(xp.sqrt(var + var.dtype.type(eps))))
    y = batch_apply.reference(x, gamma, beta, mean, inv_std, axis)
    return y, mean, var, inv_std


@by_interm(5, '011')
@kernel(compiled=declared('batch_backward'), device=_cuda.batch_backward)
def batch_backward(
        x: NdArray, gamma: NdArray, gy: NdArray, mean: NdArray, inv_std: NdArray,
        axis: tuple[int, ...], fixed: bool) -> tuple[NdArray, ...]:
    """Gradients of a normalized batch.

    Parameters
    ----------
    x : array
        Values that were normalized.
    gamma : array
        Factors.
    gy : array
        Gradients of the result.
    mean, inv_std : array
        Statistics.
    axis : tuple of int
        Axes along which the statistics are constant.
    fixed : bool
        Whether the statistics were given, rather than the moments of ``x``.

    Returns
    -------
    tuple of array
        Gradients of ``x``, ``gamma`` and ``beta``.
    """
    shape = kept_shape(x.shape, axis)
    inv_std_kept = inv_std.reshape(shape)
    x_hat = (x - mean.reshape(shape)) * inv_std_kept
    gbeta = _sum(gy, axis)
    ggamma = _sum(gy * x_hat, axis)
    factor = gamma.reshape(shape) * inv_std_kept
    if fixed:
        return gy * factor, ggamma, gbeta
    count = max(arrays.size_of_shape([x.shape[i] for i in axis]), 1)
    x_hat *= ggamma.reshape(shape)
    x_hat += gbeta.reshape(shape)
    x_hat /= count
    gx = gy - x_hat
    gx *= factor
    return gx, ggamma, gbeta


@kernel(compiled=declared('inverses'), device=_cuda.inverses)
def inverses(var: NdArray, eps: float) -> tuple[NdArray, ...]:
    """Reciprocals of standard deviation and variance.

    Parameters
    ----------
    var : array
        Variances.
    eps : float
        Constant added to the variances.

    Returns
    -------
    tuple of array
        Reciprocals of the square root of ``var + eps``, and of ``var + eps``.
    """
    xp = get_array_module(var)
    shifted = var + var.dtype.type(eps)
    return (arrays.force_array(xp.reciprocal(xp.sqrt(shifted))),
            arrays.force_array(xp.reciprocal(shifted)))


_batch_backward = declared('batch_backward')
_statistics_backward = declared('statistics_backward')


def _fixed_backward(x, gamma, gy, mean, inv_std, inv_var, axis):
    grads = _batch_backward(x, gamma, gy, mean, inv_std, axis, True)
    if grads is NotImplemented:
        return grads
    statistics = _statistics_backward(gamma, inv_std, inv_var, *grads[1:])
    return statistics if statistics is NotImplemented else (*grads, *statistics)


@by_interm(6, '01111')
@kernel(compiled=_fixed_backward, device=_cuda.fixed_backward)
def fixed_backward(
        x: NdArray, gamma: NdArray, gy: NdArray, mean: NdArray, inv_std: NdArray,
        inv_var: NdArray, axis: tuple[int, ...]) -> tuple[NdArray, ...]:
    """Gradients of a batch normalized by given statistics.

    Parameters
    ----------
    x : array
        Values that were normalized.
    gamma : array
        Factors.
    gy : array
        Gradients of the result.
    mean, inv_std, inv_var : array
        Statistics.
    axis : tuple of int
        Axes along which they are constant.

    Returns
    -------
    tuple of array
        Gradients of ``x``, ``gamma``, ``beta``, mean and variance.
    """
    gx, ggamma, gbeta = batch_backward.reference(
        x, gamma, gy, mean, inv_std, axis, True)
    # The result depends on the mean as on -x, and on the variance through inv_std.
    gmean = arrays.force_array(-gamma * inv_std * gbeta)
    gvar = arrays.force_array(ggamma * gamma * inv_var)
    gvar *= -0.5
    return gx, ggamma, gbeta, gmean, gvar


@kernel(compiled=_compiled.update_running, device=_cuda.update_running)
def update_running(
        running_mean: NdArray, running_var: NdArray, mean: NdArray, var: NdArray,
        decay: float, adjust: float) -> None:
    """Move running statistics towards those of a batch, in place.

    Parameters
    ----------
    running_mean, running_var : array
        Exponential averages to update.
    mean, var : array
        Moments of the batch.
    decay : float
        Fraction of the averages that is kept.
    adjust : float
        Factor that makes the variance of the batch unbiased.
    """
    running_mean *= decay
    running_mean += mean * (1 - decay)
    running_var *= decay
    running_var += var * ((1 - decay) * adjust)


@kernel(device=_cuda.batch_forward_running)
def batch_forward_running(
        x: NdArray, gamma: NdArray, beta: NdArray, axis: tuple[int, ...], eps: float,
        running_mean: NdArray, running_var: NdArray, decay: float,
        adjust: float) -> tuple[NdArray, ...]:
    """Compute :func:`batch_forward`, and update running statistics.

    Parameters
    ----------
    x, gamma, beta, axis, eps
        See there.
    running_mean, running_var, decay, adjust
        See :func:`update_running`.

    Returns
    -------
    tuple of array
        As there.
    """
    results = batch_forward(x, gamma, beta, axis, eps)
    update_running(running_mean, running_var, *results[1:3], decay, adjust)
    return results


@kernel(device=_cuda.corrections)
def corrections(
        gamma: NdArray, beta: NdArray, mean: NdArray, var: NdArray,
        running_mean: NdArray, running_var: NdArray, eps: float, rmax: float,
        dmax: float) -> tuple[NdArray, ...]:
    """Corrections from the moments of a batch towards running statistics.

    Parameters
    ----------
    gamma, beta : array
        Factors and offsets.
    mean, var : array
        Moments of the batch.
    running_mean, running_var : array
        Running statistics.
    eps : float
        Constant added to the variances.
    rmax, dmax : float
        Bounds of the corrections.

    Returns
    -------
    tuple of array
        Standard deviation and its reciprocal; the corrections, a factor and an offset
        of the normalized values; and the factor and offset that replace gamma and beta.
    """
    xp = get_array_module(gamma)
    dtype = interm(mean, gamma)
    std = arrays.force_array(xp.sqrt(var + var.dtype.type(eps)))
    running_std = xp.sqrt(running_var + running_var.dtype.type(eps))
    r = xp.clip(std / running_std, 1. / rmax, rmax)
    d = xp.clip((mean - running_mean) / running_std, -dmax, dmax)
    gamma, beta, factor, offset = cast_all((gamma, beta, r, d), dtype)
    return (std, arrays.force_array(xp.reciprocal(std)), r, d, gamma * factor,
            gamma * offset + beta)


def _rows(x, groups):
    """Return ``x`` with a row for each sample and group, and ``x`` by channels."""
    n, channels = x.shape[:2]
    inner = arrays.size_of_shape(x.shape[2:])
    return (
        x.reshape(n * groups, channels // groups * inner),
        x.reshape(n, channels, inner))


@by_interm(3, '0--')
@kernel(compiled=_compiled.group_forward, device=_cuda.group_forward)
def group_forward(
        x: NdArray, gamma: NdArray, beta: NdArray, groups: int,
        eps: float) -> tuple[NdArray, ...]:
    """Normalize each sample by groups of channels, scale and shift each channel.

    Parameters
    ----------
    x : array
        Values of shape ``(N, C, ...)``.
    gamma, beta : array
        Factors and offsets, of shape ``(C,)``.
    groups : int
        Number of groups, a divisor of ``C``.
    eps : float
        Constant added to the variance.

    Returns
    -------
    tuple of array
        The result, and mean and reciprocal of the standard deviation of each group, of
        shape ``(N * groups,)``.
    """
    xp = get_array_module(x)
    rows, by_channel = _rows(x, groups)
    mean, var = moments.reference(rows, (1,))
    inv_std = xp.reciprocal(xp.sqrt(var + eps))
    y = rows - mean[:, None]
    y *= inv_std[:, None]
    y = y.reshape(by_channel.shape)
    y *= gamma[:, None]
    y += beta[:, None]
    return y.reshape(x.shape), mean, inv_std


@by_interm(5, '011')
@kernel(compiled=_compiled.group_backward, device=_cuda.group_backward)
def group_backward(
        x: NdArray, gamma: NdArray, gy: NdArray, mean: NdArray, inv_std: NdArray,
        groups: int) -> tuple[NdArray, ...]:
    """Gradients of :func:`group_forward`.

    Parameters
    ----------
    x : array
        Values that were normalized.
    gamma : array
        Factors.
    gy : array
        Gradients of the result.
    mean, inv_std : array
        Statistics of the groups.
    groups : int
        Number of groups.

    Returns
    -------
    tuple of array
        Gradients of ``x``, ``gamma`` and ``beta``.
    """
    rows, by_channel = _rows(x, groups)
    inv_std = inv_std[:, None]
    x_hat = (rows - mean[:, None]) * inv_std
    gy = gy.reshape(by_channel.shape)
    gbeta = gy.sum(axis=(0, 2))
    ggamma = (gy * x_hat.reshape(by_channel.shape)).sum(axis=(0, 2))
    gx = (gy * gamma[:, None]).reshape(rows.shape)
    count = max(rows.shape[1], 1)
    x_hat *= (gx * x_hat).sum(axis=1, keepdims=True) / count
    x_hat += gx.sum(axis=1, keepdims=True) / count
    gx -= x_hat
    gx *= inv_std
    return gx.reshape(x.shape), ggamma, gbeta


def window_sum(x: NdArray, half: int) -> NdArray:
    """Sum over neighbours along axis 1.

    Parameters
    ----------
    x : array
        Values.
    half : int
        Number of neighbours on each side.

    Returns
    -------
    array
    """
    total = x.copy()
    for i in range(1, min(half, x.shape[1] - 1) + 1):
        total[:, i:] += x[:, :-i]
        total[:, :-i] += x[:, i:]
    return total


@by_interm(1, '0--')
@kernel(compiled=declared('response_forward'), device=_cuda.response_forward)
def response_forward(
        x: NdArray, half: int, k: float, alpha: float,
        beta: float) -> tuple[NdArray, ...]:
    """Divide by a power of the energy in neighbouring channels.

    Parameters
    ----------
    x : array
        Values; axis 1 is that of the channels.
    half : int
        Number of neighbours on each side.
    k, alpha, beta : float
        Coefficients.

    Returns
    -------
    tuple of array
        The result; the scale ``k`` plus ``alpha`` times the sum of squares; and its
        power ``-beta``, by which ``x`` is multiplied.
    """
    unit_scale = window_sum(x * x, half)
    unit_scale *= alpha
    unit_scale += k
    scale = unit_scale ** -beta
    return x * scale, unit_scale, scale


@by_interm(4, '0')
@kernel(compiled=declared('response_backward'), device=_cuda.response_backward)
def response_backward(
        x: NdArray, gy: NdArray, unit_scale: NdArray, scale: NdArray, half: int,
        alpha: float, beta: float) -> NdArray:
    """Gradient of :func:`response_forward`.

    Parameters
    ----------
    x : array
        Values.
    gy : array
        Gradients of the result.
    unit_scale, scale : array
        The other results of that function.
    half : int
        Number of neighbours on each side.
    alpha, beta : float
        Coefficients.

    Returns
    -------
    array
    """
    gx = window_sum(gy * x * scale / unit_scale, half)
    gx *= x
    gx *= -2 * alpha * beta
    gx += gy * scale
    return gx


def _lengths(x, axis):
    xp = get_array_module(x)
    return xp.sqrt((x * x).sum(axis=axis, keepdims=True))


@by_interm(1, '0')
@kernel(compiled=declared('length'), device=_cuda.length_forward)
def length_forward(x: NdArray, axis: tuple[int, ...], eps: float) -> NdArray:
    """Divide vectors by their length.

    Parameters
    ----------
    x : array
        Vectors.
    axis : tuple of int
        Axes of the components of a vector.
    eps : float
        Constant added to the length.

    Returns
    -------
    array
    """
    norm = _lengths(x, axis)
    norm += norm.dtype.type(eps)
    return arrays.force_array(x / norm)


@by_interm(2, '0')
@kernel(compiled=declared('length_grad'), device=_cuda.length_backward)
def length_backward(
        x: NdArray, gy: NdArray, axis: tuple[int, ...], eps: float) -> NdArray:
    """Gradient of :func:`length_forward`.

    With the length :math:`r` and :math:`n = r + \\epsilon` it is
    :math:`(g - x \\langle g, x \\rangle / (r n)) / n`, and :math:`g / n` where the
    length is zero.

    Parameters
    ----------
    x : array
        Vectors.
    gy : array
        Gradients of the result.
    axis : tuple of int
        Axes of the components of a vector.
    eps : float
        Constant added to the length.

    Returns
    -------
    array
    """
    r = _lengths(x, axis)
    n = r + r.dtype.type(eps)
    along = (gy * x).sum(axis=axis, keepdims=True) / ((r + (r == 0)) * n)
    return arrays.force_array((gy - x * along) / n)

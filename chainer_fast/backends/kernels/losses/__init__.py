"""Losses of pairs of arrays, and of scores with labels, without a softmax."""
from __future__ import annotations

import typing as tp

import numpy

from chainer_fast.backends.arrays import force_array
from chainer_fast.backends.cuda import get_array_module
from chainer_fast.backends.kernels import activation, arithmetic, kernel, reduction
from chainer_fast.backends.kernels.common.halves import in_single
from chainer_fast.backends.kernels.common import exponential
from chainer_fast.backends.kernels.declared import declared
from chainer_fast.backends.kernels.losses import cuda as device
from chainer_fast.types import NdArray


def _wide(dtype):
    return numpy.promote_types(dtype, numpy.float32)


@kernel(device=device.squared_error)
@in_single
def squared_error(x0: NdArray, x1: NdArray) -> NdArray:
    """Mean of the squares of differences."""
    # The sum of many halves, and their number, may overflow float16.
    diff = force_array(arithmetic.difference(x0, x1)).ravel()
    wide = diff.astype(_wide(diff.dtype), copy=False)
    return get_array_module(x0).asarray(wide.dot(wide) / wide.size, dtype=diff.dtype)


_scaled_difference = declared('scaled_difference')


def _squared_error_grad_of_loop(x0, x1, g):
    return _scaled_difference(x0, x1, g, 2. / max(x0.size, 1))


@kernel(compiled=_squared_error_grad_of_loop, device=device.squared_error_grad)
@in_single
def squared_error_grad(x0: NdArray, x1: NdArray, g: NdArray) -> NdArray:
    """Gradient of :func:`squared_error` by ``x0``; that by ``x1`` is its negative."""
    diff = x0 - x1
    return force_array(diff * g * diff.dtype.type(2. / max(diff.size, 1)))


@kernel(device=device.absolute_mean)
@in_single
def absolute_mean(x: NdArray) -> NdArray:
    """Mean of absolute values."""
    wide = _wide(x.dtype)
    total = reduction.total(
        force_array(arithmetic.absolute(x)), None,
        dtype=None if wide == x.dtype else wide)
    return get_array_module(x).asarray(total / x.size, dtype=x.dtype)


_scaled_sign = declared('scaled_sign')


def _absolute_mean_grad_of_loop(x, g):
    return _scaled_sign(x, g, 1. / max(x.size, 1))


@kernel(compiled=_absolute_mean_grad_of_loop, device=device.absolute_mean_grad)
@in_single
def absolute_mean_grad(x: NdArray, g: NdArray) -> NdArray:
    """Gradient of :func:`absolute_mean`."""
    slope = get_array_module(x).sign(x) * x.dtype.type(1. / max(x.size, 1))
    return force_array(g * slope, x.dtype)


@kernel(compiled=declared('excess'))
def excess(x: NdArray, y: NdArray, z: NdArray) -> NdArray:
    """Squares of ``x - y`` less those of ``x - z``."""
    near, far = x - y, x - z
    return near * near - far * far


_scaled_rows = declared('scaled_row_difference')


def _scaled_difference_of_loop(x, y, g):
    # For each of many short rows the loop takes a long time.
    if x.ndim != 2 or x.shape[1] < 16:
        return NotImplemented
    return _scaled_rows(x, y, g, 1.)


@kernel(compiled=_scaled_difference_of_loop)
@in_single
def scaled_difference(x: NdArray, y: NdArray, g: NdArray) -> NdArray:
    """Differences of rows, times a number for each row."""
    return g.reshape(len(g), 1, *g.shape[1:]) * (x - y)


@kernel(device=device.huber_loss)
@in_single
def huber_loss(x: NdArray, t: NdArray, delta: float) -> NdArray:
    """Sums of Huber's losses along axis 1."""
    return huber_losses(x, t, delta).sum(axis=1)


@kernel(compiled=declared('huber_losses'), in_single=True)
def huber_losses(x: NdArray, t: NdArray, delta: float) -> NdArray:
    """Huber's losses of all elements."""
    xp = get_array_module(x)
    delta = x.dtype.type(delta)
    distance = xp.abs(x - t)
    # With near = min(distance, delta), one expression covers both branches: it is
    # distance**2 / 2 up to delta and delta * (distance - delta / 2) beyond.
    near = xp.minimum(distance, delta)
    return force_array(near * (distance - near / 2), x.dtype)


@kernel(compiled=declared('huber_grad'), device=device.huber_grad)
@in_single
def huber_grad(x: NdArray, t: NdArray, g: NdArray, delta: float) -> NdArray:
    """Gradient of Huber's losses by ``x``; that by ``t`` is its negative."""
    delta = x.dtype.type(delta)
    return force_array(g * get_array_module(x).clip(x - t, -delta, delta))


@kernel(
    compiled=declared('sigmoid_losses'), device=device.sigmoid_losses, in_single=True)
def sigmoid_losses(x: NdArray, t: NdArray, ignore_label: int) -> NdArray:
    """Cross entropies between the sigmoid of scores and labels 0 or 1.

    Parameters
    ----------
    x : array of floats
        Scores.
    t : array of integers
        Labels, of the same shape.
    ignore_label : int
        Label whose loss is zero.

    Returns
    -------
    array
    """
    xp = get_array_module(x)
    # The exponential is at most one.
    loss = exponential.log1p_exp_of_negative(-xp.abs(x)) - x * (t - (x >= 0))
    return force_array(loss * (t != ignore_label), x.dtype)


_losses_of_loop, _sum_of_losses = declared('sigmoid_losses'), declared('sum_of_losses')


def _sigmoid_mean_of_loops(x, t, ignore_label, n):
    losses = _losses_of_loop(x, t, ignore_label)
    if losses is NotImplemented:
        return losses
    total = _sum_of_losses(losses)
    if total is NotImplemented:
        return total
    if n is None:
        n = numpy.maximum(numpy.count_nonzero(t != ignore_label), 1)
    total[()] /= n
    return total, n


@kernel(
    compiled=_sigmoid_mean_of_loops, device=device.sigmoid_mean, in_single=True)
def sigmoid_mean(
        x: NdArray, t: NdArray, ignore_label: int,
        n: int | None) -> tuple[NdArray, NdArray | numpy.integer[tp.Any] | int]:
    """Mean of :func:`sigmoid_losses`.

    Parameters
    ----------
    x, t, ignore_label
        As for the losses.
    n : int or None
        Divisor, instead of the number of labels that are not ignored.

    Returns
    -------
    mean, number : array or int
        The mean and the number.
    """
    xp = get_array_module(x)
    if n is None:
        n = xp.maximum((t != ignore_label).sum(), 1)
    total = sigmoid_losses(x, t, ignore_label).sum(dtype=_wide(x.dtype))
    return xp.asarray(total / n, dtype=x.dtype), n


@kernel(compiled=declared('sigmoid_gradient'), device=device.sigmoid_gradient)
@in_single
def sigmoid_gradient(
        x: NdArray, t: NdArray, g: NdArray, ignore_label: int,
        number: tp.Any) -> NdArray:
    """Gradient of :func:`sigmoid_losses`, divided by a number."""
    masked = g * (activation.sigmoid(x) - t) * force_array(
        t != ignore_label, x.dtype)
    return force_array(masked / number, x.dtype)


def _signs(x, t):
    """Return -1 for the class of each sample and 1 for all other classes."""
    xp = get_array_module(x)
    signs = xp.ones_like(x)
    signs[xp.arange(len(t)), t] = -1
    return signs


def _margins(x, signs):
    """Return the distance of each score to the right side of its margin."""
    return get_array_module(x).maximum(1 + signs * x, 0)


@kernel(
    compiled=declared('hinge_losses'), device=device.hinge_losses, in_single=True)
def hinge_losses(x: NdArray, t: NdArray, squared: bool) -> NdArray:
    """Hinge losses of scores, one class against the rest.

    Parameters
    ----------
    x : array of floats, shape (n, classes)
    t : array of integers, shape (n,)
    squared : bool
        Whether the losses are squared.

    Returns
    -------
    array, shape (n, classes)
    """
    loss = _margins(x, _signs(x, t))
    return loss * loss if squared else loss


@kernel(device=device.hinge_mean)
@in_single
def hinge_mean(x: NdArray, t: NdArray, squared: bool) -> NdArray:
    """Mean over samples of :func:`hinge_losses`."""
    total = hinge_losses(x, t, squared).sum(dtype=_wide(x.dtype))
    return get_array_module(x).asarray(total / len(x), dtype=x.dtype)


@kernel(compiled=declared('hinge_gradient'), device=device.hinge_gradient)
@in_single
def hinge_gradient(
        x: NdArray, t: NdArray, g: NdArray, squared: bool, n: int) -> NdArray:
    """Gradient of :func:`hinge_losses`, divided by ``n``."""
    signs = _signs(x, t)
    margins = _margins(x, signs)
    # The margins may be large, so the scale is applied first.
    slope = signs * (g if n == 1 else g / n)
    if squared:
        gx = 2 * slope * margins
    else:
        gx = slope * get_array_module(x).sign(margins)
    return gx.astype(x.dtype, copy=False)

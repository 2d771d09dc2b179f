"""Softmax and its logarithm along an axis, with their gradients."""
from __future__ import annotations

import typing as tp

import numpy

from chainer_fast.backends.arrays import force_array
from chainer_fast.backends.cuda import get_array_module
from chainer_fast.backends.kernels import kernel
from chainer_fast.backends.kernels.common import exponential
from chainer_fast.backends.kernels.common.axes import (
    grad_of_groups, in_order_of_memory)
from chainer_fast.backends.kernels.common.halves import in_single
from chainer_fast.backends.kernels.declared import declared
from chainer_fast.backends.kernels.softmax import cuda as _device
from chainer_fast.types import NdArray


_logsumexp_of_axes = declared('logsumexp')


@in_order_of_memory
def _logsumexp_by_loops(x, groups):
    y, axes = x, sum(groups, ())
    for group in groups:
        y = _logsumexp_of_axes(y, group)
        if y is NotImplemented:
            # Axes may be adjacent, but not so in memory.
            return y if len(groups) == len(axes) else _logsumexp_by_axes(x, axes)
    return numpy.expand_dims(y, axes)


def _logsumexp_by_axes(x, axes):
    """Return logarithms of sums of one axis after the other, the last axis first."""
    y = x
    for axis in sorted(axes, reverse=True):
        y = _logsumexp_of_axes(y, (axis,))
        if y is NotImplemented:
            return y
    return numpy.expand_dims(y, axes)


@kernel(compiled=_logsumexp_by_loops, device=_device.logsumexp)
@in_single
def logsumexp(x: NdArray, axis: int | tuple[int, ...]) -> NdArray:
    """Logarithm of the sum of exponentials of an array, axes kept.

    The sum is taken relative to the largest element, so that no exponential exceeds
    one. If that is infinite, it is the result.

    Parameters
    ----------
    x : array
        Array of a floating dtype.
    axis : int or tuple of ints
        Axes to reduce.

    Returns
    -------
    array
        The result, with length 1 in the reduced axes.
    """
    xp = get_array_module(x)
    largest = x.max(axis=axis, keepdims=True)
    if _may_be_infinite(xp, largest):
        # Relative to another number, no difference is that of two infinities.
        shift = xp.where(xp.isinf(largest), x.dtype.type(0), largest)
        with numpy.errstate(over='ignore'):
            total = _logsumexp(x, axis, shift)
        return xp.where(xp.isinf(largest), largest, total)
    return _logsumexp(x, axis, largest)


def _may_be_infinite(xp, array):
    """Return whether an array may have infinities; True if it is not on the host."""
    return xp is not numpy or bool(numpy.isinf(array).any())


def _logsumexp(x, axis, shift):
    """Sum relative to any numbers; all exponentials may vanish if they are large."""
    xp = get_array_module(x)
    terms = x - shift
    exponential.exp(terms, out=terms)
    total = terms.sum(axis=axis, keepdims=True)
    with numpy.errstate(divide='ignore'):
        xp.log(total, out=total)
    total += shift
    return total


def infinite(x: NdArray, y: NdArray) -> NdArray | None:
    """Find the terms that are an infinite result of :func:`logsumexp`.

    Their difference from the result counts as zero, not as NaN, so that their share is
    one.

    Parameters
    ----------
    x : array
        Terms.
    y : array
        Results, which broadcast to them.

    Returns
    -------
    array of bool
        None if there are none in host memory.
    """
    xp = get_array_module(x)
    if not _may_be_infinite(xp, y):
        return None
    return (x == y) & xp.isinf(y)


@kernel(
    compiled=grad_of_groups(declared('logsumexp_grad')),
    device=_device.logsumexp_grad)
@in_single
def logsumexp_grad(x: NdArray, y: NdArray, g: NdArray) -> NdArray:
    """Gradient of :func:`logsumexp`, of which ``y`` is the result."""
    xp = get_array_module(x)
    whole = infinite(x, y)
    if whole is not None:
        x, y = [xp.where(whole, x.dtype.type(0), each) for each in (x, y)]
    return force_array(g * exponential.exp(x - y), x.dtype)


@kernel(compiled=declared('softmax'), device=_device.softmax)
@in_single
def softmax(x: NdArray, axis: int) -> NdArray:
    """Quotients of the exponentials of ``x`` and their sums along the axis."""
    # Shifting by the maximum leaves the quotient unchanged and bounds the
    # exponentials by one.
    prob = x - x.max(axis=axis, keepdims=True)
    exponential.exp(prob, out=prob)
    prob /= prob.sum(axis=axis, keepdims=True)
    return prob


@kernel(compiled=declared('log_softmax'), device=_device.log_softmax)
@in_single
def log_softmax(x: NdArray, axis: int) -> NdArray:
    """Logarithm of :func:`softmax`; NaN where a score, or each of them, is infinite."""
    return x - _logsumexp(x, axis, x.max(axis=axis, keepdims=True))


@kernel(compiled=declared('softmax_grad'), device=_device.softmax_grad)
@in_single
def softmax_grad(y: NdArray, gy: NdArray, axis: int) -> NdArray:
    """Gradient of :func:`softmax` from its output, ``y * (gy - sum(y * gy))``."""
    weighted = y * gy
    weighted -= y * weighted.sum(axis=axis, keepdims=True)
    return weighted


@kernel(compiled=declared('log_softmax_grad'), device=_device.log_softmax_grad)
@in_single
def log_softmax_grad(y: NdArray, gy: NdArray, axis: int) -> NdArray:
    """Gradient of :func:`log_softmax` from its output, ``gy - exp(y) * sum(gy)``."""
    return gy - exponential.exp(y) * gy.sum(axis=axis, keepdims=True)

"""Steps of activations whose arrays take part together.

Parameters ``W`` and ``beta`` have the axes of ``x`` from the second on, or the first
few of them.
"""
import numpy

from chainer_fast.backends import arrays
from chainer_fast.backends.cuda import get_array_module
from chainer_fast.backends.kernels import kernel
from chainer_fast.backends.kernels.activation import compiled as _compiled


def extended_shape(parameter, x):
    """Shape of a parameter with length one on the axes that only ``x`` has."""
    behind = x.ndim - parameter.ndim - 1
    return (1, *parameter.shape, *[1] * behind)


def reduced_axes(parameter, x):
    """Axes of ``x`` that a parameter does not have."""
    return (0, *range(parameter.ndim + 1, x.ndim))


def _total(terms, parameter):
    """Sum to the shape of a parameter; that of half floats in single precision."""
    total = terms.sum(
        axis=reduced_axes(parameter, terms),
        dtype=numpy.promote_types(terms.dtype, numpy.float32))
    return arrays.force_array(total, parameter.dtype)


@kernel(compiled=_compiled.bend)
def bend(x, signs, slopes):
    """Multiply ``x`` by the slopes where ``signs`` is not at least zero."""
    xp = get_array_module(x)
    return xp.where(signs >= 0, x, x * slopes)


@kernel(compiled=_compiled.mix)
def mix(a, b, flags):
    """Elements of ``a`` where a flag is set, of ``b`` where it is not."""
    xp = get_array_module(a)
    return xp.asarray(a * flags + b * xp.logical_not(flags))


@kernel(compiled=_compiled.prelu)
def prelu(x, W):
    """Multiply the negative elements of ``x`` by ``W``."""
    return bend.reference(x, x, W.reshape(extended_shape(W, x)))


@kernel(compiled=_compiled.prelu_grad)
def prelu_grad(x, W, gy, cond):
    """Gradients of :func:`prelu` by ``x`` and ``W``; ``cond`` has the signs of ``x``.
    """
    xp = get_array_module(x)
    gx = bend.reference(gy, cond, W.reshape(extended_shape(W, x)))
    return gx, _total(xp.where(cond >= 0, 0, x * gy), W)


def _gate(x, beta):
    # A sigmoid, without overflow in the exponential.
    xp = get_array_module(x)
    half = x.dtype.type(0.5)
    return xp.tanh(beta * x * half) * half + half


@kernel(compiled=_compiled.swish)
def swish(x, beta):
    """Multiply ``x`` by the sigmoid of ``beta * x``."""
    y = x * _gate(x, beta.reshape(extended_shape(beta, x)))
    return arrays.force_array(y, x.dtype)


@kernel(compiled=_compiled.swish_grad)
def swish_grad(x, beta, gy):
    """Gradients of :func:`swish` by ``x`` and ``beta``."""
    wide = beta.reshape(extended_shape(beta, x))
    s = _gate(x, wide)
    slope = x * s * (1 - s)
    gx = gy * (s + wide * slope)
    return arrays.force_array(gx, x.dtype), _total(gy * x * slope, beta)


def grouped_shape(shape, size, axis):
    """Shape with an axis split in groups of a size: their number, then the size."""
    return (*shape[:axis], shape[axis] // size, size, *shape[axis + 1:])


@kernel(compiled=_compiled.maxout)
def maxout(x, size, axis):
    """Largest of each group of ``size`` neighbours along an axis, counted from 0."""
    return x.reshape(grouped_shape(x.shape, size, axis)).max(axis=axis + 1)


@kernel(compiled=_compiled.maxout_grad)
def maxout_grad(x, y, gy, size, axis):
    """Gradient of :func:`maxout`: goes to all elements that equal the largest."""
    xp = get_array_module(x)
    groups = x.reshape(grouped_shape(x.shape, size, axis))
    largest, g = (xp.expand_dims(a, axis + 1) for a in (y, gy))
    return xp.where(groups == largest, g, 0).astype(gy.dtype).reshape(x.shape)

"""Activations, their gradients, and steps of activations with array parameters.

A gradient takes the output ``y`` of its activation if that determines it. Functions of
one array call those of NumPy or CuPy if these do the same in one step. Parameters
``W`` and ``beta`` have the axes of ``x`` from the second on, or the first few of them.
"""
from __future__ import annotations

import typing as tp

import numpy

from chainer_fast.backends import arrays
from chainer_fast.backends.cuda import get_array_module
from chainer_fast.backends.kernels import kernel, reduction
from chainer_fast.backends.kernels.activation import compiled as _compiled
from chainer_fast.backends.kernels.common import exponential
from chainer_fast.backends.kernels.common.copies import in_c_order, of_channels
from chainer_fast.backends.kernels.common.elementwise import ACTIVATION
from chainer_fast.backends.kernels.common.halves import in_single
from chainer_fast.backends.kernels.declared import declared
from chainer_fast.backends.kernels.elements import Elements
from chainer_fast.types import NdArray

elements = Elements(
    'chainer_fast/backends/kernels/activation/elements.hpp', ACTIVATION)
#: Makes records of functions.
elementwise = elements.record


@elements.kernel('ReLU::grad')
def relu_grad(y: NdArray, gy: NdArray) -> NdArray:
    """Pass a gradient where ``y`` is positive."""
    return arrays.force_array(gy * (y > 0))


@elements.kernel('ClippedReLU::grad')
def clipped_relu_grad(x: NdArray, gy: NdArray, cap: float) -> NdArray:
    """Pass a gradient where ``x`` is strictly between zero and ``cap``."""
    inside = (x > 0) & (x < cap)
    return arrays.force_array(gy * inside, gy.dtype)


@elements.kernel('LeakyReLU::grad')
def leaky_relu_grad(sign: NdArray, x: NdArray, slope: float) -> NdArray:
    """Multiply ``x`` by ``slope`` where ``sign`` is at most zero.

    With ``x`` itself as ``sign`` this is the activation.
    """
    xp = get_array_module(x)
    # The factors have the dtype of the values: a NumPy scalar as slope must not widen
    # the product. Values that are not scaled cannot overflow this way.
    factors = xp.where(sign <= 0, x.dtype.type(slope), x.dtype.type(1))
    return arrays.force_array(x * factors)


@elements.kernel('ELU::of')
def elu(x: NdArray, alpha: float) -> NdArray:
    """Exponential linear unit."""
    xp = get_array_module(x)
    # The minimum avoids expm1() of values whose result is not used.
    bent = alpha * exponential.expm1_of_negative(xp.minimum(x, 0))
    return arrays.force_array(xp.where(x < 0, bent, x), x.dtype)


@elements.kernel('ELU::slope')
def elu_slope(y: NdArray, sign: NdArray, alpha: float) -> NdArray:
    """Derivative of :func:`elu` for an input with the sign ``sign``."""
    xp = get_array_module(y)
    return arrays.force_array(xp.where(sign > 0, 1, y + alpha), y.dtype)


@elements.kernel('ELU::grad_with_sign')
def elu_grad(y: NdArray, gy: NdArray, sign: NdArray, alpha: float) -> NdArray:
    """Gradient of :func:`elu`."""
    return arrays.force_array(elu_slope.reference(y, sign, alpha) * gy, gy.dtype)


def _halves(array, axis):
    ahead = (slice(None),) * (axis % array.ndim)
    n = array.shape[axis] // 2
    return array[(*ahead, slice(None, n))], array[(*ahead, slice(n, None))]


_both_parts = elements.form('CReLU::of', 1, outputs=2)


def _doubled(x, axis):
    """Return an empty array with an axis twice as long."""
    shape = list(x.shape)
    shape[axis] *= 2
    return get_array_module(x).empty(shape, x.dtype)


def _crelu_on_device(x, axis):
    y = _doubled(x, axis)
    found = _both_parts(x, out=_halves(y, axis))
    return found if found is NotImplemented else y


@kernel(compiled=in_c_order(declared('crelu')), device=_crelu_on_device)
@in_single
def crelu(x: NdArray, axis: int) -> NdArray:
    """Rectified ``x`` and ``-x``, concatenated along an axis."""
    xp = get_array_module(x)
    y = _doubled(x, axis)
    above, below = _halves(y, axis)
    xp.maximum(x, 0, out=above)
    # negative() of NumPy 2.4.6 ignores strides where both arrays have some.
    xp.multiply(x, -1, out=below)
    xp.maximum(below, 0, out=below)
    return y


_joined_parts = elements.form('CReLU::grad', 3)


@kernel(
    compiled=in_c_order(declared('crelu_grad')),
    device=lambda x, gy, axis: _joined_parts(x, *_halves(gy, axis)))
@in_single
def crelu_grad(x: NdArray, gy: NdArray, axis: int) -> NdArray:
    """Gradient of :func:`crelu`."""
    above, below = _halves(gy, axis)
    gx = above * (x > 0)
    gx -= below * (x < 0)
    return gx


@elements.kernel('Sigmoid::of')
def sigmoid(x: NdArray) -> NdArray:
    """Logistic sigmoid."""
    return arrays.force_array(exponential.sigmoid(x))


@elements.kernel('Sigmoid::grad')
def sigmoid_grad(y: NdArray, gy: NdArray) -> NdArray:
    """Gradient of :func:`sigmoid`."""
    return arrays.force_array(gy * y * (1 - y), gy.dtype)


@elements.kernel('HardSigmoid::of')
def hard_sigmoid(x: NdArray) -> NdArray:
    """Piecewise linear approximation of the sigmoid."""
    line = x * 0.2 + 0.5
    xp = get_array_module(line)
    return arrays.force_array(xp.clip(line, 0, 1), x.dtype)


@elements.kernel('HardSigmoid::grad')
def hard_sigmoid_grad(x: NdArray, gy: NdArray) -> NdArray:
    """Pass a fifth of a gradient where :func:`hard_sigmoid` is not flat."""
    # x / 5 + 1 / 2 leaves the unit interval at plus and minus 5 / 2.
    sloping = abs(x) < 2.5
    return arrays.force_array(0.2 * (sloping * gy), gy.dtype)


@elements.kernel('Tanh::grad')
def tanh_grad(y: NdArray, gy: NdArray) -> NdArray:
    """Gradient of the hyperbolic tangent."""
    return arrays.force_array(gy * (1 - y * y), gy.dtype)


@elements.kernel('Softplus::of')
def softplus(x: NdArray, beta: tp.Any, beta_inv: tp.Any) -> NdArray:
    """``log(1 + exp(beta * x)) * beta_inv``."""
    # log(1 + exp(z)) = max(z, 0) + log(1 + exp(-|z|)), whose exponential
    # cannot overflow.
    xp = get_array_module(x)
    z = beta * x
    tail = exponential.log1p_exp_of_negative(-xp.abs(z))
    return arrays.force_array((xp.maximum(z, 0) + tail) * beta_inv, x.dtype)


@elements.kernel('Softplus::grad')
def softplus_grad(x: NdArray, gy: NdArray, beta: tp.Any) -> NdArray:
    """Gradient of :func:`softplus`."""
    xp = get_array_module(x)
    # exp() is fed with the negated absolute value, so that it stays
    # within (0, 1] on either side of zero.
    z = beta * x
    decay = exponential.exp(-xp.abs(z))
    slope = xp.where(z >= 0, 1, decay) / (1 + decay)
    return arrays.force_array(slope * gy, x.dtype)


def extended_shape(parameter: tp.Any, x: NdArray) -> tuple[int, ...]:
    """Shape of a parameter with length one on the axes that only ``x`` has."""
    behind = x.ndim - parameter.ndim - 1
    return (1, *parameter.shape, *[1] * behind)


def reduced_axes(parameter: tp.Any, x: NdArray) -> tuple[int, ...]:
    """Axes of ``x`` that a parameter does not have."""
    return (0, *range(parameter.ndim + 1, x.ndim))


def _total(terms, parameter):
    """Sum to the shape of a parameter; sums of float16 are in single precision."""
    total = reduction.total(
        terms, reduced_axes(parameter, terms), False,
        numpy.promote_types(terms.dtype, numpy.float32))
    return arrays.force_array(total, parameter.dtype)


@elements.kernel('Bend::of', compiled=declared('bend'))
def bend(x: NdArray, signs: NdArray, slopes: NdArray) -> NdArray:
    """Multiply ``x`` by the slopes where ``signs`` is not at least zero."""
    xp = get_array_module(x)
    return xp.where(signs >= 0, x, x * slopes)


@elements.kernel('Mix::of', 'T a, T b, bool flag', compiled=_compiled.mix)
def mix(a: tp.Any, b: tp.Any, flags: NdArray) -> NdArray:
    """Elements of ``a`` where a flag is set, of ``b`` where it is not."""
    xp = get_array_module(a)
    return xp.asarray(a * flags + b * xp.logical_not(flags))


def _prelu_on_device(x, W):
    return bend.device(x, x, W.reshape(extended_shape(W, x)))


@kernel(
    compiled=of_channels(_compiled.prelu), device=_prelu_on_device, in_single=True)
def prelu(x: NdArray, W: NdArray) -> NdArray:
    """Multiply the negative elements of ``x`` by ``W``."""
    return arrays.force_array(
        bend.reference(x, x, W.reshape(extended_shape(W, x))), x.dtype)


def _grads_on_device(function, in_params):
    """Return a form for the gradients by ``x`` and by a channel parameter."""
    terms_of = elements.form(function, in_params, outputs=2)

    def form(x, parameter, *args):
        wide = parameter.reshape(extended_shape(parameter, x))
        terms = terms_of(x, wide, *args)
        if terms is NotImplemented:
            return NotImplemented
        return terms[0], _total(terms[1], parameter)

    return form


@kernel(
    compiled=of_channels(_compiled.prelu_grad),
    device=_grads_on_device('PReLU::grads', 4),
    in_single=True)
def prelu_grad(
        x: NdArray, W: NdArray, gy: NdArray, cond: NdArray) -> tuple[NdArray, NdArray]:
    """Gradients of :func:`prelu` by ``x`` and ``W``; ``cond`` has the signs of ``x``.
    """
    xp = get_array_module(x)
    gx = bend.reference(gy, cond, W.reshape(extended_shape(W, x)))
    return arrays.force_array(gx, x.dtype), _total(xp.where(cond >= 0, 0, x * gy), W)


_swished = elements.form('Swish::of', 2)


def _swish_on_device(x, beta):
    return _swished(x, beta.reshape(extended_shape(beta, x)))


@kernel(
    compiled=of_channels(_compiled.swish), device=_swish_on_device, in_single=True)
def swish(x: NdArray, beta: NdArray) -> NdArray:
    """Multiply ``x`` by the sigmoid of ``beta * x``."""
    return arrays.force_array(
        x * sigmoid.reference(beta.reshape(extended_shape(beta, x)) * x))


@kernel(
    compiled=of_channels(_compiled.swish_grad),
    device=_grads_on_device('Swish::grads', 3),
    in_single=True)
def swish_grad(x: NdArray, beta: NdArray, gy: NdArray) -> tuple[NdArray, NdArray]:
    """Gradients of :func:`swish` by ``x`` and ``beta``."""
    wide = beta.reshape(extended_shape(beta, x))
    s = sigmoid.reference(wide * x)
    slope = x * s * (1 - s)
    gx = gy * (s + wide * slope)
    return arrays.force_array(gx, x.dtype), _total(gy * x * slope, beta)


def grouped_shape(shape: tuple[int, ...], size: int, axis: int) -> tuple[int, ...]:
    """Shape with an axis split in groups of a size: their number, then the size."""
    return (*shape[:axis], shape[axis] // size, size, *shape[axis + 1:])


@kernel(compiled=in_c_order(_compiled.maxout), in_single=True)
def maxout(x: NdArray, size: int, axis: int) -> NdArray:
    """Largest of each group of ``size`` neighbours along an axis, counted from 0."""
    return x.reshape(grouped_shape(x.shape, size, axis)).max(axis=axis + 1)


def _by_groups(x, y, gy, size, axis):
    """Return ``x`` with an axis for each group, and the other arrays to match."""
    groups = x.reshape(grouped_shape(x.shape, size, axis))
    xp = get_array_module(x)
    return groups, *[xp.expand_dims(a, axis + 1) for a in (y, gy)]


_to_largest = elements.form('Maxout::grad', 3)


def _maxout_grad_on_device(x, y, gy, size, axis):
    gx = _to_largest(*_by_groups(x, y, gy, size, axis))
    return gx if gx is NotImplemented else gx.reshape(x.shape)


@kernel(
    compiled=in_c_order(_compiled.maxout_grad), device=_maxout_grad_on_device,
    in_single=True)
def maxout_grad(x: NdArray, y: NdArray, gy: NdArray, size: int, axis: int) -> NdArray:
    """Gradient of :func:`maxout`, for all elements that equal the largest."""
    xp = get_array_module(x)
    groups, largest, g = _by_groups(x, y, gy, size, axis)
    return xp.where(groups == largest, g, 0).astype(gy.dtype).reshape(x.shape)

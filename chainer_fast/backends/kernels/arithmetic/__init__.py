"""Gradients of arithmetic."""
from __future__ import annotations

import typing as tp

from chainer_fast.backends import arrays
from chainer_fast.backends.cuda import get_array_module
from chainer_fast.backends.kernels import kernel
from chainer_fast.backends.kernels._device import device_form
from chainer_fast.types import NdArray

_ELEMENTS = 'chainer_fast/backends/kernels/arithmetic/elements.hpp'


def _device(function, in_params, outputs=1):
    return device_form(_ELEMENTS, function, in_params, outputs)


@kernel(device=_device('Div::grads', 'T a, T b, T g', outputs=2))
def div_grads(a: tp.Any, b: tp.Any, g: NdArray) -> tp.Any:
    """Gradients of ``a / b``, not summed over the axes of broadcasts."""
    ga = g / b
    return arrays.force_array(ga), arrays.force_array(-ga * a / b)


@kernel(device=_device('DivFromConstant::grad', 'T x, T gy, T value'))
def div_from_constant_grad(x: NdArray, gy: NdArray, value: tp.Any) -> tp.Any:
    """Gradient of ``value / x``."""
    return arrays.force_array(-value * gy / (x * x))


def power(x: NdArray, value: tp.Any) -> tp.Any:
    """``x ** value`` in the dtype of ``x``."""
    return arrays.force_array(x ** value, x.dtype)


@kernel(device=_device('Pow::grad', 'T x, T gy, T value, T less'))
def pow_grad(x: NdArray, gy: NdArray, value: tp.Any, less: bool) -> tp.Any:
    """Gradient of ``x ** value``, where ``less`` is smaller by one than ``value``."""
    return arrays.force_array(value * power(x, less) * gy)


@kernel(device=_device('Pow::grads', 'T a, T b, T y, T g', outputs=2))
def pow_grads(a: tp.Any, b: tp.Any, y: NdArray, g: NdArray) -> tp.Any:
    """Gradients of ``y = a ** b``, not summed over the axes of broadcasts."""
    xp = get_array_module(a)
    ga = arrays.force_array(b * (a ** (b - b.dtype.type(1))) * g)
    return ga, arrays.force_array(xp.log(a) * y * g)


@kernel(device=_device('PowFromConstant::grad', 'T y, T gy, T log_value'))
def pow_from_constant_grad(y: NdArray, gy: NdArray, log_value: tp.Any) -> tp.Any:
    """Gradient of ``y = value ** x``."""
    return arrays.force_array(log_value * y * gy)


@kernel(device=_device('Abs::grad', 'T x, T gy'))
def abs_grad(x: NdArray, gy: NdArray) -> tp.Any:
    """Gradient of the absolute value."""
    return arrays.force_array(get_array_module(x).sign(x) * gy)


@kernel(device=_device('Interpolation::of', 'T p, T x, T y'))
def interpolate(p: tp.Any, x: NdArray, y: NdArray) -> tp.Any:
    """``p * x + (1 - p) * y``."""
    return arrays.force_array(p * x + (p.dtype.type(1) - p) * y)


@kernel(device=_device('Interpolation::grads', 'T p, T x, T y, T gz', outputs=3))
def interpolate_grads(p: tp.Any, x: NdArray, y: NdArray, gz: NdArray) -> tp.Any:
    """Gradients of :func:`interpolate`."""
    to_x = gz * p
    return tuple([arrays.force_array(g) for g in (gz * (x - y), to_x, gz - to_x)])

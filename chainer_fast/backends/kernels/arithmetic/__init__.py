"""Gradients of arithmetic."""
from __future__ import annotations

import functools
import typing as tp

import numpy

from chainer_fast.backends import arrays
from chainer_fast.backends.cuda import get_array_module
from chainer_fast.backends.kernels import kernel
from chainer_fast.backends.kernels.arithmetic import unary
from chainer_fast.backends.kernels.common import halves, ufuncs
from chainer_fast.backends.kernels.common.elementwise import ARITHMETIC
from chainer_fast.backends.kernels.declared import declared
from chainer_fast.backends.kernels.elements import Elements
from chainer_fast.types import NdArray

elements = Elements(
    'chainer_fast/backends/kernels/arithmetic/elements.hpp', ARITHMETIC)
#: Makes records of functions.
elementwise = elements.record


@kernel(compiled=elements.loops['Sub::of'])
@halves.elementwise_in_single
def difference(x0: NdArray, x1: NdArray) -> tp.Any:
    """``x0 - x1``."""
    return x0 - x1


@kernel(compiled=elements.loops['Abs::of'])
@halves.elementwise_in_single
def absolute(x: NdArray) -> tp.Any:
    """Absolute value."""
    return abs(x)


@elements.kernel('Div::grads', outputs=2)
def div_grads(a: NdArray, b: NdArray, g: NdArray) -> tuple[NdArray, NdArray]:
    """Gradients of ``a / b``, not summed over the axes of broadcasts."""
    ga = g / b
    return arrays.force_array(ga), arrays.force_array(-ga * a / b)


@elements.kernel('DivFromConstant::grad')
def div_from_constant_grad(x: NdArray, gy: NdArray, value: tp.Any) -> NdArray:
    """Gradient of ``value / x``."""
    return arrays.force_array(-value * gy / (x * x))


@halves.elementwise_in_single
def power(x: tp.Any, value: tp.Any) -> NdArray:
    """``x ** value`` in the dtype of ``x``."""
    dtype = getattr(value, 'dtype', x.dtype)
    if unary.is_plain(x) and dtype == x.dtype:
        return arrays.force_array(unary.apply(ufuncs.power, x, value))
    return arrays.force_array(x ** value, x.dtype)


@halves.elementwise_in_single
def power_of_constant(x: NdArray, value: tp.Any) -> NdArray:
    """``value ** x``, where ``value`` has the dtype of ``x``."""
    return arrays.force_array(unary.apply(get_array_module(x).power, value, x))


@halves.elementwise_in_single
def remainder(x: NdArray, divisor: NdArray) -> NdArray:
    """``fmod(x, divisor)``."""
    if unary.is_plain(x) and unary.is_plain(divisor):
        own = ufuncs.fmod if x.dtype.char == 'f' else numpy.fmod
        return unary.apply(own, x, divisor)
    return get_array_module(x).fmod(x, divisor)


@elements.kernel('Pow::grad')
def pow_grad(x: NdArray, gy: NdArray, value: tp.Any, less: tp.Any) -> NdArray:
    """Gradient of ``x ** value``, where ``less`` is smaller by one than ``value``."""
    return arrays.force_array(value * power(x, less) * gy)


@elements.kernel('Pow::grads', outputs=2)
def pow_grads(
        a: NdArray, b: NdArray, y: NdArray, g: NdArray) -> tuple[NdArray, NdArray]:
    """Gradients of ``y = a ** b``, not summed over the axes of broadcasts."""
    xp = get_array_module(a)
    multiply = functools.partial(unary.apply, xp.multiply)
    ga = multiply(multiply(b, power(a, b - b.dtype.type(1))), g)
    gb = multiply(multiply(unary.apply(xp.log, a), y), g)
    return arrays.force_array(ga), arrays.force_array(gb)


@elements.kernel('PowFromConstant::grad')
def pow_from_constant_grad(y: NdArray, gy: NdArray, log_value: tp.Any) -> NdArray:
    """Gradient of ``y = value ** x``."""
    multiply = functools.partial(unary.apply, get_array_module(y).multiply)
    return arrays.force_array(multiply(multiply(log_value, y), gy))


@elements.kernel('Abs::grad')
def abs_grad(x: NdArray, gy: NdArray) -> NdArray:
    """Gradient of the absolute value."""
    return arrays.force_array(get_array_module(x).sign(x) * gy)


@kernel(compiled=elements.loops['Sign::of'])
def sign(x: NdArray) -> NdArray:
    """-1, 0 or 1."""
    return get_array_module(x).sign(x)


@elements.kernel('Interpolation::of', compiled=declared('interpolate'))
def interpolate(p: NdArray, x: NdArray, y: NdArray) -> NdArray:
    """``p * x + (1 - p) * y``."""
    return arrays.force_array(p * x + (p.dtype.type(1) - p) * y)


@elements.kernel(
    'Interpolation::grads', outputs=3, compiled=declared('interpolate_grads'))
def interpolate_grads(
        p: NdArray, x: NdArray, y: NdArray, gz: NdArray) -> tuple[NdArray, ...]:
    """Gradients of :func:`interpolate`."""
    to_x = gz * p
    return tuple([arrays.force_array(g) for g in (gz * (x - y), to_x, gz - to_x)])

"""Random masks and numbers.

On the host they use NumPy's global generator, exactly as ``numpy.random.rand``,
``uniform``, ``gumbel``, ``normal`` and ``standard_normal`` do.
"""
from __future__ import annotations

import typing as tp

import numpy

from chainer_fast.backends import _draws, arrays
from chainer_fast.backends.cuda import get_array_module
from chainer_fast.backends.kernels import activation, kernel
from chainer_fast.backends.kernels.common import halves
from chainer_fast.backends.kernels.noise import compiled as _compiled
from chainer_fast.backends.kernels.noise import cuda as _device
from chainer_fast.types import NdArray


def _drawn(x, shape, draw, dtype=numpy.float64):
    """Return ``draw(random)`` with the random module of the device of ``x``."""
    xp = get_array_module(x)
    if xp is numpy:
        return draw(numpy.random)
    return _draws.draw(shape, dtype, lambda: draw(xp.random))


@kernel(compiled=_compiled.kept)
def kept(x: NdArray, shape: tuple[int, ...], ratio: float) -> NdArray:
    """Draw flags that are false with a given probability.

    Parameters
    ----------
    x : array
        Any array on the device.
    shape : tuple of int
        Shape of the flags.
    ratio : float
        The probability.

    Returns
    -------
    array
        Booleans.
    """
    xp = get_array_module(x)
    drawn = _drawn(x, shape, lambda random: random.rand(*shape))
    return xp.asarray(drawn >= ratio)


@kernel(compiled=_compiled.uniform)
def uniform(x: NdArray, lower: float, upper: float) -> NdArray:
    """Draw numbers between two bounds.

    Parameters
    ----------
    x : array
        Determines shape, dtype and device.
    lower, upper : float
        The bounds.

    Returns
    -------
    array
        Numbers of the shape and dtype of ``x``.
    """
    shape = x.shape
    drawn = _drawn(x, shape, lambda random: random.uniform(lower, upper, shape))
    return arrays.force_array(drawn, x.dtype)


@kernel(compiled=_compiled.gumbel)
def gumbel(x: NdArray) -> NdArray:
    """Draw numbers of the standard Gumbel distribution, as many as ``x`` has.

    Parameters
    ----------
    x : array
        Determines shape, dtype and device.

    Returns
    -------
    array
        Numbers of the shape and dtype of ``x``.
    """
    shape = x.shape
    drawn = _drawn(x, shape, lambda random: random.gumbel(size=shape))
    return arrays.force_array(drawn, x.dtype)


def normals(
        shape: tuple[int, ...], dtype: tp.Any, deviation: tp.Any,
        draw: tp.Callable[[], tp.Any]) -> NdArray:
    """Draw numbers of a normal distribution of mean zero on the host.

    Parameters
    ----------
    shape : tuple of int
        Shape of the numbers.
    dtype : dtype specifier
        Type of the numbers. They are drawn in double precision.
    deviation : float or None
        Standard deviation, or None if the numbers are those of
        ``numpy.random.standard_normal``.
    draw : callable
        Calls ``numpy.random.normal`` or ``standard_normal``, which a program may have
        replaced.

    Returns
    -------
    array
        The numbers that ``draw`` would return, in the given type.
    """
    dtype = numpy.dtype(dtype)
    drawn = _compiled.normal(shape, dtype, deviation)
    if drawn is NotImplemented:
        drawn = numpy.asarray(draw())
    return halves.cast(drawn, dtype)


def standard_normal(x: NdArray) -> NdArray:
    """Draw numbers of the standard normal distribution, as many as ``x`` has.

    Parameters
    ----------
    x : array
        Determines shape, dtype and device.

    Returns
    -------
    array
        Numbers of the shape and dtype of ``x``. On a GPU they are drawn in float32.
    """
    shape = x.shape
    if get_array_module(x) is numpy:
        return normals(
            shape, x.dtype, None, lambda: numpy.random.standard_normal(shape))
    drawn = _drawn(
        x, shape, lambda random: random.standard_normal(shape, dtype=numpy.float32),
        numpy.float32)
    return drawn.astype(x.dtype, copy=False)


@kernel(compiled=_compiled.dropout, device=_device.dropout)
def dropout(x: NdArray, ratio: float) -> tuple[NdArray, NdArray]:
    """Zero random elements and scale up the others.

    Parameters
    ----------
    x : array
        Values of a floating dtype.
    ratio : float
        Probability that an element is dropped, in ``[0, 1)``.

    Returns
    -------
    y, mask : array
        ``x * mask``, and the mask of zeros and ``1 / (1 - ratio)``.
    """
    scale = x.dtype.type(1. / (1 - float(ratio)))
    mask = numpy.asarray(scale * (numpy.random.rand(*x.shape) >= ratio))
    return numpy.asarray(x * mask), mask


@kernel(device=_device.zoneout)
def zoneout(
        h: NdArray, x: NdArray,
        ratio: float) -> tuple[NdArray, NdArray | numpy.bool_, NdArray]:
    """Select each element from one of two arrays at random.

    Parameters
    ----------
    h, x : array
        Arrays of one shape and dtype.
    ratio : float
        Probability of an element of ``h``.

    Returns
    -------
    y, flag_h, flag_x : array
        The elements, and booleans for the array that each comes from.
    """
    flag_x = kept(x, x.shape, ratio)
    flag_h = get_array_module(x).logical_not(flag_x)
    return activation.mix(h, x, flag_h), flag_h, flag_x


@kernel(device=_device.zoneout_grad)
@halves.in_single
def zoneout_grad(gy: NdArray, flag_h: NdArray, flag_x: NdArray) -> tuple[NdArray, ...]:
    """Gradients of :func:`zoneout` by ``h`` and ``x``."""
    return tuple([arrays.force_array(gy * flag, gy.dtype) for flag in (flag_h, flag_x)])


@kernel(device=_device.rrelu)
def rrelu(x: NdArray, lower: float, upper: float) -> tuple[NdArray, NdArray]:
    """Multiply negative elements by random slopes between two bounds.

    Returns
    -------
    y, slopes : array
    """
    slopes = uniform(x, lower, upper)
    return activation.bend(x, x, slopes), slopes


@kernel(device=_device.gaussian)
@halves.in_single
def gaussian(mean: NdArray, ln_var: NdArray, eps: NdArray) -> tuple[NdArray, NdArray]:
    """Scale and shift numbers of the standard normal distribution.

    Parameters
    ----------
    mean, ln_var : array
        Means, and logarithms of variances.
    eps : array
        The numbers.

    Returns
    -------
    y, noise : array
        Numbers of the normal distributions, and their distances to the means.
    """
    deviation = get_array_module(ln_var).exp(ln_var * mean.dtype.type(0.5))
    noise = deviation * arrays.weak(eps, deviation.dtype)
    return arrays.force_array(mean + noise), noise


@kernel(device=_device.gaussian_grad)
@halves.in_single
def gaussian_grad(gy: NdArray, noise: NdArray) -> NdArray:
    """Gradient of :func:`gaussian` by the logarithm of the variance."""
    return arrays.force_array(gy * noise * gy.dtype.type(0.5), gy.dtype)

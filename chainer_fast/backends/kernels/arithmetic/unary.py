"""Functions of one element, and gradients of such, each in one loop or launch.

If there is none, and if a gradient is differentiated itself, it is composed of
functions of the graph.
"""
from __future__ import annotations

import typing as tp

import numpy

from chainer_fast.backends import _image_orders, cuda
from chainer_fast.backends.cuda import get_array_module
from chainer_fast.backends.kernels.common import ufuncs
from chainer_fast.backends.kernels.common.elementwise import ARITHMETIC
from chainer_fast.types import NdArray

# Gradients of functions that have no element with a gradient, by the name of the
# function, from its argument x or its value y, and the gradient g.
_GRADIENTS = {
    'arctanh': 'g / (1 - x * x)',
    'erfc': 'R(-1.1283791670955126) * exp(-x * x) * g',
    'erfcinv': 'R(-0.8862269254527580) * exp(y * y) * g',
    'erfcx': '(x * y - R(0.5641895835477563)) * 2 * g',
    'erfinv': 'R(0.8862269254527580) * exp(y * y) * g',
    'log10': 'g / x * R(0.4342944819032518)',
    'log2': 'g / x * R(1.4426950408889634)',
    'ndtr': 'R(0.3989422804014327) * exp(-x * x / 2) * g',
    'ndtri': 'R(2.5066282746310002) * exp(y * y / 2) * g',
    'rsqrt': 'g * y / x / -2',
}


def gradient(name: str | None, known: str, *arrays: tp.Any) -> NdArray:
    """Return the gradient of a function of one element.

    Parameters
    ----------
    name : str or None
        Name of the function in NumPy or SciPy, if it is one of theirs.
    known : str
        The kinds of the arrays, except for the last: ``x``, ``y`` or ``xy``, the
        argument and the value.
    *arrays : array
        These arrays, and the gradient of the value.

    Returns
    -------
    array
        ``NotImplemented`` if no code supports the function.
    """
    *_, g = arrays
    if name is None or (
            {(a.dtype, a.shape) for a in arrays} != {(g.dtype, g.shape)}):
        return NotImplemented
    element = ARITHMETIC.get(name.capitalize() + '::grad')
    if not isinstance(g, cuda.ndarray):
        # A function with a loop has a record, which includes that of the gradient.
        if element is None or name in ARITHMETIC:
            return NotImplemented
        return element(*arrays)
    if element is not None and element.on_device is not None:
        return element.on_device(*arrays)
    if name not in _GRADIENTS:
        return NotImplemented
    names = [*known, 'g']
    return _image_orders.elementwise(cuda.elementwise(
        ', '.join(['T in_' + each for each in names]), 'T gx',
        'using R = decltype(T() + T()); const R %s; gx = %s' % (
            ', '.join([f'{each} = in_{each}' for each in names]),
            _GRADIENTS[name]),
        name + '_grad'), arrays)


def apply(ufunc: tp.Callable[..., NdArray], x: tp.Any, y: tp.Any = None) -> NdArray:
    """Return the result of a ufunc; on a GPU, of images in their order in memory.

    On the processor several threads share a large array.

    Parameters
    ----------
    ufunc : callable
        Of the arrays' module.
    x, y : array or number
        Its arguments; one is an array, and the second one is optional.

    Returns
    -------
    array
    """
    if y is None and isinstance(x, cuda.ndarray):
        return _image_orders.elementwise(ufunc, [x])
    if y is not None and type(x) is not numpy.ndarray:
        x = _as_array(x, y)
    elif y is not None and type(y) is not numpy.ndarray:
        y = _as_array(y, x)
    return ufuncs.shared(ufunc, x, y)


def _as_array(value, other):
    """Return a number as an array, if NumPy computes with it in the type of another."""
    if is_plain(other) and (type(value) in (int, float) or (
            isinstance(value, numpy.generic) and value.dtype == other.dtype)):
        return numpy.array(value, other.dtype)
    return value


def own_function(x: tp.Any, name: str) -> tp.Any:
    """Return the function of this package for an array of NumPy, or None."""
    own = getattr(ufuncs, name, None) if is_plain(x) else None
    if own is None or x.dtype.char not in [each[0] for each in own.types]:
        return None
    return own


def ufunc(x: NdArray, name: str) -> tp.Any:
    """Return a function of NumPy or CuPy for an array, or the one of this package."""
    return own_function(x, name) or getattr(get_array_module(x), name)


def is_plain(x: tp.Any) -> bool:
    """Return whether it is an array of NumPy for which the package has loops."""
    return type(x) is numpy.ndarray and x.dtype.char in 'fd'


def has_rsqrt(x: NdArray) -> bool:
    """Return whether :func:`rsqrt` supports an array."""
    return isinstance(x, cuda.ndarray)


def rsqrt(x: NdArray) -> NdArray:
    """Return ``x ** -0.5`` by the GPU's instruction for it."""
    return cuda.elementwise('T x', 'T y', 'y = rsqrt((T)x)', 'rsqrt_fwd')(x)

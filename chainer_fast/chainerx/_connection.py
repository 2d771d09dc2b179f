"""Products, linear functions and convolutions."""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy

from chainer_fast import backend
from chainer_fast.chainerx import _array, _dtypes, _errors, _functions, _routines
from chainer_fast.chainerx._array import ndarray
from chainer_fast.functions.connection import convolution_nd, deconvolution_nd
from chainer_fast.functions.connection import linear as linear_mod
from chainer_fast.functions.math import matmul, tensordot
from chainer_fast.types import NdArray

__all__ = ['conv', 'conv_transpose', 'dot', 'linear']

_Ints: TypeAlias = int | Sequence[int]


@_array.method
def dot(a: ndarray, b: ndarray) -> ndarray:
    """Return sums of products.

    The sums are over the last axis of ``a``, and over the second-to-last, or only, axis
    of ``b``. For a 0-dimensional array, all products are returned.

    Parameters
    ----------
    a, b : ndarray

    Raises
    ------
    DimensionError
        If the lengths of these axes differ.
    """
    _routines.check(a, b)
    axes = [-1], [-min(b.ndim, 2)]
    if a.ndim and b.ndim and a.shape[-1] != b.shape[axes[1][0]]:
        raise _errors.DimensionError(
            'the shapes %s and %s do not match' % (a.shape, b.shape))
    if a.ndim == b.ndim == 2:
        return _functions.apply(matmul.matmul, a, b, integers=_dot_of_integers)

    def ordinary(xp, x, y):
        if max(x.ndim, y.ndim) > 2 and x.dtype.kind == 'f' and x.size and y.size:
            return xp.tensordot(x, y, axes)     # NumPy's dot is slow
        return xp.dot(x, y)

    def function(v, w):
        return Dot(axes).apply((v, w))[0] if v.ndim and w.ndim else v * w

    return _routines.compute([a, b], ordinary, function,
                             _dtypes.result_type([a.dtype, b.dtype]))


def _dot_of_integers(*arrays):
    return _of_integers(lambda xp, x, y: xp.dot(x, y), arrays)


class Dot(tensordot.TensorDot):
    """Sums of products; without any terms, strides are those of an empty array."""

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        y, = super().forward(inputs)
        return y if y.size else backend.get_array_module(y).dot(*inputs),


def linear(x: ndarray, w: ndarray, b: ndarray | None = None,
           n_batch_axes: int = 1) -> ndarray:
    """Return ``x`` times the transposed ``w``, plus ``b``.

    Parameters
    ----------
    x : ndarray
        All axes after the batch axes are flattened into one.
    w : ndarray
        Of the shape ``(outputs, inputs)``.
    b : ndarray, optional
        Of the shape ``(outputs,)``.
    n_batch_axes : int

    Raises
    ------
    DimensionError
        If the shapes do not match.
    """
    arrays = (x, w) if b is None else (x, w, b)

    def function(x, w, b=None):
        return linear_mod.linear(x, w, b, n_batch_axes)

    def integers(*arrays):
        return _of_integers(ordinary, arrays)

    def ordinary(xp, x, w, b=None):
        if b is not None and b.shape != w.shape[:1]:
            raise ValueError(
                'the shapes %s and %s do not match' % (w.shape, b.shape))
        batch, rest = x.shape[:n_batch_axes], x.shape[n_batch_axes:]
        y = x.reshape(math.prod(batch), math.prod(rest)).dot(w.T)
        y = y.reshape(*batch, len(w))
        return y if b is None else y + b

    return _functions.apply(function, *arrays, integers=integers)


def conv(x: ndarray, w: ndarray, b: ndarray | None = None, stride: _Ints = 1,
         pad: _Ints = 0, cover_all: bool = False) -> ndarray:
    """Return a convolution along any number of axes.

    Parameters
    ----------
    x : ndarray
        Of the shape ``(batch, channels, ...)``.
    w : ndarray
        Of the shape ``(outputs, channels, ...)``.
    b : ndarray, optional
        Of the shape ``(outputs,)``.
    stride, pad : int or sequence of int
        Strides of the filter, and numbers of zeros on both sides, along each
        axis.
    cover_all : bool
        Whether to cover all elements, with zeros after them.

    Raises
    ------
    DimensionError
        If the shapes or parameters do not match.
    """
    stride, pad = _for_each_axis(x, w, stride, pad)
    if x.ndim == 2:
        return linear(x, w, b)
    arrays = (x, w) if b is None else (x, w, b)

    def function(x, w, b=None):
        return convolution_nd.convolution_nd(x, w, b, stride, pad, cover_all)

    return _of_numbers(function, arrays)


def conv_transpose(x: ndarray, w: ndarray, b: ndarray | None = None, stride: _Ints = 1,
                   pad: _Ints = 0, outsize: Sequence[int] | None = None) -> ndarray:
    """Return a transposed convolution along any number of axes.

    Parameters
    ----------
    x : ndarray
        Of the shape ``(batch, channels, ...)``.
    w : ndarray
        Of the shape ``(channels, outputs, ...)``.
    b : ndarray, optional
        Of the shape ``(outputs,)``.
    stride, pad : int or sequence of int
        Strides of the filter, and numbers of elements removed on both sides, along
        each axis.
    outsize : sequence of int, optional
        Lengths of the axes of the result; by default the minimum for the inverse
        convolution.

    Raises
    ------
    DimensionError
        If the shapes or parameters do not match.
    """
    strides, pads = _for_each_axis(x, w, stride, pad)
    if outsize is None:
        outsize = [(n - 1) * s + k - 2 * p for n, k, s, p in zip(
            x.shape[2:], w.shape[2:], strides, pads, strict=True)]
    lengths = tuple(outsize)
    if len(lengths) != len(strides) or any([n < 0 for n in lengths]):
        raise _errors.DimensionError('the lengths of the result cannot be '
                                     '%s' % (lengths,))
    if x.ndim == 2:
        return linear(x, w.transpose(), b)
    arrays = (x, w) if b is None else (x, w, b)

    def function(x, w, b=None):
        return deconvolution_nd.deconvolution_nd(x, w, b, strides, pads, lengths)

    return _of_numbers(function, arrays)


def _for_each_axis(x, w, *given):
    """Return parameters as tuples with a number for each spatial axis."""
    _routines.check(x, w)
    if x.ndim != w.ndim or x.ndim < 2:
        raise _errors.DimensionError(
            'the shapes %s and %s do not match' % (x.shape, w.shape))
    return [for_each_axis(x.ndim - 2, each) for each in given]


def for_each_axis(ndim: int, given: Any) -> tuple[int, ...]:
    """Return a parameter as a tuple with a number for each axis.

    Raises
    ------
    DimensionError
        If it is a sequence of another length.
    """
    found = _dtypes.shape(given)
    if isinstance(given, (int, numpy.integer)):
        return found * ndim
    if len(found) != ndim:
        raise _errors.DimensionError(
            '%d numbers are expected, one for each axis, not %s' % (ndim, given))
    return found


@_routines.dimension_errors
def _of_integers(ordinary, arrays):
    return _routines.compute(
        arrays, ordinary, None, _dtypes.result_type([array.dtype for array in arrays]))


def _of_numbers(function, arrays):
    """Apply a function of floats to arrays of numbers of any kind.

    The result of integers is computed in float64, but keeps their dtype.
    """
    def integers(*arrays):
        dtype = _dtypes.result_type([array.dtype for array in arrays])
        y = _functions.apply_as(numpy.dtype('float64'), function, *arrays)
        return _array.plain(y._array.astype(dtype), y.device)

    return _functions.apply(function, *arrays, integers=integers)

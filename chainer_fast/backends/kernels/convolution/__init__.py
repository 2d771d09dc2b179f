"""Patches of images of any dimension, and convolutions.

Throughout, images are arrays of shape ``(n, channels, *lengths)``, and ``ksize``,
``stride``, ``pad``, ``dilate`` and ``outs`` are sequences with an integer for each axis
of ``lengths``: the window, the distance between two of its positions, the padding on
both sides, the distance between two elements of the window, and the number of
positions. ``outs`` may be smaller or larger than what fits; elements beyond the images
are padding, too.
"""
from __future__ import annotations

import itertools
import math
import typing as tp

import numpy

from chainer_fast.backends import _cudnn, arrays
from chainer_fast.backends._cudnn import convolution as by_cudnn
from chainer_fast.backends.cuda import get_array_module, ndarray
from chainer_fast.backends.kernels import kernel
from chainer_fast.backends.kernels.common import halves
from chainer_fast.backends.kernels.convolution import compiled as _compiled
from chainer_fast.backends.kernels.convolution import cuda as _device
from chainer_fast.types import DTypeSpec, NdArray


@kernel(compiled=_compiled.gather, device=_device.gather, in_single=True)
def gather(
        img: NdArray, ksize: tp.Sequence[int], stride: tp.Sequence[int],
        pad: tp.Sequence[int], dilate: tp.Sequence[int], outs: tp.Sequence[int],
        pval: float = 0) -> NdArray:
    """Copy patches from images.

    Parameters
    ----------
    img : array
        Images.
    ksize, stride, pad, dilate, outs : sequence of int
        See the head of the module.
    pval : scalar
        Value of the padding.

    Returns
    -------
    array
        Patches of shape ``(n, channels, *ksize, *outs)``, in C order.

    Raises
    ------
    ValueError
        If a stride or a dilation is negative, and there is more than one step of it.
    """
    _expect_array(img)
    counts, steps = (*outs, *ksize), (*stride, *dilate)
    if any(step < 0 and n > 1 for n, step in zip(counts, steps, strict=True)):
        # The windows would begin before the image.
        raise ValueError('stride and dilate must not be negative, got %s and %s' % (
            tuple(stride), tuple(dilate)))
    lengths = img.shape[2:]
    # The part of each axis that is covered, including the padding before it.
    seen = [(k - 1) * d + 1 + (out - 1) * s
            for k, d, out, s in zip(ksize, dilate, outs, stride, strict=True)]
    padded = [max(extent, p + n)
              for extent, p, n in zip(seen, pad, lengths, strict=True)]
    source = img
    if any(pad) or padded != list(lengths):
        source = numpy.empty(img.shape[:2] + tuple(padded), img.dtype)
        # astype also accepts -1 for an unsigned type.
        source[...] = numpy.asarray(pval).astype(img.dtype)
        source[(..., *_inside(pad, lengths))] = img
    strides = source.strides[2:]
    apart = [tuple([step * n for step, n in zip(strides, numbers, strict=True)])
             for numbers in (dilate, stride)]
    return numpy.lib.stride_tricks.as_strided(
        source, img.shape[:2] + tuple(ksize) + tuple(outs),
        source.strides[:2] + apart[0] + apart[1]).copy()


@kernel(compiled=_compiled.scatter, device=_device.scatter, in_single=True)
def scatter(
        col: NdArray, stride: tp.Sequence[int], pad: tp.Sequence[int],
        lengths: tp.Sequence[int], dilate: tp.Sequence[int]) -> NdArray:
    """Sum patches into images, the adjoint of :func:`gather`.

    Parameters
    ----------
    col : array
        Patches of shape ``(n, channels, *ksize, *outs)``.
    stride, pad, dilate : sequence of int
        See the head of the module.
    lengths : sequence of int
        Lengths of the axes of the images.

    Returns
    -------
    array
        Images, in the dtype of the patches.
    """
    _expect_array(col)
    nd = len(lengths)
    if col.ndim != 2 + 2 * nd:
        raise ValueError('patches of images of %s axes have %s axes, not %s'
                         % (nd, 2 + 2 * nd, col.ndim))
    ksize, outs = col.shape[2:2 + nd], col.shape[2 + nd:]
    img = numpy.zeros(
        col.shape[:2] + tuple([
            max(n + p, (k - 1) * d + 1 + out * s) for n, p, k, d, out, s
            in zip(lengths, pad, ksize, dilate, outs, stride, strict=True)]),
        col.dtype)
    # In all patches, one element of the window is at positions a stride apart.
    places = itertools.product(*[
        [slice(i * d, i * d + out * s, s) for i in range(k)]
        for k, d, out, s in zip(ksize, dilate, outs, stride, strict=True)])
    for at, place in zip(numpy.ndindex(*ksize), places, strict=True):
        window: tp.Any = (..., *place)
        view = img[window]
        view += col[(slice(None), slice(None), *at)]
    return img[(..., *_inside(pad, lengths))]


def _expect_array(x):
    if not isinstance(x, arrays.get_array_types()):
        raise TypeError('patches are made of arrays, but this is a %s: pass its '
                        'array, or use chainer.functions.im2col' % type(x).__name__)


def _inside(pad, lengths):
    return [slice(p, p + n) for p, n in zip(pad, lengths, strict=True)]


def _working_dtype(a, b):
    """Return the dtype of computations; sums of halves are in single precision."""
    dtype = numpy.promote_types(a.dtype, b.dtype)
    return numpy.dtype('f') if dtype == 'e' else dtype


def _rounded(array, dtype, *operands):
    """Return a result in another dtype."""
    if all(x.dtype == 'e' for x in operands):
        # As silently as a product of halves overflows.
        with numpy.errstate(over='ignore'):
            return halves.cast(array, dtype)
    return halves.cast(array, dtype)


def _add_bias(y, b):
    if b is not None:
        y += b.reshape((-1,) + (1,) * (y.ndim - 2))
    return y


def _grouped(array, groups, *lengths):
    """Return an array with the channel axis split, and the axes after it joined."""
    return array.reshape((array.shape[0], groups, *lengths))


def keeps_channels_last(x: NdArray) -> bool:
    """Return whether convolutions of an array leave channels last in memory.

    With cuDNN they do, and the result has the order of the images.
    """
    return isinstance(x, ndarray) and _cudnn.wanted()


def laid_out(W: NdArray) -> NdArray:
    """Return filters in the memory order that convolutions prefer.

    Parameters
    ----------
    W : array
        Filters.

    Returns
    -------
    array
        The same array, or a copy with the input channels last in memory: on a GPU with
        cuDNN, if ``config.cudnn_channels_last`` requests it.
    """
    if isinstance(W, ndarray) and _cudnn.wanted():
        return by_cudnn.laid_out(W)
    return W


@kernel(compiled=_compiled.convolve, device=_device.convolve)
def convolve(
        x: NdArray, W: NdArray, b: NdArray | None, stride: tp.Sequence[int],
        pad: tp.Sequence[int], dilate: tp.Sequence[int], groups: int,
        outs: tp.Sequence[int]) -> NdArray:
    """Convolve images with filters, as neural networks understand it.

    Parameters
    ----------
    x : array
        Images.
    W : array
        Filters of shape ``(filters, channels // groups, *ksize)``.
    b : array or None
        Bias of shape ``(filters,)``.
    stride, pad, dilate, outs : sequence of int
        See the head of the module.
    groups : int
        Number of parts into which channels and filters are split. Each part of
        the filters is applied to the same part of the channels only.

    Returns
    -------
    array
        Images of shape ``(n, filters, *outs)``, in the dtype of ``x``.
    """
    dtype = _working_dtype(x, W)
    if x.dtype != dtype or W.dtype != dtype:
        y = convolve(halves.cast(x, dtype), halves.cast(W, dtype), None,
                     stride, pad, dilate, groups, outs)
        return _add_bias(_rounded(y, x.dtype, x, W), b)
    xp = get_array_module(x)
    places = math.prod(outs)
    depth = math.prod(W.shape[1:])
    col = gather(x, W.shape[2:], stride, pad, dilate, outs)
    W = arrays.unmasked(W)
    y = xp.matmul(W.reshape((groups, W.shape[0] // groups, depth)),
                  _grouped(col, groups, depth, places))
    return _add_bias(y.reshape((x.shape[0], W.shape[0]) + tuple(outs)), b)


@kernel(compiled=_compiled.convolve_transposed,
        device=_device.convolve_transposed)
def convolve_transposed(
        x: NdArray, W: NdArray, b: NdArray | None, stride: tp.Sequence[int],
        pad: tp.Sequence[int], dilate: tp.Sequence[int], groups: int,
        outs: tp.Sequence[int]) -> NdArray:
    """Apply the adjoint of :func:`convolve` (a transposed convolution).

    Parameters
    ----------
    x : array
        Images, with as many channels as filters.
    W : array
        Filters of shape ``(filters, channels // groups, *ksize)``.
    b : array or None
        Bias of shape ``(channels,)``.
    stride, pad, dilate : sequence of int
        See the head of the module; these belong to the convolution that is
        transposed.
    groups : int
        See :func:`convolve`.
    outs : sequence of int
        Lengths of the axes of the result.

    Returns
    -------
    array
        Images of shape ``(n, channels, *outs)``, in the dtype of ``x``.
    """
    dtype = _working_dtype(x, W)
    if x.dtype != dtype or W.dtype != dtype:
        y = convolve_transposed(
            halves.cast(x, dtype), halves.cast(W, dtype), None, stride, pad,
            dilate, groups, outs)
        return _add_bias(_rounded(y, x.dtype, x, W), b)
    xp = get_array_module(x)
    x, W = arrays.unmasked(x), arrays.unmasked(W)
    filters = W.shape[0] // groups
    depth = math.prod(W.shape[1:])
    col = xp.matmul(
        W.reshape((groups, filters, depth)).swapaxes(1, 2),
        _grouped(x, groups, filters, math.prod(x.shape[2:])))
    col = col.reshape((x.shape[0], groups * W.shape[1]) + W.shape[2:] + x.shape[2:])
    return _add_bias(scatter(col, stride, pad, outs, dilate), b)


@kernel(compiled=_compiled.correlate, device=_device.correlate)
def correlate(
        x: NdArray, gy: NdArray, ksize: tp.Sequence[int], stride: tp.Sequence[int],
        pad: tp.Sequence[int], dilate: tp.Sequence[int], groups: int,
        dtype: DTypeSpec) -> NdArray:
    """Compute the gradient of :func:`convolve` with respect to the filters.

    Parameters
    ----------
    x : array
        Images.
    gy : array
        Gradient of the result, of shape ``(n, filters, *outs)``.
    ksize, stride, pad, dilate : sequence of int
        See the head of the module.
    groups : int
        See :func:`convolve`.
    dtype : numpy.dtype
        Dtype of the result.

    Returns
    -------
    array, shape (filters, channels // groups, *ksize)
    """
    working = _working_dtype(x, gy)
    if x.dtype != working or gy.dtype != working:
        gW = correlate(halves.cast(x, working), halves.cast(gy, working),
                       ksize, stride, pad, dilate, groups, working)
        return _rounded(gW, dtype, x, gy)
    xp = get_array_module(x)
    outs = gy.shape[2:]
    channels, filters = x.shape[1] // groups, gy.shape[1] // groups
    depth = channels * math.prod(ksize)
    col = gather(x, ksize, stride, pad, dilate, outs)
    left = _grouped(arrays.unmasked(gy), groups, filters, math.prod(outs))
    right = _grouped(col, groups, depth, math.prod(outs)).swapaxes(2, 3)
    # Image by image: joining images would require copying all patches.
    gW = xp.zeros((groups, filters, depth), working)
    for gradient, patches in zip(left, right, strict=True):
        gW += xp.matmul(gradient, patches)
    return gW.reshape((groups * filters, channels) + tuple(ksize)).astype(
        dtype, copy=False)

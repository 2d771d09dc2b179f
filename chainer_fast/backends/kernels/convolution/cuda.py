"""CUDA forms of the kernels of patches and convolutions.

They are used without cuDNN. A convolution is a product of the filters with a matrix of
patches, in at most three launches, for patches, product and bias. Without groups, the
matrices of each image are multiplied separately, and the result is written in place.
With groups, each group has one matrix with the positions of all images.
"""
from __future__ import annotations

import math
import typing as tp

import numpy

from chainer_fast.backends import _cublas, cuda
from chainer_fast.backends._cudnn import convolution as by_cudnn
from chainer_fast.backends._cudnn import sessions
from chainer_fast.backends.kernels.convolution import cuda_patches
from chainer_fast.types import NdArray


def gather(
        img: NdArray, ksize: tuple[int, ...], stride: tuple[int, ...],
        pad: tuple[int, ...], dilate: tuple[int, ...], outs: tuple[int, ...],
        pval: float = 0) -> NdArray:
    """CUDA form of :func:`chainer_fast.backends.kernels.convolution.gather`."""
    if pval:
        raise ValueError('on a GPU, images can only be padded with zeros, not %r' % (
            pval,))
    return _gather(img, ksize, stride, pad, dilate, outs, cuda.cupy.empty(
        img.shape[:2] + tuple(ksize) + tuple(outs), img.dtype))


def _gather(img, ksize, stride, pad, dilate, outs, col):
    return cuda_patches.im2col_kernel(len(ksize))(
        img, *img.shape[2:], *outs, *ksize, *stride, *pad, *dilate, col)


def scatter(
        col: NdArray, stride: tuple[int, ...], pad: tuple[int, ...],
        lengths: tuple[int, ...], dilate: tuple[int, ...]) -> NdArray:
    """CUDA form of :func:`chainer_fast.backends.kernels.convolution.scatter`."""
    nd = len(lengths)
    ksize, outs = col.shape[2:2 + nd], col.shape[2 + nd:]
    img = cuda.cupy.empty(col.shape[:2] + tuple(lengths), col.dtype)
    cuda_patches.col2im_kernel(nd)(
        col, *lengths, *outs, *ksize, *stride, *pad, *dilate, img)
    return img


@sessions.preferred(by_cudnn.convolve)
def convolve(
        x: NdArray, W: NdArray, b: NdArray | None, stride: tuple[int, ...],
        pad: tuple[int, ...], dilate: tuple[int, ...], groups: int,
        outs: tuple[int, ...]) -> NdArray:
    """CUDA form of :func:`chainer_fast.backends.kernels.convolution.convolve`."""
    dtype = x.dtype
    x, W = _same_dtype(x, W)
    n, places, depth = x.shape[0], math.prod(outs), math.prod(W.shape[1:])
    ksize, filters = W.shape[2:], W.shape[0]
    if groups == 1:
        col = x
        if not _is_direct(x.shape[2:], ksize, stride, pad, outs):
            col = gather(x, ksize, stride, pad, dilate, outs)
        y = cuda.cupy.empty((n, filters) + tuple(outs), x.dtype)
        _cublas.multiply(
            cuda.cupy.broadcast_to(W.reshape(filters, depth), (n, filters, depth)),
            col.reshape(n, depth, places), y.reshape(n, filters, places))
        return _finish(y, b, dtype)
    col = cuda.cupy.empty((x.shape[1],) + ksize + (n,) + tuple(outs), x.dtype)
    _gather(x, ksize, stride, pad, dilate, outs, _images_first(col, len(ksize)))
    y = cuda.cupy.empty((filters, n) + tuple(outs), x.dtype)
    _cublas.multiply(W.reshape(groups, filters // groups, depth),
                     col.reshape(groups, depth, n * places),
                     y.reshape(groups, filters // groups, n * places))
    return _finish(y.swapaxes(0, 1), b, dtype)


@sessions.preferred(by_cudnn.convolve_transposed)
def convolve_transposed(
        x: NdArray, W: NdArray, b: NdArray | None, stride: tuple[int, ...],
        pad: tuple[int, ...], dilate: tuple[int, ...], groups: int,
        outs: tuple[int, ...]) -> NdArray:
    """CUDA form of ``convolve_transposed`` of the same family."""
    dtype = x.dtype
    x, W = _same_dtype(x, W)
    n, filters, lengths = x.shape[0], x.shape[1], x.shape[2:]
    places, depth = math.prod(lengths), math.prod(W.shape[1:])
    ksize = W.shape[2:]
    channels = groups * W.shape[1]
    if groups == 1:
        col = cuda.cupy.empty((n, channels) + ksize + lengths, x.dtype)
        _cublas.multiply(
            cuda.cupy.broadcast_to(W.reshape(filters, depth).T, (n, depth, filters)),
            x.reshape(n, filters, places), col.reshape(n, depth, places))
        if _is_direct(outs, ksize, stride, pad, lengths):
            return _finish(col.reshape((n, channels) + tuple(outs)), b, dtype)
    else:
        col = cuda.cupy.empty((channels,) + ksize + (n,) + lengths, x.dtype)
        _cublas.multiply(
            W.reshape(groups, filters // groups, depth).swapaxes(1, 2),
            x.swapaxes(0, 1).reshape(groups, filters // groups, n * places),
            col.reshape(groups, depth, n * places))
        col = _images_first(col, len(ksize))
    return _finish(scatter(col, stride, pad, outs, dilate), b, dtype)


@sessions.preferred(by_cudnn.correlate)
def correlate(
        x: NdArray, gy: NdArray, ksize: tuple[int, ...], stride: tuple[int, ...],
        pad: tuple[int, ...], dilate: tuple[int, ...], groups: int,
        dtype: tp.Any) -> NdArray:
    """CUDA form of :func:`chainer_fast.backends.kernels.convolution.correlate`."""
    n, outs = x.shape[0], gy.shape[2:]
    channels, filters, places = x.shape[1], gy.shape[1], math.prod(outs)
    depth = channels // groups * math.prod(ksize)
    shape = (filters, channels // groups) + tuple(ksize)
    if groups == 1 and _is_direct(x.shape[2:], ksize, stride, pad, outs) and (
            filters * depth <= (filters + depth) * places):
        # The products of all images are smaller than copies of the operands.
        x, gy = _same_dtype(x, gy)
        gW = cuda.cupy.empty((n,) + shape, numpy.promote_types(x.dtype, 'f'))
        _cublas.multiply(gy.reshape(n, filters, places),
                         x.reshape(n, depth, places).swapaxes(1, 2),
                         gW.reshape(n, filters, depth))
        return gW.sum(axis=0, dtype=dtype)
    # Both operands have the positions of all images in one array.
    rows = channels * math.prod(ksize)
    both = cuda.cupy.empty((rows + filters, n) + outs,
                           numpy.promote_types(x.dtype, gy.dtype))
    cuda_patches.correlation_kernel(len(ksize))(
        x, gy, *x.shape[2:], *outs, *ksize, *stride, *pad, *dilate, n, channels,
        filters, both)
    both = both.reshape(rows + filters, n * places)
    gW = cuda.cupy.empty(shape, both.dtype)
    _cublas.multiply(
        both[rows:].reshape(groups, filters // groups, n * places),
        both[:rows].reshape(groups, depth, n * places).swapaxes(1, 2),
        gW.reshape(groups, filters // groups, depth))
    return gW.astype(dtype, copy=False)


def _same_dtype(a, b):
    dtype = numpy.promote_types(a.dtype, b.dtype)
    return a.astype(dtype, copy=False), b.astype(dtype, copy=False)


def _is_direct(lengths, ksize, stride, pad, outs):
    """Return whether images are their own patches."""
    return (all([k == 1 for k in ksize]) and all([s == 1 for s in stride])
            and not any(pad) and tuple(lengths) == tuple(outs))


def _images_first(col, nd):
    """Return patches of shape (channels, *ksize, n, *outs), as in ``gather``."""
    axis = 1 + nd
    return col.transpose(axis, *range(axis), *range(axis + 1, col.ndim))


def _finish(y, b, dtype):
    """Return a result with its bias, in C order and the given dtype."""
    if b is not None:
        b = b.reshape((-1,) + (1,) * (y.ndim - 2))
    if y.flags.c_contiguous and y.dtype == dtype:
        if b is not None:
            y += b
        return y
    if b is None:
        return y.astype(dtype, order='C')
    result = cuda.cupy.empty(y.shape, dtype)
    cuda.cupy.add(y, b, out=result)
    return result

"""Windows that pass over images of any dimension: maxima, sums, and their adjoints.

All kernels take the window as tuples with a number for each axis of the images:
``ksize`` its lengths, ``stride`` the distance of two places, ``pad`` what is added to
the images on either side. An element of a window is named by its index in the window,
in C order. Elements are visited in that order, too, so that sums round alike wherever
they are computed; halves are summed up in single precision. Results of images that lie
channels last in host memory do so, too; on a GPU where the configuration asks for it.

The reference goes over the elements of the window, a few, and handles all places at
once: the elements of one index lie a stride apart in the padded images.
"""
from __future__ import annotations

import functools
import itertools
import typing as tp

import numpy

from chainer_fast.backends import arrays
from chainer_fast.backends import _image_orders
from chainer_fast.backends.cuda import get_array_module, ndarray
from chainer_fast.backends.kernels import kernel
from chainer_fast.backends.kernels.pooling import compiled
from chainer_fast.backends.kernels.pooling import cuda as device
from chainer_fast.backends.kernels.pooling.windows import (
    check_index_dtype,
    check_window,
    places as places,
)
from chainer_fast.types import DTypeSpec, NdArray, Xp


def lies_channels_last(x: NdArray) -> bool:
    """Return whether gradients of images are to have their channels last in memory.

    They are where the images have: in host memory, and where
    ``config.cudnn_channels_last`` asks for it on a GPU.
    """
    if isinstance(x, ndarray):
        return _image_orders.keeps(x)
    return compiled.lies_channels_last(x)


def _spans(lengths, ksize, stride, pad, outs):
    """Lengths of the images including the padding that the windows cover."""
    check_window(lengths, ksize, stride, pad)
    return [max(k + (out - 1) * s, p + length) for length, k, s, p, out
            in zip(lengths, ksize, stride, pad, outs, strict=True)]


def _inside(lengths, pad):
    """Index of the images in the padded ones."""
    return (..., *[slice(p, p + n) for n, p in zip(lengths, pad, strict=True)])


def _steps(ksize, stride, outs):
    """Indexes of what the elements of the window see, one after the other."""
    return [(..., *index) for index in itertools.product(*[
        [slice(i, i + s * out, s) for i in range(k)]
        for k, s, out in zip(ksize, stride, outs, strict=True)])]


def _padded(x, ksize, stride, pad, outs, value):
    lengths = x.shape[2:]
    spans = _spans(lengths, ksize, stride, pad, outs)
    if tuple(spans) == lengths:
        return x
    xp = get_array_module(x)
    padded = xp.full(x.shape[:2] + tuple(spans), value, x.dtype)
    padded[_inside(lengths, pad)] = x
    return padded


def _sum_dtype(dtype):
    return numpy.dtype('f') if dtype.char == 'e' else dtype


def _added_up(gy, ksize, stride, pad, lengths, values_at):
    """Add up images from the values that windows have at each of their elements."""
    xp = get_array_module(gy)
    outs = gy.shape[2:]
    spans = _spans(lengths, ksize, stride, pad, outs)
    if 0 in lengths:        # the padding, which is cut off, may be of any size
        return xp.zeros((*gy.shape[:2], *lengths), gy.dtype)
    total = xp.zeros((*gy.shape[:2], *spans), _sum_dtype(gy.dtype))
    for i, step in enumerate(_steps(ksize, stride, outs)):
        total[step] += values_at(i)
    return total[_inside(lengths, pad)]


@kernel(compiled=compiled.max_pool, device=device.max_pool, in_single=True)
def max_pool(
        x: NdArray, ksize: tuple[int, ...], stride: tuple[int, ...],
        pad: tuple[int, ...], cover_all: bool) -> tuple[NdArray, ...]:
    """Largest elements of windows, and which of the window's elements they are.

    The first one counts if there are several; NaN counts as larger than any number.

    Parameters
    ----------
    x : array, shape (n, c, *lengths)
        Images of floats.
    ksize, stride, pad : tuple of int
        The window.
    cover_all : bool
        See :func:`chainer_fast.utils.get_conv_outsize`.

    Returns
    -------
    tuple of array
        Maxima, in the dtype of ``x``, and indexes, integers of 64 bits, or of 32 on a
        GPU. The shape of both is ``(n, c, *outs)``. A window that lies in the padding
        as a whole has -infinity and 0.

    Raises
    ------
    AssertionError
        If the window does not fit in.
    ValueError
        If ``pad`` is negative, or ``ksize`` not positive.
    """
    xp = get_array_module(x)
    outs = places(x.shape[2:], ksize, stride, pad, cover_all)
    source = _padded(x, ksize, stride, pad, outs, -numpy.inf)
    y = xp.full(x.shape[:2] + outs, -numpy.inf, x.dtype)
    indexes = xp.zeros(y.shape, numpy.int64)
    for i, step in enumerate(_steps(ksize, stride, outs)):
        seen = source[step]
        # Not below or equal: above, or one of the two is NaN.
        better = ~(seen <= y) & (y == y)
        xp.copyto(y, seen, where=better)
        indexes[better] = i
    return y, indexes


@kernel(compiled=compiled.put, device=device.put, in_single=True)
def put(
        gy: NdArray, indexes: NdArray, ksize: tuple[int, ...], stride: tuple[int, ...],
        pad: tuple[int, ...], lengths: tuple[int, ...],
        channels_last: bool = False) -> NdArray:
    """Put the value of each window on one of its elements, and add up.

    Parameters
    ----------
    gy : array, shape (n, c, *outs)
        Values.
    indexes : array of integers, of the shape of ``gy``
        Indexes of the elements in their windows.
    ksize, stride, pad : tuple of int
        The window.
    lengths : tuple of int
        Lengths of the images.
    channels_last : bool
        Whether the images should lie channels last, if there is code for it.

    Returns
    -------
    array, shape (n, c, *lengths)
        Images, in the dtype of ``gy``. Values that fall on the padding are lost.

    Raises
    ------
    IndexError
        If there is no element of such an index in a window.
    """
    xp = get_array_module(gy)
    indexes = _checked(indexes, ksize)
    total = _added_up(
        gy, ksize, stride, pad, lengths, lambda i: xp.where(indexes == i, gy, 0))
    return xp.ascontiguousarray(total, gy.dtype)


@kernel(compiled=compiled.pick, device=device.pick, in_single=True)
def pick(
        x: NdArray, indexes: NdArray, ksize: tuple[int, ...], stride: tuple[int, ...],
        pad: tuple[int, ...]) -> NdArray:
    """Pick one element of each window; the adjoint of :func:`put`.

    Parameters
    ----------
    x : array, shape (n, c, *lengths)
        Images.
    indexes : array of integers, shape (n, c, *outs)
        Indexes of the elements in their windows.
    ksize, stride, pad : tuple of int
        The window.

    Returns
    -------
    array, of the shape of ``indexes``
        Elements, in the dtype of ``x``; zeros from the padding.

    Raises
    ------
    IndexError
        If there is no element of such an index in a window.
    """
    xp = get_array_module(x)
    indexes = _checked(indexes, ksize)
    outs = indexes.shape[2:]
    source = _padded(x, ksize, stride, pad, outs, 0)
    y = xp.zeros(indexes.shape, x.dtype)
    for i, step in enumerate(_steps(ksize, stride, outs)):
        xp.copyto(y, source[step], where=indexes == i)
    return y


def _checked(indexes, ksize):
    """Return indexes counted from the start; those on a GPU are not checked."""
    if not isinstance(indexes, numpy.ndarray) or indexes.size == 0:
        return indexes
    check_index_dtype(indexes)
    count = int(numpy.prod(ksize))
    low, high = int(indexes.min()), int(indexes.max())
    if low < -count or high >= count:
        raise IndexError(
            'indexes must be of the %d elements of a window, but are in [%s, %s]'
            % (count, low, high))
    return indexes if low >= 0 else numpy.where(indexes < 0, indexes + count, indexes)


@kernel(compiled=compiled.window_sum, device=device.window_sum, in_single=True)
def window_sum(
        x: NdArray, ksize: tuple[int, ...], stride: tuple[int, ...],
        pad: tuple[int, ...], outs: tuple[int, ...], divisor: int = 1) -> NdArray:
    """Sums over windows, divided by a number.

    Parameters
    ----------
    x : array, shape (n, c, *lengths)
        Images; the padding is zero.
    ksize, stride, pad : tuple of int
        The window.
    outs : tuple of int
        Number of places of the window along each axis.
    divisor : int
        Divisor of the sums.

    Returns
    -------
    array, shape (n, c, *outs)
        Sums, in the dtype of ``x``.
    """
    xp = get_array_module(x)
    source = _padded(x, ksize, stride, pad, outs, 0)
    total = xp.zeros(x.shape[:2] + tuple(outs), _sum_dtype(x.dtype))
    for step in _steps(ksize, stride, outs):
        total += source[step]
    if divisor == 1:
        return total.astype(x.dtype, copy=False)
    return arrays.floating(total / divisor, x.dtype)


@kernel(compiled=compiled.window_spread, device=device.window_spread, in_single=True)
def window_spread(
        gy: NdArray, ksize: tuple[int, ...], stride: tuple[int, ...],
        pad: tuple[int, ...], lengths: tuple[int, ...], divisor: int = 1,
        channels_last: bool = False) -> NdArray:
    """Put the value of each window on all of its elements, add up, and divide.

    The adjoint of :func:`window_sum`.

    Parameters
    ----------
    gy : array, shape (n, c, *outs)
        Values.
    ksize, stride, pad : tuple of int
        The window.
    lengths : tuple of int
        Lengths of the images.
    divisor : int
        Divisor of the sums.
    channels_last : bool
        Whether the images should lie channels last, if there is code for it.

    Returns
    -------
    array, shape (n, c, *lengths)
        Images, in the dtype of ``gy``.
    """
    gx = _added_up(gy, ksize, stride, pad, lengths, lambda i: gy)
    if divisor != 1:
        gx = gx / divisor
    return get_array_module(gy).ascontiguousarray(gx, gy.dtype)


@kernel(device=device.window_mean)
def window_mean(
        x: NdArray, ksize: tuple[int, ...], stride: tuple[int, ...],
        pad: tuple[int, ...], outs: tuple[int, ...]) -> NdArray:
    """Means over the elements of windows that are in the images.

    Parameters are those of :func:`window_sum`.

    Returns
    -------
    array, shape (n, c, *outs)
        Means, in the dtype of ``x``.
    """
    sizes = window_sizes(
        get_array_module(x), x.dtype, x.shape[2:], ksize, stride, pad, outs)
    return window_sum(x, ksize, stride, pad, outs) / sizes


@kernel(device=device.mean_spread)
def mean_spread(
        gy: NdArray, ksize: tuple[int, ...], stride: tuple[int, ...],
        pad: tuple[int, ...], lengths: tuple[int, ...],
        channels_last: bool = False) -> NdArray:
    """The adjoint of :func:`window_mean`.

    Parameters are those of :func:`window_spread`.

    Returns
    -------
    array, shape (n, c, *lengths)
        Images, in the dtype of ``gy``.
    """
    sizes = window_sizes(
        get_array_module(gy), gy.dtype, lengths, ksize, stride, pad, gy.shape[2:])
    return window_spread(gy / sizes, ksize, stride, pad, lengths, 1, channels_last)


@functools.lru_cache(maxsize=256)
def _sizes_along(length, k, s, p, out):
    """Count the elements of windows along an axis that are in the images."""
    start = numpy.arange(out) * s - p
    return numpy.minimum(start + k, length) - numpy.maximum(start, 0)


def window_sizes(
        xp: Xp, dtype: DTypeSpec, lengths: tuple[int, ...], ksize: tuple[int, ...],
        stride: tuple[int, ...], pad: tuple[int, ...],
        outs: tuple[int, ...]) -> NdArray:
    """Count the elements of each window that are in the images, not in the padding.

    Parameters
    ----------
    xp : module
        Array module.
    dtype : dtype
        Of the result.
    lengths : tuple of int
        Lengths of the images.
    ksize, stride, pad, outs : tuple of int
        The window, and its number of places along each axis.

    Returns
    -------
    array, shape (*outs)
    """
    sizes = numpy.ones((), numpy.int64)
    for axis in zip(lengths, ksize, stride, pad, outs, strict=True):
        sizes = sizes[..., None] * _sizes_along(*axis)
    return xp.asarray(sizes, dtype=dtype)

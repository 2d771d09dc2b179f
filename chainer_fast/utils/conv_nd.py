"""Patches of images of any dimension; see :mod:`chainer_fast.utils.conv`."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

from chainer_fast import _numbers
from chainer_fast.types import NdArray
from chainer_fast.utils import conv
from chainer_fast.utils.conv import get_conv_outsize


def as_tuple(x: Any, n: int) -> tuple[Any, ...]:
    """Return ``n`` numbers, one for each axis.

    Parameters
    ----------
    x : int or iterable
        One number for all axes, or one for each.
    n : int
        Number of axes.

    Returns
    -------
    tuple
        The numbers, one for each axis.

    Raises
    ------
    AssertionError
        If the number of elements is wrong.
    """
    # A NumPy number has the method, too.
    x = int(x) if isinstance(x, numpy.integer) else x
    if not hasattr(x, '__getitem__'):
        return (x,) * (n if type(n) is int else _numbers.plain(n))
    assert len(x) == n, (
        'expected %s numbers, got %r: with %s, images have %s axes, (batch, channel) '
        'and %s more' % (n, x, len(x), len(x) + 2, len(x)))
    return tuple(x)


def _check_lengths(nd, **settings):
    for name, values in settings.items():
        assert len(values) == nd, (
            '%s must have a number for each of %s axes: %r' % (name, nd, values))


def _places(img, ksize, stride, pad, cover_all, dilate):
    """Check the window, and return it with the numbers of its positions."""
    nd = img.ndim - 2
    conv._expect_axes(img, 'im2col_nd', 2)
    dilate = as_tuple(dilate, nd)
    _check_lengths(nd, ksize=ksize, stride=stride, pad=pad)
    outs = [get_conv_outsize(length, k, s, p, cover_all, d) for length, k, s, p, d
            in zip(img.shape[2:], ksize, stride, pad, dilate, strict=True)]
    assert all(out > 0 for out in outs), (
        'Output sizes should be positive, but a window of %s takes %s places in images '
        'of %s' % (tuple(ksize), tuple(outs), img.shape[2:]))
    return ksize, stride, pad, dilate, outs


def im2col_nd(
        img: NdArray, ksize: Sequence[int], stride: Sequence[int],
        pad: Sequence[int], cover_all: bool = False,
        dilate: int | Sequence[int] = 1) -> NdArray:
    """Copy the patches that a sliding window covers.

    Parameters
    ----------
    img : array, shape (n, c, *lengths)
        Images of any dimension.
    ksize : sequence of int
        Lengths of the window.
    stride : sequence of int
        Strides.
    pad : sequence of int
        Padding with zeros.
    cover_all : bool
        See :func:`~chainer_fast.utils.get_conv_outsize`.
    dilate : int or sequence of int
        Dilation.

    Returns
    -------
    array, shape (n, c, *ksize, *outs)
        Patches, in the dtype of the images.

    Raises
    ------
    AssertionError
        If the window is larger than the padded images, or has another dimension than
        they have.
    """
    return conv._gather(img, *_places(img, ksize, stride, pad, cover_all, dilate))


def im2col_nd_cpu(
        img: NdArray, ksize: Sequence[int], stride: Sequence[int],
        pad: Sequence[int], pval: int = 0, cover_all: bool = False,
        dilate: int = 1) -> NdArray:
    """:func:`im2col_nd` with NumPy; ``pval`` is the value of the padding."""
    return conv._gather(
        img, *_places(img, ksize, stride, pad, cover_all, dilate), pval)


def im2col_nd_gpu(
        img: NdArray, ksize: Sequence[int], stride: Sequence[int],
        pad: Sequence[int], cover_all: bool = False, dilate: int = 1) -> NdArray:
    """:func:`im2col_nd` with CuPy."""
    return conv._gather(img, *_places(img, ksize, stride, pad, cover_all, dilate))


def _check_patches(col, stride, pad, dims, dilate):
    nd = len(dims)
    if col.ndim != 2 + 2 * nd:
        conv._expect_axes(col, 'col2im_nd', 2)
        raise AssertionError(
            'patches of images with %s axes must have %d axes, not %d'
            % (nd, 2 + 2 * nd, col.ndim))
    _check_lengths(nd, stride=stride, pad=pad)
    return col, stride, pad, dims, as_tuple(dilate, nd)


def col2im_nd(
        col: NdArray, stride: Sequence[int], pad: Sequence[int],
        dims: Sequence[int], dilate: int | Sequence[int] = 1) -> NdArray:
    """Add patches to images; the adjoint of :func:`im2col_nd`.

    Parameters
    ----------
    col : array, shape (n, c, *ksize, *outs)
        Patches.
    stride : sequence of int
        Strides.
    pad : sequence of int
        Padding.
    dims : sequence of int
        Lengths of the images.
    dilate : int or sequence of int
        Dilation.

    Returns
    -------
    array, shape (n, c, *dims)
        Sums, in the dtype of the patches.

    Raises
    ------
    AssertionError
        If the window has another dimension than the images.
    """
    return conv._scatter(*_check_patches(col, stride, pad, dims, dilate))


def col2im_nd_cpu(
        col: NdArray, stride: Sequence[int], pad: Sequence[int],
        dims: Sequence[int], dilate: int = 1) -> NdArray:
    """:func:`col2im_nd` with NumPy."""
    return conv._scatter(*_check_patches(col, stride, pad, dims, dilate))


def col2im_nd_gpu(
        col: NdArray, stride: Sequence[int], pad: Sequence[int],
        dims: Sequence[int], dilate: int = 1) -> NdArray:
    """:func:`col2im_nd` with CuPy."""
    return conv._scatter(*_check_patches(col, stride, pad, dims, dilate))

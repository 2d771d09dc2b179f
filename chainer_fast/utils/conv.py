"""Sizes and patches of images, for convolution and pooling in two dimensions.

``im2col`` lays out the patches that a window passes over, so that a convolution becomes
a matrix product; ``col2im`` is its adjoint, which adds the patches up into an image.
"""
import itertools

import numpy

from chainer_fast.backends import cuda
from chainer_fast.utils import conv_nd_kernel


def get_conv_outsize(size, k, s, p, cover_all=False, d=1):
    """Return how many places a window takes along an axis.

    Parameters
    ----------
    size : int
        Length of the axis.
    k : int
        Length of the window, in elements.
    s : int
        Stride: distance of two places.
    p : int
        Padding on either side.
    cover_all : bool
        Whether every element is to be seen, if need be by a window that sticks out at
        the end.
    d : int
        Dilation: distance of two elements of the window.

    Returns
    -------
    int
        Length of the axis after the convolution. It can be negative, if the window is
        longer than the axis.
    """
    room = size + 2 * p - _extent(k, d)
    if cover_all:
        room += s - 1
    return room // s + 1


def get_deconv_outsize(size, k, s, p, cover_all=False, d=1):
    """Return the length of an axis after a deconvolution (transposed convolution).

    The least length whose :func:`get_conv_outsize` is ``size``.

    Parameters
    ----------
    size : int
        Length of the axis before the deconvolution.
    k, s, p, cover_all, d
        See :func:`get_conv_outsize`; those of the convolution that is transposed.

    Returns
    -------
    int
    """
    length = (size - 1) * s + _extent(k, d) - 2 * p
    return length - s + 1 if cover_all else length


def _extent(k, d):
    """Return the length of a window with the gaps that dilation makes."""
    return (k - 1) * d + 1


def _gather(img, ksize, stride, pad, dilate, outs, pval=0):
    """Copy patches out of images of any dimension.

    Parameters
    ----------
    img : numpy.ndarray
        Images of shape ``(n, c, *lengths)``.
    ksize, stride, pad, dilate : sequence of int
        The window, a number for each axis.
    outs : sequence of int
        Places of the window, for each axis.
    pval : scalar
        Value of the padding.

    Returns
    -------
    numpy.ndarray
        Patches of shape ``(n, c, *ksize, *outs)``.
    """
    nd = len(ksize)
    lengths = img.shape[2:]
    # What is seen of each axis, the padding before it included.
    seen = [_extent(k, d) + (out - 1) * s
            for k, d, out, s in zip(ksize, dilate, outs, stride, strict=True)]
    for length, p, s, extent in zip(lengths, pad, stride, seen, strict=True):
        if extent > length + 2 * p + s - 1:
            raise ValueError(
                'the window takes up to %s places, not %s, in images of %s '
                'with padding %s' % (
                    [get_conv_outsize(length, k, s, p, True, d) for length, k, s, p, d
                     in zip(lengths, ksize, stride, pad, dilate, strict=True)],
                    list(outs), lengths, tuple(pad)))
    if any(pad) or any(extent > n for extent, n in zip(seen, lengths, strict=True)):
        padded = [max(extent, p + n)
                  for extent, p, n in zip(seen, pad, lengths, strict=True)]
        source = numpy.empty(img.shape[:2] + tuple(padded), img.dtype)
        # By way of astype: an unsigned type takes -1, too.
        source[...] = numpy.asarray(pval).astype(img.dtype)
        inside = [slice(p, p + n) for p, n in zip(pad, lengths, strict=True)]
        source[(..., *inside)] = img
    else:
        source = img
    steps = source.strides[2:]
    return numpy.lib.stride_tricks.as_strided(
        source, img.shape[:2] + tuple(ksize) + tuple(outs),
        source.strides[:2]
        + tuple([steps[i] * dilate[i] for i in range(nd)])
        + tuple([steps[i] * stride[i] for i in range(nd)])).copy()


def _scatter(col, stride, pad, lengths, dilate):
    """Add patches up into images of any dimension, the adjoint of :func:`_gather`.

    Parameters
    ----------
    col : numpy.ndarray
        Patches of shape ``(n, c, *ksize, *outs)``.
    stride, pad, dilate : sequence of int
        The window, a number for each axis.
    lengths : sequence of int
        Lengths of the axes of the images.

    Returns
    -------
    numpy.ndarray
        Images of shape ``(n, c, *lengths)``.
    """
    nd = len(lengths)
    ksize, outs = col.shape[2:2 + nd], col.shape[2 + nd:]
    img = numpy.zeros(
        col.shape[:2] + tuple([
            n + 2 * p + s - 1 for n, p, s in zip(lengths, pad, stride, strict=True)]),
        col.dtype)
    # All patches have one element of the window in places that are a stride apart.
    places = itertools.product(*[
        [slice(i * d, i * d + out * s, s) for i in range(k)]
        for k, d, out, s in zip(ksize, dilate, outs, stride, strict=True)])
    for at, place in zip(numpy.ndindex(*ksize), places, strict=True):
        view = img[(..., *place)]
        view += col[(slice(None), slice(None), *at)]
    inside = tuple([slice(p, p + n) for p, n in zip(pad, lengths, strict=True)])
    return img[(..., *inside)]


def _gather_gpu(img, ksize, stride, pad, dilate, outs):
    col = cuda.cupy.empty(img.shape[:2] + tuple(ksize) + tuple(outs), img.dtype)
    conv_nd_kernel.im2col_kernel(len(ksize))(
        cuda.cupy.ascontiguousarray(img), *img.shape[2:], *outs, *ksize, *stride, *pad,
        *dilate, col)
    return col


def _scatter_gpu(col, stride, pad, lengths, dilate):
    nd = len(lengths)
    ksize, outs = col.shape[2:2 + nd], col.shape[2 + nd:]
    img = cuda.cupy.empty(col.shape[:2] + tuple(lengths), col.dtype)
    conv_nd_kernel.col2im_kernel(nd)(
        cuda.cupy.ascontiguousarray(col), *lengths, *outs, *ksize, *stride, *pad,
        *dilate, img)
    return img


def _im2col(gather, img, ksize, stride, pad, dilate, cover_all, outs, *pval):
    _, _, h, w = img.shape
    counts = [
        get_conv_outsize(length, k, s, p, cover_all, d) if out is None else out
        for length, k, s, p, d, out in zip(
            (h, w), ksize, stride, pad, dilate, outs, strict=True)]
    for side, count in zip(('Height', 'Width'), counts, strict=True):
        assert count > 0, (
            '%s in the output should be positive, but a window of %s takes %d places '
            'in an image of %d x %d' % (side, ksize, count, h, w))
    return gather(img, ksize, stride, pad, dilate, counts, *pval)


def im2col(img, kh, kw, sy, sx, ph, pw, cover_all=False, dy=1, dx=1,
           out_h=None, out_w=None):
    """Copy the patches that a window passes over.

    Parameters
    ----------
    img : array, shape (n, c, h, w)
        Images.
    kh, kw : int
        Height and width of the window.
    sy, sx : int
        Strides.
    ph, pw : int
        Padding, with zeros.
    cover_all : bool
        See :func:`get_conv_outsize`.
    dy, dx : int
        Dilation.
    out_h, out_w : int, optional
        Places of the window; by default those of :func:`get_conv_outsize`.

    Returns
    -------
    array, shape (n, c, kh, kw, out_h, out_w)
        Patches, in the dtype of the images.

    Raises
    ------
    AssertionError
        If the window does not fit in.
    """
    gather = _gather_gpu if isinstance(img, cuda.ndarray) else _gather
    return _im2col(gather, img, (kh, kw), (sy, sx), (ph, pw), (dy, dx), cover_all,
                   (out_h, out_w))


def im2col_cpu(img, kh, kw, sy, sx, ph, pw, pval=0, cover_all=False, dy=1, dx=1,
               out_h=None, out_w=None):
    """:func:`im2col` with NumPy; ``pval`` is the value of the padding."""
    return _im2col(_gather, img, (kh, kw), (sy, sx), (ph, pw), (dy, dx), cover_all,
                   (out_h, out_w), pval)


def im2col_gpu(img, kh, kw, sy, sx, ph, pw, cover_all=False, dy=1, dx=1,
               out_h=None, out_w=None):
    """:func:`im2col` with CuPy."""
    return _im2col(_gather_gpu, img, (kh, kw), (sy, sx), (ph, pw), (dy, dx), cover_all,
                   (out_h, out_w))


def col2im(col, sy, sx, ph, pw, h, w, dy=1, dx=1):
    """Add patches up into images; the adjoint of :func:`im2col`.

    Parameters
    ----------
    col : array, shape (n, c, kh, kw, out_h, out_w)
        Patches.
    sy, sx : int
        Strides.
    ph, pw : int
        Padding.
    h, w : int
        Height and width of the images.
    dy, dx : int
        Dilation.

    Returns
    -------
    array, shape (n, c, h, w)
        Sums, in the dtype of the patches.
    """
    scatter = _scatter_gpu if isinstance(col, cuda.ndarray) else _scatter
    return scatter(col, (sy, sx), (ph, pw), (h, w), (dy, dx))


def col2im_cpu(col, sy, sx, ph, pw, h, w, dy=1, dx=1):
    """:func:`col2im` with NumPy."""
    return _scatter(col, (sy, sx), (ph, pw), (h, w), (dy, dx))


def col2im_gpu(col, sy, sx, ph, pw, h, w, dy=1, dx=1):
    """:func:`col2im` with CuPy."""
    return _scatter_gpu(col, (sy, sx), (ph, pw), (h, w), (dy, dx))

"""Sizes and patches of images, for convolution and pooling in two dimensions.

``im2col`` copies the patches that a sliding window covers, so that a convolution
becomes a matrix product; ``col2im`` is its adjoint, which adds the patches to an image.
"""
from __future__ import annotations

from chainer_fast import _numbers
from chainer_fast.backends.kernels import convolution
from chainer_fast.backends.kernels.convolution.sizes import (  # noqa: F401
    get_conv_outsize,
    get_deconv_outsize,
)
from chainer_fast.types import NdArray


def _expect_axes(x, name, axes):
    """Raise ``ValueError`` for an array without enough axes."""
    if x.ndim < axes:
        raise ValueError(
            '%s needs an array with at least %s axes, but this one has the shape %s'
            % (name, axes, x.shape))


def _im2col(img, ksize, stride, pad, dilate, cover_all, outs, *pval):
    try:
        most = [get_conv_outsize(length, k, s, p, True, d) for length, k, s, p, d
                in zip(img.shape[2:], ksize, stride, pad, dilate, strict=True)]
    except ValueError:
        _expect_axes(img, 'im2col', 4)
        raise
    counts = [
        get_conv_outsize(length, k, s, p, cover_all, d) if out is None else out
        for length, k, s, p, d, out in zip(
            img.shape[2:], ksize, stride, pad, dilate, outs, strict=True)]
    for side, count in zip(('Height', 'Width'), counts, strict=True):
        assert count > 0, (
            '%s in the output should be positive, but a window of %s takes %s places '
            'in images of %s' % (side, ksize, count, img.shape[2:]))
    if any(count > bound for count, bound in zip(counts, most, strict=True)):
        raise ValueError(
            'the window takes up to %s places, not %s, in images of %s with padding %s'
            % (most, counts, img.shape[2:], pad))
    return _gather(img, ksize, stride, pad, dilate, counts, *pval)


def _gather(img, ksize, stride, pad, dilate, outs, *pval):
    """Copy patches of images; reject negative padding."""
    if min(pad, default=0) < 0:
        raise ValueError('pad must not be negative, got %s' % (tuple(pad),))
    return convolution.gather(
        img, *map(_numbers.plain_all, (ksize, stride, pad, dilate)), outs, *pval)


def _scatter(col, stride, pad, lengths, dilate):
    return convolution.scatter(
        col, *map(_numbers.plain_all, (stride, pad, lengths, dilate)))


def im2col(
        img: NdArray, kh: int, kw: int, sy: int, sx: int, ph: int, pw: int,
        cover_all: bool = False, dy: int = 1, dx: int = 1, out_h: int | None = None,
        out_w: int | None = None) -> NdArray:
    """Copy the patches that a sliding window covers.

    Parameters
    ----------
    img : array, shape (n, c, h, w)
        Images.
    kh, kw : int
        Height and width of the window.
    sy, sx : int
        Strides.
    ph, pw : int
        Padding with zeros.
    cover_all : bool
        See :func:`get_conv_outsize`.
    dy, dx : int
        Dilation.
    out_h, out_w : int, optional
        Numbers of positions of the window; by default those of
        :func:`get_conv_outsize`.

    Returns
    -------
    array, shape (n, c, kh, kw, out_h, out_w)
        Patches, in the dtype of the images.

    Raises
    ------
    AssertionError
        If the window is larger than the padded image.

    Examples
    --------
    >>> from chainer_fast.utils import conv
    >>> x = np.arange(9).reshape(1, 1, 3, 3)
    >>> patches = conv.im2col(x, kh=2, kw=2, sy=1, sx=1, ph=0, pw=0)
    >>> patches.shape
    (1, 1, 2, 2, 2, 2)
    >>> patches[0, 0, :, :, 1, 1]
    array([[4, 5],
           [7, 8]])
    """
    return _im2col(img, (kh, kw), (sy, sx), (ph, pw), (dy, dx), cover_all,
                   (out_h, out_w))


def im2col_cpu(
        img: NdArray, kh: int, kw: int, sy: int, sx: int, ph: int, pw: int,
        pval: int = 0, cover_all: bool = False, dy: int = 1, dx: int = 1,
        out_h: int | None = None, out_w: int | None = None) -> NdArray:
    """:func:`im2col` with NumPy; ``pval`` is the value of the padding."""
    return _im2col(img, (kh, kw), (sy, sx), (ph, pw), (dy, dx), cover_all,
                   (out_h, out_w), pval)


def im2col_gpu(
        img: NdArray, kh: int, kw: int, sy: int, sx: int, ph: int, pw: int,
        cover_all: bool = False, dy: int = 1, dx: int = 1, out_h: int | None = None,
        out_w: int | None = None) -> NdArray:
    """:func:`im2col` with CuPy."""
    return _im2col(img, (kh, kw), (sy, sx), (ph, pw), (dy, dx), cover_all,
                   (out_h, out_w))


def col2im(
        col: NdArray, sy: int, sx: int, ph: int, pw: int, h: int, w: int, dy: int = 1,
        dx: int = 1) -> NdArray:
    """Add patches to images; the adjoint of :func:`im2col`.

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

    Examples
    --------
    >>> from chainer_fast.utils import conv
    >>> patches = np.ones((1, 1, 2, 2, 2, 2))
    >>> conv.col2im(patches, sy=1, sx=1, ph=0, pw=0, h=3, w=3)[0, 0]
    array([[1., 2., 1.],
           [2., 4., 2.],
           [1., 2., 1.]])
    """
    return _scatter(col, (sy, sx), (ph, pw), (h, w), (dy, dx))


def col2im_cpu(
        col: NdArray, sy: int, sx: int, ph: int, pw: int, h: int, w: int, dy: int = 1,
        dx: int = 1) -> NdArray:
    """:func:`col2im` with NumPy."""
    return _scatter(col, (sy, sx), (ph, pw), (h, w), (dy, dx))


def col2im_gpu(
        col: NdArray, sy: int, sx: int, ph: int, pw: int, h: int, w: int, dy: int = 1,
        dx: int = 1) -> NdArray:
    """:func:`col2im` with CuPy."""
    return _scatter(col, (sy, sx), (ph, pw), (h, w), (dy, dx))

"""Convolution with gaps in the window."""
from chainer_fast.functions.connection import convolution_2d


def dilated_convolution_2d(x, W, b=None, stride=1, pad=0, dilate=1, cover_all=False):
    """Convolve images with a window that has gaps.

    The same as :func:`convolution_2d` with ``dilate``, which came later; there
    everything is explained.

    Parameters
    ----------
    x : Variable or array, shape (n, c, h, w)
        Images.
    W : Variable or array, shape (o, c, kh, kw)
        Filters.
    b : Variable or array, shape (o,), optional
        Bias.
    stride, pad, dilate : int or pair of int
        Stride, padding, and distance of two elements of the window.
    cover_all : bool
        Whether every pixel is to be seen.

    Returns
    -------
    Variable
        Images of shape ``(n, o, h_out, w_out)``, in the dtype of ``x``.

    See Also
    --------
    chainer.links.DilatedConvolution2D
    """
    function = convolution_2d.Convolution2DFunction(
        stride, pad, cover_all, dilate=dilate)
    return function.apply((x, W) if b is None else (x, W, b))[0]

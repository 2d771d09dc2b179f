"""Convolution of each channel by itself."""
from __future__ import annotations

import typing as tp

from chainer_fast import variable
from chainer_fast.functions.array import reshape, transpose
from chainer_fast.functions.connection import convolution_2d
from chainer_fast.types import VariableOrArray
from chainer_fast.variable import Variable


def depthwise_convolution_2d(
        x: VariableOrArray, W: VariableOrArray, b: VariableOrArray | None = None,
        stride: int | tp.Sequence[int] = 1,
        pad: int | tp.Sequence[int] = 0) -> Variable:
    """Convolve each channel of images with filters of its own.

    Channel :math:`c` of the images makes the channels :math:`cM, \\ldots, cM + M - 1`
    of the result, with the filters :math:`W_{0c}, \\ldots, W_{M-1,c}`.

    Parameters
    ----------
    x : Variable or array, shape (n, c, h, w)
        Images.
    W : Variable or array, shape (m, c, kh, kw)
        Filters. They may be of another floating dtype than the images.
    b : Variable or array, shape (c * m,), optional
        Bias, of the dtype of the images.
    stride, pad : int or pair of int
        Stride, and padding on either side.

    Returns
    -------
    Variable
        Images of shape ``(n, c * m, h_out, w_out)``, in the dtype of ``x``.

    Raises
    ------
    InvalidType, AssertionError, ZeroDivisionError, ValueError
        As in :func:`convolution_2d`; ``ValueError`` also if ``W`` has not four
        dimensions.

    See Also
    --------
    chainer.links.DepthwiseConvolution2D

    References
    ----------
    F. Chollet. Xception: deep learning with depthwise separable convolutions.
    CVPR 2017.

    Examples
    --------
    >>> x = np.ones((1, 3, 4, 7), np.float32)
    >>> W = np.ones((2, 3, 3, 3), np.float32)
    >>> F.depthwise_convolution_2d(x, W).shape
    (1, 6, 2, 5)
    """
    W = variable.as_variable(W)
    if W.ndim != 4:
        raise ValueError('W must have four dimensions, got shape %s' % (W.shape,))
    multiplier, channels, kh, kw = W.shape
    filters = reshape.reshape(
        transpose.transpose(W, (1, 0, 2, 3)), (channels * multiplier, 1, kh, kw))
    return convolution_2d.convolution_2d(x, filters, b, stride, pad, groups=channels)

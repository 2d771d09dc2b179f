"""Convolution of each channel separately."""
from __future__ import annotations

from collections.abc import Sequence

from chainer_fast import variable
from chainer_fast.functions.array import reshape, transpose
from chainer_fast.functions.connection import convolution_2d
from chainer_fast.variable import Variable, VariableOrArray


def depthwise_convolution_2d(
        x: VariableOrArray, W: VariableOrArray, b: VariableOrArray | None = None,
        stride: int | Sequence[int] = 1,
        pad: int | Sequence[int] = 0) -> Variable:
    """Convolve each channel of images with its own filters.

    .. math::

        y_{n, cM + m, j, k} = b_{cM + m} + \\sum_{uv} W_{mcuv}\\,
            x_{n, c, s_y j + u - p_h, s_x k + v - p_w}

    See: `Xception: Deep Learning with Depthwise Separable Convolutions
    <https://arxiv.org/abs/1610.02357>`_

    Parameters
    ----------
    x : Variable or array, shape (n, c, h, w)
        Images, of a floating dtype.
    W : Variable or array, shape (m, c, kh, kw)
        Filters. Their floating dtype may differ from that of the images.
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
    chainer_fast.utils.type_check.InvalidType
        If dtypes or shapes do not match.
    AssertionError
        If the window is larger than the padded images.
    ZeroDivisionError
        If the stride is zero.
    ValueError
        If padding is negative, or ``W`` does not have four dimensions.

    See Also
    --------
    chainer_fast.functions.convolution_2d
    chainer_fast.links.DepthwiseConvolution2D

    Examples
    --------
    >>> x = np.arange(8, dtype=np.float32).reshape(1, 2, 2, 2)
    >>> W = np.ones((1, 2, 2, 2), np.float32)
    >>> F.depthwise_convolution_2d(x, W).array.ravel()      # sums of the channels
    array([ 6., 22.], dtype=float32)
    """
    W = variable.as_variable(W)
    if W.ndim != 4:
        raise ValueError('W must have four dimensions, got shape %s' % (W.shape,))
    multiplier, channels, kh, kw = W.shape
    filters = reshape.reshape(
        transpose.transpose(W, (1, 0, 2, 3)), (channels * multiplier, 1, kh, kw))
    return convolution_2d.convolution_2d(x, filters, b, stride, pad, groups=channels)

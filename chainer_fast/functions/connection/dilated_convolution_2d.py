"""Convolution with gaps in the window."""
from __future__ import annotations

from collections.abc import Sequence

from chainer_fast.functions.connection import convolution_2d
from chainer_fast.variable import Variable, VariableOrArray


def dilated_convolution_2d(
        x: VariableOrArray, W: VariableOrArray, b: VariableOrArray | None = None,
        stride: int | Sequence[int] = 1, pad: int | Sequence[int] = 0,
        dilate: int | Sequence[int] = 1, cover_all: bool = False) -> Variable:
    """Convolve images with a window that has gaps.

    .. math::

        y_{nojk} = b_o + \\sum_{cuv} W_{ocuv}\\,
            x_{n, c, s_y j + d_y u - p_h, s_x k + d_x v - p_w}

    It is the same as :func:`convolution_2d` with ``dilate``.

    See: `Multi-Scale Context Aggregation by Dilated Convolutions
    <https://arxiv.org/abs/1511.07122>`_

    Parameters
    ----------
    x : Variable or array, shape (n, c, h, w)
        Images, of a floating dtype.
    W : Variable or array, shape (o, c, kh, kw)
        Filters.
    b : Variable or array, shape (o,), optional
        Bias.
    stride, pad, dilate : int or pair of int
        Stride, padding, and distance between two elements of the window.
    cover_all : bool
        Whether the windows cover every pixel.

    Returns
    -------
    Variable
        Images of shape ``(n, o, h_out, w_out)``, in the dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If dtypes or shapes do not match.
    AssertionError
        If the window is larger than the padded images.
    ZeroDivisionError
        If the stride is zero.
    ValueError
        If padding is negative, or dilation is not positive.

    See Also
    --------
    chainer_fast.functions.convolution_2d
    chainer_fast.links.DilatedConvolution2D

    Examples
    --------
    >>> x = np.arange(1, 10, dtype=np.float32).reshape(1, 1, 3, 3)
    >>> W = np.ones((1, 1, 2, 2), np.float32)
    >>> F.dilated_convolution_2d(x, W, dilate=2).array      # 1 + 3 + 7 + 9
    array([[[[20.]]]], dtype=float32)
    """
    function = convolution_2d.Convolution2DFunction(
        stride, pad, cover_all, dilate=dilate)
    return function.apply((x, W) if b is None else (x, W, b))[0]

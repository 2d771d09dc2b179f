"""Convolution with gaps in the window."""
from __future__ import annotations

import typing as tp

from chainer_fast.functions.connection import convolution_2d
from chainer_fast.types import VariableOrArray
from chainer_fast.variable import Variable


def dilated_convolution_2d(
        x: VariableOrArray, W: VariableOrArray, b: VariableOrArray | None = None,
        stride: int | tp.Sequence[int] = 1, pad: int | tp.Sequence[int] = 0,
        dilate: int | tp.Sequence[int] = 1, cover_all: bool = False) -> Variable:
    """Convolve images with a window that has gaps.

    The same as :func:`convolution_2d` with ``dilate``, which explains everything.

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

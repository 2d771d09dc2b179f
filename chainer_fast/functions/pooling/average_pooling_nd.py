from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from chainer_fast import backend
from chainer_fast.backends.kernels import pooling as kernels
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions.pooling import pooling_nd
from chainer_fast.types import NdArray
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class AveragePoolingND(pooling_nd._PoolingND):
    """Averages over windows.

    Parameters
    ----------
    ndim, ksize, stride, pad, cover_all
        See :class:`~chainer_fast.functions.pooling.pooling_nd._PoolingND`.
        ``cover_all`` must be false.
    pad_value : 0 or None
        With 0, padded elements are averaged as zeros; with None they are ignored.

    Attributes
    ----------
    width : array or None
        Number of elements of the image in each window, if the padding does not count.
    """

    _channels_last = False
    _in_shape: Any = None
    _width = None

    def __init__(
            self, ndim: int, ksize: int | Sequence[int],
            stride: int | Sequence[int] | None = None,
            pad: int | Sequence[int] = 0, cover_all: bool = False,
            pad_value: int | None = 0) -> None:
        if cover_all is True:
            raise ValueError(
                'average pooling has no `cover_all` mode: cover_all must be False')
        if pad_value not in (0, None):
            raise ValueError('pad_value must be 0 or None, not %r' % (pad_value,))
        super().__init__(ndim, ksize, stride, pad, cover_all)
        self.pad_value = pad_value

    def get_cudnn_pool_mode(self) -> int:
        # CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING and ..._INCLUDE_PADDING
        return 2 if self.pad_value is None else 1

    @property
    def width(self) -> NdArray | None:
        if self._width is None and self.pad_value is None and self._in_shape:
            self._width = kernels.window_sizes(
                self._xp, self._in_dtype, self._in_shape[2:], *self._window,
                self._places)
        return self._width

    def forward_cpu(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, = inputs
        self._in_shape = x.shape
        self._in_dtype = x.dtype
        self._width = None
        self._channels_last = kernels.lies_channels_last(x)
        self._xp = backend.get_array_module(x)
        self._places = outs = kernels.places(
            x.shape[2:], self.ksize, self.stride, self.pad, self.cover_all)
        if self.pad_value is None:
            return kernels.window_mean(x, *self._window, outs),
        return kernels.window_sum(x, *self._window, outs, math.prod(self.ksize)),

    forward_gpu = forward_cpu

    def backward(
            self, indexes: tuple[int, ...],
            gy: GradOutputs) -> tuple[Variable | None, ...]:
        return AveragePoolingNDGrad(self).apply(gy)


class AveragePoolingNDGrad(FunctionNode):
    """Gradient of :class:`AveragePoolingND`.

    Parameters
    ----------
    apoolnd : AveragePoolingND
        The function, after ``forward``.
    """

    def __init__(self, apoolnd: AveragePoolingND) -> None:
        super().__init__()
        self.func = apoolnd

    def forward_cpu(self, gys: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        gy, = gys
        func = self.func
        lengths, last = func._in_shape[2:], func._channels_last
        if func.pad_value is None:
            return kernels.mean_spread(gy, *func._window, lengths, last),
        return kernels.window_spread(
            gy, *func._window, lengths, math.prod(func.ksize), last),

    forward_gpu = forward_cpu

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        func = self.func
        ksize, stride, pad = func._window
        again = AveragePoolingND(
            func.ndim, ksize, stride, pad, pad_value=func.pad_value)
        return again.apply(grad_outputs)


def average_pooling_nd(
        x: VariableOrArray, ksize: int | Sequence[int],
        stride: int | Sequence[int] | None = None, pad: int | Sequence[int] = 0,
        pad_value: int | None = 0) -> Variable:
    """Averages over windows of images of any dimension.

    .. math:: y_{n, c, j} = \\frac{1}{|k|} \\sum_u x_{n, c, s j + u - p}

    where :math:`j` and :math:`u` are tuples with one number for each axis of the
    images, and :math:`|k|` is the number of elements of the window.

    Parameters
    ----------
    x : Variable or array, shape (n, c, d_1, d_2, ..., d_N)
        Images of a floating dtype.
    ksize : int or sequence of int
        Lengths of the window: one number for all axes, or one for each axis.
    stride : int or sequence of int, optional
        Distance between two positions of the window; by default its size.
    pad : int or sequence of int
        Padding on either side.
    pad_value : 0 or None
        With 0, padded elements are averaged as zeros. With ``None`` they are ignored:
        averages are over the elements of the image in a window.

    Returns
    -------
    Variable
        Averages, of the dtype of ``x``.

    Raises
    ------
    AssertionError
        If the window is larger than the padded image, or a sequence does not have N
        numbers.
    ZeroDivisionError
        If the stride is zero.
    ValueError
        If ``pad_value`` is neither 0 nor ``None``, or padding is negative.
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is empty or not floating-point.

    See Also
    --------
    chainer_fast.functions.max_pooling_nd
    chainer_fast.functions.unpooling_nd

    Notes
    -----
    Unlike :func:`max_pooling_nd`, it does not support ``cover_all``: remaining elements
    at the end are ignored.

    Examples
    --------
    >>> x = np.array([[[1., 2., 3., 4.]]], np.float32)
    >>> F.average_pooling_nd(x, 2, stride=1).array
    array([[[1.5, 2.5, 3.5]]], dtype=float32)
    >>> F.average_pooling_nd(x, 2, pad=1).array
    array([[[0.5, 2.5, 2. ]]], dtype=float32)
    """
    function = AveragePoolingND(
        len(x.shape[2:]), ksize, stride, pad, pad_value=pad_value)
    return function.apply((x,))[0]


def average_pooling_1d(
        x: VariableOrArray, ksize: int | Sequence[int],
        stride: int | Sequence[int] | None = None, pad: int | Sequence[int] = 0,
        pad_value: int | None = 0) -> Variable:
    """Averages over windows of sequences, of shape ``(n, c, length)``.

    This is :func:`average_pooling_nd` for one axis.

    .. math:: y_{ncj} = \\frac{1}{k} \\sum_{u < k} x_{n, c, s j + u - p}

    Parameters
    ----------
    x : Variable or array, shape (n, c, length)
        Sequences of a floating dtype.
    ksize : int
        Length of the window.
    stride : int, optional
        Distance between two positions of the window; by default its size.
    pad : int
        Padding on either side.
    pad_value : 0 or None
        With 0, padded elements are averaged as zeros. With ``None`` they are ignored.

    Returns
    -------
    Variable
        Averages, of the dtype of ``x``.

    Raises
    ------
    ValueError
        If ``x`` does not have three axes, padding is negative, or ``pad_value`` is
        neither 0 nor ``None``.
    AssertionError
        If the window is larger than the padded image.
    ZeroDivisionError
        If the stride is zero.
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is empty or not floating-point.

    See Also
    --------
    chainer_fast.functions.average_pooling_nd
    chainer_fast.functions.max_pooling_1d

    Examples
    --------
    >>> x = np.array([[[1., 2., 3., 4.]]], np.float32)
    >>> F.average_pooling_1d(x, 2).array
    array([[[1.5, 3.5]]], dtype=float32)
    >>> F.average_pooling_1d(x, 2, pad=1, pad_value=None).array
    array([[[1. , 2.5, 4. ]]], dtype=float32)
    """
    pooling_nd.check_ndim('average_pooling_1d', x, 1)
    return average_pooling_nd(x, ksize, stride, pad_value=pad_value, pad=pad)


def average_pooling_3d(
        x: VariableOrArray, ksize: int | Sequence[int],
        stride: int | Sequence[int] | None = None, pad: int | Sequence[int] = 0,
        pad_value: int | None = 0) -> Variable:
    """Averages over windows of volumes, of shape ``(n, c, d_1, d_2, d_3)``.

    This is :func:`average_pooling_nd` for three axes.

    Parameters
    ----------
    x : Variable or array, shape (n, c, d_1, d_2, d_3)
        Volumes of a floating dtype.
    ksize : int or sequence of int
        Lengths of the window: one number for all axes, or one for each axis.
    stride : int or sequence of int, optional
        Distance between two positions of the window; by default its size.
    pad : int or sequence of int
        Padding on either side.
    pad_value : 0 or None
        With 0, padded elements are averaged as zeros. With ``None`` they are ignored.

    Returns
    -------
    Variable
        Averages, of the dtype of ``x``.

    Raises
    ------
    ValueError
        If ``x`` does not have five axes, padding is negative, or ``pad_value`` is
        neither 0 nor ``None``.
    AssertionError
        If the window is larger than the padded image.
    ZeroDivisionError
        If the stride is zero.
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is empty or not floating-point.

    See Also
    --------
    chainer_fast.functions.average_pooling_nd
    chainer_fast.functions.max_pooling_3d

    Examples
    --------
    >>> x = np.arange(8, dtype=np.float32).reshape(1, 1, 2, 2, 2)
    >>> F.average_pooling_3d(x, 2).array
    array([[[[[3.5]]]]], dtype=float32)
    """
    pooling_nd.check_ndim('average_pooling_3d', x, 3)
    return average_pooling_nd(x, ksize, stride, pad_value=pad_value, pad=pad)

from __future__ import annotations

from typing import Any, Literal, overload

from chainer_fast.backends.kernels import pooling as kernels
from chainer_fast.configuration import config
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions.pooling import pooling_nd
from chainer_fast.types import NdArray, ShapeSpec
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class MaxPoolingND(pooling_nd._PoolingND):
    """Maxima over windows.

    Attributes
    ----------
    indexes : array of integers
        After ``forward``: index of each maximum in its window.
    """

    _channels_last = False

    def get_cudnn_pool_mode(self) -> int:
        # CUDNN_POOLING_MAX_DETERMINISTIC and CUDNN_POOLING_MAX
        return 3 if config.cudnn_deterministic else 0

    def forward_cpu(self, x: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        image, = x
        self._in_shape = image.shape
        self._in_dtype = image.dtype
        self._channels_last = kernels.lies_channels_last(image)
        y, self.indexes = kernels.max_pool(
            image, self.ksize, self.stride, self.pad, self.cover_all)
        return y,

    forward_gpu = forward_cpu

    def backward(
            self, indexes: tuple[int, ...],
            gy: GradOutputs) -> tuple[Variable | None, ...]:
        return MaxPoolingNDGrad(self).apply(gy)


class MaxPoolingNDGrad(FunctionNode):
    """Gradient of :class:`MaxPoolingND`, which is nonzero only for the maxima.

    Parameters
    ----------
    func : MaxPoolingND
        The function, after ``forward``.
    """

    def __init__(self, func: MaxPoolingND) -> None:
        super().__init__()
        self.func = func

    def forward_cpu(self, gy: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        func = self.func
        return kernels.put(
            gy[0], func.indexes, func.ksize, func.stride, func.pad,
            func._in_shape[2:], func._channels_last),

    forward_gpu = forward_cpu

    def backward(
            self, indexes: tuple[int, ...],
            ggx: GradOutputs) -> tuple[Variable | None, ...]:
        return MaxPoolingNDWithIndexes(self.func).apply(ggx)


class MaxPoolingNDWithIndexes(FunctionNode):
    """Elements of windows at the positions of the maxima of another image.

    Parameters
    ----------
    func : MaxPoolingND
        The function that computed the maxima.
    """

    def __init__(self, func: MaxPoolingND) -> None:
        super().__init__()
        self.func = func

    def forward_cpu(self, x: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        func = self.func
        return kernels.pick(
            x[0], func.indexes, func.ksize, func.stride, func.pad),

    forward_gpu = forward_cpu

    def backward(
            self, indexes: tuple[int, ...],
            gy: GradOutputs) -> tuple[Variable | None, ...]:
        return MaxPoolingNDGrad(self.func).apply(gy)


@overload
def max_pooling_nd(
        x: VariableOrArray, ksize: ShapeSpec, stride: ShapeSpec | None = ...,
        pad: ShapeSpec = ..., cover_all: bool = ...,
        return_indices: Literal[False] = ...) -> Variable: ...
@overload
def max_pooling_nd(
        x: VariableOrArray, ksize: ShapeSpec, stride: ShapeSpec | None = ...,
        pad: ShapeSpec = ..., cover_all: bool = ...,
        return_indices: bool = ...) -> Any: ...
def max_pooling_nd(
        x: VariableOrArray, ksize: ShapeSpec, stride: ShapeSpec | None = None,
        pad: ShapeSpec = 0, cover_all: bool = True,
        return_indices: bool = False) -> Variable | tuple[Variable, NdArray]:
    """Maxima over windows of images of any dimension.

    .. math:: y_{n, c, j} = \\max_u x_{n, c, s j + u - p}

    where :math:`j` and :math:`u` are tuples of as many numbers as the images have axes.

    Parameters
    ----------
    x : Variable or array, shape (n, c, d_1, d_2, ..., d_N)
        Images of a floating dtype.
    ksize : int or sequence of int
        Lengths of the window: one number for all axes, or one for each axis.
    stride : int or sequence of int, optional
        Distance between two positions of the window; by default its size.
    pad : int or sequence of int
        Padding on either side. Padded elements are treated as -infinity.
    cover_all : bool
        Whether the windows cover every element; the last one may extend beyond the
        image. The result may be larger than with ``False``.
    return_indices : bool
        Whether to return the indices, too.

    Returns
    -------
    Variable or tuple
        Maxima, of the dtype of ``x``. With ``return_indices``, a tuple of the maxima
        and an array of integers of the same shape: the index of each maximum in its
        window, in C order.

    Raises
    ------
    AssertionError
        If the window is larger than the padded image, or a sequence does not have N
        numbers.
    ZeroDivisionError
        If the stride is zero.
    ValueError
        If padding is negative.
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is empty or not floating-point.

    See Also
    --------
    chainer_fast.functions.average_pooling_nd
    chainer_fast.functions.unpooling_nd
    chainer_fast.functions.upsampling_2d : the reverse, by means of the indices.

    Examples
    --------
    >>> x = np.array([[[1., 5., 2., 3.]]], np.float32)
    >>> F.max_pooling_nd(x, 2, stride=1).array
    array([[[5., 5., 3.]]], dtype=float32)
    >>> F.max_pooling_nd(x, 2, return_indices=True)[1]
    array([[[1, 1]]])
    """
    function = MaxPoolingND(
        len(x.shape[2:]), ksize, stride, pad, cover_all, return_indices)
    y, = function.apply((x,))
    return (y, y.device.send(function.indexes)) if return_indices else y


@overload
def max_pooling_1d(
        x: VariableOrArray, ksize: ShapeSpec, stride: ShapeSpec | None = ...,
        pad: ShapeSpec = ..., cover_all: bool = ...,
        return_indices: Literal[False] = ...) -> Variable: ...
@overload
def max_pooling_1d(
        x: VariableOrArray, ksize: ShapeSpec, stride: ShapeSpec | None = ...,
        pad: ShapeSpec = ..., cover_all: bool = ...,
        return_indices: bool = ...) -> Any: ...
def max_pooling_1d(
        x: VariableOrArray, ksize: ShapeSpec, stride: ShapeSpec | None = None,
        pad: ShapeSpec = 0, cover_all: bool = True,
        return_indices: bool = False) -> Variable | tuple[Variable, NdArray]:
    """Maxima over windows of sequences, of shape ``(n, c, length)``.

    This is :func:`max_pooling_nd` for one axis.

    .. math:: y_{ncj} = \\max_{u < k} x_{n, c, s j + u - p}

    Parameters
    ----------
    x : Variable or array, shape (n, c, length)
        Sequences of a floating dtype.
    ksize : int
        Length of the window.
    stride : int, optional
        Distance between two positions of the window; by default its size.
    pad : int
        Padding on either side. Padded elements are treated as -infinity.
    cover_all : bool
        Whether the windows cover every element; the last one may extend beyond the
        image.
    return_indices : bool
        Whether to return the indices, too.

    Returns
    -------
    Variable or tuple
        Maxima, of the dtype of ``x``. With ``return_indices``, a tuple of the maxima
        and an array of integers of the same shape: the index of each maximum in its
        window.

    Raises
    ------
    ValueError
        If ``x`` does not have three axes, or padding is negative.
    AssertionError
        If the window is larger than the padded image.
    ZeroDivisionError
        If the stride is zero.
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is empty or not floating-point.

    See Also
    --------
    chainer_fast.functions.max_pooling_nd
    chainer_fast.functions.average_pooling_1d
    chainer_fast.functions.unpooling_1d

    Examples
    --------
    >>> x = np.array([[[1., 5., 2., 3., 4.]]], np.float32)
    >>> F.max_pooling_1d(x, 2).array
    array([[[5., 3., 4.]]], dtype=float32)
    >>> F.max_pooling_1d(x, 2, cover_all=False).array
    array([[[5., 3.]]], dtype=float32)
    """
    pooling_nd.check_ndim('max_pooling_1d', x, 1)
    return max_pooling_nd(
        x, ksize, stride, pad, return_indices=return_indices, cover_all=cover_all)


@overload
def max_pooling_2d(
        x: VariableOrArray, ksize: ShapeSpec, stride: ShapeSpec | None = ...,
        pad: ShapeSpec = ..., cover_all: bool = ...,
        return_indices: Literal[False] = ...) -> Variable: ...
@overload
def max_pooling_2d(
        x: VariableOrArray, ksize: ShapeSpec, stride: ShapeSpec | None = ...,
        pad: ShapeSpec = ..., cover_all: bool = ...,
        return_indices: bool = ...) -> Any: ...
def max_pooling_2d(
        x: VariableOrArray, ksize: ShapeSpec, stride: ShapeSpec | None = None,
        pad: ShapeSpec = 0, cover_all: bool = True,
        return_indices: bool = False) -> Variable | tuple[Variable, NdArray]:
    """Maxima over windows of images, of shape ``(n, c, height, width)``.

    This is :func:`max_pooling_nd` for two axes.

    .. math::

        y_{ncij} = \\max_{u < k_h, \\, v < k_w} x_{n, c, s_y i + u - p_h, s_x j + v -
        p_w}

    Parameters
    ----------
    x : Variable or array, shape (n, c, h, w)
        Images of a floating dtype.
    ksize : int or pair of int
        Height and width of the window.
    stride : int or pair of int, optional
        Distance between two positions of the window; by default its size.
    pad : int or pair of int
        Padding on either side. Padded elements are treated as -infinity.
    cover_all : bool
        Whether the windows cover every element; the last one may extend beyond the
        image.
    return_indices : bool
        Whether to return the indices, too.

    Returns
    -------
    Variable or tuple
        Maxima, of the dtype of ``x``. With ``return_indices``, a tuple of the maxima
        and an array of integers of the same shape: the index of each maximum in its
        window.

    Raises
    ------
    ValueError
        If ``x`` does not have four axes, or padding is negative.
    AssertionError
        If the window is larger than the padded image.
    ZeroDivisionError
        If the stride is zero.
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is empty or not floating-point.

    See Also
    --------
    chainer_fast.functions.max_pooling_nd
    chainer_fast.functions.average_pooling_2d
    chainer_fast.functions.upsampling_2d
    chainer_fast.functions.unpooling_2d

    Examples
    --------
    >>> x = np.array([[[[1., 2., 0., 0.], [3., 9., 7., 0.]]]], np.float32)
    >>> y, indexes = F.max_pooling_2d(x, 2, return_indices=True)
    >>> y.array
    array([[[[9., 7.]]]], dtype=float32)
    >>> indexes
    array([[[[3, 2]]]])
    """
    pooling_nd.check_ndim('max_pooling_2d', x, 2)
    return max_pooling_nd(
        x, ksize, stride, pad, return_indices=return_indices, cover_all=cover_all)


@overload
def max_pooling_3d(
        x: VariableOrArray, ksize: ShapeSpec, stride: ShapeSpec | None = ...,
        pad: ShapeSpec = ..., cover_all: bool = ...,
        return_indices: Literal[False] = ...) -> Variable: ...
@overload
def max_pooling_3d(
        x: VariableOrArray, ksize: ShapeSpec, stride: ShapeSpec | None = ...,
        pad: ShapeSpec = ..., cover_all: bool = ...,
        return_indices: bool = ...) -> Any: ...
def max_pooling_3d(
        x: VariableOrArray, ksize: ShapeSpec, stride: ShapeSpec | None = None,
        pad: ShapeSpec = 0, cover_all: bool = True,
        return_indices: bool = False) -> Variable | tuple[Variable, NdArray]:
    """Maxima over windows of volumes, of shape ``(n, c, d_1, d_2, d_3)``.

    This is :func:`max_pooling_nd` for three axes.

    Parameters
    ----------
    x : Variable or array, shape (n, c, d_1, d_2, d_3)
        Volumes of a floating dtype.
    ksize : int or sequence of int
        Lengths of the window: one number for all axes, or one for each axis.
    stride : int or sequence of int, optional
        Distance between two positions of the window; by default its size.
    pad : int or sequence of int
        Padding on either side. Padded elements are treated as -infinity.
    cover_all : bool
        Whether the windows cover every element; the last one may extend beyond the
        image.
    return_indices : bool
        Whether to return the indices, too.

    Returns
    -------
    Variable or tuple
        Maxima, of the dtype of ``x``. With ``return_indices``, a tuple of the maxima
        and an array of integers of the same shape: the index of each maximum in its
        window.

    Raises
    ------
    ValueError
        If ``x`` does not have five axes, or padding is negative.
    AssertionError
        If the window is larger than the padded image.
    ZeroDivisionError
        If the stride is zero.
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is empty or not floating-point.

    See Also
    --------
    chainer_fast.functions.max_pooling_nd
    chainer_fast.functions.average_pooling_3d
    chainer_fast.functions.unpooling_3d

    Examples
    --------
    >>> x = np.arange(8, dtype=np.float32).reshape(1, 1, 2, 2, 2)
    >>> F.max_pooling_3d(x, 2).array
    array([[[[[7.]]]]], dtype=float32)
    """
    pooling_nd.check_ndim('max_pooling_3d', x, 3)
    return max_pooling_nd(
        x, ksize, stride, pad, return_indices=return_indices, cover_all=cover_all)

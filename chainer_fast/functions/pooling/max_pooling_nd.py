from __future__ import annotations

import typing as tp

from chainer_fast.backends import cuda
from chainer_fast.backends.kernels import pooling as kernels
from chainer_fast.configuration import config
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions.pooling import max_pooling_nd_kernel, pooling_nd
from chainer_fast.types import GradOutputs, NdArray, VariableOrArray
from chainer_fast.variable import Variable


class MaxPoolingND(pooling_nd._PoolingND):
    """Maxima over windows.

    Attributes
    ----------
    indexes : array of integers
        After ``forward``: which element of its window each maximum is.
    """

    _channels_last = False

    def get_cudnn_pool_mode(self) -> tp.Any:
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

    def forward_gpu(self, x: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        image, = x
        self._in_shape = image.shape
        self._in_dtype = image.dtype
        outs = kernels.places(
            image.shape[2:], self.ksize, self.stride, self.pad, self.cover_all)
        y = cuda.cupy.empty(image.shape[:2] + outs, image.dtype)
        self.indexes = cuda.cupy.empty(y.shape, 'i')
        max_pooling_nd_kernel.MaxPoolingNDKernelForward.launch(
            image, image.shape[2:], outs, self._window, (), (y, self.indexes))
        return y,

    def backward(
            self, indexes: tuple[int, ...],
            gy: GradOutputs) -> tuple[Variable | None, ...]:
        return MaxPoolingNDGrad(self).apply(gy)


class MaxPoolingNDGrad(FunctionNode):
    """Gradient of :class:`MaxPoolingND`, all of it for the maxima.

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

    def forward_gpu(self, gy: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        func = self.func
        gx = cuda.cupy.empty(func._in_shape, func._in_dtype)
        max_pooling_nd_kernel.MaxPoolingNDKernelBackward.launch(
            gy[0], gx.shape[2:], gy[0].shape[2:], func._window,
            (cuda.cupy.ascontiguousarray(func.indexes),), (gx,))
        return gx,

    def backward(
            self, indexes: tuple[int, ...],
            ggx: GradOutputs) -> tuple[Variable | None, ...]:
        return MaxPoolingNDWithIndexes(self.func).apply(ggx)


class MaxPoolingNDWithIndexes(FunctionNode):
    """Elements of windows, in the places where another image has its maxima.

    Parameters
    ----------
    func : MaxPoolingND
        The function that found them.
    """

    def __init__(self, func: MaxPoolingND) -> None:
        super().__init__()
        self.func = func

    def forward_cpu(self, x: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        func = self.func
        return kernels.pick(
            x[0], func.indexes, func.ksize, func.stride, func.pad),

    def forward_gpu(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, = inputs
        indexes = self.func.indexes
        y = cuda.cupy.empty(indexes.shape, x.dtype)
        max_pooling_nd_kernel.MaxPoolingNDKernelForwardWithIndexes.launch(
            x, x.shape[2:], y.shape[2:], self.func._window, (indexes,), (y,))
        return y,

    def backward(
            self, indexes: tuple[int, ...],
            gy: GradOutputs) -> tuple[Variable | None, ...]:
        return MaxPoolingNDGrad(self.func).apply(gy)


def max_pooling_nd(
        x: VariableOrArray, ksize: int | tp.Sequence[int],
        stride: int | tp.Sequence[int] | None = None, pad: int | tp.Sequence[int] = 0,
        cover_all: bool = True, return_indices: bool = False) -> tp.Any:
    """Maxima over windows of images of any dimension.

    Parameters
    ----------
    x : Variable or array, shape (n, c, d_1, d_2, ..., d_N)
        Images of a floating dtype.
    ksize : int or sequence of int
        Lengths of the window, one for all axes or one each.
    stride : int or sequence of int, optional
        Distance of two places of the window; by default its size.
    pad : int or sequence of int
        Padding on either side. It counts as -infinity.
    cover_all : bool
        Whether every element is seen, if need be by windows that stick out at the end.
        The result may be larger than without.
    return_indices : bool
        Whether indexes are returned, too.

    Returns
    -------
    Variable or tuple
        Maxima, of the dtype of ``x``. With ``return_indices``, a tuple of them and an
        array of integers of their shape: the index of each maximum in its window,
        counted in C order.

    Raises
    ------
    AssertionError
        If the window does not fit in.
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is empty, or not of floats.

    See Also
    --------
    upsampling_2d : the reverse, by means of the indexes.
    """
    function = MaxPoolingND(
        len(x.shape[2:]), ksize, stride, pad, cover_all, return_indices)
    y, = function.apply((x,))
    return (y, function.indexes) if return_indices else y


def max_pooling_1d(
        x: VariableOrArray, ksize: int | tp.Sequence[int],
        stride: int | tp.Sequence[int] | None = None, pad: int | tp.Sequence[int] = 0,
        cover_all: bool = True, return_indices: bool = False) -> tp.Any:
    """Maxima over windows of sequences, of shape ``(n, c, length)``.

    See :func:`max_pooling_nd`, of which it is the case of one axis.

    Raises
    ------
    ValueError
        If ``x`` has more axes, or fewer.
    """
    pooling_nd.check_ndim('max_pooling_1d', x, 1)
    return max_pooling_nd(
        x, ksize, stride, pad, return_indices=return_indices, cover_all=cover_all)


def max_pooling_2d(
        x: VariableOrArray, ksize: int | tp.Sequence[int],
        stride: int | tp.Sequence[int] | None = None, pad: int | tp.Sequence[int] = 0,
        cover_all: bool = True, return_indices: bool = False) -> tp.Any:
    """Maxima over windows of images, of shape ``(n, c, height, width)``.

    See :func:`max_pooling_nd`, of which it is the case of two axes.

    Raises
    ------
    ValueError
        If ``x`` has more axes, or fewer.

    Examples
    --------
    >>> x = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
    >>> F.max_pooling_2d(x, 2).array
    array([[[[ 5.,  7.],
             [13., 15.]]]], dtype=float32)
    """
    pooling_nd.check_ndim('max_pooling_2d', x, 2)
    return max_pooling_nd(
        x, ksize, stride, pad, return_indices=return_indices, cover_all=cover_all)


def max_pooling_3d(
        x: VariableOrArray, ksize: int | tp.Sequence[int],
        stride: int | tp.Sequence[int] | None = None, pad: int | tp.Sequence[int] = 0,
        cover_all: bool = True, return_indices: bool = False) -> tp.Any:
    """Maxima over windows of volumes, of shape ``(n, c, d_1, d_2, d_3)``.

    See :func:`max_pooling_nd`, of which it is the case of three axes.

    Raises
    ------
    ValueError
        If ``x`` has more axes, or fewer.
    """
    pooling_nd.check_ndim('max_pooling_3d', x, 3)
    return max_pooling_nd(
        x, ksize, stride, pad, return_indices=return_indices, cover_all=cover_all)

from __future__ import annotations

from collections.abc import Sequence

from chainer_fast.backends.kernels import pooling as kernels
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions.pooling import pooling_2d
from chainer_fast.types import NdArray
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class AveragePooling2D(pooling_2d.Pooling2D):
    """Averages over windows; padded elements are averaged as zeros."""

    _channels_last = False

    def _get_pool_mode(self):
        # CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING
        return 1

    def forward_cpu(self, x: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        image, = x
        self._in_shape = image.shape
        self._in_dtype = image.dtype
        self._channels_last = kernels.lies_channels_last(image)
        outs = kernels.places(image.shape[2:], *self._window, self.cover_all)
        return kernels.window_sum(image, *self._window, outs, self.kh * self.kw),

    forward_gpu = forward_cpu

    def backward(
            self, indexes: tuple[int, ...],
            gy: GradOutputs) -> tuple[Variable | None, ...]:
        return AveragePooling2DGrad(self).apply(gy)


class AveragePooling2DGrad(pooling_2d._Window2D, FunctionNode):
    """Gradient of :class:`AveragePooling2D`.

    Parameters
    ----------
    apool2d : AveragePooling2D
        The function, after ``forward``.
    """

    def __init__(self, apool2d: AveragePooling2D) -> None:
        super().__init__()
        self.apool2d = apool2d
        self._window = apool2d._window
        self._in_shape = apool2d._in_shape
        self._in_dtype = apool2d._in_dtype

    def forward_cpu(self, gy: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        return kernels.window_spread(
            gy[0], *self._window, self._in_shape[2:], self.kh * self.kw,
            self.apool2d._channels_last),

    forward_gpu = forward_cpu

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        again = AveragePooling2D(*self._window, self.apool2d.cover_all)
        return again.apply(grad_outputs)


def average_pooling_2d(
        x: VariableOrArray, ksize: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        pad: int | Sequence[int] = 0) -> Variable:
    """Averages over windows of images.

    .. math::

        y_{ncjk} = \\frac{1}{k_h k_w} \\sum_{uv}
            x_{n, c, s_y j + u - p_h, s_x k + v - p_w}

    Parameters
    ----------
    x : Variable or array, shape (n, c, h, w)
        Images of a floating dtype.
    ksize : int or pair of int
        Height and width of the window.
    stride : int or pair of int, optional
        Distance between two positions of the window; by default its size.
    pad : int or pair of int
        Padding on either side with zeros, which are included in the averages.

    Returns
    -------
    Variable
        Averages, of the dtype of ``x``.

    Raises
    ------
    AssertionError
        If the window is larger than the padded image.
    ZeroDivisionError
        If the stride is zero.
    chainer_fast.utils.type_check.InvalidType
        If ``x`` does not have the shape of images or is not floating-point.

    See Also
    --------
    chainer_fast.functions.average_pooling_nd : the same for any dimension.
    chainer_fast.functions.max_pooling_2d

    Notes
    -----
    Unlike :func:`max_pooling_2d`, it does not support ``cover_all``: remaining rows and
    columns at the end are ignored.

    Examples
    --------
    >>> x = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
    >>> F.average_pooling_2d(x, 2).array
    array([[[[ 2.5,  4.5],
             [10.5, 12.5]]]], dtype=float32)
    """
    return AveragePooling2D(ksize, stride, pad, False).apply((x,))[0]

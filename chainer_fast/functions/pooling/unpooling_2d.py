from __future__ import annotations

from collections.abc import Sequence

from chainer_fast.backends.kernels import pooling as kernels
from chainer_fast.functions.pooling import pooling_2d, unpooling_nd
from chainer_fast.types import NdArray
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class Unpooling2D(pooling_2d._Enlarging2D):
    """Adds each element to all elements of a window in a larger image."""

    def forward_cpu(self, x: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        image, = x
        self._places = image.shape[2:]
        return kernels.window_spread(image, *self._window, self._outsize(image)),

    forward_gpu = forward_cpu

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        return Unpooling2DGrad(self).apply(grad_outputs)


class Unpooling2DGrad(unpooling_nd._WindowSums, pooling_2d._EnlargingGrad2D):
    """Gradient of :class:`Unpooling2D`: sums over windows.

    Parameters
    ----------
    unpooling2d : Unpooling2D
        The function, after ``forward``.
    """

    def __init__(self, unpooling2d: Unpooling2D) -> None:
        super().__init__(unpooling2d)
        self._places = unpooling2d._places

    def backward(
            self, indexes: tuple[int, ...],
            ggx: GradOutputs) -> tuple[Variable | None, ...]:
        again = Unpooling2D(*self._window, (self.outh, self.outw), self.cover_all)
        return again.apply(ggx)


def unpooling_2d(
        x: VariableOrArray, ksize: int | Sequence[int],
        stride: int | Sequence[int] | None = None, pad: int | Sequence[int] = 0,
        outsize: Sequence[int] | None = None, cover_all: bool = True) -> Variable:
    """Reverse the pooling of images by copying each element to its window.

    Each element is copied to all elements of its window in a larger image; where
    windows overlap, the elements are summed.

    Parameters
    ----------
    x : Variable or array, shape (n, c, h, w)
        Images of a floating dtype.
    ksize : int or pair of int
        Height and width of the window.
    stride : int or pair of int, optional
        Distance between two positions of the window; by default its size.
    pad : int or pair of int
        Padding on either side of the larger image, which is removed from the result.
    outsize : pair of int, optional
        Height and width of the result. By default, the smallest that pooling with these
        arguments maps to the size of ``x``.
    cover_all : bool
        ``cover_all`` of the pooling. The result may be larger with ``False``.

    Returns
    -------
    Variable
        The larger images, of the dtype of ``x``.

    Raises
    ------
    ValueError
        If padding is negative, or the stride is not positive.
    chainer_fast.utils.type_check.InvalidType
        If ``x`` does not have the shape of images or is not floating-point, or pooling
        maps ``outsize`` to another size.

    See Also
    --------
    chainer_fast.functions.unpooling_nd : the same for any dimension.
    chainer_fast.functions.upsampling_2d : places elements at the maxima.

    Examples
    --------
    >>> x = np.array([[[[1., 2.]]]], np.float32)
    >>> F.unpooling_2d(x, 2, cover_all=False).array
    array([[[[1., 1., 2., 2.],
             [1., 1., 2., 2.]]]], dtype=float32)
    """
    y, = Unpooling2D(ksize, stride, pad, outsize, cover_all).apply((x,))
    return y

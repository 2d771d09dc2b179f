from __future__ import annotations

from collections.abc import Sequence

from chainer_fast.backends.kernels import pooling as kernels
from chainer_fast.functions.pooling import pooling_2d
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class Upsampling2D(pooling_2d._Enlarging2D):
    """Adds each element at the position of the corresponding maximum.

    Parameters
    ----------
    indexes : array of integers
        Index in its window of the element that each one is added to, as returned by max
        pooling.
    ksize, stride, pad, outsize, cover_all
        The pooling to reverse; see :func:`upsampling_2d`.
    """

    def __init__(
            self, indexes: NdArray, ksize: int | tuple[int, int],
            stride: int | tuple[int, int] | None = None, pad: int | tuple[int, int] = 0,
            outsize: Sequence[int] | None = None, cover_all: bool = True) -> None:
        super().__init__(ksize, stride, pad, outsize, cover_all)
        self.indexes = indexes

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        super().check_type_forward(in_types)
        type_check.expect(in_types[0].shape == self.indexes.shape)

    def forward_cpu(self, x: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        image, = x
        self._in_dtype = image.dtype
        size = self._outsize(image)
        return kernels.put(image, self.indexes, *self._window, size),

    forward_gpu = forward_cpu

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        return Upsampling2DGrad(self).apply(grad_outputs)


class Upsampling2DGrad(pooling_2d._EnlargingGrad2D):
    """Gradient of :class:`Upsampling2D`: the elements at the indices.

    Parameters
    ----------
    upsampling2d : Upsampling2D
        The function, after ``forward``.
    """

    def __init__(self, upsampling2d: Upsampling2D) -> None:
        super().__init__(upsampling2d)
        self.indexes: NdArray = upsampling2d.indexes
        self._in_dtype = upsampling2d._in_dtype

    def forward_cpu(self, gy: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        return kernels.pick(gy[0], self.indexes, *self._window),

    forward_gpu = forward_cpu

    def backward(
            self, indexes: tuple[int, ...],
            ggx: GradOutputs) -> tuple[Variable | None, ...]:
        again = Upsampling2D(
            self.indexes, *self._window, (self.outh, self.outw), self.cover_all)
        return again.apply(ggx)


def upsampling_2d(
        x: VariableOrArray, indexes: NdArray, ksize, stride=None, pad: int = 0,
        outsize: Sequence[int] | None = None, cover_all: bool = True) -> Variable:
    """Reverse the max pooling of images by its indices.

    Each element is placed at the position of its maximum; all others are zero.

    Parameters
    ----------
    x : Variable or array, shape (n, c, h, w)
        Images of a floating dtype.
    indexes : array of integers, of the shape of ``x``
        Indices that :func:`max_pooling_2d` returns with ``return_indices``.
    ksize, stride, pad
        Arguments of the max pooling.
    outsize : pair of int, optional
        Height and width of the result. By default, the smallest that pooling with these
        arguments maps to the size of ``x``.
    cover_all : bool
        Argument of the max pooling.

    Returns
    -------
    Variable
        The larger images, of the dtype of ``x``.

    Raises
    ------
    IndexError
        If a window has no element with that index.
    chainer_fast.utils.type_check.InvalidType
        If ``x`` does not have the shape of images or is not floating-point, or the
        shapes do not match.

    See Also
    --------
    chainer_fast.functions.max_pooling_2d
    chainer_fast.functions.unpooling_2d

    Examples
    --------
    >>> x = np.array([[[[1., 2., 0., 0.], [3., 9., 7., 0.]]]], np.float32)
    >>> y, indexes = F.max_pooling_2d(x, 2, return_indices=True)
    >>> F.upsampling_2d(y, indexes, 2, outsize=(2, 4)).array
    array([[[[0., 0., 0., 0.],
             [0., 9., 7., 0.]]]], dtype=float32)
    """
    function = Upsampling2D(indexes, ksize, stride, pad, outsize, cover_all)
    return function.apply((x,))[0]

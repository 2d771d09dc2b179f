from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chainer_fast import _numbers
from chainer_fast.backends.kernels import pooling as kernels
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.functions.pooling import pooling_nd
from chainer_fast.types import NdArray
from chainer_fast.utils import conv, type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class UnpoolingND(pooling_nd._PoolingND):
    """Adds each element to all elements of a window in a larger image.

    Parameters
    ----------
    ndim, ksize, stride, pad, cover_all
        The pooling to reverse; see
        :class:`~chainer_fast.functions.pooling.pooling_nd._PoolingND`.
    outsize : sequence of int, optional
        Lengths of the images; by default the smallest possible.
    """

    def __init__(
            self, ndim: int, ksize: int | Sequence[int],
            stride: int | Sequence[int] | None = None,
            pad: int | Sequence[int] = 0, outsize: Sequence[int] | None = None,
            cover_all: bool = True) -> None:
        super().__init__(ndim, ksize, stride, pad, cover_all)
        self.outs: Any = (
            # An iterator can be read only once and has no length.
            outsize if outsize is None or (
                len(outsize) and all([type(n) is int for n in outsize]))
            else tuple(map(_numbers.whole, outsize)))

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'x')
        x_type, = in_types
        type_check.expect(x_type.ndim == 2 + self.ndim)
        if self.outs is not None:
            # An empty image is pooled to an empty image, although a padded window has
            # positions in it.
            shape = type_check.eval(x_type.shape)[2:]
            expected = tuple([
                0 if out == n == 0
                else conv.get_conv_outsize(out, k, s, p, self.cover_all)
                for n, out, k, s, p
                in zip(shape, self.outs, *self._window, strict=False)])
            type_check.expect(x_type.shape[2:] == expected)
            assert len(self.outs) == self.ndim, (
                'outsize must have a number for each of %d axes, but is %r'
                % (self.ndim, self.outs))

    def _sizes(self, image):
        """Determine the lengths of the images, and return them."""
        if self.outs is None:
            # The result for an empty image is empty: the formula would be negative.
            self.outs = tuple([
                max(conv.get_deconv_outsize(n, k, s, p, self.cover_all), 0)
                for n, k, s, p in zip(image.shape[2:], *self._window, strict=True)])
        return tuple(self.outs)

    def forward_cpu(self, x: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs(())
        image, = x
        self._places = image.shape[2:]
        return kernels.window_spread(image, *self._window, self._sizes(image)),

    forward_gpu = forward_cpu

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        return UnpoolingNDGrad(self).apply(grad_outputs)


class _WindowSums(FunctionNode):
    """Base of the gradients of unpooling: sums over windows.

    A subclass defines ``_window``, a tuple of the lengths, strides and paddings of the
    axes, and ``_places``, the numbers of positions of the window.
    """

    _window: tuple[Any, Any, Any]
    _places: tuple[int, ...]

    def forward_cpu(self, gys: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        gy, = gys
        return kernels.window_sum(gy, *self._window, self._places),

    forward_gpu = forward_cpu


class UnpoolingNDGrad(_WindowSums):
    """Gradient of :class:`UnpoolingND`: sums over windows.

    Parameters
    ----------
    unpoolingnd : UnpoolingND
        The function, after ``forward``.
    """

    ksize: Any
    stride: Any
    pad: Any
    ndim: int
    cover_all: bool

    def __init__(self, unpoolingnd: UnpoolingND) -> None:
        super().__init__()
        self._window, self._places = unpoolingnd._window, unpoolingnd._places
        self.ksize, self.stride, self.pad = self._window
        self.ndim, self.cover_all = unpoolingnd.ndim, unpoolingnd.cover_all
        self.outs: Sequence[int] | tuple[Any, ...] | None = unpoolingnd.outs

    def backward(
            self, indexes: tuple[int, ...],
            ggx: GradOutputs) -> tuple[Variable | None, ...]:
        again = UnpoolingND(self.ndim, *self._window, self.outs, self.cover_all)
        return again.apply(ggx)


def unpooling_nd(
        x: VariableOrArray, ksize: int | Sequence[int],
        stride: int | Sequence[int] | None = None, pad: int | Sequence[int] = 0,
        outsize: Sequence[int] | None = None, cover_all: bool = True) -> Variable:
    """Reverse the pooling of images of any dimension; see :func:`unpooling_2d`.

    Each element is copied to all elements of its window in a larger image; where
    windows overlap, the elements are summed.

    .. math:: y_{n, c, i} = \\sum_{(j, u) : s j + u - p = i} x_{n, c, j}

    where :math:`i`, :math:`j` and :math:`u` are tuples with one number for each axis of
    the images.

    Parameters
    ----------
    x : Variable or array, shape (n, c, d_1, d_2, ..., d_N)
        Images of a floating dtype.
    ksize : int or sequence of int
        Lengths of the window: one number for all axes, or one for each axis.
    stride : int or sequence of int, optional
        Distance between two positions of the window; by default its size.
    pad : int or sequence of int
        Padding on either side of the larger image, which is removed from the result.
    outsize : sequence of int, optional
        Lengths of the result. By default, the smallest that pooling with these
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
        If ``x`` is not floating-point, or pooling maps ``outsize`` to another size.
    AssertionError
        If a sequence does not have N numbers.

    See Also
    --------
    chainer_fast.functions.unpooling_2d
    chainer_fast.functions.average_pooling_nd

    Examples
    --------
    >>> x = np.array([[[1., 2.]]], np.float32)
    >>> F.unpooling_nd(x, 2, outsize=(4,)).array
    array([[[1., 1., 2., 2.]]], dtype=float32)
    >>> F.unpooling_nd(x, 2, stride=1, outsize=(3,)).array      # windows overlap
    array([[[1., 3., 2.]]], dtype=float32)
    """
    function = UnpoolingND(
        len(x.shape[2:]), ksize, stride, pad, outsize, cover_all)
    return function.apply((x,))[0]


def unpooling_1d(
        x: VariableOrArray, ksize: int | Sequence[int],
        stride: int | Sequence[int] | None = None, pad: int | Sequence[int] = 0,
        outsize: Sequence[int] | None = None, cover_all: bool = True) -> Variable:
    """Reverse the pooling of sequences of shape ``(n, c, length)``.

    This is :func:`unpooling_nd` for one axis.

    .. math:: y_{nci} = \\sum_{(j, u) : s j + u - p = i} x_{ncj}

    Parameters
    ----------
    x : Variable or array, shape (n, c, length)
        Sequences of a floating dtype.
    ksize : int
        Length of the window.
    stride : int, optional
        Distance between two positions of the window; by default its size.
    pad : int
        Padding on either side of the larger sequences, which is removed from the
        result.
    outsize : sequence of int, optional
        Lengths of the result. By default, the smallest that pooling with these
        arguments maps to the size of ``x``.
    cover_all : bool
        ``cover_all`` of the pooling. The result may be larger with ``False``.

    Returns
    -------
    Variable
        The larger sequences, of the dtype of ``x``.

    Raises
    ------
    ValueError
        If ``x`` does not have three axes, padding is negative, or the stride is not
        positive.
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point, or pooling maps ``outsize`` to another size.

    See Also
    --------
    chainer_fast.functions.unpooling_nd
    chainer_fast.functions.max_pooling_1d

    Examples
    --------
    >>> x = np.array([[[1., 2.]]], np.float32)
    >>> F.unpooling_1d(x, 2, cover_all=False).array
    array([[[1., 1., 2., 2.]]], dtype=float32)
    """
    pooling_nd.check_ndim('unpooling_1d', x, 1)
    return unpooling_nd(x, ksize, stride, pad, cover_all=cover_all, outsize=outsize)


def unpooling_3d(
        x: VariableOrArray, ksize: int | Sequence[int],
        stride: int | Sequence[int] | None = None, pad: int | Sequence[int] = 0,
        outsize: Sequence[int] | None = None, cover_all: bool = True) -> Variable:
    """Reverse the pooling of volumes of shape ``(n, c, d_1, d_2, d_3)``.

    This is :func:`unpooling_nd` for three axes.

    Parameters
    ----------
    x : Variable or array, shape (n, c, d_1, d_2, d_3)
        Volumes of a floating dtype.
    ksize : int or sequence of int
        Lengths of the window: one number for all axes, or one for each axis.
    stride : int or sequence of int, optional
        Distance between two positions of the window; by default its size.
    pad : int or sequence of int
        Padding on either side of the larger volumes, which is removed from the result.
    outsize : sequence of int, optional
        Lengths of the result. By default, the smallest that pooling with these
        arguments maps to the size of ``x``.
    cover_all : bool
        ``cover_all`` of the pooling. The result may be larger with ``False``.

    Returns
    -------
    Variable
        The larger volumes, of the dtype of ``x``.

    Raises
    ------
    ValueError
        If ``x`` does not have five axes, padding is negative, or the stride is not
        positive.
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point, or pooling maps ``outsize`` to another size.

    See Also
    --------
    chainer_fast.functions.unpooling_nd
    chainer_fast.functions.max_pooling_3d

    Examples
    --------
    >>> x = np.array([5., 6.], np.float32).reshape(1, 1, 1, 1, 2)
    >>> F.unpooling_3d(x, (1, 1, 2), cover_all=False).array
    array([[[[[5., 5., 6., 6.]]]]], dtype=float32)
    """
    pooling_nd.check_ndim('unpooling_3d', x, 3)
    return unpooling_nd(x, ksize, stride, pad, cover_all=cover_all, outsize=outsize)

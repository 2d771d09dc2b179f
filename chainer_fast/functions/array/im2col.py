from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chainer_fast import _numbers
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.types import NdArray
from chainer_fast.utils import conv, type_check
from chainer_fast.utils.conv import (  # noqa: F401
    col2im_cpu,
    col2im_gpu,
    im2col_cpu,
    im2col_gpu,
)
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class _Window(FunctionNode):
    """Geometry of a window: pairs of numbers for the height and the width."""

    kh: Any
    kw: Any
    sy: Any
    sx: Any
    ph: Any
    pw: Any
    dy: Any
    dx: Any

    def __init__(
            self, ksize: int | Sequence[int], stride: int | Sequence[int],
            pad: int | Sequence[int], cover_all: bool,
            dilate: int | Sequence[int]) -> None:
        self._window = ksize, stride, pad, cover_all, dilate
        self.cover_all = cover_all
        numbers = [_numbers.both(x, name) for name, x in (
            ('ksize', ksize), ('stride', stride), ('pad', pad), ('dilate', dilate))]
        (self.kh, self.kw), (self.sy, self.sx) = numbers[:2]
        (self.ph, self.pw), (self.dy, self.dx) = numbers[2:]


class Im2Col(_Window):
    """Copies the patches that a sliding window covers."""

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'x')
        type_check.expect(in_types[0].ndim == 4)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        patches = conv.im2col(
            inputs[0], self.kh, self.kw, self.sy, self.sx, self.ph, self.pw,
            self.cover_all, self.dy, self.dx)
        batch, channels, kh, kw, height, width = patches.shape
        return patches.reshape(batch, channels * kh * kw, height, width),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        function = Im2ColGrad(*self._window, self.inputs[0].shape)
        return function.apply(grad_outputs)


class Im2ColGrad(_Window):
    """Gradient of :class:`Im2Col`: adds patches to images.

    Parameters
    ----------
    ksize, stride, pad, cover_all, dilate
        The window.
    in_shape : tuple of int
        Shape of the images.
    """

    def __init__(
            self, ksize: int | Sequence[int], stride: int | Sequence[int],
            pad: int | Sequence[int], cover_all: bool,
            dilate: int | Sequence[int], in_shape: Sequence[int]) -> None:
        super().__init__(ksize, stride, pad, cover_all, dilate)
        self.in_shape = in_shape

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'gy')
        type_check.expect(in_types[0].ndim == 4)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        _, channels, height, width = self.in_shape
        patches = inputs[0].reshape(
            len(inputs[0]), channels, self.kh, self.kw, *inputs[0].shape[2:])
        return conv.col2im(patches, self.sy, self.sx, self.ph, self.pw, height, width,
                           self.dy, self.dx),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        return Im2Col(*self._window).apply(grad_outputs)


def im2col(
        x: VariableOrArray, ksize: int | Sequence[int],
        stride: int | Sequence[int] = 1, pad: int | Sequence[int] = 0,
        cover_all: bool = False, dilate: int | Sequence[int] = 1) -> Variable:
    """Copies the patches of images that a sliding window covers.

    .. math::

        y_{n, (c k_h + i) k_w + j, h, w} =
        x_{n, c, s_h h + d_h i - p_h, s_w w + d_w j - p_w}

    with the window :math:`k`, the stride :math:`s`, the padding :math:`p` and the
    dilation :math:`d`.

    Parameters
    ----------
    x : Variable or array
        Images of a floating dtype and of shape ``(batch, channels, height, width)``.
    ksize : int or (int, int)
        Height and width of the window.
    stride : int or (int, int)
        Distance between two positions of the window.
    pad : int or (int, int)
        Padding with zeros on either side.
    cover_all : bool
        Whether the windows cover every pixel; the last one may extend beyond the image.
    dilate : int or (int, int)
        Distance between two pixels of the window.

    Returns
    -------
    Variable
        Patches of shape ``(batch, channels * kh * kw, out_height, out_width)`` and of
        the dtype of ``x``: for each channel, the pixels of the window at every
        position.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point or does not have four axes.
    AssertionError
        If the window is larger than the padded image.
    ZeroDivisionError
        If ``stride`` is zero.

    See Also
    --------
    chainer_fast.functions.convolution_2d

    Notes
    -----
    A matrix product of a kernel with the patches is a convolution.

    Examples
    --------
    >>> x = np.arange(6, dtype=np.float32).reshape(1, 1, 2, 3)
    >>> F.im2col(x, ksize=2).array[0, :, 0]
    array([[0., 1.],
           [1., 2.],
           [3., 4.],
           [4., 5.]], dtype=float32)
    """
    y, = Im2Col(ksize, stride, pad, cover_all, dilate).apply((x,))
    return y

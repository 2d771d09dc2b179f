"""Displacement of channels by pixels, for use with pointwise convolutions."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chainer_fast import _numbers, backend
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class Shift(FunctionNode):
    """Displacement of each channel by the position of an element of the window.

    Parameters
    ----------
    ksize : int or pair of int
        Height and width of the window, odd.
    dilate : int or pair of int
        Distance between two elements of the window. If it is negative, all
        displacements are reversed.
    """

    kh: Any
    kw: Any
    dy: Any
    dx: Any

    def __init__(
            self, ksize: int | Sequence[int] = 3,
            dilate: int | Sequence[int] = 1) -> None:
        super().__init__()
        self.kh, self.kw = _numbers.both(ksize, 'ksize')
        self.dy, self.dx = _numbers.both(dilate, 'dilate')
        for number in self.kh, self.kw:
            if number % 2 != 1 or number < 1:
                raise ValueError('ksize must be odd and positive, got %s' % (ksize,))
        if 0 in (self.dy, self.dx):
            raise ZeroDivisionError('dilate must not be zero, got %s' % (dilate,))

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'x')
        x, = in_types
        type_check.expect(x.ndim == 4, x.shape[1] >= self.kh * self.kw)

    def _displacements(self):
        """Return the displacement of each part of the channels, zero for the last."""
        found = [((self.kh // 2 - i) * self.dy, (self.kw // 2 - j) * self.dx)
                 for i in range(self.kh) for j in range(self.kw)]
        middle = len(found) // 2
        found[middle], found[-1] = found[-1], found[middle]
        return found

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, = inputs
        xp = backend.get_array_module(x)
        h, w = x.shape[2:]
        displacements = self._displacements()
        part = x.shape[1] // len(displacements)
        y = xp.zeros(x.shape, x.dtype)
        for k, (dy, dx) in enumerate(displacements):
            # Remaining channels belong to the last part.
            last = (k + 1) * part if k < len(displacements) - 1 else None
            channels = slice(k * part, last)
            (to_y, from_y), (to_x, from_x) = _overlap(h, dy), _overlap(w, dx)
            y[:, channels, to_y, to_x] = x[:, channels, from_y, from_x]
        return y,

    forward_cpu = forward_gpu = forward

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        gy, = grad_outputs
        return Shift((self.kh, self.kw), (-self.dy, -self.dx)).apply((gy,))


def _overlap(length, by):
    """Return slices of an axis to write and to read, with an offset of ``by``."""
    n = max(length - abs(by), 0)
    to, from_ = max(-by, 0), max(by, 0)
    return slice(to, to + n), slice(from_, from_ + n)


def shift(
        x: VariableOrArray, ksize: int | Sequence[int] = 3,
        dilate: int | Sequence[int] = 1) -> Variable:
    """Displace the channels of images, each by an element of a window.

    The channels are divided evenly among the elements of the window. Remaining channels
    are not displaced. A channel of the element :math:`(i, j)` becomes

    .. math::

        y_{h, w} = x_{h + d_y (\\lfloor k_h / 2 \\rfloor - i),
                      w + d_x (\\lfloor k_w / 2 \\rfloor - j)}

    with zeros outside of the image. With pointwise convolutions before and after it,
    the function can replace a convolution. It has no parameters and needs no
    multiplications.

    See: `Shift: A Zero FLOP, Zero Parameter Alternative to Spatial Convolutions
    <https://arxiv.org/abs/1711.08141>`_

    Parameters
    ----------
    x : Variable or array, shape (n, c, h, w)
        Images of a floating dtype, with at least as many channels as the window has
        elements.
    ksize : int or pair of int
        Height and width of the window, odd.
    dilate : int or pair of int
        Distance between two elements of the window.

    Returns
    -------
    Variable
        Array of the same shape and dtype as ``x``.

    Raises
    ------
    ValueError
        If ``ksize`` is not odd.
    ZeroDivisionError
        If ``dilate`` is zero.
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point, does not have four axes, or has too few
        channels.

    See Also
    --------
    chainer_fast.functions.convolution_2d

    Examples
    --------
    >>> x = np.array([[1., 2.], [3., 4.], [5., 6.]], np.float32).reshape(1, 3, 1, 2)
    >>> F.shift(x, ksize=(1, 3)).array[0, :, 0]
    array([[2., 0.],
           [0., 3.],
           [5., 6.]], dtype=float32)
    """
    return Shift(ksize, dilate).apply((x,))[0]

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chainer_fast import _numbers
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.utils import _type_advice, conv_nd, type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import VariableOrArray


class _PoolingND(FunctionNode):
    """Base of functions with a sliding window over images of any dimension.

    Parameters
    ----------
    ndim : int
        Number of axes of the images.
    ksize : int or sequence of int
        Lengths of the window.
    stride : int or sequence of int, optional
        Distance between two positions of the window; by default its size.
    pad : int or sequence of int
        Padding on either side.
    cover_all : bool
        Whether the windows cover every element; the last one may extend beyond the
        image.
    return_indices : bool
        Whether to return the indices, too.
    """

    ksize: tuple[int, ...]
    stride: int | Sequence[int]
    pad: int | Sequence[int]

    def __init__(
            self, ndim: int, ksize: int | Sequence[int],
            stride: int | Sequence[int] | None = None,
            pad: int | Sequence[int] = 0, cover_all: bool = True,
            return_indices: bool = False) -> None:
        super().__init__()
        if ndim <= 0:
            raise ValueError(
                'images to be pooled need at least one axis after that of channels, '
                'but ndim is %d' % ndim)
        steps = ksize if stride is None else stride
        self.ksize, self.stride, self.pad = [
            (numbers,) * ndim if type(numbers) is int
            else _numbers.plain_all(conv_nd.as_tuple(numbers, ndim))
            for numbers in (ksize, steps, pad)]
        self.ndim = ndim
        self.return_indices = return_indices
        self.cover_all = cover_all

    @property
    def _window(self) -> tuple[Any, Any, Any]:
        return self.ksize, self.stride, self.pad

    @property
    def is_cudnn_used(self) -> bool:
        """Return False: no function uses cuDNN."""
        return False

    def get_cudnn_pool_mode(self):
        """Return cuDNN's number for the kind of pooling; to be overridden."""
        raise NotImplementedError(
            '%s is not a kind of pooling in cuDNN' % type(self).__name__)

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'x')
        x_type, = in_types
        type_check.expect(x_type.ndim == 2 + self.ndim)
        type_check.expect(x_type.size > 0)


def check_ndim(name: str, x: VariableOrArray, ndim: int) -> None:
    """Raise ``ValueError`` unless images have ``ndim`` axes."""
    found = len(x.shape[2:])
    if found != ndim:
        words = '%s takes an input of %d axes, (batch, channel) and %d more, but `x` ' \
            'has the shape %s' % (name, 2 + ndim, ndim, x.shape)
        if found == ndim - 1 and ndim > 1:
            words += '. ' + _type_advice.of_images('x')
        raise ValueError(words)

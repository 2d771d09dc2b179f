from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chainer_fast import _numbers
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.types import NdArray
from chainer_fast.utils import conv, type_check
from chainer_fast.utils.type_check import TypeInfoTuple

_NO_CUDNN = 'cuDNN is not available to %s: %s must be overridden'


def _pair(x, name):
    """Return two numbers from one, or from an iterable of two."""
    if type(x) is int:
        return x, x
    return _numbers.pair(x if hasattr(x, '__iter__') else (x, x), name)


class _Window2D:
    """Functions with ``kh``, ``kw``, ``sy``, ``sx``, ``ph`` and ``pw``."""

    kh: Any
    kw: Any
    sy: Any
    sx: Any
    ph: Any
    pw: Any

    # No function here uses cuDNN.
    _used_cudnn = False

    @property
    def _window(self) -> tuple[Any, Any, Any]:
        """Return size, strides and padding in the form for the kernels."""
        return ((self.kh, self.kw),
                (self.sy, self.sx),
                (self.ph, self.pw))

    @_window.setter
    def _window(self, window):
        ksize, stride, pad = window
        self.kh, self.kw = ksize
        self.sy, self.sx = stride
        self.ph, self.pw = pad


class Pooling2D(_Window2D, FunctionNode):
    """Base of functions with a sliding window over images.

    Parameters
    ----------
    ksize : int or pair of int
        Height and width of the window.
    stride : int or pair of int, optional
        Distance between two positions of the window; by default its size.
    pad : int or pair of int
        Padding on either side.
    cover_all : bool
        Whether the windows cover every element; the last one may extend beyond the
        image.
    return_indices : bool
        Whether to return the indices, too.
    """

    def __init__(
            self, ksize: int | Sequence[int],
            stride: int | Sequence[int] | None = None,
            pad: int | Sequence[int] = 0, cover_all: bool = True,
            return_indices: bool = False) -> None:
        super().__init__()
        ksize = _pair(ksize, 'ksize')
        self._window = ksize, ksize if stride is None else (
            _pair(stride, 'stride')), _pair(pad, 'pad')
        self.cover_all = cover_all
        self.return_indices = return_indices

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'x')
        type_check.expect(in_types[0].ndim == 4)

    def _get_pool_mode(self):
        """Return cuDNN's number for the kind of pooling; to be overridden."""
        raise NotImplementedError(
            '%s is not a kind of pooling in cuDNN' % type(self).__name__)

    def forward_gpu(self, x: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        """Pool with cuDNN.

        Raises
        ------
        RuntimeError
            By default, because cuDNN is not available.
        """
        raise RuntimeError(_NO_CUDNN % (type(self).__name__, 'forward_gpu'))

    def backward_gpu(
            self, x: tuple[NdArray, ...],
            gy: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        """Compute the gradient with cuDNN.

        Raises
        ------
        RuntimeError
            By default, because cuDNN is not available.
        """
        raise RuntimeError(_NO_CUDNN % (type(self).__name__, 'backward_gpu'))


class _Enlarging2D(Pooling2D):
    """Base of the reverse of pooling.

    Parameters
    ----------
    ksize, stride, pad, cover_all
        The pooling to reverse; see :class:`Pooling2D`.
    outsize : pair of int, optional
        Height and width of the result; by default the smallest possible.
    """

    outh: Any
    outw: Any

    def __init__(
            self, ksize: int | Sequence[int],
            stride: int | Sequence[int] | None = None,
            pad: int | Sequence[int] = 0, outsize: Sequence[int] | None = None,
            cover_all: bool = True) -> None:
        super().__init__(ksize, stride, pad, cover_all)
        self.outh, self.outw = (
            (None, None) if outsize is None else map(_numbers.whole, outsize))

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        super().check_type_forward(in_types)
        if self.outh is self.outw is None:
            return
        sizes = zip((2, 3), (self.outh, self.outw), *self._window, strict=True)
        for axis, wanted, k, s, p in sizes:
            # An empty image is pooled to an empty image, although a padded window has
            # positions in it.
            if wanted is not None and not (
                    wanted == 0 == type_check.eval(in_types[0].shape[axis])):
                places = conv.get_conv_outsize(wanted, k, s, p, self.cover_all)
                type_check.expect(in_types[0].shape[axis] == places)

    def _outsize(self, x):
        """Determine the height and the width of the result, and return them."""
        sizes = zip(('outh', 'outw'), x.shape[2:], *self._window, strict=True)
        for name, n, k, s, p in sizes:
            if getattr(self, name) is None:
                # The result for an empty image is empty: the formula would be negative.
                setattr(self, name, max(
                    conv.get_deconv_outsize(n, k, s, p, self.cover_all), 0))
        return self.outh, self.outw


class _EnlargingGrad2D(_Window2D, FunctionNode):
    """Base of the gradients of :class:`_Enlarging2D`.

    Parameters
    ----------
    function : _Enlarging2D
        The function, after ``forward``.
    """

    def __init__(self, function: _Enlarging2D) -> None:
        super().__init__()
        self._window = function._window
        self.outh: Any = function.outh
        self.outw: Any = function.outw
        self.cover_all: bool = function.cover_all

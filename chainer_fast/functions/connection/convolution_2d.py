"""Convolution of images of two dimensions."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from chainer_fast.backends.kernels import convolution, record
from chainer_fast.backends.kernels.convolution import compiled
from chainer_fast.functions.connection import _convolution, deconvolution_2d
from chainer_fast.types import DTypeSpec, NdArray, _ImageConvolutionOptions, _Unpack
from chainer_fast.utils import argument, type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray

if TYPE_CHECKING:
    from chainer_fast.functions.connection.deconvolution_2d import (
        Deconvolution2DFunction,
    )

_OPTIONS = ('dilate', 1), ('groups', 1), ('cudnn_fast', False)


@record(compiled.Convolution2DShortcut())
class Convolution2DFunction(_convolution.Planar):
    """Convolution of images with filters.

    Parameters
    ----------
    stride, pad : int or pair of int
        Stride, and padding.
    cover_all : bool
        Whether the windows cover every pixel.
    dilate, groups
        See :func:`convolution_2d`; keyword arguments.
    cudnn_fast : bool
        Whether images and filters have the channels last, which requires cuDNN. Keyword
        argument.
    """

    # Positions of the window, if they are already known, as in a gradient.
    _outs = None

    def __init__(
            self, stride: int | Sequence[int] = 1, pad: int | Sequence[int] = 0,
            cover_all: bool = False,
            **kwargs: _Unpack[_ImageConvolutionOptions]) -> None:
        super().__init__()
        if kwargs:
            dilate, groups, self.cudnn_fast = argument.parse_kwargs(
                kwargs, *_OPTIONS, **_convolution.RETIRED)
            self._set_window(stride, pad, _convolution.check_dilation(dilate), groups)
        else:
            self.cudnn_fast: bool = False
            self._set_window(stride, pad, 1, 1)
        self.cover_all = cover_all

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        x, W, b = _convolution.expect_operands(in_types, 2)
        type_check.expect(x.shape[1] == W.shape[1] * self.groups)
        if b is not None:
            type_check.expect(b.shape[0] == W.shape[0])

    def _advice(self, expect, x, *others):
        return _convolution.advise(expect, x, others[0], self.groups)

    def _get_out_size(self, x_shape, w_shape):
        return _convolution.places(
            x_shape[2:], w_shape[2:], *self._window(), self.cover_all)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, W, *b = self._channels_second(inputs)
        self.retain_inputs((0, 1))
        groups = _convolution.check_groups(
            self.groups, ValueError, output=W.shape[0])
        outs = self._outs or self._get_out_size(x.shape, W.shape)
        y = convolution.convolve(
            x, W, b[0] if b else None, *self._window(), groups, outs)
        return self._in_layout(y, self._layout_of_images()),

    forward_cpu = forward_gpu = forward

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> Sequence[Variable | None]:
        x, W = self.get_retained_inputs()
        gy, = grad_outputs
        gradients = []
        for i in indexes:
            if i == 0:
                gradients.append(_transposed(self, gy, W, x.shape[2:]))
            elif i == 1:
                gradients.append(Convolution2DGradW(
                    self, W.shape, W.dtype, W.layout).apply((x, gy))[0])
            else:
                gradients.append(_convolution.bias_gradient(gy, gy.dtype))
        return gradients


def _transposed(function, x, W, outsize):
    """Apply the transpose of a convolution with the settings of a function."""
    stride, pad, dilate = function._window()
    transposed = deconvolution_2d.Deconvolution2DFunction(
        stride, pad, tuple(outsize), dilate=dilate, groups=function.groups)
    transposed.cudnn_fast = function.cudnn_fast
    return transposed.apply((x, W))[0]


def _convolved(function, x, W, outs):
    """Apply the convolution whose gradient a function is, with known positions."""
    stride, pad, dilate = function._window()
    convolution = Convolution2DFunction(
        stride, pad, function.cover_all, dilate=dilate, groups=function.groups)
    convolution._outs = tuple(outs)
    convolution.cudnn_fast = function.cudnn_fast
    return convolution.apply((x, W))[0]


class Convolution2DGradW(_convolution.Planar):
    """Gradient of a convolution with respect to its filters.

    Parameters
    ----------
    conv2d : Convolution2DFunction or Deconvolution2DFunction
        The convolution, or the transposed convolution with ``x`` and ``gy`` exchanged.
    w_shape, w_dtype, w_layout
        Shape, dtype and memory layout of the filters.
    """

    kh: int
    kw: int
    W_shape: tuple[int, ...]
    W_dtype: DTypeSpec
    w_layout: Any
    cudnn_fast: Any

    def __init__(
            self, conv2d: Convolution2DFunction | Deconvolution2DFunction,
            w_shape: tuple[int, ...], w_dtype: DTypeSpec, w_layout: Any) -> None:
        super().__init__()
        self.kh, self.kw = w_shape[2:]
        stride, pad, dilate = conv2d._window()
        self._set_window(stride, pad, dilate, conv2d.groups)
        self.cover_all: bool | None = conv2d.cover_all
        self.W_shape, self.W_dtype, self.w_layout = w_shape, w_dtype, w_layout
        self._use_ideep, self.cudnn_fast = conv2d._use_ideep, conv2d.cudnn_fast

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, gy = self._channels_second(inputs)
        self.retain_inputs((0, 1))
        gW = convolution.correlate(
            x, gy, (self.kh, self.kw), *self._window(),
            _convolution.check_groups(self.groups, ValueError), self.W_dtype)
        return self._in_layout(gW, self.w_layout),

    forward_cpu = forward_gpu = forward

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> Sequence[Variable | None]:
        return _convolution.gradients_of_correlation(
            self, indexes, grad_outputs[0], _transposed, _convolved)


def convolution_2d(
        x: VariableOrArray, W: VariableOrArray, b: VariableOrArray | None = None,
        stride: int | Sequence[int] = 1, pad: int | Sequence[int] = 0,
        cover_all: bool = False,
        **kwargs: _Unpack[_ImageConvolutionOptions]) -> Variable:
    """Convolve images with filters, without flipping them.

    .. math::

        y_{nojk} = b_o + \\sum_{cuv} W_{ocuv}\\,
            x_{n, c, s_y j + d_y u - p_h, s_x k + d_x v - p_w}

    where pixels outside of the image are zero. The height of the result is
    :math:`\\lfloor (h + 2 p_h - d_y (k_h - 1) - 1) / s_y \\rfloor + 1`, with the
    ceiling instead of the floor if ``cover_all`` is true. The width is computed in the
    same way.

    Parameters
    ----------
    x : Variable or array, shape (n, c, h, w)
        Images, of a floating dtype.
    W : Variable or array, shape (o, c / groups, kh, kw)
        Filters. Their floating dtype may differ from that of the images.
    b : Variable or array, shape (o,), optional
        Bias, of the dtype of the images.
    stride : int or pair of int
        Stride :math:`s`, vertical and horizontal.
    pad : int or pair of int
        Padding :math:`p` on either side.
    cover_all : bool
        Whether the windows cover every pixel; the last one may extend beyond the image.
    dilate : int or pair of int
        Distance :math:`d` between two elements of the window. Keyword argument.
    groups : int
        Number of groups that channels and filters are divided into. Each group is
        convolved separately. Keyword argument.

    Returns
    -------
    Variable
        Images of shape ``(n, o, h_out, w_out)``, in the dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If dtypes or shapes do not match.
    AssertionError
        If the window is larger than the padded images.
    ZeroDivisionError
        If the stride is zero.
    ValueError
        If padding is negative, dilation is not positive, the groups do not divide the
        filters, or the retired argument ``deterministic`` is given.
    TypeError
        If any other argument is given.

    See Also
    --------
    chainer_fast.functions.convolution_nd
    chainer_fast.functions.deconvolution_2d
    chainer_fast.functions.depthwise_convolution_2d
    chainer_fast.links.Convolution2D

    Examples
    --------
    >>> x = np.arange(1, 10, dtype=np.float32).reshape(1, 1, 3, 3)
    >>> W = np.ones((1, 1, 2, 2), np.float32)
    >>> F.convolution_2d(x, W).array
    array([[[[12., 16.],
             [24., 28.]]]], dtype=float32)
    >>> F.convolution_2d(x, W, stride=2, pad=1).shape
    (1, 1, 2, 2)
    """
    options: Any = kwargs
    if kwargs:
        # Checked here so that messages name this function.
        values = argument.parse_kwargs(
            kwargs, *_OPTIONS, deterministic=_convolution.RETIRED['deterministic'])
        options = {name: value for (name, _), value in zip(
            _OPTIONS, values, strict=True)}
    function = Convolution2DFunction(stride, pad, cover_all, **options)
    return function.apply((x, W) if b is None else (x, W, b))[0]

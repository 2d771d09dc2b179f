"""Convolution of images of any dimension."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chainer_fast.backends.kernels import convolution
from chainer_fast.functions.connection import _convolution, deconvolution_nd
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class ConvolutionND(_convolution.Spatial):
    """Convolution of images with filters.

    Parameters
    ----------
    ndim : int
        Number of axes of an image.
    stride, pad, cover_all, dilate, groups
        See :func:`convolution_nd`.
    """

    # Positions of the window, if they are already known, as in a gradient.
    _outs = None

    def __init__(
            self, ndim: int, stride: int | Sequence[int] = 1,
            pad: int | Sequence[int] = 0, cover_all: bool = False,
            dilate: int | Sequence[int] = 1, groups: int = 1) -> None:
        super().__init__()
        self._set_window(ndim, stride, pad, dilate, groups)
        self.cover_all = cover_all

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _, W, b = _convolution.expect_operands(in_types, len(self.stride), 'any')
        if b is not None:
            type_check.expect(b.shape[0] == W.shape[0])

    def _advice(self, expect, x, *others):
        return _convolution.advise(expect, x, others[0], self.groups)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, W, *b = inputs
        self.retain_inputs((0, 1))
        groups = _convolution.check_groups(
            self.groups, TypeError, input=x.shape[1], output=W.shape[0])
        if x.shape[1] != W.shape[1] * groups:
            raise ValueError(
                'x has %d channels, but W expects %d in each of groups=%s'
                % (x.shape[1], W.shape[1], groups))
        outs = self._outs or _convolution.places(
            x.shape[2:], W.shape[2:], *self._window(), self.cover_all)
        return convolution.convolve(
            x, W, b[0] if b else None, *self._window(), groups, outs),

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
                gradients.append(ConvolutionNDGradW(self).apply((x, gy))[0])
            else:
                gradients.append(
                    _convolution.bias_gradient(gy, self.inputs[2].dtype))
        return gradients


def _transposed(function, x, W, outsize):
    """Apply the transpose of a convolution with the settings of a function."""
    return deconvolution_nd.DeconvolutionND(
        function.ndim, function.stride, function.pad, tuple(outsize), function.dilate,
        function.groups).apply((x, W))[0]


def _convolved(function, x, W, outs):
    """Apply the convolution whose gradient a function is, with known positions."""
    convolution = ConvolutionND(
        function.ndim, function.stride, function.pad, function.cover_all,
        function.dilate, function.groups)
    convolution._outs = tuple(outs)
    return convolution.apply((x, W))[0]


class ConvolutionNDGradW(_convolution.Spatial):
    """Gradient of a convolution with respect to its filters.

    Parameters
    ----------
    convnd : ConvolutionND or DeconvolutionND
        The convolution, or the transposed convolution with ``x`` and ``gy`` exchanged,
        after it has been applied.
    """

    ksize: Any
    W_dtype: Any

    def __init__(self, convnd: Any) -> None:
        super().__init__()
        w_node = convnd.inputs[1]
        stride, pad, dilate = convnd._window()
        self._set_window(convnd.ndim, stride, pad, dilate, convnd.groups)
        self.cover_all: Any = convnd.cover_all
        self.ksize, self.W_dtype = w_node.shape[2:], w_node.dtype

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, gy = inputs
        self.retain_inputs((0, 1))
        return convolution.correlate(
            x, gy, self.ksize, *self._window(),
            _convolution.check_groups(self.groups, ValueError), self.W_dtype),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> Sequence[Variable | None]:
        return _convolution.gradients_of_correlation(
            self, indexes, grad_outputs[0], _transposed, _convolved)


def convolution_nd(
        x: VariableOrArray, W: VariableOrArray, b: VariableOrArray | None = None,
        stride: int | Sequence[int] = 1, pad: int | Sequence[int] = 0,
        cover_all: bool = False, dilate: int | Sequence[int] = 1,
        groups: int = 1) -> Variable:
    """Convolve images of any dimension with filters, without flipping them.

    .. math::

        y_{n, o, j} = b_o + \\sum_{c, u} W_{o, c, u}\\, x_{n, c, s j + d u - p}

    where :math:`j` and :math:`u` are tuples with one number for each axis of the
    images. This generalizes the formula of :func:`convolution_2d` to any number of
    axes.

    Parameters
    ----------
    x : Variable or array, shape (n, c, d_1, ..., d_N)
        Images, of a floating dtype.
    W : Variable or array, shape (o, c / groups, k_1, ..., k_N)
        Filters. Their floating dtype may differ from that of the images.
    b : Variable or array, shape (o,), optional
        Bias.
    stride : int or tuple of int
        Stride: one number for all axes, or one for each axis. The same applies to
        ``pad`` and ``dilate``.
    pad : int or tuple of int
        Padding with zeros on either side.
    cover_all : bool
        Whether the windows cover every element; the last one may extend beyond the
        image.
    dilate : int or tuple of int
        Distance between two elements of the window.
    groups : int
        Number of groups that channels and filters are divided into. Each group is
        convolved separately.

    Returns
    -------
    Variable
        Images of shape ``(n, o, l_1, ..., l_N)``, in the dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If dtypes or numbers of dimensions do not match.
    AssertionError
        If the window is larger than the padded images, or a tuple does not have N
        numbers.
    ZeroDivisionError
        If the stride is zero.
    TypeError
        If the groups do not divide the channels.
    ValueError
        If padding is negative, or the filters have another number of channels.

    See Also
    --------
    chainer_fast.functions.convolution_2d
    chainer_fast.functions.deconvolution_nd
    chainer_fast.links.ConvolutionND

    Examples
    --------
    >>> x = np.array([[[1., 2., 3., 4.]]], np.float32)
    >>> W = np.array([[[1., 10.]]], np.float32)
    >>> F.convolution_nd(x, W, stride=2).array
    array([[[21., 43.]]], dtype=float32)
    """
    function = ConvolutionND(x.ndim - 2, stride, pad, cover_all, dilate, groups)
    return function.apply((x, W) if b is None else (x, W, b))[0]


def _check_axes(x, ndim):
    if x.ndim - 2 != ndim:
        raise ValueError(
            'x must have %d axes after that of the channels, got %d: shape %s'
            % (ndim, x.ndim - 2, x.shape))


def convolution_1d(
        x: VariableOrArray, W: VariableOrArray, b: VariableOrArray | None = None,
        stride: int | Sequence[int] = 1, pad: int | Sequence[int] = 0,
        cover_all: bool = False, dilate: int | Sequence[int] = 1,
        groups: int = 1) -> Variable:
    """Convolve sequences; see :func:`convolution_nd`.

    .. math:: y_{noj} = b_o + \\sum_{cu} W_{ocu}\\, x_{n, c, s j + d u - p}

    Parameters
    ----------
    x : Variable or array, shape (n, c, d)
        Sequences, of a floating dtype.
    W : Variable or array, shape (o, c / groups, k)
        Filters. Their floating dtype may differ from that of the sequences.
    b : Variable or array, shape (o,), optional
        Bias.
    stride : int
        Stride :math:`s`.
    pad : int
        Padding :math:`p` with zeros on either side.
    cover_all : bool
        Whether the windows cover every element; the last one may extend beyond the
        image.
    dilate : int
        Distance :math:`d` between two elements of the window.
    groups : int
        Number of groups of channels, each with its own filters.

    Returns
    -------
    Variable
        Sequences of shape ``(n, o, l)``, in the dtype of ``x``.

    Raises
    ------
    ValueError
        If ``x`` does not have three dimensions, or for the reasons listed in
        ``convolution_nd``, as are the other errors.

    See Also
    --------
    chainer_fast.functions.convolution_nd
    chainer_fast.links.Convolution1D

    Examples
    --------
    >>> x = np.array([[[1., 2., 3.]]], np.float32)
    >>> W = np.array([[[1., 10.]]], np.float32)
    >>> F.convolution_1d(x, W).array
    array([[[21., 32.]]], dtype=float32)
    """
    _check_axes(x, 1)
    function = ConvolutionND(1, stride, pad, cover_all, dilate, groups)
    return function.apply((x, W) if b is None else (x, W, b))[0]


def convolution_3d(
        x: VariableOrArray, W: VariableOrArray, b: VariableOrArray | None = None,
        stride: int | Sequence[int] = 1, pad: int | Sequence[int] = 0,
        cover_all: bool = False, dilate: int | Sequence[int] = 1,
        groups: int = 1) -> Variable:
    """Convolve volumes; see :func:`convolution_nd`.

    .. math:: y_{n, o, j} = b_o + \\sum_{c, u} W_{o, c, u}\\, x_{n, c, s j + d u - p}

    where :math:`j` and :math:`u` are triples.

    Parameters
    ----------
    x : Variable or array, shape (n, c, d, h, w)
        Volumes, of a floating dtype.
    W : Variable or array, shape (o, c / groups, kd, kh, kw)
        Filters. Their floating dtype may differ from that of the volumes.
    b : Variable or array, shape (o,), optional
        Bias.
    stride : int or tuple of int
        Stride: one number for the three axes, or one for each axis. The same applies to
        ``pad`` and ``dilate``.
    pad : int or tuple of int
        Padding with zeros on either side.
    cover_all : bool
        Whether the windows cover every element; the last one may extend beyond the
        image.
    dilate : int or tuple of int
        Distance between two elements of the window.
    groups : int
        Number of groups of channels, each with its own filters.

    Returns
    -------
    Variable
        Volumes of shape ``(n, o, d_out, h_out, w_out)``, in the dtype of ``x``.

    Raises
    ------
    ValueError
        If ``x`` does not have five dimensions, or for the reasons listed in
        ``convolution_nd``, as are the other errors.

    See Also
    --------
    chainer_fast.functions.convolution_nd
    chainer_fast.links.Convolution3D

    Examples
    --------
    >>> x = np.arange(8, dtype=np.float32).reshape(1, 1, 2, 2, 2)
    >>> W = np.ones((1, 1, 2, 2, 2), np.float32)
    >>> F.convolution_3d(x, W).array
    array([[[[[28.]]]]], dtype=float32)
    """
    _check_axes(x, 3)
    function = ConvolutionND(3, stride, pad, cover_all, dilate, groups)
    return function.apply((x, W) if b is None else (x, W, b))[0]

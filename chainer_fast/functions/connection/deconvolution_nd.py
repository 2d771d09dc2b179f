"""Transposed convolution of images of any dimension."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chainer_fast import _numbers
from chainer_fast.backends.kernels import convolution
from chainer_fast.functions.connection import _convolution, convolution_nd
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class DeconvolutionND(_convolution.Spatial):
    """Transposed convolution of images with filters.

    Parameters
    ----------
    ndim : int
        Number of axes of an image.
    stride, pad, outsize, dilate, groups
        See :func:`deconvolution_nd`.

    Attributes
    ----------
    outs : tuple of int or None
        Lengths of the result.
    cover_all : bool or None
        Whether the convolution that is transposed covers all elements; None before the
        function is applied.
    """

    cover_all: bool | None = None

    def __init__(
            self, ndim: int, stride: int | Sequence[int] = 1,
            pad: int | Sequence[int] = 0, outsize: Sequence[int] | None = None,
            dilate: int | Sequence[int] = 1, groups: int = 1) -> None:
        super().__init__()
        self._set_window(ndim, stride, pad, dilate, groups)
        if outsize is not None and len(outsize) != ndim:
            raise AssertionError('outsize must have %d numbers, got %s'
                                 % (ndim, outsize))
        self.outs: Any = (
            outsize if outsize is None or all([type(n) is int for n in outsize])
            else _numbers.plain_all(outsize))

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        # The length of the bias depends on the number of groups, which is not checked
        # here.
        x, W, _ = _convolution.expect_operands(in_types, len(self.stride), 'any')
        type_check.expect(x.shape[1] == W.shape[0])
        if self.outs is not None:
            for i, numbers in enumerate(
                    zip(self.outs, *self._window(), strict=True), start=2):
                _convolution.expect_outsize(x, W, i, *numbers)

    def _advice(self, expect, x, *others):
        return _convolution.advise(expect, x, others[0], self.groups, axis=0)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, W, *b = inputs
        self.retain_inputs((0, 1))
        groups = _convolution.check_groups(self.groups, TypeError, input=x.shape[1])
        _convolution.check_bias(b, W.shape[1] * groups)
        outs = _convolution.transposed_lengths(
            x.shape[2:], W.shape[2:], *self._window(),
            self.outs or (None,) * self.ndim, (AssertionError, ZeroDivisionError))
        if self.outs is None:
            self.outs = outs
        self.cover_all = _convolution.covers_all(
            x.shape[2:], outs, W.shape[2:], *self._window())
        return convolution.convolve_transposed(
            x, W, b[0] if b else None, *self._window(), groups, outs),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> Sequence[Variable | None]:
        x, W = self.get_retained_inputs()
        gy, = grad_outputs
        gradients = []
        for i in indexes:
            if i == 0:
                # The positions are given: some axes may need to be covered, others not.
                gradients.append(
                    convolution_nd._convolved(self, gy, W, x.shape[2:]))
            elif i == 1:
                gradients.append(
                    convolution_nd.ConvolutionNDGradW(self).apply((gy, x))[0])
            else:
                gradients.append(
                    _convolution.bias_gradient(gy, self.inputs[2].dtype))
        return gradients


def deconvolution_nd(
        x: VariableOrArray, W: VariableOrArray, b: VariableOrArray | None = None,
        stride: int | Sequence[int] = 1, pad: int | Sequence[int] = 0,
        outsize: Sequence[int] | None = None, dilate: int | Sequence[int] = 1,
        groups: int = 1) -> Variable:
    """Apply a transposed convolution to images of any dimension.

    It is the adjoint of :func:`convolution_nd` with the same filters, stride, padding
    and dilation; see :func:`deconvolution_2d`.

    .. math::

        y_{n, o, i} = b_o + \\sum_{(j, u) : s j + d u - p = i} \\sum_c
            W_{c, o, u}\\, x_{n, c, j}

    where :math:`i`, :math:`j` and :math:`u` are tuples with one number for each axis of
    the images.

    Parameters
    ----------
    x : Variable or array, shape (n, c, d_1, ..., d_N)
        Images, of a floating dtype.
    W : Variable or array, shape (c, o / groups, k_1, ..., k_N)
        Filters. Their floating dtype may differ from that of the images.
    b : Variable or array, shape (o,), optional
        Bias.
    stride : int or tuple of int
        Stride of the convolution: one number for all axes, or one for each axis. The
        same applies to ``pad`` and ``dilate``.
    pad : int or tuple of int
        Padding of the convolution on either side, which is removed from the result.
    outsize : tuple of int, optional
        Lengths of the result; by default the smallest that a convolution maps to those
        of ``x``.
    dilate : int or tuple of int
        Distance between two elements of the window.
    groups : int
        Number of groups that channels are split into, see :func:`convolution_nd`.

    Returns
    -------
    Variable
        Images of shape ``(n, o, l_1, ..., l_N)``, in the dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If dtypes or shapes do not match, or no convolution maps ``outsize`` to the
        lengths of ``x``.
    AssertionError
        If padding is so large that the result would be empty, or a tuple does not have
        N numbers.
    ZeroDivisionError
        If the stride is zero.
    TypeError
        If the groups do not divide the channels.
    ValueError
        If padding is negative, or the length of ``b`` is wrong.

    See Also
    --------
    chainer_fast.functions.convolution_nd
    chainer_fast.functions.deconvolution_2d
    chainer_fast.links.DeconvolutionND

    Examples
    --------
    >>> x = np.array([[[1., 2.]]], np.float32)
    >>> W = np.array([[[1., 10.]]], np.float32)
    >>> F.deconvolution_nd(x, W, stride=2).array
    array([[[ 1., 10.,  2., 20.]]], dtype=float32)
    """
    function = DeconvolutionND(x.ndim - 2, stride, pad, outsize, dilate, groups)
    return function.apply((x, W) if b is None else (x, W, b))[0]


def deconvolution_1d(
        x: VariableOrArray, W: VariableOrArray, b: VariableOrArray | None = None,
        stride: int | Sequence[int] = 1, pad: int | Sequence[int] = 0,
        outsize: Sequence[int] | None = None, dilate: int | Sequence[int] = 1,
        groups: int = 1) -> Variable:
    """Apply a transposed convolution to sequences; see :func:`deconvolution_nd`.

    .. math::

        y_{noi} = b_o + \\sum_{(j, u) : s j + d u - p = i} \\sum_c W_{cou}\\, x_{ncj}

    Parameters
    ----------
    x : Variable or array, shape (n, c, d)
        Sequences, of a floating dtype.
    W : Variable or array, shape (c, o / groups, k)
        Filters. Their floating dtype may differ from that of the sequences.
    b : Variable or array, shape (o,), optional
        Bias.
    stride : int
        Stride of the convolution.
    pad : int
        Padding of the convolution on either side, which is removed from the result.
    outsize : tuple of int, optional
        Length of the result.
    dilate : int
        Distance between two elements of the window.
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
        ``deconvolution_nd``, as are the other errors.

    See Also
    --------
    chainer_fast.functions.deconvolution_nd
    chainer_fast.links.Deconvolution1D

    Examples
    --------
    >>> x = np.array([[[1., 2.]]], np.float32)
    >>> W = np.array([[[1., 10.]]], np.float32)
    >>> F.deconvolution_1d(x, W).array
    array([[[ 1., 12., 20.]]], dtype=float32)
    """
    convolution_nd._check_axes(x, 1)
    function = DeconvolutionND(1, stride, pad, outsize, dilate, groups)
    return function.apply((x, W) if b is None else (x, W, b))[0]


def deconvolution_3d(
        x: VariableOrArray, W: VariableOrArray, b: VariableOrArray | None = None,
        stride: int | Sequence[int] = 1, pad: int | Sequence[int] = 0,
        outsize: Sequence[int] | None = None, dilate: int | Sequence[int] = 1,
        groups: int = 1) -> Variable:
    """Apply a transposed convolution to volumes; see :func:`deconvolution_nd`.

    Parameters
    ----------
    x : Variable or array, shape (n, c, d, h, w)
        Volumes, of a floating dtype.
    W : Variable or array, shape (c, o / groups, kd, kh, kw)
        Filters. Their floating dtype may differ from that of the volumes.
    b : Variable or array, shape (o,), optional
        Bias.
    stride : int or tuple of int
        Stride of the convolution: one number for the three axes, or one for each axis.
        The same applies to ``pad`` and ``dilate``.
    pad : int or tuple of int
        Padding of the convolution on either side, which is removed from the result.
    outsize : tuple of int, optional
        Lengths of the result.
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
        ``deconvolution_nd``, as are the other errors.

    See Also
    --------
    chainer_fast.functions.deconvolution_nd
    chainer_fast.links.Deconvolution3D

    Examples
    --------
    >>> x = np.ones((1, 1, 1, 1, 2), np.float32)
    >>> W = np.ones((1, 1, 1, 2, 2), np.float32)
    >>> F.deconvolution_3d(x, W).array
    array([[[[[1., 2., 1.],
              [1., 2., 1.]]]]], dtype=float32)
    """
    convolution_nd._check_axes(x, 3)
    function = DeconvolutionND(3, stride, pad, outsize, dilate, groups)
    return function.apply((x, W) if b is None else (x, W, b))[0]

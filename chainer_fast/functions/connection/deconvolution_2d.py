"""Transposed convolution of images of two dimensions."""
from __future__ import annotations

from collections.abc import Sequence

from chainer_fast import _numbers
from chainer_fast.backends.kernels import convolution, record
from chainer_fast.backends.kernels.convolution import compiled
from chainer_fast.functions.connection import _convolution, convolution_2d
from chainer_fast.types import NdArray, _ConvolutionOptions, _Unpack
from chainer_fast.utils import argument, type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray

_OPTIONS = ('dilate', 1), ('groups', 1)


@record(compiled.Deconvolution2DShortcut(), fields=('cover_all', 'outh', 'outw'))
class Deconvolution2DFunction(_convolution.Planar):
    """Transposed convolution of images with filters.

    Parameters
    ----------
    stride, pad : int or pair of int
        Stride and padding of the convolution that is transposed.
    outsize : pair of int, optional
        Height and width of the result.
    dilate, groups
        See :func:`deconvolution_2d`; keyword arguments.

    Attributes
    ----------
    outh, outw : int or None
        Height and width of the result; None before they are known.
    cover_all : bool or None
        Whether the convolution that is transposed covers all pixels; None before
        :meth:`backward`, which needs it.
    """

    outh: int | None
    outw: int | None

    cover_all: bool | None = None

    def __init__(
            self, stride: int | Sequence[int] = 1, pad: int | Sequence[int] = 0,
            outsize: Sequence[int] | None = None,
            **kwargs: _Unpack[_ConvolutionOptions]) -> None:
        super().__init__()
        if kwargs:
            dilate, groups = argument.parse_kwargs(
                kwargs, *_OPTIONS, **_convolution.RETIRED)
            self._set_window(stride, pad, _convolution.check_dilation(dilate), groups)
        else:
            self._set_window(stride, pad, 1, 1)
        self.outh, self.outw = (
            (None, None) if outsize is None else _numbers.plain_all(outsize))

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        # The length of the bias depends on the number of groups, which is not checked
        # here.
        x, W, _ = _convolution.expect_operands(in_types, 2)
        type_check.expect(x.shape[1] == W.shape[0])
        for i, out, s, p, d in zip(
                (2, 3), (self.outh, self.outw), *self._window(), strict=True):
            if out is not None:
                _convolution.expect_outsize(x, W, i, out, s, p, d)

    def _advice(self, expect, x, *others):
        return _convolution.advise(expect, x, others[0], self.groups, axis=0)

    def _calc_out_size(self, x_shape, w_shape):
        self.outh, self.outw = _convolution.transposed_lengths(
            x_shape[2:], w_shape[2:], *self._window(), (self.outh, self.outw),
            (RuntimeError, ValueError))

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, W, *b = self._channels_second(inputs)
        self.retain_inputs((0, 1))
        groups = _convolution.check_groups(self.groups, ValueError, input=x.shape[1])
        _convolution.check_bias(b, W.shape[1] * groups)
        self._calc_out_size(x.shape, W.shape)
        y = convolution.convolve_transposed(
            x, W, b[0] if b else None, *self._window(), groups,
            (self.outh, self.outw))
        return self._in_layout(y, self._layout_of_images()),

    forward_cpu = forward_gpu = forward

    def _set_cover_all(self, x, W):
        self.cover_all = _convolution.covers_all(
            x.shape[2:], (self.outh, self.outw), W.shape[2:], *self._window())

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> Sequence[Variable | None]:
        x, W = self.get_retained_inputs()
        gy, = grad_outputs
        self._set_cover_all(x, W)
        gradients = []
        for i in indexes:
            if i == 0:
                # The positions are given: some axes may need to be covered, others not.
                gradients.append(
                    convolution_2d._convolved(self, gy, W, x.shape[2:]))
            elif i == 1:
                gradients.append(convolution_2d.Convolution2DGradW(
                    self, W.shape, W.dtype, W.layout).apply((gy, x))[0])
            else:
                gradients.append(_convolution.bias_gradient(gy, gy.dtype))
        return gradients


def deconvolution_2d(
        x: VariableOrArray, W: VariableOrArray, b: VariableOrArray | None = None,
        stride: int | Sequence[int] = 1, pad: int | Sequence[int] = 0,
        outsize: Sequence[int] | None = None,
        **kwargs: _Unpack[_ConvolutionOptions]) -> Variable:
    """Apply a transposed convolution to images, also known as deconvolution.

    It is the adjoint of :func:`convolution_2d` with the same filters, stride, padding
    and dilation. The smallest height that such a convolution maps to the height of
    ``x`` is :math:`s_y (h - 1) + d_y (k_h - 1) + 1 - 2 p_h`, which is the default
    height of the result. The width is computed in the same way.

    .. math::

        y_{n, o, i} = b_o + \\sum_{(j, u) : s j + d u - p = i} \\sum_c
            W_{c, o, u}\\, x_{n, c, j}

    where :math:`i`, :math:`j` and :math:`u` are pairs of numbers, as are the stride
    :math:`s`, the dilation :math:`d` and the padding :math:`p`.

    See: M. D. Zeiler et al., `Deconvolutional networks
    <https://doi.org/10.1109/CVPR.2010.5539957>`_, CVPR 2010.

    Parameters
    ----------
    x : Variable or array, shape (n, c, h, w)
        Images, of a floating dtype.
    W : Variable or array, shape (c, o / groups, kh, kw)
        Filters. Their floating dtype may differ from that of the images.
    b : Variable or array, shape (o,), optional
        Bias, of the dtype of the images.
    stride : int or pair of int
        Stride of the convolution, vertical and horizontal.
    pad : int or pair of int
        Padding of the convolution on either side, which is removed from the result.
    outsize : pair of int, optional
        Height and width of the result. A convolution with a stride maps images of
        several sizes to the same size.
    dilate : int or pair of int
        Distance between two elements of the window. Keyword argument.
    groups : int
        Number of groups that channels are split into, see :func:`convolution_2d`.
        Keyword argument.

    Returns
    -------
    Variable
        Images of shape ``(n, o, h_out, w_out)``, in the dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If dtypes or shapes do not match, or no convolution maps ``outsize`` to
        the size of ``x``.
    RuntimeError
        If padding is so large that the result would be empty.
    ValueError
        If the stride is zero, padding is negative, dilation is not positive, the groups
        do not divide the channels, or the retired argument ``deterministic`` is given.
    TypeError
        If any other argument is given.

    See Also
    --------
    chainer_fast.functions.convolution_2d
    chainer_fast.functions.deconvolution_nd
    chainer_fast.links.Deconvolution2D

    Examples
    --------
    >>> x = np.array([[[[1., 2.], [3., 4.]]]], np.float32)
    >>> W = np.ones((1, 1, 2, 2), np.float32)
    >>> F.deconvolution_2d(x, W).array
    array([[[[ 1.,  3.,  2.],
             [ 4., 10.,  6.],
             [ 3.,  7.,  4.]]]], dtype=float32)
    >>> F.deconvolution_2d(x, W, stride=2).shape
    (1, 1, 4, 4)
    """
    if kwargs:
        # Checked here so that messages name this function.
        dilate, groups = argument.parse_kwargs(
            kwargs, *_OPTIONS, deterministic=_convolution.RETIRED['deterministic'])
        kwargs = {'dilate': dilate, 'groups': groups}
    function = Deconvolution2DFunction(stride, pad, outsize, **kwargs)
    return function.apply((x, W) if b is None else (x, W, b))[0]

"""Transposed convolution of images, with parameters."""
from __future__ import annotations

from chainer_fast import _numbers
from chainer_fast.backends.arrays import get_array_types
from chainer_fast.functions.connection import _convolution, deconvolution_2d
from chainer_fast.links.connection import _filters
from chainer_fast.types import InitializerSpec, _ConvolutionOptions, _Unpack
from chainer_fast.utils import argument


class Deconvolution2D(_filters.Filtered):
    """Transposed convolution of images with filters, and a bias for each channel.

    It is the transpose of the linear map of a convolution with the same filters:

    .. math::

        y_{n, o, s_y j + d_y u - p_h, s_x k + d_x v - p_w} \\mathrel{+}=
            W_{couv}\\, x_{ncjk} \\quad\\text{for all } c, j, k, u, v

    starting from the bias :math:`b_o`; see
    :func:`chainer_fast.functions.deconvolution_2d`. Images of shape ``(n, in_channels,
    h, w)`` and a floating dtype are mapped to images of shape ``(n, out_channels,
    h_out, w_out)``, by default with ``h_out = stride * (h - 1) + dilate * (kh - 1) + 1
    - 2 * pad``.

    Parameters
    ----------
    in_channels : int or None
        Number of channels of the images. If None, it is determined at the first call,
        which also initializes ``W``.
    out_channels : int
        Number of channels of the result.
    ksize : int or pair of int
        Height and width of the filters. If it is omitted, the two preceding arguments
        are ``out_channels`` and ``ksize``.
    stride, pad : int or pair of int
        Stride and padding of the convolution that is transposed.
    nobias : bool
        Whether to omit the bias.
    outsize : pair of int, optional
        Height and width of the result; by default the smallest possible.
    initialW : initializer or None
        Initializes the filters; :class:`chainer_fast.initializers.LeCunNormal` if None.
        An array has the shape of ``W``.
    initial_bias : initializer or None
        Initializes the bias; zero if None.
    dilate : int or pair of int
        Distance between adjacent elements of the window. Keyword argument.
    groups : int
        Number of groups that the channels are split into. Keyword argument.

    Attributes
    ----------
    W : chainer_fast.Parameter
        Filters of shape ``(in_channels, out_channels / groups, kh, kw)``.
    b : chainer_fast.Parameter or None
        Bias of shape ``(out_channels,)``.
    stride, pad, dilate : pair of int
        Vertical and horizontal.
    outsize : pair
        As given, or ``(None, None)``.
    out_channels, ksize, groups
        As given.

    Raises
    ------
    ValueError
        If the groups do not divide the channels, or if ``deterministic``, a former
        argument, is given.
    TypeError
        If any other argument is given.
    AssertionError
        If the bias is an array of another shape.

    See Also
    --------
    chainer_fast.functions.deconvolution_2d

    Examples
    --------
    >>> deconv = L.Deconvolution2D(16, 3, ksize=4, stride=2, pad=1)
    >>> x = np.zeros((1, 16, 14, 14), np.float32)
    >>> deconv(x).shape
    (1, 3, 28, 28)

    With any number of channels, and the same in short form:

    >>> L.Deconvolution2D(None, 3, 5)(x).shape
    (1, 3, 18, 18)
    >>> L.Deconvolution2D(3, 5)(x).shape
    (1, 3, 18, 18)
    """

    out_channels: int
    ksize: int | tuple[int, int]
    stride: int | tuple[int, int]
    pad: int | tuple[int, int]
    dilate: int | tuple[int, int]
    outsize: tuple[None, None] | tuple[int, int]

    def __init__(
            self, in_channels: int | None, out_channels: int,
            ksize: int | tuple[int, int] | None = None,
            stride: int | tuple[int, int] = 1, pad: int | tuple[int, int] = 0,
            nobias: bool = False, outsize: tuple[int, int] | None = None,
            initialW: InitializerSpec | None = None,
            initial_bias: InitializerSpec | None = None,
            **kwargs: _Unpack[_ConvolutionOptions]) -> None:
        super().__init__()
        dilate, groups = argument.parse_kwargs(
            kwargs, ('dilate', 1), ('groups', 1),
            deterministic=_convolution.RETIRED['deterministic'])
        in_channels, self.out_channels, self.ksize = _filters.shift(
            in_channels, out_channels, ksize)
        self.stride, self.pad, self.dilate = [
            _numbers.both(value, name) for name, value in (
                ('stride', stride), ('pad', pad), ('dilate', dilate))]
        self.groups: int = _filters.count(groups, 'groups')
        self.outsize = (None, None) if outsize is None else outsize

        if isinstance(initial_bias, get_array_types()) and not nobias:
            assert initial_bias.shape == (self.out_channels,), (
                'initial_bias must have an element for each of %s output channels, got '
                'shape %s' % (self.out_channels, initial_bias.shape))
        self._set_filters(
            in_channels, nobias, initialW, initial_bias, self.out_channels)

    def _filter_shape(self, in_channels):
        kh, kw = _numbers.both(self.ksize, 'ksize')
        channels = _filters.share('output', self.out_channels, self.groups)
        _filters.share('input', in_channels, self.groups)
        return in_channels, channels, kh, kw

    def _apply_filters(self, x, W, b):
        if self.groups == 1 and self.dilate == (1, 1):
            # With this, the function need not check its keyword arguments.
            return deconvolution_2d.deconvolution_2d(
                x, W, b, self.stride, self.pad, self.outsize)
        return deconvolution_2d.deconvolution_2d(
            x, W, b, self.stride, self.pad, groups=self.groups, dilate=self.dilate,
            outsize=self.outsize)

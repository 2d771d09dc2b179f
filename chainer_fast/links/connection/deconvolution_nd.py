"""Transposed convolution of images of any dimension, with parameters."""
from __future__ import annotations

from chainer_fast.functions.connection import deconvolution_nd
from chainer_fast.links.connection import _filters
from chainer_fast.types import InitializerSpec
from chainer_fast.utils import conv_nd


class DeconvolutionND(_filters.Filtered):
    """Transposed convolution of images of any dimension with filters, and a bias.

    It is the transpose of the linear map of a convolution with the same filters:

    .. math::

        y_{no}(s \\odot j + d \\odot u - p) \\mathrel{+}= W_{co}(u)\\, x_{nc}(j)
            \\quad\\text{for all } c, j, u

    starting from the bias :math:`b_o`, with notation as for :class:`ConvolutionND`; see
    :func:`chainer_fast.functions.deconvolution_nd`. Images of shape ``(n, in_channels,
    d_1, ..., d_N)`` are mapped to images of shape ``(n, out_channels, l_1, ..., l_N)``,
    by default with ``l_i = stride * (d_i - 1) + dilate * (k_i - 1) + 1 - 2 * pad``.

    Parameters
    ----------
    ndim : int
        Number of axes of an image.
    in_channels : int or None
        Number of channels of the images. If None, it is determined at the first call,
        which also initializes ``W``.
    out_channels : int
        Number of channels of the result.
    ksize : int or tuple of int
        Lengths of the filters. If it is omitted, the two preceding arguments are
        ``out_channels`` and ``ksize``.
    stride, pad : int or tuple of int
        Stride and padding of the convolution that is transposed.
    nobias : bool
        Whether to omit the bias.
    outsize : tuple of int, optional
        Lengths of the result; by default the smallest possible.
    initialW : initializer or None
        Initializes the filters; :class:`chainer_fast.initializers.LeCunNormal` if None.
        An array has the shape of ``W``.
    initial_bias : initializer or None
        Initializes the bias; zero if None.
    dilate : int or tuple of int
        Distance between adjacent elements of the window.
    groups : int
        Number of groups that the channels are split into.

    Attributes
    ----------
    W : chainer_fast.Parameter
        Filters of shape ``(in_channels, out_channels / groups, k_1, ..., k_N)``.
    b : chainer_fast.Parameter or None
        Bias of shape ``(out_channels,)``.
    ksize, dilate : tuple of int
        One number for each axis.
    out_channels, stride, pad, outsize, groups
        As given.

    Raises
    ------
    AssertionError
        If the length of a tuple is not ``ndim``; for ``stride`` and ``pad`` at the
        first call.
    ValueError
        If the groups do not divide the channels.

    See Also
    --------
    chainer_fast.functions.deconvolution_nd

    Examples
    --------
    >>> deconv = L.DeconvolutionND(3, 4, 2, ksize=3, stride=2)
    >>> deconv(np.zeros((1, 4, 5, 5, 5), np.float32)).shape
    (1, 2, 11, 11, 11)
    """

    out_channels: int
    stride: int | tuple[int, ...]
    pad: int | tuple[int, ...]
    outsize: tuple[int, ...] | None

    def __init__(
            self, ndim: int, in_channels: int | None, out_channels: int,
            ksize: int | tuple[int, ...] | None = None,
            stride: int | tuple[int, ...] = 1, pad: int | tuple[int, ...] = 0,
            nobias: bool = False, outsize: tuple[int, ...] | None = None,
            initialW: InitializerSpec | None = None,
            initial_bias: InitializerSpec | None = None,
            dilate: int | tuple[int, ...] = 1, groups: int = 1) -> None:
        super().__init__()
        in_channels, self.out_channels, ksize = _filters.shift(
            in_channels, out_channels, ksize)
        self.ksize: int | tuple[int, ...] = conv_nd.as_tuple(ksize, ndim)
        self.dilate: int | tuple[int, ...] = conv_nd.as_tuple(dilate, ndim)
        self.stride, self.pad, self.outsize = stride, pad, outsize
        self.groups: int = _filters.count(groups, 'groups')
        self._set_filters(
            in_channels, nobias, initialW, initial_bias, self.out_channels)

    @property
    def _axes_of_images(self):
        return 2 + len(self.ksize)

    def _filter_shape(self, in_channels):
        channels = _filters.share('output', self.out_channels, self.groups)
        _filters.share('input', in_channels, self.groups)
        return in_channels, channels, *self.ksize

    def _apply_filters(self, x, W, b):
        return deconvolution_nd.deconvolution_nd(
            x, W, b, self.stride, self.pad, groups=self.groups, dilate=self.dilate,
            outsize=self.outsize)


class Deconvolution1D(DeconvolutionND):
    """Transposed convolution of sequences; see :class:`DeconvolutionND`.

    .. math::

        y_{n, o, s j + d u - p} \\mathrel{+}= W_{cou}\\, x_{ncj}
            \\quad\\text{for all } c, j, u

    starting from the bias :math:`b_o`, with the stride :math:`s`, the dilation
    :math:`d` and the padding :math:`p` of the convolution that is transposed. Sequences
    of shape ``(n, in_channels, length)`` are mapped to sequences of shape ``(n,
    out_channels, l)``, by default with ``l = stride * (length - 1) + dilate * (ksize -
    1) + 1 - 2 * pad``.

    Parameters
    ----------
    in_channels, out_channels, ksize, stride, pad, nobias, outsize
        As for :class:`DeconvolutionND`.
    initialW, initial_bias, dilate, groups
        As for :class:`DeconvolutionND`.

    Attributes
    ----------
    W : chainer_fast.Parameter
        Filters of shape ``(in_channels, out_channels / groups, ksize)``.
    b : chainer_fast.Parameter or None
        Bias of shape ``(out_channels,)``.

    See Also
    --------
    chainer_fast.functions.deconvolution_1d

    Examples
    --------
    >>> deconv = L.Deconvolution1D(4, 2, ksize=4, stride=2, pad=1)
    >>> deconv(np.zeros((1, 4, 10), np.float32)).shape
    (1, 2, 20)
    """

    def __init__(
            self, in_channels: int | None, out_channels: int,
            ksize: int | tuple[int, ...], stride: int | tuple[int, ...] = 1,
            pad: int | tuple[int, ...] = 0, nobias: bool = False,
            outsize: tuple[int, ...] | None = None,
            initialW: InitializerSpec | None = None,
            initial_bias: InitializerSpec | None = None,
            dilate: int | tuple[int, ...] = 1, groups: int = 1) -> None:
        super().__init__(
            1, in_channels, out_channels, ksize, stride, pad, nobias, groups=groups,
            dilate=dilate, outsize=outsize, initialW=initialW,
            initial_bias=initial_bias)


class Deconvolution3D(DeconvolutionND):
    """Transposed convolution of volumes; see :class:`DeconvolutionND`.

    The formula is that of :class:`DeconvolutionND` for three axes. Volumes of shape
    ``(n, in_channels, depth, height, width)`` are mapped to volumes of ``out_channels``
    channels.

    Parameters
    ----------
    in_channels, out_channels, ksize, stride, pad, nobias, outsize
        As for :class:`DeconvolutionND`.
    initialW, initial_bias, dilate, groups
        As for :class:`DeconvolutionND`.

    Attributes
    ----------
    W : chainer_fast.Parameter
        Filters of shape ``(in_channels, out_channels / groups, k_1, k_2, k_3)``.
    b : chainer_fast.Parameter or None
        Bias of shape ``(out_channels,)``.

    See Also
    --------
    chainer_fast.functions.deconvolution_3d

    Examples
    --------
    >>> deconv = L.Deconvolution3D(4, 1, ksize=2, stride=2)
    >>> deconv(np.zeros((1, 4, 5, 5, 5), np.float32)).shape
    (1, 1, 10, 10, 10)
    """

    def __init__(
            self, in_channels: int | None, out_channels: int,
            ksize: int | tuple[int, ...], stride: int | tuple[int, ...] = 1,
            pad: int | tuple[int, ...] = 0, nobias: bool = False,
            outsize: tuple[int, ...] | None = None,
            initialW: InitializerSpec | None = None,
            initial_bias: InitializerSpec | None = None,
            dilate: int | tuple[int, ...] = 1, groups: int = 1) -> None:
        super().__init__(
            3, in_channels, out_channels, ksize, stride, pad, nobias, groups=groups,
            dilate=dilate, outsize=outsize, initialW=initialW,
            initial_bias=initial_bias)

"""Convolution of images of any dimension, with parameters."""
from __future__ import annotations

from typing import Any, TypeVar

from chainer_fast.functions.connection import convolution_nd
from chainer_fast.links.connection import _filters
from chainer_fast.types import InitializerSpec
from chainer_fast.utils import conv_nd

_Convolution = TypeVar('_Convolution', bound='ConvolutionND')


class ConvolutionND(_filters.Filtered):
    """Convolution of images of any dimension with filters, and a bias.

    .. math::

        y_{no}(j) = b_o + \\sum_{c, u} W_{oc}(u)\\, x_{nc}(s \\odot j + d \\odot u - p)

    with positions :math:`j` and :math:`u`, the stride :math:`s`, the dilation :math:`d`
    and the padding :math:`p`, each with one number for every axis; see
    :func:`chainer_fast.functions.convolution_nd`. Images of shape ``(n, in_channels,
    d_1, ..., d_N)`` are mapped to images of shape ``(n, out_channels, l_1, ..., l_N)``.

    Parameters
    ----------
    ndim : int
        Number of axes of an image.
    in_channels : int or None
        Number of channels of the images. If None, it is determined at the first call,
        which also initializes ``W``.
    out_channels : int
        Number of filters.
    ksize : int or tuple of int
        Lengths of the filters. If it is omitted, the two preceding arguments are
        ``out_channels`` and ``ksize``.
    stride, pad : int or tuple of int
        Stride, and padding with zeros on either side.
    nobias : bool
        Whether to omit the bias.
    initialW : initializer or None
        Initializes the filters; :class:`chainer_fast.initializers.LeCunNormal` if None.
        An array has the shape of ``W``.
    initial_bias : initializer or None
        Initializes the bias; zero if None.
    cover_all : bool
        Whether the windows cover every element; the last one may extend beyond the
        image.
    dilate : int or tuple of int
        Distance between adjacent elements of the window.
    groups : int
        Number of groups that the channels are split into, each with its own filters.

    Attributes
    ----------
    W : chainer_fast.Parameter
        Filters of shape ``(out_channels, in_channels / groups, k_1, ..., k_N)``.
    b : chainer_fast.Parameter or None
        Bias of shape ``(out_channels,)``.
    ksize, dilate : tuple of int
        One number for each axis.
    out_channels, stride, pad, cover_all, groups
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
    chainer_fast.functions.convolution_nd

    Examples
    --------
    >>> conv = L.ConvolutionND(3, 2, 4, ksize=(3, 3, 1))
    >>> conv(np.zeros((1, 2, 8, 8, 8), np.float32)).shape
    (1, 4, 6, 6, 8)
    """

    out_channels: int
    stride: int | tuple[int, ...]
    pad: int | tuple[int, ...]
    cover_all: bool

    # Number of axes of an image, in subclasses for one number of axes.
    _of_ndim = None

    def __init__(
            self, ndim: int, in_channels: int | None, out_channels: int,
            ksize: int | tuple[int, ...] | None = None,
            stride: int | tuple[int, ...] = 1, pad: int | tuple[int, ...] = 0,
            nobias: bool = False, initialW: InitializerSpec | None = None,
            initial_bias: InitializerSpec | None = None, cover_all: bool = False,
            dilate: int | tuple[int, ...] = 1, groups: int = 1) -> None:
        super().__init__()
        in_channels, self.out_channels, ksize = _filters.shift(
            in_channels, out_channels, ksize)
        self.ksize: int | tuple[int, ...] = conv_nd.as_tuple(ksize, ndim)
        self.dilate: int | tuple[int, ...] = conv_nd.as_tuple(dilate, ndim)
        self.stride, self.pad, self.cover_all = stride, pad, cover_all
        self.groups: int = _filters.count(groups, 'groups')
        self._set_filters(
            in_channels, nobias, initialW, initial_bias, self.out_channels)

    @property
    def _axes_of_images(self):
        return 2 + len(self.ksize)

    def _filter_shape(self, in_channels):
        _filters.share('output', self.out_channels, self.groups)
        channels = _filters.share('input', in_channels, self.groups)
        return self.out_channels, channels, *self.ksize

    def _apply_filters(self, x, W, b):
        return convolution_nd.convolution_nd(
            x, W, b, self.stride, self.pad, groups=self.groups, dilate=self.dilate,
            cover_all=self.cover_all)

    @classmethod
    def from_params(
            cls: type[_Convolution], W: Any, b: Any = None,
            stride: int | tuple[int, ...] = 1, pad: int | tuple[int, ...] = 0,
            nobias: bool = False, **kwargs: Any) -> _Convolution:
        """Create a convolution with given filters.

        Parameters
        ----------
        W : chainer_fast.Variable or array, shape (o, c / groups, k_1, ..., k_N)
            Filters, which are copied.
        b : chainer_fast.Variable, array or None, shape (o,)
            Bias, which is copied; zero if None.
        stride, pad, nobias, cover_all, dilate, groups
            As in the class; the last three are keyword arguments.

        Returns
        -------
        ConvolutionND
            The link.

        Raises
        ------
        AssertionError
            If ``W`` has fewer than three axes.
        ValueError
            If the bias does not have one element per filter.
        TypeError
            If any other argument is given.
        """
        W, b = _filters.given(W, b, kwargs, 'cover_all', 'dilate', 'groups')
        n_filters, share, *ksize = W.shape
        kind = () if cls._of_ndim else (len(ksize),)
        return cls(
            *kind, share * kwargs.get('groups', 1), n_filters, tuple(ksize), stride,
            pad, nobias, initialW=W, initial_bias=b, **kwargs)


class Convolution1D(ConvolutionND):
    """Convolution of sequences; see :class:`ConvolutionND` for the arguments.

    .. math:: y_{noj} = b_o + \\sum_{cu} W_{ocu}\\, x_{n, c, s j + d u - p}

    with the stride :math:`s`, the dilation :math:`d` and the padding :math:`p`.
    Sequences of shape ``(n, in_channels, length)`` are mapped to sequences of shape
    ``(n, out_channels, l)`` with ``l = (length + 2 * pad - dilate * (ksize - 1) - 1) //
    stride + 1``.

    Parameters
    ----------
    in_channels, out_channels, ksize, stride, pad, nobias
        As for :class:`ConvolutionND`.
    initialW, initial_bias, cover_all, dilate, groups
        As for :class:`ConvolutionND`.

    Attributes
    ----------
    W : chainer_fast.Parameter
        Filters of shape ``(out_channels, in_channels / groups, ksize)``.
    b : chainer_fast.Parameter or None
        Bias of shape ``(out_channels,)``.

    See Also
    --------
    chainer_fast.functions.convolution_1d

    Examples
    --------
    >>> conv = L.Convolution1D(2, 4, ksize=3, pad=1)
    >>> conv(np.zeros((1, 2, 10), np.float32)).shape
    (1, 4, 10)
    """

    _of_ndim = 1

    def __init__(
            self, in_channels: int | None, out_channels: int,
            ksize: int | tuple[int, ...], stride: int | tuple[int, ...] = 1,
            pad: int | tuple[int, ...] = 0, nobias: bool = False,
            initialW: InitializerSpec | None = None,
            initial_bias: InitializerSpec | None = None, cover_all: bool = False,
            dilate: int | tuple[int, ...] = 1, groups: int = 1) -> None:
        super().__init__(
            self._of_ndim, in_channels, out_channels, ksize, stride, pad, nobias,
            groups=groups, dilate=dilate, cover_all=cover_all, initialW=initialW,
            initial_bias=initial_bias)


class Convolution3D(ConvolutionND):
    """Convolution of volumes; see :class:`ConvolutionND` for the arguments.

    The formula is that of :class:`ConvolutionND` for three axes. Volumes of shape ``(n,
    in_channels, depth, height, width)`` are mapped to volumes of ``out_channels``
    channels.

    Parameters
    ----------
    in_channels, out_channels, ksize, stride, pad, nobias
        As for :class:`ConvolutionND`.
    initialW, initial_bias, cover_all, dilate, groups
        As for :class:`ConvolutionND`.

    Attributes
    ----------
    W : chainer_fast.Parameter
        Filters of shape ``(out_channels, in_channels / groups, k_1, k_2, k_3)``.
    b : chainer_fast.Parameter or None
        Bias of shape ``(out_channels,)``.

    See Also
    --------
    chainer_fast.functions.convolution_3d

    Examples
    --------
    >>> conv = L.Convolution3D(1, 4, ksize=3, stride=2)
    >>> conv(np.zeros((1, 1, 9, 9, 9), np.float32)).shape
    (1, 4, 4, 4, 4)
    """

    _of_ndim = 3

    def __init__(
            self, in_channels: int | None, out_channels: int,
            ksize: int | tuple[int, ...], stride: int | tuple[int, ...] = 1,
            pad: int | tuple[int, ...] = 0, nobias: bool = False,
            initialW: InitializerSpec | None = None,
            initial_bias: InitializerSpec | None = None, cover_all: bool = False,
            dilate: int | tuple[int, ...] = 1, groups: int = 1) -> None:
        super().__init__(
            self._of_ndim, in_channels, out_channels, ksize, stride, pad, nobias,
            groups=groups, dilate=dilate, cover_all=cover_all, initialW=initialW,
            initial_bias=initial_bias)

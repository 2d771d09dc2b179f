"""Convolution of each channel separately, with parameters."""
from __future__ import annotations

from chainer_fast import _numbers
from chainer_fast.functions.connection import depthwise_convolution_2d
from chainer_fast.initializers import normal
from chainer_fast.links.connection import _filters
from chainer_fast.types import InitializerSpec


class DepthwiseConvolution2D(_filters.Filtered):
    """Convolution of each channel of images with its own filters, and a bias.

    .. math::

        y_{n, c m + i, j, k} = b_{cm + i} + \\sum_{uv} W_{icuv}\\,
            x_{n, c, s_y j + u - p_h, s_x k + v - p_w}

    with :math:`m` filters for each channel, the stride :math:`s` and the padding
    :math:`p`; see :func:`chainer_fast.functions.depthwise_convolution_2d`. Images of
    shape ``(n, in_channels, h, w)`` are mapped to images of shape ``(n, in_channels *
    channel_multiplier, h_out, w_out)``.

    Parameters
    ----------
    in_channels : int or None
        Number of channels of the images. If None, it is found at the first call, and
        the parameters are initialized then.
    channel_multiplier : int
        Number of filters for each channel.
    ksize : int or pair of int
        Height and width of the filters.
    stride, pad : int or pair of int
        Stride, and padding with zeros on either side.
    nobias : bool
        Whether to omit the bias.
    initialW : initializer or None
        Initializes the filters; if None, they are drawn from a normal distribution
        whose variance is one over the fan-in of all channels.
    initial_bias : initializer or None
        Initializes the bias; zero if None.

    Attributes
    ----------
    W : chainer_fast.Parameter
        Filters of shape ``(channel_multiplier, in_channels, kh, kw)``.
    b : chainer_fast.Parameter or None
        Bias of shape ``(in_channels * channel_multiplier,)``.
    stride, pad : pair of int
        Vertical and horizontal.
    channel_multiplier, ksize, nobias
        As given.

    See Also
    --------
    chainer_fast.functions.depthwise_convolution_2d

    References
    ----------
    L. Sifre. `Rigid-motion scattering for image classification
    <https://www.di.ens.fr/data/publications/papers/phd_sifre.pdf>`__. 2014.

    Examples
    --------
    >>> conv = L.DepthwiseConvolution2D(3, 2, ksize=3, pad=1)
    >>> conv(np.zeros((1, 3, 8, 8), np.float32)).shape
    (1, 6, 8, 8)
    """

    channel_multiplier: int
    ksize: int | tuple[int, int]
    stride: int | tuple[int, int]
    pad: int | tuple[int, int]

    def __init__(
            self, in_channels: int | None, channel_multiplier: int,
            ksize: int | tuple[int, int], stride: int | tuple[int, int] = 1,
            pad: int | tuple[int, int] = 0, nobias: bool = False,
            initialW: InitializerSpec | None = None,
            initial_bias: InitializerSpec | None = None) -> None:
        super().__init__()
        self.channel_multiplier: int = _numbers.plain(channel_multiplier)
        self.ksize = ksize
        self.stride = _numbers.both(stride, 'stride')
        self.pad = _numbers.both(pad, 'pad')
        self.nobias = nobias
        if initialW is None:
            initialW = normal.HeNormal(0.5 ** 0.5)
        self._set_filters(in_channels, nobias, initialW, initial_bias)

    def _filter_shape(self, in_channels):
        kh, kw = _numbers.both(self.ksize, 'ksize')
        return self.channel_multiplier, in_channels, kh, kw

    def _initialize_params(self, in_channels):
        super()._initialize_params(in_channels)
        if not self.nobias:
            self.b.initialize(_numbers.plain(in_channels) * self.channel_multiplier)

    def _apply_filters(self, x, W, b):
        return depthwise_convolution_2d.depthwise_convolution_2d(
            x, W, b, self.stride, self.pad)

"""Convolution whose windows are deformed depending on the image."""
from __future__ import annotations

from chainer_fast import _numbers, link
from chainer_fast.functions.connection.deformable_convolution_2d_sampler import (
    deformable_convolution_2d_sampler,
)
from chainer_fast.initializers import constant
from chainer_fast.links.connection import _filters
from chainer_fast.links.connection.convolution_2d import Convolution2D
from chainer_fast.types import InitializerSpec
from chainer_fast.variable import Variable, VariableOrArray


class DeformableConvolution2D(link.Chain):
    """Convolution whose sampling positions are computed by another convolution.

    .. math::

        y_{no}(j) = b_o + \\sum_{c, u} W_{oc}(u)\\, x_{nc}(s j + u - p + \\Delta_{nju})

    with positions :math:`j` in the image and :math:`u` in the window. One convolution
    computes the offsets :math:`\\Delta`. The filters of the other one are applied to
    the pixels at the shifted positions, which are interpolated bilinearly.

    Parameters
    ----------
    in_channels : int or None
        Number of channels of the images. If None, it is determined at the first call.
    out_channels : int
        Number of filters.
    ksize : int or pair of int
        Height and width of the filters, of both convolutions.
    stride, pad : int or pair of int
        Stride, and padding with zeros on either side, of both convolutions.
    offset_nobias, offset_initialW, offset_initial_bias
        Whether to leave out the bias, and the initializers, of the convolution that
        computes the offsets.
    deform_nobias, deform_initialW, deform_initial_bias
        The same for the convolution of the shifted windows. By default its filters are
        initially zero.

    Attributes
    ----------
    offset_conv : chainer_fast.links.Convolution2D
        Computes the offsets.
    deform_conv : DeformableConvolution2DSampler
        Convolution of the shifted windows.

    See Also
    --------
    chainer_fast.functions.deformable_convolution_2d_sampler

    References
    ----------
    J. Dai et al. `Deformable convolutional networks
    <https://arxiv.org/abs/1703.06211>`__. ICCV 2017.

    Examples
    --------
    >>> conv = L.DeformableConvolution2D(3, 4, ksize=3, pad=1)
    >>> conv(np.ones((1, 3, 6, 6), np.float32)).shape
    (1, 4, 6, 6)
    >>> conv.offset_conv.W.shape, conv.deform_conv.W.shape
    ((18, 3, 3, 3), (4, 3, 3, 3))
    """

    def __init__(
            self, in_channels: int | None, out_channels: int,
            ksize: int | tuple[int, int], stride: int | tuple[int, int] = 1,
            pad: int | tuple[int, int] = 0, offset_nobias: bool = False,
            offset_initialW: InitializerSpec | None = None,
            offset_initial_bias: InitializerSpec | None = None,
            deform_nobias: bool = False, deform_initialW: InitializerSpec | None = None,
            deform_initial_bias: InitializerSpec | None = None) -> None:
        super().__init__()
        window = ksize, stride, pad
        kh, kw = _numbers.both(ksize, 'ksize')
        self.add_link('offset_conv', Convolution2D(
            in_channels, 2 * (kh * kw), *window, offset_nobias, offset_initialW,
            offset_initial_bias))
        self.add_link('deform_conv', DeformableConvolution2DSampler(
            in_channels, out_channels, *window, deform_nobias, deform_initialW,
            deform_initial_bias))

    def forward(self, x: VariableOrArray) -> Variable:
        """Convolve images.

        Parameters
        ----------
        x : chainer_fast.Variable or array, shape (n, in_channels, h, w)
            Images.

        Returns
        -------
        chainer_fast.Variable
            Images of shape ``(n, out_channels, h_out, w_out)``.

        Raises
        ------
        chainer_fast.utils.type_check.InvalidType
            If ``x`` does not have four axes, or has another dtype or number of
            channels.
        """
        return self.deform_conv(x, self.offset_conv(x))


class DeformableConvolution2DSampler(_filters.Filtered):
    """Convolution of windows that are shifted by given offsets.

    Parameters
    ----------
    in_channels : int or None
        Number of channels of the images. If None, it is found at the first call, and
        the parameters are initialized then.
    out_channels : int
        Number of filters.
    ksize, stride, pad : int or pair of int
        Height and width of the filters, stride, and padding.
    nobias : bool
        Whether to omit the bias.
    initialW, initial_bias : initializer or None
        Initialize filters and bias; zero if None.

    Attributes
    ----------
    W : chainer_fast.Parameter
        Filters of shape ``(out_channels, in_channels, kh, kw)``.
    b : chainer_fast.Parameter or None
        Bias of shape ``(out_channels,)``.
    stride, pad : pair of int
        Vertical and horizontal.
    out_channels, ksize, initialW
        As given.
    """

    out_channels: int
    ksize: int | tuple[int, int]
    initialW: InitializerSpec | None
    stride: int | tuple[int, int]
    pad: int | tuple[int, int]

    def __init__(
            self, in_channels: int | None, out_channels: int,
            ksize: int | tuple[int, int], stride: int | tuple[int, int] = 1,
            pad: int | tuple[int, int] = 0, nobias: bool = False,
            initialW: InitializerSpec | None = None,
            initial_bias: InitializerSpec | None = None) -> None:
        super().__init__()
        self.out_channels, self.ksize, self.initialW = out_channels, ksize, initialW
        self.stride = _numbers.both(stride, 'stride')
        self.pad = _numbers.both(pad, 'pad')
        self._set_filters(
            in_channels, nobias, constant.Zero() if initialW is None else initialW,
            initial_bias)

    def _filter_shape(self, in_channels):
        kh, kw = _numbers.both(self.ksize, 'ksize')
        return self.out_channels, in_channels, kh, kw

    def _initialize_params(self, in_channels):
        super()._initialize_params(in_channels)
        if self.b is not None:
            self.b.initialize(self.out_channels)

    def forward(  # type: ignore[override]
            self, x: VariableOrArray, offset: VariableOrArray) -> Variable:
        """Convolve images.

        Parameters
        ----------
        x : chainer_fast.Variable or array, shape (n, in_channels, h, w)
            Images.
        offset : chainer_fast.Variable or array, shape (n, 2 * kh * kw, h_out, w_out)
            Offsets of the elements of the window, in pixels.

        Returns
        -------
        chainer_fast.Variable
            Images of shape ``(n, out_channels, h_out, w_out)``.

        Raises
        ------
        chainer_fast.utils.type_check.InvalidType
            If dtypes or shapes do not match.
        """
        if self.W.array is None:
            self._initialize_params(x.shape[1])
        return deformable_convolution_2d_sampler(
            x, offset, W=self.W, b=self.b, pad=self.pad, stride=self.stride)

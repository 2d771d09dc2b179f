"""Dilated convolution, with parameters."""
from __future__ import annotations

from typing import NoReturn

from chainer_fast import _numbers
from chainer_fast.functions.connection import dilated_convolution_2d
from chainer_fast.links.connection import _filters
from chainer_fast.types import InitializerSpec
from chainer_fast.utils import argument


class DilatedConvolution2D(_filters.Filtered):
    """Convolution with dilated filters, and a bias for each channel.

    .. math::

        y_{nojk} = b_o + \\sum_{cuv} W_{ocuv}\\,
            x_{n, c, s_y j + d_y u - p_h, s_x k + d_x v - p_w}

    with the stride :math:`s`, the dilation :math:`d` and the padding :math:`p`; see
    :func:`chainer_fast.functions.dilated_convolution_2d`. Images of shape ``(n,
    in_channels, h, w)`` are mapped to images of shape ``(n, out_channels, h_out,
    w_out)``. The link :class:`~chainer_fast.links.Convolution2D` is more general.

    Parameters
    ----------
    in_channels : int or None
        Number of channels of the images. If None, it is determined at the first call,
        which also initializes ``W``.
    out_channels : int
        Number of filters.
    ksize : int or pair of int
        Height and width of the filters. If it is omitted, the two preceding arguments
        are ``out_channels`` and ``ksize``.
    stride, pad : int or pair of int
        Stride, and padding with zeros on either side.
    dilate : int or pair of int
        Distance between adjacent elements of the window.
    nobias : bool
        Whether to omit the bias.
    initialW : initializer or None
        Initializes the filters; :class:`chainer_fast.initializers.LeCunNormal` if None.
    initial_bias : initializer or None
        Initializes the bias; zero if None.

    Attributes
    ----------
    W : chainer_fast.Parameter
        Filters of shape ``(out_channels, in_channels, kh, kw)``.
    b : chainer_fast.Parameter or None
        Bias of shape ``(out_channels,)``.
    stride, pad, dilate : pair of int
        Vertical and horizontal.
    out_channels, ksize
        As given.

    Raises
    ------
    TypeError
        If any other argument is given.

    See Also
    --------
    chainer_fast.functions.dilated_convolution_2d

    References
    ----------
    F. Yu and V. Koltun. `Multi-scale context aggregation by dilated convolutions
    <https://arxiv.org/abs/1511.07122>`__. ICLR 2016.

    Examples
    --------
    >>> conv = L.DilatedConvolution2D(3, 4, ksize=3, dilate=2)
    >>> conv(np.zeros((1, 3, 9, 9), np.float32)).shape
    (1, 4, 5, 5)
    """

    out_channels: int
    ksize: int | tuple[int, int]
    stride: int | tuple[int, int]
    pad: int | tuple[int, int]
    dilate: int | tuple[int, int]

    @argument.hide_retired
    def __init__(
            self, in_channels: int | None, out_channels: int,
            ksize: int | tuple[int, int] | None = None,
            stride: int | tuple[int, int] = 1, pad: int | tuple[int, int] = 0,
            dilate: int | tuple[int, int] = 1, nobias: bool = False,
            initialW: InitializerSpec | None = None,
            initial_bias: InitializerSpec | None = None,
            **retired: NoReturn) -> None:
        super().__init__()
        if retired:
            argument.assert_kwargs_empty(retired)
        in_channels, self.out_channels, self.ksize = _filters.shift(
            in_channels, out_channels, ksize)
        self.stride, self.pad, self.dilate = [
            _numbers.both(value, name) for name, value in (
                ('stride', stride), ('pad', pad), ('dilate', dilate))]
        self._set_filters(
            in_channels, nobias, initialW, initial_bias, self.out_channels)

    def _filter_shape(self, in_channels):
        kh, kw = _numbers.both(self.ksize, 'ksize')
        return self.out_channels, in_channels, kh, kw

    def _apply_filters(self, x, W, b):
        return dilated_convolution_2d.dilated_convolution_2d(
            x, W, b, self.stride, self.pad, self.dilate)

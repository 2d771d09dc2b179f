"""Convolution of images, with parameters."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

from chainer_fast import _numbers, memory_layouts
from chainer_fast.configuration import config, get_compute_mode
from chainer_fast.functions.connection import _convolution, convolution_2d
from chainer_fast.links.connection import _filters
from chainer_fast.types import InitializerSpec, _ConvolutionOptions, _Unpack
from chainer_fast.utils import _foreign, argument
from chainer_fast.variable import Variable, VariableOrArray, as_variable

_Convolution = TypeVar('_Convolution', bound='Convolution2D')


class Convolution2D(_filters.Filtered):
    """Convolution of images with filters, and a bias for each channel.

    .. math::

        y_{nojk} = b_o + \\sum_{cuv} W_{ocuv}\\,
            x_{n, c, s_y j + d_y u - p_h, s_x k + d_x v - p_w}

    with the stride :math:`s`, the dilation :math:`d` and the padding :math:`p`; see
    :func:`chainer_fast.functions.convolution_2d`.

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
    nobias : bool
        Whether to omit the bias.
    initialW : initializer or None
        Initializes the filters; :class:`chainer_fast.initializers.LeCunNormal` if None.
        An array has the shape of ``W``.
    initial_bias : initializer or None
        Initializes the bias; zero if None.
    dilate : int or pair of int
        Distance between adjacent elements of the window. Keyword argument.
    groups : int
        Number of groups that the channels are split into, each with its own filters.
        Keyword argument.

    Attributes
    ----------
    W : chainer_fast.Parameter
        Filters of shape ``(out_channels, in_channels / groups, kh, kw)``.
    b : chainer_fast.Parameter or None
        Bias of shape ``(out_channels,)``.
    in_channels, out_channels, ksize
        As given; ``in_channels`` remains None if it was left to the first call.
    stride, pad, dilate : pair of int
        Vertical and horizontal.
    groups : int
        As given.
    cudnn_fast : bool
        Whether the link was created in the compute mode ``'cudnn_fast'``, in which
        filters and images have the channels last.
    x_layout : str or None
        Required memory layout of images.

    Raises
    ------
    ValueError
        If the groups do not divide the channels, or if ``deterministic``, a former
        argument, is given.
    TypeError
        If any other argument is given.

    See Also
    --------
    chainer_fast.functions.convolution_2d

    Examples
    --------
    >>> conv = L.Convolution2D(3, 16, ksize=5, stride=2, pad=2)
    >>> x = np.zeros((1, 3, 28, 28), np.float32)
    >>> conv(x).shape
    (1, 16, 14, 14)

    With any number of channels, and the same in short form:

    >>> L.Convolution2D(None, 16, 5)(x).shape
    (1, 16, 24, 24)
    >>> L.Convolution2D(16, 5)(x).shape
    (1, 16, 24, 24)

    A filter for each channel:

    >>> L.Convolution2D(3, 3, 5, groups=3).W.shape
    (3, 1, 5, 5)
    """

    in_channels: int | None
    out_channels: int
    stride: int | tuple[int, int]
    pad: int | tuple[int, int]
    dilate: int | tuple[int, int]
    x_layout: str | None

    def __init__(
            self, in_channels: int | None, out_channels: int,
            ksize: int | tuple[int, int] | None = None,
            stride: int | tuple[int, int] = 1, pad: int | tuple[int, int] = 0,
            nobias: bool = False, initialW: InitializerSpec | None = None,
            initial_bias: InitializerSpec | None = None,
            **kwargs: _Unpack[_ConvolutionOptions]) -> None:
        super().__init__()
        dilate, groups = argument.parse_kwargs(
            kwargs, ('dilate', 1), ('groups', 1),
            deterministic=_convolution.RETIRED['deterministic'])
        in_channels, out_channels, ksize = _filters.shift(
            in_channels, out_channels, ksize)
        self.in_channels, self.out_channels = in_channels, out_channels
        self.ksize: int | tuple[int, int] = ksize
        self.stride, self.pad, self.dilate = [
            _numbers.both(value, name) for name, value in (
                ('stride', stride), ('pad', pad), ('dilate', dilate))]
        self.groups: int = _filters.count(groups, 'groups')

        w_layout = self.x_layout = None
        self.cudnn_fast: bool = get_compute_mode() == 'cudnn_fast'
        if self.cudnn_fast:
            w_layout = memory_layouts.CUDNN_CHANNEL_LAST_W
            self.x_layout = memory_layouts.CUDNN_CHANNEL_LAST_X
        self._set_filters(in_channels, nobias, initialW, initial_bias, out_channels,
                          w_layout)

    @property
    def printable_specs(self) -> Iterator[tuple[str, Any]]:
        """The arguments, as ``repr`` shows them."""
        for name in ('in_channels', 'out_channels', 'ksize', 'stride', 'pad'):
            yield name, getattr(self, name)
        yield 'nobias', self.b is None
        yield 'dilate', self.dilate
        yield 'groups', self.groups

    def _filter_shape(self, in_channels):
        kh, kw = _numbers.both(self.ksize, 'ksize')
        _filters.share('output', self.out_channels, self.groups)
        channels = _filters.share('input', in_channels, self.groups)
        return self.out_channels, channels, kh, kw

    def forward(self, x: VariableOrArray) -> Variable:
        """Convolve images.

        Parameters
        ----------
        x : chainer_fast.Variable or array, shape (n, in_channels, h, w)
            Images of a floating dtype, that of ``W``, in the memory layout
            ``x_layout``.

        Returns
        -------
        chainer_fast.Variable
            Images of shape ``(n, out_channels, h_out, w_out)``.

        Raises
        ------
        chainer_fast.utils.type_check.InvalidType
            If ``x`` has another number of axes or of channels, or another dtype.
        AssertionError
            If ``x`` has another memory layout, or is smaller than the window.
        ValueError
            If ``x`` does not have four dimensions and ``W`` is not initialized yet.
        """
        layout = getattr(x, 'layout', None)
        if layout != self.x_layout:
            words = _foreign.cure(x)    # PyTorch tensors have a layout, too
            if words is not None:
                raise TypeError(words)
            raise AssertionError(
                'the link was created, in its compute mode, for images of the layout '
                '%r, not %r' % (self.x_layout, layout))
        W = self.W
        if W.raw_array is None:
            _, in_channels, _, _ = as_variable(x).shape
            self._initialize_params(in_channels)
        if config.cudnn_channels_last:
            _filters.lay_out(W)
        if self.groups == 1 and self.dilate == (1, 1) and not self.cudnn_fast:
            # With this, the function need not check its keyword arguments.
            return convolution_2d.convolution_2d(x, W, self.b, self.stride, self.pad)
        return convolution_2d.convolution_2d(
            x, W, self.b, self.stride, self.pad, groups=self.groups,
            dilate=self.dilate, cudnn_fast=self.cudnn_fast)

    @classmethod
    def from_params(
            cls: type[_Convolution], W: Any, b: Any = None,
            stride: int | tuple[int, int] = 1, pad: int | tuple[int, int] = 0,
            nobias: bool = False,
            **kwargs: _Unpack[_ConvolutionOptions]) -> _Convolution:
        """Create a convolution with given filters.

        Parameters
        ----------
        W : chainer_fast.Variable or array, shape (o, c / groups, kh, kw)
            Filters, which are copied.
        b : chainer_fast.Variable, array or None, shape (o,)
            Bias, which is copied; zero if None.
        stride, pad, nobias, dilate, groups
            As in the class; the last two are keyword arguments.

        Returns
        -------
        Convolution2D
            The link.

        Raises
        ------
        ValueError
            If ``W`` does not have four axes, or the bias does not have one element per
            filter.
        TypeError
            If any other argument is given.

        Examples
        --------
        >>> mean = np.full((1, 1, 3, 3), 1 / 9, np.float32)
        >>> blur = L.Convolution2D.from_params(mean, pad=1)
        >>> image = np.eye(3, dtype=np.float32)[np.newaxis, np.newaxis]
        >>> blur(image).array[0, 0]
        array([[0.2222, 0.2222, 0.1111],
               [0.2222, 0.3333, 0.2222],
               [0.1111, 0.2222, 0.2222]], dtype=float32)
        """
        n_filters, share, *window = W.shape
        kh, kw = window
        W, b = _filters.given(W, b, kwargs, 'dilate', 'groups')
        return cls(
            share * kwargs.get('groups', 1), n_filters, (kh, kw), stride, pad, nobias,
            initialW=W, initial_bias=b, **kwargs)

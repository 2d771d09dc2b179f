"""Convolution with separate filters at each position, with parameters."""
from __future__ import annotations

from typing import NoReturn

from chainer_fast import _numbers
from chainer_fast.functions.connection import local_convolution_2d
from chainer_fast.links.connection import _filters
from chainer_fast.types import InitializerSpec
from chainer_fast.utils import conv
from chainer_fast.variable import Variable, VariableOrArray


class LocalConvolution2D(_filters.Filtered):
    """Convolution whose filters and biases differ between positions.

    .. math::

        y_{nojk} = b_{ojk} + \\sum_{cuv} W_{ojkcuv}\\, x_{n, c, s_y j + u, s_x k + v}

    with the stride :math:`s`; see :func:`chainer_fast.functions.local_convolution_2d`.

    Parameters
    ----------
    in_channels : int or None
        Number of channels of the images.
    out_channels : int
        Number of filters at each position.
    in_size : int, pair of int or None
        Height and width of the images. If this or ``in_channels`` is None, both are
        determined at the first call, which also initializes the parameters.
    ksize : int or pair of int
        Height and width of the filters.
    stride : int or pair of int
        Stride.
    nobias : bool
        Whether to omit the bias.
    initialW : initializer or None
        Initializes the filters; :class:`chainer_fast.initializers.LeCunNormal` if None.
    initial_bias : initializer or None
        Initializes the bias; zero if None.
    **kwargs
        Ignored; kept for old code.

    Attributes
    ----------
    W : chainer_fast.Parameter
        Filters of shape ``(out_channels, h_out, w_out, in_channels, kh, kw)``.
    b : chainer_fast.Parameter or None
        Bias of shape ``(out_channels, h_out, w_out)``.
    stride : pair of int
        Vertical and horizontal.
    out_channels, ksize, nobias
        As given.

    See Also
    --------
    chainer_fast.functions.local_convolution_2d

    Examples
    --------
    >>> conv = L.LocalConvolution2D(3, 4, in_size=8, ksize=3)
    >>> conv(np.zeros((1, 3, 8, 8), np.float32)).shape
    (1, 4, 6, 6)
    >>> conv.W.shape
    (4, 6, 6, 3, 3, 3)
    """

    out_channels: int
    ksize: int | tuple[int, int] | None

    def __init__(
            self, in_channels: int | None, out_channels: int,
            in_size: int | tuple[int, int] | None = None,
            ksize: int | tuple[int, int] | None = None,
            stride: int | tuple[int, int] = 1, nobias: bool = False,
            initialW: InitializerSpec | None = None,
            initial_bias: InitializerSpec | None = None, **kwargs: NoReturn) -> None:
        super().__init__()
        self.out_channels, self.ksize = out_channels, ksize
        self.stride: int | tuple[int, int] = _numbers.both(stride, 'stride')
        self.nobias = nobias
        self._set_filters(None, nobias, initialW, initial_bias)
        if in_channels is not None and in_size is not None:
            self._initialize_params(in_channels, in_size)

    def _initialize_params(self, in_channels, in_size):
        window = kh, kw = _numbers.both(self.ksize, 'ksize')
        height, width = _numbers.both(in_size, 'in_size')
        sy, sx = self.stride
        places = (
            self.out_channels, conv.get_conv_outsize(height, kh, sy, 0),
            conv.get_conv_outsize(width, kw, sx, 0))
        self.W.initialize((*places, in_channels, *window))
        if not self.nobias:
            self.b.initialize(places)

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
            If ``x`` has another dtype, number of axes or number of channels.
        """
        if self.W.array is None:
            self._initialize_params(x.shape[1], x.shape[2:])
        return local_convolution_2d.local_convolution_2d(
            x, self.W, b=self.b, stride=self.stride)

"""Convolution followed by a perceptron at every pixel."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from chainer_fast import link
from chainer_fast.functions.activation import relu
from chainer_fast.links.connection import _filters, convolution_2d
from chainer_fast.utils import argument
from chainer_fast.variable import Variable, VariableOrArray

_WSCALE = (
    'wscale is not supported anymore. Use conv_init and bias_init to specify the '
    'initialization of filters and biases.')


class MLPConvolution2D(link.ChainList):
    """Convolution followed by a small perceptron that is applied to each pixel.

    .. math::

        h_1 = W_1 * x + b_1, \\qquad h_{i + 1} = W_{i + 1} * a(h_i) + b_{i + 1}

    where :math:`*` is convolution and :math:`a` the activation function. All filters
    except the first ones have windows of one pixel. The link is a list of its
    convolutions, and its result is the last :math:`h_i`.

    Parameters
    ----------
    in_channels : int or None
        Number of channels of the images, determined at the first call if None.
    out_channels : tuple of int
        Number of channels after each of the convolutions.
    ksize : int or pair of int
        Height and width of the filters of the first convolution. If it is omitted, the
        two preceding arguments are ``out_channels`` and ``ksize``.
    stride, pad : int or pair of int
        Stride and padding of the first convolution.
    activation : callable
        Applied between two convolutions.
    *args
        Not accepted; the first of them used to be ``wscale``.
    conv_init : initializer or None
        Initializes the filters. Keyword argument.
    bias_init : initializer or None
        Initializes the biases. Keyword argument.

    Attributes
    ----------
    activation : callable
        As given.

    Raises
    ------
    AssertionError
        If there is no convolution.
    ValueError
        If ``wscale``, a former argument, is given.
    TypeError
        If any other argument is given.

    See Also
    --------
    chainer_fast.links.Convolution2D

    References
    ----------
    M. Lin, Q. Chen and S. Yan. `Network in network
    <https://arxiv.org/abs/1312.4400>`__. ICLR 2014.

    Examples
    --------
    >>> mlpconv = L.MLPConvolution2D(3, (16, 16, 8), ksize=5, pad=2)
    >>> mlpconv(np.zeros((1, 3, 8, 8), np.float32)).shape
    (1, 8, 8, 8)
    >>> [conv.W.shape for conv in mlpconv]
    [(16, 3, 5, 5), (16, 16, 1, 1), (8, 16, 1, 1)]
    """

    def __init__(
            self, in_channels: int | None, out_channels: tuple[int, ...],
            ksize: int | tuple[int, int] | None = None,
            stride: int | tuple[int, int] = 1, pad: int | tuple[int, int] = 0,
            activation: Callable[..., Any] = relu.relu, *args: Any,
            **kwargs: Any) -> None:
        if args:
            # The first of them used to be wscale.
            raise TypeError(_WSCALE)
        conv_init, bias_init = argument.parse_kwargs(
            kwargs, ('conv_init', None), ('bias_init', None), wscale=_WSCALE)
        in_channels, out_channels, ksize = _filters.shift(
            in_channels, out_channels, ksize)
        assert len(out_channels) > 0, 'out_channels must not be empty'
        super().__init__()
        self.activation = activation
        window = ksize, stride, pad
        for n in out_channels:
            self.append(convolution_2d.Convolution2D(
                in_channels, n, *window, initialW=conv_init, initial_bias=bias_init))
            in_channels, window = n, (1,)

    def forward(self, x: VariableOrArray) -> Variable:
        """Apply the convolutions.

        Parameters
        ----------
        x : chainer_fast.Variable or array, shape (n, in_channels, h, w)
            Images.

        Returns
        -------
        chainer_fast.Variable
            Images of shape ``(n, out_channels[-1], h_out, w_out)``.

        Raises
        ------
        chainer_fast.utils.type_check.InvalidType
            If ``x`` has another dtype, number of axes or number of channels.
        """
        first, *others = self
        y: Variable = first(x)
        for convolution in others:
            y = convolution(self.activation(y))
        return y

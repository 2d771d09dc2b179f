"""Base of links that apply filters to images."""
from __future__ import annotations

from chainer_fast import _numbers, initializers, link, variable
from chainer_fast.backends.kernels import convolution
from chainer_fast.configuration import config
from chainer_fast.functions.connection import _convolution
from chainer_fast.utils import argument
from chainer_fast.variable import Parameter, Variable, VariableOrArray


class Filtered(link.Link):
    """Base of links that apply filters to images, and add a bias to each channel.

    A subclass sets its attributes, then calls :meth:`_set_filters`.

    Attributes
    ----------
    W : chainer_fast.Parameter
        The filters.
    b : chainer_fast.Parameter or None
        The bias.
    """

    b: Parameter | None

    # Number of axes of a batch of images.
    _axes_of_images = 4

    def _words_on_error(self, error, args):
        x = args[0] if args else None
        if not isinstance(error, (AssertionError, ValueError)) or not hasattr(
                x, 'shape'):
            return None
        channels = getattr(self, 'in_channels', None)
        return _convolution.advise_on_axes(
            x, self._axes_of_images, x.shape[1:2] and (channels or x.shape[1]))

    def _set_filters(self, in_channels, nobias, initialW, initial_bias,
                     bias_shape=None, layout=None):
        """Create the parameters, and initialize those whose shape is already known."""
        if nobias is not False:
            argument.check_nobias(nobias)
        W = variable.Parameter(initializers._get_initializer(initialW), layout=layout)
        b = None if nobias else variable.Parameter(
            initializers._get_initializer(0 if initial_bias is None else initial_bias))
        with self.init_scope():
            self.W, self.b = W, b
        # The order matters, since both may draw random numbers.
        if in_channels is not None:
            self._initialize_params(in_channels)
        if b is not None and bias_shape is not None:
            b.initialize(bias_shape)

    def _initialize_params(self, in_channels):
        """Initialize the parameters that depend on the number of input channels."""
        self.W.initialize(self._filter_shape(in_channels))

    def _filter_shape(self, in_channels):
        raise NotImplementedError

    def forward(self, x: VariableOrArray) -> Variable:
        """Apply the filters, and add the bias.

        Parameters
        ----------
        x : chainer_fast.Variable or array, shape (n, in_channels, ...)
            Images of a floating dtype.

        Returns
        -------
        chainer_fast.Variable
            Images with as many axes as ``x`` and the channels on the second axis.

        Raises
        ------
        chainer_fast.utils.type_check.InvalidType
            If ``x`` has another dtype, number of axes or number of channels.
        ValueError
            If the groups do not divide the number of channels, or, for convolutions of
            any dimension, if the number of channels is wrong.
        AssertionError
            If the images are smaller than the window, or, for links of any dimension,
            if the number of axes is wrong.
        """
        W = self.W
        if W.raw_array is None:
            self._initialize_params(x.shape[1])
        if config.cudnn_channels_last:
            lay_out(W)
        return self._apply_filters(x, W, self.b)

    def _apply_filters(self, x, W, b):
        raise NotImplementedError


def lay_out(W):
    """Store the filters of a parameter in the memory order that convolutions prefer."""
    array = W.raw_array
    in_order = array if W.layout is not None else convolution.laid_out(array)
    if in_order is not array:
        W.array = in_order


def shift(in_channels, out_channels, ksize):
    """Return the three arguments, shifted by one if the first one was omitted."""
    if ksize is None:
        return None, in_channels, out_channels
    return in_channels, out_channels, ksize


def count(value, name):
    """Return an argument as an int, converted by :func:`int`."""
    try:
        return int(_numbers.plain(value))
    except TypeError:
        raise TypeError('%s must be an integer, but is %r' % (name, value)) from None


def share(side, count, groups):
    """Return the number of channels in each group; ``side`` is for messages."""
    try:
        remainder = count % groups
    except TypeError:       # the message for a string is about its format
        raise TypeError('the number of %s channels must be an integer, but is %r'
                        % (side, count)) from None
    if remainder:
        raise ValueError(
            'the number of %s channels must be divisible by the number of groups: got '
            '%s channels and %s groups' % (side, count, groups))
    return int(_numbers.plain(count) / groups)


def given(W, b, options, *names):
    """Check arguments of ``from_params``; return arrays of the filters and the bias.

    Parameters
    ----------
    W, b : chainer_fast.Variable, array or None
        Filters or rows of weights, one for each output, and bias.
    options : dict
        Keyword arguments.
    *names : str
        Names of arguments that are allowed.

    Raises
    ------
    TypeError
        If there is any other keyword argument.
    ValueError
        If the bias does not have one element per output.
    """
    unknown = options.keys() - set(names)
    if unknown:
        raise argument.unexpected('from_params', unknown, names)
    if b is not None:
        if b.size != W.shape[0]:
            raise ValueError('b must have an element for each of %d outputs, got %d'
                             % (W.shape[0], b.size))
        b = variable.as_array(b)
    return variable.as_array(W), b

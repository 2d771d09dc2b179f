"""Initial weights of links up to Chainer 1.8, which had no initializers.

``wscale`` was the scale itself, not its square, and a given array was not scaled. Some
links drew from other distributions, or in another order.
"""
import math

from chainer_fast import links
from chainer_fast.initializer import Initializer
from chainer_fast.initializers import LeCunNormal, Normal
from chainer_fast.legacy import _named, _report
from chainer_fast.legacy._links.meanings import with_default
from chainer_fast.links.rnn.lstm import LSTMBase

_WHAT = 'initial weights of Chainer 1.8'


class ByInputs(Initializer):
    """Draws from a normal distribution whose deviation depends on the inputs.

    Parameters
    ----------
    scale : float
        Standard deviation, times the square root of the number of inputs.
    axis : int or None
        Axis of the outputs; the elements along the other axes are inputs. If None, all
        axes are inputs.
    """

    def __init__(self, scale=1, axis=0):
        super().__init__()
        self.scale, self.axis = scale, axis

    def __call__(self, array):
        outputs = 1 if self.axis is None else array.shape[self.axis]
        Normal(self.scale * math.sqrt(outputs / array.size))(array)


def _change_to(argument, axis):
    """Return a change of arguments that replaces wscale by an initializer."""
    def change(arguments):
        scale = arguments.pop('wscale', 1)
        if scale != 1:
            _report.adapted(_WHAT)
        if arguments.get(argument) is None:
            arguments[argument] = ByInputs(scale, axis)
    return change


#: Changes of arguments of constructors, by link.
CHANGES = {
    'Linear': _change_to('initialW', 0), 'Convolution2D': _change_to('initialW', 0),
    'Deconvolution2D': _change_to('initialW', 1), 'Maxout': _change_to('initialW', 0),
    'MLPConvolution2D': _change_to('conv_init', 0),
}


def _draw_for_all_gates(today):
    """Return a method that draws for all gates at once, upward weights first."""
    def _initialize_params(self):
        if self.upward_init is not None or self.lateral_init is not None:
            return today(self)
        _report.adapted(_WHAT)
        self.upward_init = self.lateral_init = 0
        today(self)
        self.upward_init = self.lateral_init = None
        for linear in (self.upward, self.lateral):
            LeCunNormal()(linear.W.array)
    return _initialize_params


def install(patches):
    """Draw these weights if no initializer is given."""
    by_first_axis = ByInputs(axis=1)
    with_default(patches, links.Deconvolution2D, 'initialW', by_first_axis, _WHAT)
    initialW = ByInputs(axis=2 if _named.is_named(patches, 'v1.4') else None)
    with_default(patches, links.Bilinear, 'initialW', initialW, _WHAT)
    initial_bias = by_first_axis, by_first_axis, 0
    with_default(patches, links.Bilinear, 'initial_bias', initial_bias, _WHAT)
    patches.set(LSTMBase, '_initialize_params',
                _draw_for_all_gates(LSTMBase._initialize_params))

"""Objects of functions, which programs made and called before Chainer 3."""
import copy

from chainer_fast import functions
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions.activation import log_softmax, relu, sigmoid, softmax, tanh
from chainer_fast.functions.array import (
    spatial_transformer_grid,
    spatial_transformer_sampler,
)
from chainer_fast.functions.loss import sigmoid_cross_entropy, softmax_cross_entropy
from chainer_fast.functions.pooling import (
    average_pooling_2d,
    average_pooling_nd,
    max_pooling_nd,
)
from chainer_fast.legacy import _old_calls, _report, _shortcuts


class MaxPooling2D(max_pooling_nd.MaxPoolingND):
    """Max pooling of images.

    Parameters
    ----------
    ksize, stride, pad, cover_all, return_indices
        As for :func:`chainer_fast.functions.max_pooling_2d`.

    Attributes
    ----------
    kh, kw, sy, sx, ph, pw : int
        Size, strides and padding of the window, vertical and horizontal.
    """

    def __init__(self, ksize, stride=None, pad=0, cover_all=True, return_indices=False):
        super().__init__(2, ksize, stride, pad, cover_all, return_indices)
        (self.kh, self.kw), (self.sy, self.sx), (self.ph, self.pw) = self._window


class _Applied:
    """A function without a class of its own today, as an object that is called."""

    def __init__(self, function, *args):
        self._function, self._args = function, args

    def __call__(self, *inputs):
        return self._function(*inputs, *self._args)

    def apply(self, inputs):
        return self(*inputs),


def _class_of(function):
    return lambda *args: _Applied(function, *args)


def _spatial_pyramid_pooling_2d(x_shape, pyramid_height, pooling_class, use_cudnn=True):
    return _Applied(functions.spatial_pyramid_pooling_2d, pyramid_height, 'max')


#: Classes that today's Chainer lacks altogether, by name.
ADDED = {
    'MaxPooling2D': MaxPooling2D,
    'Ceil': _class_of(functions.ceil),
    'Flatten': _class_of(functions.flatten),
    'Floor': _class_of(functions.floor),
    'SquaredDifference': _class_of(functions.squared_difference),
    'SpatialPyramidPooling2D': _spatial_pyramid_pooling_2d,
}

# The constructors that took use_cudnn.
_FORMS = {
    average_pooling_2d.AveragePooling2D: 'ksize stride pad cover_all use_cudnn*',
    average_pooling_nd.AveragePoolingND: 'ndim ksize stride pad cover_all use_cudnn*',
    MaxPooling2D: 'ksize stride pad cover_all use_cudnn*',
    max_pooling_nd.MaxPoolingND: 'ndim ksize stride pad cover_all use_cudnn*',
    log_softmax.LogSoftmax: 'use_cudnn*',
    relu.ReLU: 'use_cudnn*',
    sigmoid.Sigmoid: 'use_cudnn*',
    tanh.Tanh: 'use_cudnn*',
    softmax.Softmax: 'use_cudnn* axis',
    sigmoid_cross_entropy.SigmoidCrossEntropy: 'use_cudnn* normalize reduce',
    softmax_cross_entropy.SoftmaxCrossEntropy:
        'use_cudnn* normalize cache_score class_weight ignore_label reduce',
    spatial_transformer_grid.SpatialTransformerGrid: 'output_shape use_cudnn*',
    spatial_transformer_sampler.SpatialTransformerSampler: 'use_cudnn*',
}


def _call(self, *inputs):
    """Apply the function, as often as one likes, and keep what it leaves behind."""
    _report.adapted('calling a function object')
    node = copy.copy(self)
    outputs = node.apply(inputs)
    fields = vars(self)
    # What is None was to be chosen anew for each call.
    fields.update((name, value) for name, value in vars(node).items()
                  if fields.get(name, self) is not None)
    return outputs[0] if len(outputs) == 1 else outputs


def install(patches):
    """Let functions be called, and their classes take what they took."""
    patches.set(FunctionNode, '__call__', _call)
    if 'v1' in patches.parts:
        named = 'v1' in patches.named
        for cls, old in _FORMS.items():
            # The report has the class.
            today = getattr(cls, '__init__')  # noqa: B009
            form = _old_calls.OldForm(None, 'self ' + old, today, named)
            _shortcuts.put(patches, cls, '__init__', _old_calls.adapt(form, today))

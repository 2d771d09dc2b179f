"""Objects of functions, which programs created and called before Chainer 3."""
import copy
import functools

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
    """A function that no longer has a class, as a callable object."""

    def __init__(self, function, *args):
        self._function, self._args = function, args

    def __call__(self, *inputs):
        outputs = self.apply(inputs)
        return outputs[0] if len(outputs) == 1 else outputs

    def apply(self, inputs):
        outputs = self._function(*inputs, *self._args)
        return outputs if isinstance(outputs, tuple) else (outputs,)


def _class_of(function):
    return lambda *args: _Applied(function, *args)


def _spatial_pyramid_pooling_2d(x_shape, pyramid_height, pooling_class, use_cudnn=True):
    return _Applied(functions.spatial_pyramid_pooling_2d, pyramid_height, 'max')


def _copy(out_device):
    return _Applied(functions.copy, out_device)


def _permutate(axis=0, inv=False):
    return _Applied(functions.permutate, axis, inv)


def _transpose_sequence(length=None):
    return _Applied(lambda *xs: functions.transpose_sequence(xs))


def _connectionist_temporal_classification(blank_symbol, reduce='mean'):
    def apply(input_length, label_length, t, *xs):
        # Version 4 accepted all steps as one array.
        steps = functions.separate(xs[0]) if xs[0].ndim == 3 else xs
        return functions.connectionist_temporal_classification(
            steps, t, blank_symbol, input_length, label_length, reduce)

    return _Applied(apply)


#: Classes that current Chainer lacks, or that accept other arguments, by name.
ADDED = {
    'MaxPooling2D': MaxPooling2D,
    'Ceil': _class_of(functions.ceil),
    'ConnectionistTemporalClassification': _connectionist_temporal_classification,
    'Copy': _copy,
    'Flatten': _class_of(functions.flatten),
    'Floor': _class_of(functions.floor),
    'Permutate': _permutate,
    'SquaredDifference': _class_of(functions.squared_difference),
    'SpatialPyramidPooling2D': _spatial_pyramid_pooling_2d,
    'TransposeSequence': _transpose_sequence,
    'Where': _class_of(functions.where),
}

# Constructors that accepted use_cudnn.
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
    """Apply the function, any number of times, and keep its attributes."""
    _report.adapted('calling a function object')
    fields = vars(self)
    if '_made' not in fields:
        fields['_made'] = {name: value is None for name, value in fields.items()}
    # Select again from the attributes of the last call.
    for name in fields.keys() - {'_made'}:
        if name not in self._made:
            del fields[name]
        elif self._made[name]:
            fields[name] = None
    node = copy.copy(self)
    outputs = node.apply(inputs)
    fields.update(vars(node))
    fields.update((name, getattr(node, name)) for name in _computed_later(type(self)))
    return outputs[0] if len(outputs) == 1 else outputs


def _computed_later(cls):
    """Return the names of attributes that need the inputs and outputs of a node."""
    return [name for name in dir(cls)
            if isinstance(getattr(cls, name), functools.cached_property)]


def install(patches):
    """Let function objects be called, and their classes accept the old arguments."""
    patches.set(FunctionNode, '__call__', _call)
    if 'v1' in patches.parts:
        named = 'v1' in patches.named
        for cls, old in _FORMS.items():
            # The report names the class.
            today = getattr(cls, '__init__')  # noqa: B009
            form = _old_calls.OldForm(None, 'self ' + old, today, named)
            _shortcuts.put(patches, cls, '__init__', _old_calls.adapt(form, today))

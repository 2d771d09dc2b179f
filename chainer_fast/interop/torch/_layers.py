"""Names and layouts of the weights of standard links in PyTorch modules.

A rule is a function of a link that returns its fields. Values without a rule have the
same names as in the link, with dots instead of slashes.
"""
from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy

from chainer_fast.links.activation.prelu import PReLU
from chainer_fast.links.connection._filters import Filtered
from chainer_fast.links.connection.bilinear import Bilinear
from chainer_fast.links.connection.deconvolution_2d import Deconvolution2D
from chainer_fast.links.connection.deconvolution_nd import DeconvolutionND
from chainer_fast.links.connection.depthwise_convolution_2d import (
    DepthwiseConvolution2D,
)
from chainer_fast.links.connection.embed_id import EmbedID
from chainer_fast.links.connection.linear import Linear
from chainer_fast.links.connection.multi_head_attention import MultiHeadAttention
from chainer_fast.links.model.vision.resnet import ResNetLayers
from chainer_fast.links.normalization.batch_normalization import BatchNormalization
from chainer_fast.links.normalization.group_normalization import GroupNormalization
from chainer_fast.links.normalization.layer_normalization import LayerNormalization
from chainer_fast.links.rnn.lstm import LSTMBase, StatelessLSTM
from chainer_fast.links.rnn.n_step_rnn import NStepRNNBase


def _same(*arrays):
    return arrays


@dataclasses.dataclass
class Field:
    """Values of a state_dict that correspond to values of a link, possibly recombined.

    Attributes
    ----------
    keys : tuple of str
        Names in the module.
    names : tuple of str
        Names of parameters and persistent values of the link; names of children are
        separated by dots.
    dump, load : callable
        Functions that convert the arrays of the link to those of the module, and back.
    shape : tuple of int or None
        Shape of the only key in the module, as far as it is known before the link is
        initialized; None for an unknown length.
    is_optional : bool
        Whether the value may be missing.
    """

    keys: tuple[str, ...]
    names: tuple[str, ...]
    dump: Callable = _same
    load: Callable = _same
    shape: tuple | None = None
    is_optional: bool = False


def fields_of(link):
    """Return the fields of a link for which there is a rule."""
    for kind in type(link).__mro__:
        if kind in _RULES:
            return _RULES[kind](link)
    return []


def _parameters(link, weight, bias, shape=None):
    """Return the fields of a weight, and of a bias unless the link has none."""
    fields = [Field(('weight',), (weight,), shape=shape)]
    if getattr(link, bias) is not None:
        fields.append(Field(('bias',), (bias,)))
    return fields


def _linear(link):
    return _parameters(link, 'W', 'b', (link.out_size, None))


def _convolution(link):
    # Its sizes are known if the number of input channels is known.
    shape = list(link._filter_shape(link.groups if hasattr(link, 'groups') else 1))
    shape[1] = None
    return _parameters(link, 'W', 'b', tuple(shape))


def _deconvolution(link):
    shape = list(link._filter_shape(link.groups))
    shape[0] = None
    return _parameters(link, 'W', 'b', tuple(shape))


def _depthwise(link):
    """Return the fields; the multiplier is the first axis in the link only."""
    multiplier = link.channel_multiplier
    _, _, *window = link._filter_shape(1)

    def dump(W):
        return W.swapaxes(0, 1).reshape(-1, 1, *window),

    def load(weight):
        return weight.reshape(-1, multiplier, *window).swapaxes(0, 1),

    weight, *bias = _parameters(link, 'W', 'b', (None, 1, *window))
    return [dataclasses.replace(weight, dump=dump, load=load), *bias]


def _batch_normalization(link):
    fields = []
    if link.gamma is not None or link.beta is not None:
        for key, name, constant in ('weight', 'gamma', 1), ('bias', 'beta', 0):
            if getattr(link, name) is not None:
                fields.append(Field((key,), (name,), shape=(None,)))
            else:
                fields.append(_constant(link, key, name, constant))
    fields += [
        Field(('running_mean',), ('avg_mean',), shape=(None,)),
        Field(('running_var',), ('avg_var',), shape=(None,)),
        Field(('num_batches_tracked',), ('N',), is_optional=True)]
    return fields


def _constant(link, key, name, value):
    """Return the fields of the parameters, of which the module has both or none."""
    def dump(mean):
        return numpy.full_like(mean, value),

    def load(array):
        if (array != value).any():
            raise ValueError(
                '%s contains numbers other than %d, but the link has no %s: make it '
                'with use_%s=True' % (key, value, name, name))
        # Another field sets the value of the link.
        return None,

    return Field((key,), ('avg_mean',), dump, load, shape=(None,))


def _scale(link):
    return [Field(('weight',), ('gamma',), shape=(None,)),
            Field(('bias',), ('beta',), shape=(None,))]


def _embed_id(link):
    return [Field(('weight',), ('W',))]


def _prelu(link):
    """Return the field of the slope. A single slope is a number in the link only."""
    shape = link.W.shape
    return [Field(
        ('weight',), ('W',), lambda W: (W.reshape(shape or (1,)),),
        lambda weight: (weight.reshape(shape),))]


def _bilinear(link):
    """Return the fields; the link has linear terms, and outputs are its last axis."""
    weight = Field(
        ('weight',), ('W',), lambda W: (W.transpose(2, 0, 1),),
        lambda weight: (weight.transpose(1, 2, 0),))
    if link.nobias:
        return [weight]

    def dump(V1, V2, b):
        if V1.any() or V2.any():
            raise ValueError(
                'torch.nn.Bilinear has no linear terms V1 and V2: set them to zero, or '
                'create the link with nobias=True')
        return b,

    def load(bias):
        return numpy.zeros(link.V1.shape), numpy.zeros(link.V2.shape), bias

    return [weight, Field(('bias',), ('V1', 'V2', 'b'), dump, load)]


# Positions in the link of the gates of the module (input, forget, cell, output).
_GATES = [1, 2, 0, 3]
_GATES_BACK = [2, 0, 1, 3]


def _lstm_to_torch(array):
    """Rows of the gates are interleaved in the link, and in blocks in the module."""
    parts = array.reshape(-1, 4, *array.shape[1:])[:, _GATES]
    return parts.swapaxes(0, 1).reshape(array.shape)


def _lstm_from_torch(array):
    parts = array.reshape(4, -1, *array.shape[1:])[_GATES_BACK]
    return parts.swapaxes(0, 1).reshape(array.shape)


def _lstm(link):
    """Return the fields; only the sum of the two biases of the module matters."""
    end = '' if isinstance(link, StatelessLSTM) else '_l0'
    fields = [
        Field(('weight_%s%s' % (kind, end),), (name,),
              lambda W: (_lstm_to_torch(W),), lambda W: (_lstm_from_torch(W),), shape)
        for kind, name, shape in (
            ('ih', 'upward.W', (4 * link.state_size, None)), ('hh', 'lateral.W', None))]
    return [*fields, Field(
        ('bias_ih' + end, 'bias_hh' + end), ('upward.b',),
        lambda b: (_lstm_to_torch(b), numpy.zeros_like(b)),
        lambda one, two: (_lstm_from_torch(one + two),))]


def _n_step(link):
    """Return the fields; each child has the gates of one direction of one layer."""
    half = link.n_weights // 2
    # The order in the link is the same: input, forget, cell, output, or reset, update,
    # new.
    fields = []
    for number in range(len(link)):
        layer, is_reverse = divmod(number, link.direction)
        for kind, first in ('ih', 0), ('hh', half):
            for what, letter in ('weight', 'w'), ('bias', 'b'):
                key = '%s_%s_l%d%s' % (
                    what, kind, layer, '_reverse' if is_reverse else '')
                names = tuple([
                    '%d.%s%d' % (number, letter, first + k) for k in range(half)])
                fields.append(Field(
                    (key,), names, lambda *gates: (numpy.concatenate(gates),),
                    lambda array: tuple(numpy.split(array, half))))
    return fields


def _attention(link):
    """The module has one matrix for all three inputs, unless their sizes differ."""
    parts = 'query', 'key', 'value'
    layers = [getattr(link, part) for part in parts]
    in_size, *others = [layer.W.shape[1] if layer.W.is_initialized else layer.in_size
                        for layer in layers]
    out_size = link.out.out_size
    fields = []

    def joined(key, letter, shape):
        return Field(
            (key,), tuple(['%s.%s' % (part, letter) for part in parts]),
            lambda *arrays: (numpy.concatenate(arrays),),
            lambda array: tuple(numpy.split(array, 3)), shape)

    if all(size == in_size for size in others):
        fields.append(joined('in_proj_weight', 'W', (3 * out_size, in_size)))
    else:
        fields += [
            Field((part[0] + '_proj_weight',), (part + '.W',), shape=(out_size, None))
            for part in parts]
    fields.append(Field(('out_proj.weight',), ('out.W',)))
    if link.out.b is not None:
        fields += [joined('in_proj_bias', 'b', (3 * out_size,)),
                   Field(('out_proj.bias',), ('out.b',))]
    return fields


def _resnet(link):
    """Return the fields; only the first convolution of the link has a bias."""
    return [
        Field(('conv1.weight',), ('conv1.W',)),
        Field(('bn1.running_mean',), ('conv1.b', 'bn1.avg_mean'),
              lambda b, mean: (mean - b,),
              lambda mean: (numpy.zeros_like(mean), mean))]


_RULES: dict[type, Callable] = {
    BatchNormalization: _batch_normalization,
    Bilinear: _bilinear,
    Deconvolution2D: _deconvolution,
    DeconvolutionND: _deconvolution,
    DepthwiseConvolution2D: _depthwise,
    EmbedID: _embed_id,
    Filtered: _convolution,
    GroupNormalization: _scale,
    LSTMBase: _lstm,
    LayerNormalization: _scale,
    Linear: _linear,
    MultiHeadAttention: _attention,
    NStepRNNBase: _n_step,
    PReLU: _prelu,
    ResNetLayers: _resnet,
}

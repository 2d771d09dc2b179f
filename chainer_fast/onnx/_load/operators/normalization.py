"""Normalizations, and dropout."""
import math

from chainer_fast import backend
from chainer_fast import functions as F
from chainer_fast.configuration import config
from chainer_fast.onnx._load.node import Unsupported
from chainer_fast.onnx._load.table import operator, raw


@operator('BatchNormalization', outputs=3)
def batch_normalization(node):
    eps = node.get('epsilon', 1e-5)
    # Chainer writes zero for networks in test mode, where it is not used.
    decay = node.get('momentum', 0.9) or 0.9
    if node.opset < 9:
        node.require('spatial', 1, default=1)
    if node.opset >= 14:
        node.require('training_mode', 0, 1, default=0)

    def compute(x, gamma, beta, mean, var):
        if config.train:
            mean, var = raw(mean), raw(var)
            y = F.batch_normalization(
                x, gamma, beta, eps=eps, running_mean=mean, running_var=var,
                decay=decay)
        else:
            y = F.fixed_batch_normalization(x, gamma, beta, mean, var, eps)
        if len(node.outputs) == 1:
            return y
        return (y, raw(mean).copy(), raw(var).copy())[:len(node.outputs)]

    return compute


@operator('Dropout', host=(1, 2), outputs=2)
def dropout(node):
    node.get('seed', None)
    fixed = node.get('ratio', 0.5) if node.opset < 12 else 0.5

    def compute(x, ratio=None, training=None):
        ratio = fixed if ratio is None else ratio.item()
        if len(node.outputs) < 2:
            return F.dropout(x, ratio)
        y, mask = F.dropout(x, ratio, return_mask=True)
        if mask is None:
            xp = backend.get_array_module(raw(x))
            return y, xp.ones(x.shape, bool)
        return y, mask != 0

    return compute


@operator('LayerNormalization', outputs=3)
def layer_normalization(node):
    first, eps = node.get('axis', -1), node.get('epsilon', 1e-5)
    node.require('stash_type', 1, default=1)

    def compute(x, gamma, beta=None):
        axis = first % x.ndim
        shape = math.prod(x.shape[:axis]), math.prod(x.shape[axis:])
        if gamma.shape != x.shape[axis:]:
            gamma = F.broadcast_to(gamma, x.shape[axis:])
        if beta is None:
            beta = backend.get_array_module(raw(x)).zeros(shape[1:], x.dtype)
        elif beta.shape != x.shape[axis:]:
            beta = F.broadcast_to(beta, x.shape[axis:])
        y = F.layer_normalization(
            F.reshape(x, shape), gamma.reshape(-1), beta.reshape(-1), eps)
        y = F.reshape(y, x.shape)
        if len(node.outputs) == 1:
            return y
        axes = tuple(range(axis, x.ndim))
        mean = F.mean(x, axis=axes, keepdims=True)
        centred = x - mean
        var = F.mean(centred * centred, axis=axes, keepdims=True)
        return (y, mean, F.rsqrt(var + eps))[:len(node.outputs)]

    return compute


@operator('RMSNormalization')
def rms_normalization(node):
    first, eps = node.get('axis', -1), node.get('epsilon', 1e-5)
    node.require('stash_type', 1, default=1)

    def compute(x, scale):
        axes = tuple(range(first % x.ndim, x.ndim))
        return x * F.rsqrt(F.mean(x * x, axis=axes, keepdims=True) + eps) * scale

    return compute


@operator('GroupNormalization')
def group_normalization(node):
    groups, eps = node.get('num_groups'), node.get('epsilon', 1e-5)
    if node.opset >= 21:
        node.require('stash_type', 1, default=1)

    def compute(x, gamma, beta):
        if node.opset < 21:     # one number for each group
            gamma, beta = [
                F.repeat(v, x.shape[1] // groups, axis=0) for v in (gamma, beta)]
        return F.group_normalization(x, groups, gamma, beta, eps)

    return compute


@operator('InstanceNormalization')
def instance_normalization(node):
    eps = node.get('epsilon', 1e-5)
    return lambda x, gamma, beta: F.group_normalization(
        x, x.shape[1], gamma, beta, eps)


@operator('MeanVarianceNormalization')
def mean_variance_normalization(node):
    axes = tuple(node.get('axes', [0, 2, 3]))

    def compute(x):
        centred = x - F.mean(x, axis=axes, keepdims=True)
        var = F.mean(centred * centred, axis=axes, keepdims=True)
        return centred / (F.sqrt(var) + 1e-9)

    return compute


@operator('LRN')
def local_response_normalization(node):
    size, alpha = node.get('size'), node.get('alpha', 1e-4)
    beta, bias = node.get('beta', 0.75), node.get('bias', 1.)
    if size % 2 == 0:
        raise Unsupported('its size is even: %d' % size)
    return lambda x: F.local_response_normalization(x, size, bias, alpha / size, beta)


@operator('LpNormalization')
def lp_normalization(node):
    axis, p = node.get('axis', -1), node.require('p', 1, 2, default=2)
    # Only prevents zeros from becoming NaN.
    eps = 1e-37

    def compute(x):
        along = axis % x.ndim
        if p == 2:
            return F.normalize(x, eps, along)
        return x / (F.sum(F.absolute(x), axis=along, keepdims=True) + eps)

    return compute

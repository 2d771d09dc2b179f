"""Activation functions."""
import math

from chainer_fast import backend
from chainer_fast import functions as F
from chainer_fast.onnx._load.node import Unsupported
from chainer_fast.onnx._load.table import is_float, operator, raw, same

same('Relu', F.relu)
same('Sigmoid', F.sigmoid)
same('Tanh', F.tanh)
same('Softplus', F.softplus)
same('Softsign', lambda x: x / (1 + F.absolute(x)))
same('HardSwish', lambda x: x * F.clip(x * (1 / 6) + 0.5, 0., 1.))
same('Mish', F.mish)


@operator('LeakyRelu')
def leaky_relu(node):
    slope = node.get('alpha', 0.01)
    return lambda x: F.leaky_relu(x, slope)


@operator('Elu')
def elu(node):
    alpha = node.get('alpha', 1.)
    return lambda x: F.elu(x, alpha)


@operator('Celu')
def celu(node):
    alpha = node.get('alpha', 1.)
    return lambda x: F.elu(x / alpha) * alpha


@operator('Selu')
def selu(node):
    alpha = node.get('alpha', 1.6732632423543772)
    gamma = node.get('gamma', 1.0507009873554805)
    return lambda x: F.selu(x, alpha, gamma)


@operator('HardSigmoid')
def hard_sigmoid(node):
    alpha, beta = node.get('alpha', 0.2), node.get('beta', 0.5)
    if (alpha, beta) == (0.2, 0.5):
        return F.hard_sigmoid
    return lambda x: F.clip(x * alpha + beta, 0., 1.)


@operator('ThresholdedRelu')
def thresholded_relu(node):
    alpha = node.get('alpha', 1.)
    return lambda x: x * (raw(x) > alpha).astype(x.dtype)


@operator('Shrink')
def shrink(node):
    bias, threshold = node.get('bias', 0.), node.get('lambd', 0.5)

    def compute(x):
        array = raw(x)
        above, below = array > threshold, array < -threshold
        kept = x * (above | below).astype(x.dtype)
        return kept + bias * (below.astype(x.dtype) - above.astype(x.dtype))

    return compute


@operator('Gelu')
def gelu(node):
    form = node.require('approximate', 'none', 'tanh', default='none')
    if form == 'none':
        return lambda x: 0.5 * x * (1 + F.erf(x * math.sqrt(0.5)))
    factor = math.sqrt(2 / math.pi)
    return lambda x: 0.5 * x * (1 + F.tanh(factor * (x + 0.044715 * x * x * x)))


@operator('Swish')
def swish(node):
    alpha = node.get('alpha', 1.)
    return lambda x: x * F.sigmoid(x * alpha)


@operator('PRelu')
def prelu(node):
    def compute(x, slope):
        if not is_float(x):
            return x * (x >= 0) + x * (x < 0) * raw(slope)
        if slope.size == 1:
            return F.prelu(x, F.reshape(slope, ()))
        if slope.ndim == x.ndim - 1 and slope.size == slope.shape[0] == x.shape[1]:
            return F.prelu(x, F.reshape(slope, (slope.size,)))
        return F.where(raw(x) >= 0, x, x * slope)

    return compute


for _name, _function in ('Softmax', F.softmax), ('LogSoftmax', F.log_softmax):
    @operator(_name)
    def softmax(node, function=_function):
        if node.opset >= 13:
            axis = node.get('axis', -1)
            return lambda x: function(x, axis=axis % x.ndim)
        # Formerly along the axis and all axes after it.
        first = node.get('axis', 1)

        def compute(x):
            axis = first % x.ndim
            if axis == x.ndim - 1:
                return function(x, axis=axis)
            matrix = F.reshape(x, (math.prod(x.shape[:axis]), -1))
            return F.reshape(function(matrix, axis=1), x.shape)

        return compute


@operator('Hardmax')
def hardmax(node):
    if node.opset < 13:
        raise Unsupported('its form before opset 13 is not supported')
    axis = node.get('axis', -1)

    def compute(x):
        array = raw(x)
        xp = backend.get_array_module(array)
        best = xp.expand_dims(array.argmax(axis), axis)
        shape = [1] * array.ndim
        shape[axis] = -1
        places = xp.arange(array.shape[axis]).reshape(shape)
        return (places == best).astype(array.dtype)

    return compute

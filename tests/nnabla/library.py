"""chainer_fast, as ``graphs`` uses it; compat/nnabla_figures.py has nnabla's form."""
import numpy as np

from chainer_fast import Variable, nnabla
from chainer_fast import functions as F
from tests.nnabla import graphs


def _batch_normalization(x, gamma, beta):
    return F.batch_normalization(x, gamma, beta, eps=.1)


def _operations(dtype):
    unary = {
        'sin': F.sin, 'cos': F.cos, 'tanh': F.tanh, 'sigmoid': F.sigmoid,
        'exp': lambda x: F.exp(x * .3), 'softplus': F.softplus, 'relu': F.relu,
        'leaky_relu': lambda x: F.leaky_relu(x, .2), 'elu': F.elu,
        'absolute': F.absolute, 'square': F.square,
        'root': lambda x: F.sqrt(x ** 2 + 1), 'inverse': lambda x: 1 / (x ** 2 + 1),
        'log': lambda x: F.log(x ** 2 + 1), 'subtracted': lambda x: 1 - x,
        'arctan': F.arctan, 'erf': F.erf, 'clip': lambda x: F.clip(x, -.4, .6)}
    binary = {
        'add': F.add, 'subtract': lambda x, y: x - y, 'multiply': lambda x, y: x * y,
        'divide': lambda x, y: x / (y ** 2 + 1), 'maximum': F.maximum,
        'minimum': F.minimum, 'power': lambda x, y: (x ** 2 + .5) ** F.tanh(y)}
    return {
        **{'%s_%s' % (n, k): f for n, f in {**unary, **binary}.items() for k in 'MIV'},
        'affine': F.linear, 'softmax': F.softmax, 'log_softmax': F.log_softmax,
        'centered': lambda x: x - F.broadcast_to(
            F.mean(x, axis=1, keepdims=True), x.shape),
        'normalized_rows': _batch_normalization,
        'products': lambda x, y: .25 * F.matmul(F.matmul(x, y, transb=True), x),
        'scaled_columns': lambda x, v: F.scale(x, v, axis=1),
        'scaled': lambda x, s: x * s, 'cumsum': lambda x: F.cumsum(x, axis=0),
        'joined': lambda x, y: F.concat((x, y), axis=0)[2:6],
        'stacked': lambda x, y: F.mean(F.tanh(F.stack((x, y), axis=1)), axis=1),
        'flipped': lambda x: F.flip(x, 1),
        'padded': lambda x: F.cos(F.pad(x, 1, 'constant'))[:4, :3],
        'reshaped': lambda x: F.reshape(F.softmax(F.reshape(x, (3, 4))), (4, 3)),
        'chosen': lambda x, y: F.where(graphs.MASK != 0, x, y),
        'looked_up': lambda x: F.embed_id(graphs.ROWS, x), 'transposed': F.transpose,
        'column_sums': lambda x: F.sum(x, axis=0),
        'column_maxima': lambda x: F.max(x, axis=0),
        'column_products': lambda x: F.prod(F.sigmoid(x) + .5, axis=0),
        'total': F.sum, 'mean': F.mean,
        'cross_entropy': lambda x: F.softmax_cross_entropy(
            x, graphs.LABELS, enable_double_backprop=True),
        'sigmoid_cross_entropy': lambda x: F.sigmoid_cross_entropy(x, graphs.TARGETS),
        'squared_error': F.mean_squared_error,
        # Chainer's loss of Huber is half of nnabla's.
        'huber': lambda x, y: 2 * F.mean(F.huber_loss(x, y, .7, reduce='no')),
        'convolution': lambda x, W, b: F.convolution_2d(x, W, b, pad=1),
        'deconvolution': lambda x, W, b: F.deconvolution_2d(x, W, b, pad=1),
        'max_pooling': lambda x: F.unpooling_2d(
            F.max_pooling_2d(x, 2), 2, cover_all=False),
        'average_pooling': lambda x: F.unpooling_2d(
            F.average_pooling_2d(x, 2), 2, cover_all=False),
        'normalized_channels': _batch_normalization,
        'channel_means': lambda x: F.mean(x, axis=(0, 2, 3)),
        'channel_bias': lambda x, b: F.bias(x, b, axis=1),
        'part': lambda x: F.reshape(x, (4, 16))[:, :3],
    }


class Library:
    """chainer_fast in one dtype."""

    sum = staticmethod(F.sum)
    grad = staticmethod(nnabla.grad)

    def __init__(self, dtype):
        self._dtype = dtype
        self.ops = _operations(dtype)

    def variable(self, array):
        return Variable(np.array(array, self._dtype))

    def array(self, variable):
        return variable.array

"""Records what nnabla makes of the graphs in tests/nnabla/graphs.py.

    python compat/nnabla_figures.py PYTHON_WITH_NNABLA

nnabla 1.39 installs on Python 3.10 with NumPy 1. The figures go to
tests/nnabla/figures.json: of gradient penalties and Hessian-vector products all
elements, of random graphs two numbers for each gradient (``graphs.fingerprint``).
"""
import json
import os
import subprocess
import sys

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(ROOT, 'tests', 'nnabla')
FIGURES = os.path.join(FOLDER, 'figures.json')


def operations(F, graphs, constant):
    """Return nnabla's functions by the names of the operations."""
    labels = constant(graphs.LABELS.reshape(4, 1))
    targets = constant(graphs.TARGETS)
    mask = constant(graphs.MASK)
    rows = constant(graphs.ROWS)

    def batch_normalization(x, gamma, beta):
        shape = [1] * x.ndim
        shape[1] = x.shape[1]
        mean, variance = [constant(np.full(shape, a)) for a in (0., 1.)]
        return F.batch_normalization(
            x, F.reshape(beta, shape), F.reshape(gamma, shape), mean, variance,
            axes=[1], eps=.1, batch_stat=True)

    def affine(x, W, b):
        return F.affine(x, F.transpose(W, (1, 0)), b)

    def products(x, y):
        x, y = F.reshape(x, (1, 4, 3)), F.reshape(y, (1, 4, 3))
        return F.reshape(
            F.batch_matmul(F.batch_matmul(x, y, transpose_b=True), x) * .25, (4, 3))

    unary = {
        'sin': F.sin, 'cos': F.cos, 'tanh': F.tanh, 'sigmoid': F.sigmoid,
        'exp': lambda x: F.exp(x * .3), 'softplus': F.softplus, 'relu': F.relu,
        'leaky_relu': lambda x: F.leaky_relu(x, .2), 'elu': lambda x: F.elu(x, 1.),
        'absolute': F.abs, 'square': lambda x: x * x,
        'root': lambda x: (x * x + 1.) ** .5, 'inverse': lambda x: 1. / (x * x + 1.),
        'log': lambda x: F.log(x * x + 1.), 'subtracted': lambda x: 1. - x,
        'arctan': F.atan, 'erf': F.erf,
        'clip': lambda x: F.minimum_scalar(F.maximum_scalar(x, -.4), .6)}
    binary = {
        'add': F.add2, 'subtract': F.sub2, 'multiply': F.mul2,
        'divide': lambda x, y: x / (y * y + 1.), 'maximum': F.maximum2,
        'minimum': F.minimum2,
        'power': lambda x, y: F.pow2(x * x + .5, F.tanh(y))}
    return {
        **{'%s_%s' % (n, k): f for n, f in {**unary, **binary}.items() for k in 'MIV'},
        'affine': affine, 'softmax': lambda x: F.softmax(x, axis=1),
        'log_softmax': lambda x: F.log_softmax(x, axis=1),
        'centered': lambda x: x - F.mean(x, axis=1, keepdims=True),
        'normalized_rows': batch_normalization, 'products': products,
        'scaled_columns': lambda x, v: x * F.reshape(v, (1, 3)),
        'scaled': lambda x, s: x * F.reshape(s, (1, 1)),
        'cumsum': lambda x: F.cumsum(x, axis=0),
        'joined': lambda x, y: F.slice(
            F.concatenate(x, y, axis=0), (2, 0), (6, 3), (1, 1)),
        'stacked': lambda x, y: F.mean(F.tanh(F.stack(x, y, axis=1)), axis=1),
        'flipped': lambda x: F.flip(x, (1,)),
        'padded': lambda x: F.slice(
            F.cos(F.pad(x, (1, 1, 1, 1))), (0, 0), (4, 3), (1, 1)),
        'reshaped': lambda x: F.reshape(
            F.softmax(F.reshape(x, (3, 4)), axis=1), (4, 3)),
        'chosen': lambda x, y: F.where(mask, x, y),
        'looked_up': lambda x: F.embed(rows, x),
        'transposed': lambda x: F.transpose(x, (1, 0)),
        'column_sums': lambda x: F.sum(x, axis=0),
        'column_maxima': lambda x: F.max(x, axis=0),
        'column_products': lambda x: F.prod(F.sigmoid(x) + .5, axis=0),
        'total': F.sum, 'mean': F.mean,
        'cross_entropy': lambda x: F.mean(F.softmax_cross_entropy(x, labels)),
        'sigmoid_cross_entropy': lambda x: F.mean(F.sigmoid_cross_entropy(x, targets)),
        'squared_error': lambda x, y: F.mean(F.squared_error(x, y)),
        'huber': lambda x, y: F.mean(F.huber_loss(x, y, .7)),
        'convolution': lambda x, W, b: F.convolution(x, W, b, pad=(1, 1)),
        'deconvolution': lambda x, W, b: F.deconvolution(x, W, b, pad=(1, 1)),
        'max_pooling': lambda x: F.unpooling(F.max_pooling(x, (2, 2)), (2, 2)),
        'average_pooling': lambda x: F.unpooling(F.average_pooling(x, (2, 2)), (2, 2)),
        'normalized_channels': batch_normalization,
        'channel_means': lambda x: F.mean(x, axis=(0, 2, 3)),
        'channel_bias': lambda x, b: x + F.reshape(b, (1, 2, 1, 1)),
        'part': lambda x: F.slice(F.reshape(x, (4, 16)), (0, 0), (4, 3), (1, 1)),
    }


class Library:
    """nnabla, as ``graphs`` uses it."""

    def __init__(self, graphs):
        import nnabla
        import nnabla.functions as F
        self._nnabla = nnabla
        self._sum = F.sum
        self.ops = operations(F, graphs, self._constant)

    def _constant(self, array):
        return self._nnabla.Variable.from_numpy_array(np.asarray(array))

    def variable(self, array):
        return self._nnabla.Variable.from_numpy_array(
            np.array(array, 'f')).apply(need_grad=True)

    def array(self, variable):
        variable.forward()
        return np.array(variable.d)

    def sum(self, variable):
        return self._sum(variable)

    def grad(self, outputs, inputs, grad_outputs):
        return self._nnabla.grad(outputs, inputs, grad_outputs)


def _rounded(numbers):
    return [float('%.8g' % number) for number in numbers]


def record():
    sys.path.insert(0, FOLDER)
    import graphs
    import nnabla
    library = Library(graphs)
    figures = {
        'made': 'by compat/nnabla_figures.py with nnabla %s, NumPy %s, Python %s' % (
            nnabla.__version__, np.__version__, sys.version.split()[0]),
        'gradient_penalty': {}, 'hessian_vector_product': {}, 'random': {}}
    for kind in ('gradient_penalty', 'hessian_vector_product'):
        for name, (graph, place) in graphs.networks().items():
            arrays = getattr(graphs, kind)(library, graph, place)
            figures[kind][name] = [_rounded(array.ravel()) for array in arrays]
    seed = 0
    while len(figures['random']) < graphs.RANDOM_GRAPHS:
        try:
            found = graphs.derivatives(library, graphs.random_graph(seed))
        except KeyError:
            # nnabla fails on some graphs with several outputs.
            print('nnabla cannot differentiate random graph %d' % seed)
            found = []
        if found:
            assert all(np.isfinite(array).all() for each in found for array in each)
            figures['random'][seed] = [
                [_rounded(graphs.fingerprint(array)) for array in each]
                for each in found]
        seed += 1
    with open(FIGURES, 'w', encoding='utf-8') as f:
        json.dump(figures, f, separators=(',', ':'))
        f.write('\n')


if __name__ == '__main__':
    if len(sys.argv) == 2:
        sys.exit(subprocess.run(
            [sys.argv[1], os.path.abspath(__file__)],
            env={k: v for k, v in os.environ.items() if k != 'PYTHONPATH'}).returncode)
    record()

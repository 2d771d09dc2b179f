"""Loops that threads share: large arrays give the same bits with any number of them."""
import numpy as np
import pytest

import chainer_fast
import chainer_fast.functions as F
from chainer_fast import links, optimizers
from chainer_fast.backends.kernels import reduction, softmax

N = 300001      # not divided by blocks, vectors or threads


def _values(seed, *shape):
    return np.asarray(np.random.RandomState(seed).standard_normal(shape), np.float32)


def _labels(n, classes):
    return np.random.RandomState(3).randint(0, classes, n)


FUNCTIONS = {
    'relu': lambda x: F.relu(x),
    'leaky_relu': lambda x: F.leaky_relu(x),
    'elu': lambda x: F.elu(x),
    'sigmoid': lambda x: F.sigmoid(x),
    'tanh': lambda x: F.tanh(x),
    'softplus': lambda x: F.softplus(x),
    'exp': lambda x: F.exp(x),
    'product': lambda x: x * x,
    'quotient': lambda x: x / (x * x + 1),
    'power': lambda x: x ** 2,
    'minus': lambda x: 2 - x,
    'sum': lambda x: F.sum(x * x),
    'mean': lambda x: F.mean(x * x),
    'squared_error': lambda x: F.squared_error(x, 2 * x + 1),
    'huber_loss': lambda x: F.huber_loss(x, 2 * x + 1, .5, reduce='no'),
    'sigmoid_cross_entropy': lambda x: F.sigmoid_cross_entropy(
        x, _labels(x.shape, 3) - 1),
    'mean_absolute_error': lambda x: F.mean_absolute_error(x, 2 * x.array + 1),
}
ROWS = {
    'swish': lambda x: F.swish(x, x[0]),
    'prelu': lambda x: F.prelu(x, x[0]),
    'hinge': lambda x: F.hinge(x, _labels(len(x), x.shape[1])),
    'cumsum': lambda x: F.cumsum(x, axis=1),
    'cumsum, axis 0': lambda x: F.cumsum(x, axis=0),
    'softmax': lambda x: F.softmax(x),
    'softmax, axis 0': lambda x: F.softmax(x, axis=0),
    'log_softmax': lambda x: F.log_softmax(x),
    'softmax_cross_entropy': lambda x: F.softmax_cross_entropy(
        x, _labels(len(x), x.shape[1])),
    'sum, axis 0': lambda x: F.sum(x, axis=0),
    'sum, axis 1': lambda x: F.sum(x, axis=1),
    'mean, axis 1': lambda x: F.mean(x, axis=1),
    'logsumexp, axis 0': lambda x: F.logsumexp(x, axis=0),
    'max, axis 0': lambda x: F.max(x, axis=0),
    'min, axis 1': lambda x: F.min(x, axis=1),
    'normalize, axis 0': lambda x: F.normalize(x, axis=0),
    'layer_normalization': lambda x: F.layer_normalization(x, x[0], x[-1]),
    'batch_normalization': lambda x: F.batch_normalization(x, x[0], x[-1]),
    'triplet': lambda x: F.triplet(x, x.array[::-1], 2 * x.array, reduce='no'),
}
IMAGES = {
    'group_normalization': lambda x: F.group_normalization(
        x, 3, x[0, :, 0, 0], x[-1, :, 1, 1]),
    'local_response_normalization': lambda x: F.local_response_normalization(x),
    'normalize, axis 1': lambda x: F.normalize(x, axis=1),
    'swish, short runs': lambda x: F.swish(F.reshape(x, (60, 61, 67)), x[0, 0, :, 0]),
    'prelu, short runs': lambda x: F.prelu(F.reshape(x, (60, 61, 67)), x[0, 0, :, 0]),
    'softmax_cross_entropy of pixels': lambda x: F.softmax_cross_entropy(
        x, _labels(x.shape[:1] + x.shape[2:], x.shape[1] + 1) - 1),
}
COPIES = {
    'stack': lambda x: F.stack([x, x]),
    'stack, last axis': lambda x: F.stack([x, x], -1),
    'concat, axis 1': lambda x: F.concat([x, x[:, 1:], x], 1),
    'split_axis': lambda x: F.concat(F.split_axis(x, [1, 2], 1)[1:], 1),
    'separate': lambda x: F.separate(x, 1)[2],
    'copy': lambda x: F.copy(x, -1),
    'tile': lambda x: F.tile(x, (2, 3)),
    'repeat': lambda x: F.repeat(x, 2, 1),
    'pad': lambda x: F.pad(x, ((0, 1), (2, 0)), 'constant'),
    'as_strided': lambda x: F.as_strided(x, (x.size // 3,), (3,), 1),
    'every second column': lambda x: x[:, ::-2] * 2,
    'rows by a list': lambda x: x[_labels(len(x), len(x))],
    'scatter_add': lambda x: F.scatter_add(x, _labels(len(x), len(x)), x),
    'where': lambda x: F.where(x.array > 0, x, x * 2),
    'im2col': lambda x: F.im2col(x[None, None], 3, 1, 1),
}
CASES = (
    [(name, FUNCTIONS[name], (N,)) for name in FUNCTIONS]
    + [(name, function, shape) for name, function in (ROWS | COPIES).items()
       for shape in ((601, 1003), (100003, 7), (3, 150001))]
    + [(name, IMAGES[name], (5, 12, 61, 67)) for name in IMAGES])


def _results(function, x):
    x = chainer_fast.Variable(x)
    y = function(x)
    y.grad = _values(1, *y.shape).astype(x.dtype)
    y.backward()
    return y.array, x.grad


def _assert_threads_agree(compute):
    with chainer_fast.using_config('num_threads', 1):
        expected = compute()
    for threads in (2, 3):
        with chainer_fast.using_config('num_threads', threads):
            for one, other in zip(compute(), expected, strict=True):
                np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize('dtype', [np.float32, np.float64])
@pytest.mark.parametrize(
    'function,shape', [case[1:] for case in CASES],
    ids=['%s %s' % (name, 'x'.join(map(str, shape))) for name, _, shape in CASES])
def test_functions(function, shape, dtype):
    x = _values(0, *shape).astype(dtype)
    _assert_threads_agree(lambda: _results(function, x))


@pytest.mark.parametrize('name', sorted(FUNCTIONS.keys() - {'sum'}))
def test_functions_of_halves(name):
    x = _values(0, N).astype(np.float16)
    _assert_threads_agree(lambda: _results(FUNCTIONS[name], x))


LAYOUTS = {
    'C order': lambda x: x,
    'left half': lambda x: np.concatenate((x, x), 1)[:, :x.shape[1]],
    'every second row': lambda x: np.repeat(x, 2, 0)[::2],
    'every second column': lambda x: np.repeat(x, 2, 1)[:, ::2],
}


@pytest.mark.parametrize('dtype', [np.float16, np.float32, np.float64])
@pytest.mark.parametrize('layout', LAYOUTS)
@pytest.mark.parametrize('columns', [127, 128, 1003, 2051])
def test_lines_are_read_in_place(columns, layout, dtype):
    x = LAYOUTS[layout](_values(0, 71, columns).astype(dtype))
    others = x[0], x[:, :1], x[:1].copy(), _values(2, 71, columns).astype(dtype)
    for threads in 1, 3:
        with chainer_fast.using_config('num_threads', threads):
            for other in others:
                found = chainer_fast.Variable(x) * other
                np.testing.assert_array_equal(found.array, x * other)
                found = other - chainer_fast.Variable(x)
                np.testing.assert_array_equal(found.array, other - x)


def _every_second(x):
    return x[:, ::2]


@pytest.mark.parametrize('dtype', [np.float16, np.float32, np.float64])
@pytest.mark.parametrize('view', [_every_second, np.transpose, np.asarray])
@pytest.mark.parametrize('function', [
    F.sign, F.ceil, F.crelu, F.log10, lambda x: 2 ** x, lambda x: x ** x[:1],
    lambda x: x[:1] ** x, lambda x: F.add(x, x[:, :1], x),
    lambda x: F.arctan2(x, x[:1]), lambda x: F.fmod(x, x[::-1]),
    lambda x: F.maximum(x, x[:, :1]), lambda x: F.where(x.array > 1, x, x[::-1]),
    lambda x: F.einsum('ij,i->ij', x, x[:, 0])])
def test_functions_of_views(function, view, dtype):
    x = view(abs(_values(0, 301, 602)).astype(dtype) + dtype(.5))
    _assert_threads_agree(lambda: _results(function, x))


ALONG = {
    'softmax': softmax.softmax, 'log_softmax': softmax.log_softmax,
    'softmax_grad': lambda x, axis: softmax.softmax_grad(x, x * x, axis),
    'log_softmax_grad': lambda x, axis: softmax.log_softmax_grad(-abs(x), x, axis),
    'logsumexp': lambda x, axis: softmax.logsumexp(x, (axis,)),
    'running_sum': lambda x, axis: reduction.running_sum(x, axis, False),
    'running_product': reduction.running_product,
    'positions': lambda x, axis: reduction.positions(x, axis, False),
    'largest': lambda x, axis: reduction.largest(x, axis, False),
    'product': lambda x, axis: reduction.product(x, axis, False),
    'total': reduction.total,
    'selected_grad': lambda x, axis: reduction.selected_grad(
        x, x.max(axis, keepdims=True), x.min(axis, keepdims=True)),
}


@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('shape', [(600, 301), (3, 61001), (31, 8, 90, 9)], ids=str)
@pytest.mark.parametrize('name', ALONG)
def test_along_axes(name, shape, dtype):
    plain = _values(0, *shape).astype(dtype)
    for x in (plain, np.moveaxis(np.moveaxis(plain, 1, -1).copy(), -1, 1)):
        for axis in range(x.ndim):
            _assert_threads_agree(lambda x=x, axis=axis: [ALONG[name](x, axis)])


@pytest.mark.parametrize('shape,dtype', [((64, 16, 256), 'd'), ((20, 100, 50), 'e')])
def test_gradients_of_products_that_leave_the_range_of_numbers(shape, dtype):
    x = np.asfortranarray(_values(1, *shape).astype(dtype))
    _assert_threads_agree(lambda: _results(lambda x: F.prod(x, (0, 1)), x))


def test_bias():
    """Products may differ; the bias, and its gradient, are added in one order."""
    x, w, b = _values(0, 1000, 2), np.zeros((300, 2), 'f'), _values(2, 300)

    def results():
        bias = chainer_fast.Variable(b)
        y = F.linear(x, w, bias)
        y.grad = _values(1, *y.shape)
        y.backward()
        return y.array, bias.grad

    with chainer_fast.using_config('num_threads', 1):
        expected = results()
    np.testing.assert_array_equal(expected[0], np.broadcast_to(b, (1000, 300)))
    with chainer_fast.using_config('num_threads', 2):
        for one, other in zip(results(), expected, strict=True):
            np.testing.assert_array_equal(one, other)


def test_flags_of_all_threads_are_seen():
    x = np.ones(N, np.float32)
    x[-1] = 1e30
    with chainer_fast.using_config('num_threads', 2), np.errstate(over='raise'):
        with pytest.raises(FloatingPointError):
            F.exp(x)
        with pytest.raises(FloatingPointError):
            chainer_fast.Variable(x) * x


@pytest.mark.parametrize('make', [
    optimizers.SGD, optimizers.MomentumSGD, optimizers.Adam,
    optimizers.MSVAG], ids=lambda make: make.__name__)
@pytest.mark.parametrize('dtype', [np.float16, np.float32, np.float64])
def test_updates(make, dtype):
    def parameter():
        link = links.Parameter(_values(0, N).astype(dtype))
        optimizer = make().setup(link)
        for seed in (1, 2):
            link.W.grad = _values(seed, N).astype(dtype)
            optimizer.update()
        return link.W.array

    with chainer_fast.using_config('num_threads', 1):
        expected = parameter()
    for threads in (2, 3):
        with chainer_fast.using_config('num_threads', threads):
            np.testing.assert_array_equal(parameter(), expected)


@pytest.mark.parametrize('a,b', [
    ((600, 300), (300, 200)), ((70, 90, 80), (70, 80, 60)),
    ((5, 1, 90, 80), (3, 80, 60)), ((2, 300, 200), (200, 100)), ((400, 3), (3, 500))])
@pytest.mark.parametrize('transposed', [False, True])
def test_products(a, b, transposed):
    a, b = _values(0, *a), _values(1, *b)
    if transposed:
        a = np.ascontiguousarray(a.swapaxes(-1, -2)).swapaxes(-1, -2)
        b = np.ascontiguousarray(b.swapaxes(-1, -2)).swapaxes(-1, -2)
    expected = np.matmul(a.astype('d'), b.astype('d'))
    for threads in (1, 2, 3):
        with chainer_fast.using_config('num_threads', threads):
            np.testing.assert_allclose(
                F.matmul(a, b).array, expected, rtol=1e-5, atol=1e-4)
            if b.ndim == 2:
                np.testing.assert_allclose(
                    F.tensordot(a, b, 1).array, expected, rtol=1e-5, atol=1e-4)

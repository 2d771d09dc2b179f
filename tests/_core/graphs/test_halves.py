"""Halves are computed in float32 and rounded once."""
import warnings

import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
from chainer_fast._core.graphs import graph
from chainer_fast.backends.kernels.common import halves
from chainer_fast.functions.math import matmul
from tests.ways import General, same_bits

ALL = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
SIZES = [0, 1, 3, 7, 8, 9, 1023, 1024, 1025, 70000, 600000]


def halves_of(seed, *shape):
    return np.random.RandomState(seed).uniform(-2, 2, shape).astype('e')


# -- conversions


def test_every_half_becomes_its_float():
    quiet = ALL[~np.isnan(ALL)]
    assert same_bits(graph.as_floats(quiet), quiet.astype('f'))
    assert np.isnan(graph.as_floats(ALL[np.isnan(ALL)])).all()
    assert same_bits(graph.as_halves(graph.as_floats(quiet)), quiet)


@pytest.mark.parametrize('n', SIZES)
@pytest.mark.parametrize('dtype', 'fd')
def test_numbers_are_rounded_as_by_numpy(n, dtype):
    random = np.random.RandomState(n)
    x = np.asarray(random.standard_normal(n) * 10. ** random.randint(-9, 4, n), dtype)
    assert same_bits(graph.as_halves(x), x.astype('e'))


@pytest.mark.parametrize('dtype', 'fd')
def test_numbers_in_the_middle_of_two_halves(dtype):
    finite = np.arange(0x7c00, dtype=np.uint16).view('e').astype('d')
    middle = ((finite[1:] + finite[:-1]) / 2).astype(dtype)
    for x in (middle, np.nextafter(middle, middle.dtype.type(0)),
              np.nextafter(middle, middle.dtype.type(1e9))):
        assert same_bits(graph.as_halves(x), x.astype('e'))
        assert same_bits(graph.as_halves(-x), (-x).astype('e'))


@pytest.mark.parametrize('dtype', 'fd')
def test_a_number_that_is_too_large(dtype):
    x = np.array([65519.996, 65520., -1e30, np.inf, np.nan], dtype)
    with pytest.warns(RuntimeWarning, match='overflow encountered in cast'):
        y = graph.as_halves(x)
    np.testing.assert_array_equal(y, np.array([65504, np.inf, -np.inf, np.inf, np.nan]))
    with np.errstate(over='ignore'), warnings.catch_warnings():
        warnings.simplefilter('error')
        graph.as_halves(x)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        graph.as_halves(x[3:])


@pytest.mark.parametrize('layout', [
    lambda x: x.T, lambda x: x[::2, ::-1], lambda x: x[:, 1:2], lambda x: x[:0],
    lambda x: x.reshape(2, 3, -1, 1).transpose(0, 3, 1, 2), lambda x: x[3, 4]])
def test_conversions_keep_the_order_in_memory(layout):
    x = layout(halves_of(0, 12, 20))
    x = np.asarray(x)
    for made, expected in [(graph.as_floats(x), x.astype('f')),
                           (halves.cast(x.astype('d'), 'e'), x),
                           (halves.cast(x, 'd'), x.astype('d'))]:
        assert same_bits(made, expected)
        assert made.strides == x.astype(made.dtype).strides


@pytest.mark.parametrize('dtype', '?bBhHiIqQ')
def test_integers_as_halves(dtype):
    info = np.iinfo(dtype) if dtype != '?' else np.iinfo('b')
    x = np.arange(-70000, 70000).clip(info.min, min(info.max, 70000)).astype(dtype)
    x[:3] = info.min, info.max // 2, info.max
    with np.errstate(over='ignore'):
        assert same_bits(halves.cast(x, 'e'), x.astype('e'))
        assert halves.cast(x, '>f2').dtype == '>f2'
    if info.max > 65519:
        with pytest.warns(RuntimeWarning, match='overflow encountered in cast'):
            halves.cast(x, 'e')


def test_other_arrays_stay():
    for x in np.zeros(3, 'i'), np.zeros(3, '>f2'), np.zeros(3, 'f'):
        assert graph.as_floats(x) is x
    x = np.ones(3, '>f2')
    assert halves.cast(x, 'f').dtype == np.float32


# -- elementwise functions


def strided(x):
    """Yield the array, and others of the same numbers."""
    yield x
    yield np.asfortranarray(x)
    wide = np.repeat(x, 2, x.ndim - 1)
    yield wide[..., ::2]
    yield x[::-1].copy()[::-1]


BINARY = {
    'add': lambda x, y: x + y, 'sub': lambda x, y: x - y, 'mul': lambda x, y: x * y,
    'div': lambda x, y: x / y}
UNARY = {
    'relu': F.relu, 'leaky_relu': F.leaky_relu, 'clip': lambda x: F.clip(x, -.5, .75),
    'constant': lambda x: x * 2.5, 'negative': lambda x: -x, 'abs': abs,
    'sqrt': lambda x: F.sqrt(abs(x) + 1)}


def gradients(f, arrays, gy=None):
    xs = [chainer.Variable(x) for x in arrays]
    y = f(*xs)
    y.grad = np.ones_like(y.array) if gy is None else gy.astype(y.dtype)
    y.backward()
    return y.array, *[x.grad for x in xs]


@pytest.mark.parametrize('shape', [(), (1,), (0, 3), (7,), (40, 33), (600, 700)])
@pytest.mark.parametrize('name', UNARY)
def test_one_operation_has_the_bits_of_numpy(name, shape):
    x = halves_of(1, *shape)
    f = UNARY[name]
    for each in strided(x) if x.ndim == 2 else [x]:
        found = gradients(f, [each])
        with General():
            expected = gradients(f, [each])
        for a, b in zip(found, expected, strict=True):
            assert same_bits(a, b) and a.strides == b.strides


@pytest.mark.parametrize('shapes', [
    ((40, 33), (40, 33)), ((40, 33), (33,)), ((40, 33), (40, 1)), ((1, 33), (40, 1)),
    ((40, 33), ()), ((40, 40), (40, 40)), ((3, 1, 5), (4, 5)), ((0, 3), (3,)),
    ((600, 700), (600, 700)), ((70, 333), (333,)), ((70, 333), (70, 1)),
    ((7, 5, 131), (7, 1, 131)), ((16,), (16,)), ((17,), (17,))])
@pytest.mark.parametrize('name', BINARY)
def test_two_operands_have_the_bits_of_numpy(name, shapes):
    x, y = halves_of(2, *shapes[0]), halves_of(3, *shapes[1])
    y = np.where(abs(y) < .1, y.dtype.type(1), y)
    for each in strided(x) if x.ndim == 2 and x.size else [x]:
        found = BINARY[name](chainer.Variable(each), chainer.Variable(y)).array
        expected = BINARY[name](each, y)
        assert same_bits(found, expected) and found.strides == expected.strides
    if x.shape == y.shape == y.T.shape:
        found = BINARY[name](chainer.Variable(x), chainer.Variable(y).transpose()).array
        assert same_bits(found, BINARY[name](x, y.T))


@pytest.mark.parametrize('name', ['sigmoid', 'tanh', 'softplus', 'elu', 'exp'])
@pytest.mark.parametrize('n', SIZES[1:])
def test_several_operations_are_rounded_once(name, n):
    x, gy = halves_of(n, n), halves_of(n + 1, n)
    y, gx = gradients(getattr(F, name), [x], gy)
    wide, wide_gx = gradients(getattr(F, name), [x.astype('f')], gy)
    assert same_bits(y, wide.astype('e')) and gx.dtype == 'e'
    np.testing.assert_allclose(gx, wide_gx, rtol=4e-3, atol=2e-3)


def test_special_numbers_stay():
    x = np.array([np.nan, np.inf, -np.inf, 6e-8, -6e-8, -0., 65504], 'e')
    np.testing.assert_array_equal(F.relu(x).array, np.maximum(x, np.float16(0)))
    assert same_bits((chainer.Variable(x) * 1).array, x)
    assert same_bits(abs(chainer.Variable(x)).array, abs(x))


@pytest.mark.parametrize('f', [
    lambda x: x * 2, lambda x: x + x, lambda x: x * x, lambda x: F.exp(x),
    lambda x: x * 1e6])
def test_overflow_is_reported(f):
    x = chainer.Variable(np.full((300, 300), 60000, 'e'))
    with pytest.warns(RuntimeWarning, match='overflow'):
        y = f(x)
    assert np.isinf(y.array).all() and y.dtype == 'e'


@pytest.mark.parametrize('n', range(1, 34))
def test_what_is_behind_the_last_vector_raises_no_flags(n):
    x = halves_of(n, n) + np.float16(4)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        for f in F.log, F.sqrt, lambda x: 1 / x, lambda x: x / x:
            found = gradients(f, [x])
            with General():
                expected = gradients(f, [x])
            assert all(map(same_bits, found[:1], expected[:1]))
    x[-1] = 60000
    with pytest.warns(RuntimeWarning, match='overflow'):
        y = chainer.Variable(x) * 2
    assert np.isinf(y.array).sum() == 1


def test_sums_of_gradients():
    x = chainer.Variable(halves_of(4, 500, 30))
    y = x * 2
    z = y * 3 + y * 5 + F.relu(y)
    gz = halves_of(5, 500, 30)
    z.grad = gz
    z.backward()
    single = chainer.Variable(x.array.astype('f'))
    y = single * 2
    w = y * 3 + y * 5 + F.relu(y)
    w.grad = gz.astype('f')
    w.backward()
    assert x.grad.dtype == 'e'
    np.testing.assert_allclose(x.grad, single.grad, rtol=4e-3, atol=2e-2)


# -- functions that are not elementwise

LABELS = np.random.RandomState(0).randint(0, 6, 9).astype('i')
OTHERS = {
    'linear': (F.linear, (9, 8), (6, 8), (6,)),
    'matmul': (lambda a, b: F.matmul(a, b, True, True), (8, 9), (6, 8)),
    'matrices': (F.matmul, (3, 9, 8), (3, 8, 6)),
    'tensordot': (lambda a, b: F.tensordot(a, b, 1), (3, 9, 8), (8, 6)),
    'einsum': (lambda a, b: F.einsum('bij,bjk->bik', a, b), (3, 9, 8), (3, 8, 6)),
    'convolution': (lambda x, W, b: F.convolution_2d(x, W, b, pad=1),
                    (2, 3, 6, 5), (4, 3, 3, 3), (4,)),
    'deconvolution': (F.deconvolution_2d, (2, 3, 6, 5), (3, 4, 2, 2), (4,)),
    'max_pooling': (lambda x: F.max_pooling_2d(x, 2), (2, 3, 6, 5)),
    'average_pooling': (lambda x: F.average_pooling_2d(x, 3), (2, 3, 6, 6)),
    'batch_normalization': (
        lambda x, g, b: F.batch_normalization(x, g, b), (9, 6), (6,), (6,)),
    'layer_normalization': (F.layer_normalization, (9, 6), (6,), (6,)),
    'local_response': (F.local_response_normalization, (2, 7, 3, 3)),
    'normalize': (F.normalize, (9, 6)),
    'sum': (lambda x: F.sum(x, 1), (9, 6)), 'mean': (lambda x: F.mean(x, 0), (9, 6)),
    'average': (F.average, (9, 6)), 'logsumexp': (F.logsumexp, (9, 6)),
    'softmax': (F.softmax, (9, 6)), 'log_softmax': (F.log_softmax, (9, 6)),
    'cross_entropy': (lambda x: F.softmax_cross_entropy(x, LABELS), (9, 6)),
    'squared_error': (F.mean_squared_error, (9, 6), (9, 6)),
    'absolute_error': (F.mean_absolute_error, (9, 6), (9, 6)),
    'huber': (lambda x, t: F.huber_loss(x, t, 1.), (9, 6), (9, 6)),
    'hinge': (lambda x: F.hinge(x, LABELS), (9, 6)),
    'lstm': (lambda c, x: F.concat(F.lstm(c, x)), (9, 6), (9, 24)),
    'slstm': (lambda a, b, x, y: F.concat(F.slstm(a, b, x, y)),
              (9, 6), (9, 6), (9, 24), (9, 24)),
    'sine': (F.sin, (9, 6)), 'maximum': (F.maximum, (9, 6), (9, 6)),
    'max': (lambda x: F.max(x, 1), (9, 6)), 'add': (F.add, (9, 6), (9, 6), (9, 6)),
    'embed_id': (lambda W: F.embed_id(LABELS, W), (6, 5)),
    'where': (lambda x, y: F.where(np.eye(9, 6, dtype=bool), x, y), (9, 6), (9, 6)),
    'floor': (lambda x: F.floor(x) + x, (9, 6)), 'maxout': (
        lambda x: F.maxout(x, 2), (9, 6)),
    'cast': (lambda x: F.cast(x, 'd') * 2, (9, 6)),
    'concat': (lambda x, y: F.concat((x, y)), (9, 6), (9, 4)),
    'stack': (lambda x, y: F.stack((x, y), 1), (9, 6), (9, 6)),
    'repeat': (lambda x: F.repeat(x, 3, 1), (9, 6)), 'crelu': (F.crelu, (9, 6)),
    'outer': (lambda a, b: F.einsum('bi,bj->bij', a, b), (9, 6), (9, 4)),
    'triplet': (F.triplet, (9, 6), (9, 6), (9, 6)),
    'gaussian': (lambda m, v: F.gaussian(m, v, eps=halves_of(7, 9, 6).astype(m.dtype)),
                 (9, 6), (9, 6)),
    'digamma': (lambda x: F.digamma(x * x + 1), (9, 6)),
    'erfinv': (lambda x: F.erfinv(F.tanh(x) * .5), (9, 6)),
    'split': (lambda x: F.split_axis(x, 2, 1)[1] * 2, (9, 6)),
}


@pytest.mark.parametrize('general', [False, True], ids=['shortcuts', 'methods'])
@pytest.mark.parametrize('name', OTHERS)
def test_results_are_those_of_floats(name, general):
    f, *shapes = OTHERS[name]
    arrays = [halves_of(i, *shape) for i, shape in enumerate(shapes)]

    def run(dtype):
        if not general:
            return gradients(f, [x.astype(dtype) for x in arrays])
        with General():
            return gradients(f, [x.astype(dtype) for x in arrays])

    found, expected = run('e'), run('f')
    for k, (a, b) in enumerate(zip(found, expected, strict=True)):
        assert a.dtype == ('d' if name == 'cast' and k == 0 else 'e')
        scale = max(abs(b).max(), 1)
        np.testing.assert_allclose(a, b, rtol=4e-3, atol=4e-3 * scale)


def test_parameters_of_normalization_may_be_floats():
    x = halves_of(0, 9, 6)
    gamma, beta = np.ones(6, 'f'), np.zeros(6, 'f')
    y, gx, ggamma, gbeta = gradients(F.batch_normalization, [x, gamma, beta])
    assert (y.dtype, gx.dtype, ggamma.dtype, gbeta.dtype) == ('e', 'e', 'f', 'f')


def test_second_derivatives_of_halves():
    x = chainer.Variable(halves_of(0, 9, 6))
    y = F.sum(F.tanh(F.linear(x, halves_of(1, 6, 6))) ** 2)
    gx, = chainer.grad([y], [x], enable_double_backprop=True)
    F.sum(gx * gx).backward()
    assert x.grad.dtype == 'e' and np.isfinite(x.grad).all()


def test_a_product_that_is_too_large_warns_as_numpy_does():
    x = np.full((50, 50), 60000, 'e')
    with warnings.catch_warnings(record=True) as expected:
        warnings.simplefilter('always')
        x.dot(x)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        y = F.matmul(x, x)
    assert np.isinf(y.array).all()
    assert [str(w.message) for w in caught] == [str(w.message) for w in expected]


@pytest.mark.parametrize('dtype', 'ef')
def test_a_product_has_the_dtype_that_is_asked_for(dtype):
    x = chainer.Variable(halves_of(0, 5, 5))
    y, = matmul.MatMul(dtype=np.dtype(dtype)).apply((x, x))
    assert y.dtype == dtype


def test_running_statistics_are_updated_once():
    x = halves_of(0, 9, 6)
    x[0] = 6e4
    mean, var = np.zeros(6, 'f'), np.ones(6, 'f')
    with np.errstate(over='ignore'):
        F.batch_normalization(
            x, np.full(6, 6e4, 'f'), np.zeros(6, 'f'), running_mean=mean,
            running_var=var, decay=.5)
    np.testing.assert_allclose(mean, x.astype('f').mean(axis=0) / 2, rtol=1e-3)

"""Infinite elements, and powers of what has no logarithm."""
import warnings

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import functions as F
from tests import compare

INF = np.inf
NAN = np.nan


@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('double', [False, True])
@pytest.mark.parametrize('x,y,gx', [
    ([-INF, -INF], -INF, [1, 1]), ([-INF], -INF, [1]), ([INF, 0], INF, [1, 0]),
    ([INF, -INF], INF, [1, 0]), ([0, INF, 3], INF, [0, 1, 0]), ([-INF, 0], 0, [0, 1]),
    ([NAN, 0], NAN, [NAN, NAN])])
@pytest.mark.parametrize('axis', [None, 1, (0, 1)])
def test_logsumexp(device, dtype, double, x, y, gx, axis):
    x = chainer.Variable(device.send(np.array([x], dtype)))
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        total = F.logsumexp(x, axis=axis)
        g, = chainer.grad([total], [x], enable_double_backprop=double)
    assert total.dtype == x.dtype and g.dtype == x.dtype
    compare.assert_array_equal(total.array.ravel(), np.array([y], dtype))
    compare.assert_allclose(g.array, [gx], 1e-3)


@pytest.mark.filterwarnings('error')
def test_logsumexp_beside_other_rows(device):
    """An infinite row changes no bit of the others."""
    rows = np.array([[INF, -3e38], [-INF, -INF], [1, 2]], 'f')
    y = F.logsumexp(device.send(rows), axis=1).array
    compare.assert_array_equal(y, [
        INF, -INF, F.logsumexp(device.send(rows[2:]), axis=1).array[0]])


def test_second_derivatives_of_logsumexp_are_finite(device):
    x = chainer.Variable(device.send(np.array([[INF, 0], [-INF, -INF], [1, 2]])))
    y = F.logsumexp(x, axis=1)
    g, = chainer.grad([y], [x], [device.send(chainer.Variable(np.ones(3)))],
                      enable_double_backprop=True)
    g, = chainer.grad([F.sum(g * device.send(np.array([[1., 2]])))], [x])
    compare.assert_allclose(g.array, [[0, 0], [0, 0], [
        -.19661193, .19661193]], 1e-6, 1e-12)


@pytest.mark.host
@pytest.mark.parametrize('f', [F.softmax, F.log_softmax], ids=lambda f: f.__name__)
@pytest.mark.parametrize('x', [[-INF, -INF], [INF, 0], [INF, INF]])
def test_shares_have_no_value_there(device, f, x):
    """They stay NaN with NumPy's warning, as in Chainer."""
    with pytest.warns(RuntimeWarning, match='invalid value'):
        y = f(np.array([x], 'f'))
    assert np.isnan(y.array).all()


@pytest.mark.parametrize('value', [-2, -2., np.float16(-1), np.float64(-1),
                                   np.int32(-3)], ids=repr)
def test_gradients_of_powers_of_what_has_no_logarithm(value):
    """The numbers and the warnings are those of an array in the place of the scalar."""
    def found(base):
        x = chainer.Variable(np.array([0., 1, 2, 3], 'f'))
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter('always')
            y = base ** x
            y.grad = np.ones_like(y.array)
            y.backward()
        return y.array, x.grad, {str(each.message) for each in told}

    y, g, told = found(value)
    assert 'invalid value encountered in log' in told
    with np.errstate(all='ignore'):
        expected = np.log(np.float32(value)) * np.float32(value) ** np.array(
            [0., 1, 2, 3], 'f')
    np.testing.assert_array_equal(y, np.float32(value) ** np.array([0., 1, 2, 3], 'f'))
    np.testing.assert_array_equal(g, expected)


def test_gradients_of_powers_keep_their_bits():
    x = chainer.Variable(np.linspace(-2, 2, 9))
    for value in (.3, 2, 1e-100, 7.5):
        x.cleargrad()
        y = value ** x
        y.grad = np.ones_like(y.array)
        y.backward()
        np.testing.assert_array_equal(x.grad, np.log(np.float64(value)) * y.array)


def _derivatives(f, *arrays):
    """Return the gradients of a function, and those of their sum, with a common start.
    """
    xs = [chainer.Variable(a) for a in arrays]
    y = f(*xs)
    gy = chainer.Variable(np.full_like(y.array, .3))
    gxs = chainer.grad([y], xs, [gy], enable_double_backprop=True)
    ggs = chainer.grad(gxs, [*xs, gy], [chainer.Variable(
        np.full_like(g.array, .7)) for g in gxs])
    return [g.array for g in gxs], [g.array for g in ggs]


@pytest.mark.parametrize('size', [1, 4, 5, 9])
@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('function, arguments', [
    (F.arctan, ['most']), (F.squared_error, ['most', 'some']),
    (F.squared_error, ['some', 'most']), (lambda x, y: x ** y, ['some', 'root']),
    (F.swish, ['most', 'one']), (F.swish, ['least', 'one']),
    (F.swish, ['ten', 'least'])])
@pytest.mark.filterwarnings('ignore::RuntimeWarning')
def test_derivatives_near_the_limits_are_no_nan(dtype, size, function, arguments):
    """A derivative that is small or zero is not made of an infinite factor."""
    most = np.finfo(dtype).max
    values = {'most': most, 'least': -most, 'some': .5, 'one': 1, 'ten': 10,
              'root': np.sqrt(np.float64(most)) * 1.01}
    arrays = []
    for name in arguments:
        arrays.append(np.full((1, size), .5, dtype))
        arrays[-1][0, -1] = values[name]
    if function is F.swish:
        arrays[1] = arrays[1][0]
    for found in _derivatives(function, *arrays):
        assert not any(np.isnan(g).any() for g in found)


@pytest.mark.filterwarnings('ignore::RuntimeWarning')
def test_squared_error_near_the_limit(device):
    x, zero = device.send([np.array([65504, 3], 'e'), np.zeros(2, 'e')])
    x = chainer.Variable(x)
    y = F.squared_error(x, zero)
    g, = chainer.grad([y], [x], [device.send(np.array([.25, 1], 'e'))])
    compare.assert_allclose(g.array, np.array([32752, 6], 'e'))


@pytest.mark.parametrize('slope', [INF, -INF, NAN])
def test_slopes_of_prelu_that_are_not_used(device, slope):
    x = chainer.Variable(device.send(np.array([[1, 2.]])))
    W = chainer.Variable(device.send(np.array([slope, .5])))
    y = F.prelu(x, W)
    gy = chainer.Variable(device.send(np.ones((1, 2))))
    gx, = chainer.grad([y], [x], [gy], enable_double_backprop=True)
    ggy, = chainer.grad([gx], [gy])
    compare.assert_array_equal(ggy.array, [[1, 1]])


@pytest.mark.parametrize('double', [False, True])
def test_products_of_halves(device, double):
    """The products of all others fit into halves, those on the way do not."""
    x = np.full(33, .5, 'e')
    x[0] = 65504
    v = chainer.Variable(device.send(x))
    g, = chainer.grad([F.prod(v)], [v], enable_double_backprop=double)
    assert g.dtype == 'e'
    compare.assert_allclose(g.array[1:], np.full(32, 65504 * .5 ** 31), rtol=.05)


@pytest.mark.parametrize('shape', [(5, 3), (4, 3, 2, 2)])
@pytest.mark.parametrize('dtype', 'efd')
def test_fixed_statistics_keep_nan_out_of_the_gradient(device, shape, dtype):
    for last in False, True:
        array = np.ones(shape, dtype)
        array[0, 0] = NAN
        if last and len(shape) > 2:
            array = np.moveaxis(np.moveaxis(array, 1, -1).copy(), -1, 1)
        x = chainer.Variable(device.send(array))
        y = F.fixed_batch_normalization(x, *device.send([np.ones(3, dtype)] * 4), eps=0)
        y.grad = device.send(np.full(shape, .5, dtype))
        y.backward()
        compare.assert_allclose(x.grad, np.full(shape, .5, dtype), 1e-3)


@pytest.mark.parametrize('dtype', 'fd')
@pytest.mark.parametrize('function', [
    F.batch_normalization, F.layer_normalization,
    lambda x, *parameters: F.group_normalization(x[:, :, None], 1, *parameters)])
@pytest.mark.filterwarnings('ignore::RuntimeWarning')
def test_normalization_of_the_largest_number(dtype, function):
    """Its variance is infinite, and so what is normalized by it is zero."""
    array = np.random.RandomState(0).uniform(-1, 1, (5, 3)).astype(dtype)
    array[0, 0] = np.finfo(dtype).max
    x = chainer.Variable(array)
    gamma, beta = np.ones(3, dtype), np.full(3, .5, dtype)
    y = function(x, gamma, beta)
    y.grad = np.ones_like(y.array)
    y.backward()
    assert np.isfinite(y.array).all() and np.isfinite(x.grad).all()
    assert y.array.ravel()[0] == .5

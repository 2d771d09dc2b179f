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

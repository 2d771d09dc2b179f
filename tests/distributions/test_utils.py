import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chainer_fast
from chainer_fast import gradient_check
from chainer_fast.distributions import utils
from tests import compare


@pytest.mark.parametrize('dtype', [np.float16, np.float32, np.float64])
@pytest.mark.parametrize('shape', [(), (0,), (2, 3)])
def test_xlogx(device, dtype, shape):
    x = np.asarray(np.random.RandomState(0).uniform(0.1, 2, shape)).astype(dtype)
    y = utils._modified_xlogx(device.send(x))
    assert y.dtype == dtype
    exact = x.astype(float)
    compare.assert_allclose(
        y.array, exact * np.log(exact), rtol=5e-3 if dtype == np.float16 else 1e-5,
        atol=1e-3 if dtype == np.float16 else 1e-6)


def test_gradients_of_xlogx(device):
    rs = np.random.RandomState(1)
    x = device.send(rs.uniform(0.2, 2, 5))
    gy = device.send(rs.uniform(size=5))
    gg = rs.uniform(size=5)
    options = {'dtype': np.float64, 'atol': 1e-4, 'rtol': 1e-4}
    gradient_check.check_backward(utils._modified_xlogx, x, gy, **options)
    gradient_check.check_double_backward(
        utils._modified_xlogx, x, gy, device.send(gg), **options)


def test_xlogx_at_zero(device):
    x = chainer_fast.Variable(device.send(np.array([0, 0.5], np.float32)))
    y = utils._modified_xlogx(x)
    compare.assert_array_equal(y.array[0], 0)
    y.grad = device.send(np.ones(2, np.float32))
    with pytest.warns(RuntimeWarning, match='no gradient at x = 0'):
        y.backward()
    compare.assert_allclose(x.grad, [0, np.log(0.5) + 1], rtol=1e-6)


def test_xlogx_without_a_gradient_does_not_warn(device):
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        utils._modified_xlogx(device.send(np.zeros(2)))


@settings(max_examples=30)
@given(st.integers(0, 6), st.integers(1, 6), st.integers(0, 5), st.integers(0, 99))
def test_stream_of_categories(n_rows, n_categories, n, seed):
    rs = np.random.RandomState(seed)
    p = rs.dirichlet(np.ones(n_categories), n_rows).reshape(n_rows, n_categories)
    np.random.seed(seed)
    rows = [np.random.choice(n_categories, n, p=row) for row in p]
    following = np.random.uniform()
    np.random.seed(seed)
    chosen = utils._random_categories(p, n)
    assert np.random.uniform() == following
    assert chosen.dtype == np.int64
    assert chosen.shape == (n, n_rows)
    compare.assert_array_equal(chosen.T, np.array(rows).reshape(n_rows, n))


@pytest.mark.parametrize('p', [
    [0.5, 0.6], [0.5, 0.4], [1.5, -0.5], [np.nan, 0.5], [np.inf, 0]])
def test_improper_probabilities(device, p):
    with pytest.raises(ValueError, match='probabilities p'):
        utils._random_categories(device.send(np.array([[0.5, 0.5], p], np.float32)), 2)

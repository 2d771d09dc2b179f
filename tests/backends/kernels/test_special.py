"""Derivatives of the digamma function, compared with SciPy's."""
import numpy as np
import pytest

from chainer_fast.backends.kernels.arithmetic import special as kernels

scipy_special = pytest.importorskip('scipy.special')


def arguments(dtype):
    rng = np.random.RandomState(0)
    return np.concatenate([
        rng.uniform(1e-6, 3, 700), rng.uniform(3, 50, 300),
        10 ** rng.uniform(-3, 6, 700)]).astype(dtype)


@pytest.mark.parametrize('order', [1, 2, 3, 5, 10])
@pytest.mark.parametrize('dtype, tolerance', [('f', 1e-7), ('d', 3e-15)])
def test_polygamma(order, dtype, tolerance):
    x = arguments(dtype)
    x = x[x > .1]
    expected = scipy_special.polygamma(order, x.astype('d'))
    for orders in np.array(order), np.full(x.shape, order, 'i'):
        y = kernels.polygamma.compiled(x, orders)
        assert y.dtype == dtype
        # Floats have no smaller numbers.
        np.testing.assert_allclose(y, expected, tolerance, 2e-45 * (dtype == 'f'))


@pytest.mark.parametrize('x', [0, -.5, -2, np.inf, np.nan])
def test_other_arguments_are_left_to_scipy(x):
    x = np.array([1, x, 2], 'f')
    assert kernels.polygamma.compiled(x, np.array(1)) is NotImplemented
    with np.errstate(all='ignore'):
        np.testing.assert_array_equal(
            kernels.polygamma(x, np.array(1)),
            scipy_special.polygamma(1, x).astype('f'))


@pytest.mark.parametrize('n', [
    np.array(0), np.array(11), np.array([1, 2, 1]), np.array([[1], [1]]),
    np.zeros(0, int), 1])
def test_other_orders_are_left_to_scipy(n):
    x = np.array([1, 2, 3], 'f')
    assert kernels.polygamma.compiled(x, n) is NotImplemented

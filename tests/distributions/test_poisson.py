import numpy as np
import pytest
from scipy import stats

import chainer_fast
from chainer_fast import distributions
from tests import compare
from tests.distributions.family import Family


class TestPoisson(Family):
    dist = distributions.Poisson
    parameters = {'lam': (0.5, 8)}
    points = 0, 9
    discrete = True
    statistics = 'mean', 'variance'
    missing = 'mode', 'stddev', 'entropy'
    support = 'non negative integer'
    reparameterized = False
    sample_dtype = np.float32

    def frozen(self, lam):
        return stats.poisson(lam)

    def drawn(self, size, lam):
        return np.random.poisson(lam, size).astype(np.float32)


@pytest.mark.parametrize('shape', [(), (3,)])
@pytest.mark.parametrize('dtype', [np.int32, np.float64])
def test_points_are_cast(device, shape, dtype):
    lam = np.full(shape, 2.5, np.float32)
    x = device.send(np.full(shape, 3, dtype))
    expected = stats.poisson(2.5).logpmf(3)
    for each in (x, chainer_fast.Variable(x)):
        y = distributions.Poisson(device.send(lam)).log_prob(each)
        assert (y.dtype, y.shape) == (np.float32, shape)
        compare.assert_allclose(y.array, expected, rtol=1e-6)


def test_no_gradient_flows_to_points(device):
    lam, x = [
        chainer_fast.Variable(device.send(np.array([value]))) for value in (2., 3.)]
    y = distributions.Poisson(lam).log_prob(x)
    by_lam, by_x = chainer_fast.grad([y], [lam, x])
    compare.assert_allclose(by_lam.array, 3 / 2 - 1)
    assert by_x is None


def test_nothing_is_expected(device):
    lam = chainer_fast.Variable(device.send(np.zeros(2)))
    x = np.array([0, 1])
    with np.errstate(divide='ignore'):
        y = distributions.Poisson(lam).log_prob(device.send(x))
    compare.assert_array_equal(y.array, [0, -np.inf])
    none, two = [
        distributions.Poisson(device.send(np.array([lam]))) for lam in (0., 2.)]
    compare.assert_allclose(chainer_fast.kl_divergence(none, two).array, 2)

import numpy as np
from scipy import stats

from chainer_fast import distributions
from tests import compare
from tests.distributions.family import Family


class TestExponential(Family):
    dist = distributions.Exponential
    parameters = {'lam': (0.5, 3)}
    functions = 'log_prob', 'cdf', 'icdf'
    support = 'positive'

    def frozen(self, lam):
        return stats.expon(scale=1 / lam)

    def drawn(self, size, lam):
        return np.random.standard_exponential(size).astype(lam.dtype) / lam


def test_outside(device):
    dist = distributions.Exponential(device.send(np.array([2, 2, 2], np.float32)))
    y = dist.log_prob(device.send(np.array([-1, 0, np.nan], np.float32)))
    compare.assert_allclose(y.array, [-np.inf, np.log(2), -np.inf], rtol=1e-6)


def test_small_probabilities(device):
    dist = distributions.Exponential(device.send(np.array([2], np.float32)))
    tiny = device.send(np.array([1e-20], np.float32))
    compare.assert_allclose(dist.cdf(tiny).array, 2e-20, rtol=1e-6)
    compare.assert_allclose(dist.icdf(tiny).array, 5e-21, rtol=1e-6)

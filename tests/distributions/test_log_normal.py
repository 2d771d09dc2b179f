import numpy as np
import pytest
from scipy import stats

import chainer_fast.functions as F
from chainer_fast import distributions
from tests import compare
from tests.devices import to_cpu
from tests.distributions.family import Family


class TestLogNormal(Family):
    dist = distributions.LogNormal
    parameters = {'mu': (-1, 1), 'sigma': (0.3, 0.9)}
    support = 'positive'

    def frozen(self, mu, sigma):
        return stats.lognorm(s=sigma, scale=np.exp(mu))

    def drawn(self, size, mu, sigma):
        noise = np.random.standard_normal(size).astype(mu.dtype)
        return F.exp(mu + sigma * noise).array

    def test_moments_of_samples(self, device):
        # The logarithm has moments that 20,000 samples tell.
        params = self.params((3,))
        device.seed(0)
        sample = np.log(to_cpu(self.dist(**device.send(params)).sample_n(20000).array))
        compare.assert_allclose(sample.mean(axis=0), params['mu'], atol=0.03)
        compare.assert_allclose(sample.std(axis=0), params['sigma'], rtol=0.05)


def test_variance_of_a_narrow_distribution(device):
    sigma = np.array(1e-4, np.float32)
    dist = distributions.LogNormal(
        device.send(np.zeros((), np.float32)), device.send(sigma))
    compare.assert_allclose(dist.variance.array, 1e-8, rtol=1e-5)


@pytest.mark.host
def test_outside(device):
    dist = distributions.LogNormal(device.send(np.zeros(1)), device.send(np.ones(1)))
    with pytest.warns(RuntimeWarning):
        assert np.isnan(dist.log_prob(device.send(np.array([-1.]))).array)

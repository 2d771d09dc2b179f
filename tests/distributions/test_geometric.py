import numpy as np
import pytest
from scipy import stats

import chainer_fast
from chainer_fast import distributions
from chainer_fast.utils import type_check
from tests import compare
from tests.distributions.family import Family


class TestGeometric(Family):
    dist = distributions.Geometric
    parameters = {'p': (0.2, 0.9)}
    points = 1, 6
    discrete = True
    statistics = 'mean', 'variance'
    missing = 'mode', 'stddev', 'entropy'
    support = 'positive integer'
    reparameterized = False

    def frozen(self, p):
        return stats.geom(p)

    def drawn(self, size, p):
        return np.random.geometric(p, size).astype(p.dtype)


def test_integers(device):
    p = np.array([0.25, 0.5], np.float32)
    x = np.array([1, 3])
    dist = distributions.Geometric(device.send(p))
    y = dist.log_prob(device.send(x))
    assert y.dtype == np.float32
    compare.assert_allclose(y.array, stats.geom(p).logpmf(x), rtol=1e-6)
    with pytest.raises(type_check.InvalidType):
        dist.log_prob(chainer_fast.Variable(device.send(x)))


def test_certain_and_rare_success(device):
    p = chainer_fast.Variable(device.send(np.array([1, 1e-10], np.float32)))
    y = distributions.Geometric(p).log_prob(
        device.send(np.array([1, 1e10], np.float32)))
    compare.assert_allclose(y.array, [0, -1 + np.log(1e-10)], rtol=1e-5, atol=1e-6)
    assert np.isfinite(chainer_fast.grad([y], [p])[0].array).all()


def test_divergence_of_certain_success(device):
    sure, even = [
        distributions.Geometric(device.send(np.array([p]))) for p in (1., 0.5)]
    compare.assert_allclose(
        chainer_fast.kl_divergence(sure, even).array, np.log(2))
    compare.assert_allclose(chainer_fast.kl_divergence(sure, sure).array, 0)
    with np.errstate(divide='ignore'):
        assert chainer_fast.kl_divergence(even, sure).array == float('inf')

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import chainer_fast
from chainer_fast import distributions
from tests import compare
from tests.distributions.family import Family


class TestNormal(Family):
    dist = distributions.Normal
    parameters = {'loc': (-2, 2), 'scale': (0.5, 3)}
    points = -4, 4
    functions = 'log_prob', 'prob', 'cdf', 'icdf'
    statistics = 'mean', 'variance', 'stddev', 'entropy'

    def frozen(self, loc, scale):
        return stats.norm(loc, scale)

    def drawn(self, size, loc, scale):
        return loc + scale * np.random.standard_normal(size).astype(loc.dtype)

    def test_what_has_no_formula(self, device):
        dist = self.dist(**device.send(self.params(())))
        for name in ('mode', 'covariance'):
            with pytest.raises(NotImplementedError):
                getattr(dist, name)
        with pytest.raises(NotImplementedError):
            dist.perplexity(device.send(self.at(())))


@settings(max_examples=50)
@given(st.floats(-3, 3), st.floats(-2, 2), st.floats(-20, 20))
def test_tails(device, loc, log_scale, x):
    dist = distributions.Normal(
        device.send(np.array(loc)), log_scale=device.send(np.array(log_scale)))
    expected = stats.norm(loc, np.exp(log_scale))
    x = np.array(x)
    for name, scipy_name in [
            ('log_cdf', 'logcdf'), ('survival_function', 'sf'),
            ('log_survival_function', 'logsf')]:
        compare.assert_allclose(
            getattr(dist, name)(device.send(x)).array, getattr(expected, scipy_name)(x),
            rtol=1e-9)


def test_logarithm_of_scale(device):
    loc = device.send(np.zeros(3))
    log_scale = chainer_fast.Variable(device.send(np.array([-1., 0, 2])))
    dist = distributions.Normal(loc, log_scale=log_scale)
    compare.assert_allclose(dist.scale.array, np.exp(log_scale.array))
    assert dist.log_scale is log_scale
    assert list(dist.params) == ['loc', 'scale']
    grad, = chainer_fast.grad([dist.entropy + dist.log_prob(loc)], [log_scale])
    compare.assert_allclose(grad.array, 0)
    # The other way round.
    other = distributions.Normal(loc, dist.scale.array)
    compare.assert_allclose(other.log_scale.array, log_scale.array, atol=1e-12)


def test_infinity(device):
    dist = distributions.Normal(
        device.send(np.zeros(2, np.float32)), device.send(np.ones(2, np.float32)))
    ends = device.send(np.array([-np.inf, np.inf], np.float32))
    compare.assert_array_equal(dist.prob(device.send(ends)).array, 0)
    compare.assert_array_equal(dist.log_prob(device.send(ends)).array, -np.inf)
    compare.assert_array_equal(dist.cdf(device.send(ends)).array, [0, 1])
    compare.assert_array_equal(
        dist.icdf(device.send(np.array([0, 1], np.float32))).array, ends)


def test_either_scale_or_its_logarithm(device):
    one = device.send(np.ones(2))
    with pytest.raises(ValueError, match='neither'):
        distributions.Normal(one)
    with pytest.raises(ValueError, match='not both'):
        distributions.Normal(one, one, log_scale=one)
    with pytest.raises(TypeError):
        distributions.Normal(one, sigma=one)

import numpy as np
import pytest
from scipy import stats

import chainer_fast
from chainer_fast import distributions
from tests import compare
from tests.distributions.family import Family


class TestGamma(Family):
    dist = distributions.Gamma
    parameters = {'k': (0.5, 5), 'theta': (0.5, 3)}
    support = 'positive'
    noise_has = ('k',)

    def frozen(self, k, theta):
        return stats.gamma(k, scale=theta)

    def drawn(self, size, k, theta):
        return theta * np.random.gamma(k, size=size).astype(k.dtype)


def test_outside(device):
    k, theta, x = [
        chainer_fast.Variable(device.send(np.array(values, np.float32)))
        for values in ([2, 2, 1], [1, 1, 1], [-1, 1, 0])]
    y = distributions.Gamma(k, theta).log_prob(x)
    compare.assert_allclose(y.array, [-np.inf, -1, 0], atol=1e-6)
    for grad in chainer_fast.grad([y], [k, theta, x]):
        assert np.isfinite(grad.array).all()


def test_parameters_that_do_not_exist(device):
    one = np.ones(2, np.float32)
    with pytest.raises(ValueError):
        distributions.Gamma(device.send(-one), device.send(one)).sample()

import numpy as np
from scipy import stats

import chainer_fast
from chainer_fast import distributions
from tests import compare
from tests.distributions.family import Family


class TestBeta(Family):
    dist = distributions.Beta
    parameters = {'a': (0.5, 6), 'b': (0.5, 6)}
    points = 0.05, 0.95
    support = '[0, 1]'
    reparameterized = False

    def frozen(self, a, b):
        return stats.beta(a, b)

    def drawn(self, size, a, b):
        return np.random.beta(a, b, size).astype(a.dtype)

    def _fit_for_divergence(self, first, second):
        # The density has no pole.
        for name in first:
            first[name] += 1


def test_outside(device):
    a, x = [
        chainer_fast.Variable(device.send(np.array(values, np.float32)))
        for values in ([2, 2, 2, 2], [-0.5, 0.5, 1.5, np.nan])]
    y = distributions.Beta(a, a).log_prob(x)
    inf = float('inf')
    compare.assert_allclose(y.array, [-inf, np.log(1.5), -inf, -inf], rtol=1e-6)
    for grad in chainer_fast.grad([y], [a, x]):
        assert np.isfinite(grad.array).all()
        compare.assert_array_equal(grad.array[[0, 2, 3]], 0)


def test_ends_of_the_interval(device):
    flat = device.send(np.array([1, 1], np.float32))
    steep = device.send(np.array([0.5, 0.5], np.float32))
    ends = device.send(np.array([0, 1], np.float32))
    # The powers are one, for no x is raised to anything but zero.
    compare.assert_allclose(distributions.Beta(flat, flat).log_prob(ends).array, 0)
    with np.errstate(divide='ignore'):
        compare.assert_array_equal(
            distributions.Beta(steep, steep).log_prob(ends).array, float('inf'))

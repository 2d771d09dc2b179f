import numpy as np
from scipy import stats

from chainer_fast import distributions
from tests import compare
from tests.distributions.family import Family


class TestChisquare(Family):
    dist = distributions.Chisquare
    parameters = {'k': (0.5, 8)}
    support = 'positive'
    reparameterized = False
    has_divergence = False

    def frozen(self, k):
        return stats.chi2(k)

    def drawn(self, size, k):
        return np.random.chisquare(k, size).astype(k.dtype)


def test_nought(device):
    k = np.array([2, 3], np.float32)
    with np.errstate(divide='ignore'):
        y = distributions.Chisquare(device.send(k)).log_prob(
            device.send(np.zeros(2, np.float32)))
    compare.assert_allclose(y.array, [-np.log(2), -np.inf], rtol=1e-6)

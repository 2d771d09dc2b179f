import numpy as np
from scipy import stats

from chainer_fast import distributions
from chainer_fast.distributions import gumbel
from tests import compare
from tests.distributions.family import Family


class TestGumbel(Family):
    dist = distributions.Gumbel
    parameters = {'loc': (-2, 2), 'scale': (0.5, 2)}
    points = -1.5, 5

    def frozen(self, loc, scale):
        return stats.gumbel_r(loc, scale)

    def drawn(self, size, loc, scale):
        return loc + scale * np.random.gumbel(size=size).astype(loc.dtype)


def test_constant():
    # It is minus the slope of the gamma function at one.
    compare.assert_allclose(gumbel.EULER, 0.5772156649015329)

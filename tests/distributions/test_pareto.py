import numpy as np
import pytest
from scipy import stats

import chainer_fast
from chainer_fast import distributions
from tests import compare
from tests.distributions.family import Family


class TestPareto(Family):
    dist = distributions.Pareto
    parameters = {'scale': (0.5, 2), 'alpha': (5, 8)}
    points = 2.1, 6
    support = '[scale, inf]'
    noise_has = ('alpha',)

    def frozen(self, scale, alpha):
        return stats.pareto(alpha, scale=scale)

    def drawn(self, size, scale, alpha):
        return scale * (np.random.pareto(alpha, size).astype(scale.dtype) + 1)

    def _fit_for_divergence(self, first, second):
        first['scale'] += 2


def test_outside(device):
    scale, alpha, x = [
        chainer_fast.Variable(device.send(np.array(values, np.float32)))
        for values in ([2, 2, 2, 2], [1, 1, 1, 1], [-1, 0, 1, 4])]
    y = distributions.Pareto(scale, alpha).log_prob(x)
    compare.assert_allclose(y.array, [-np.inf] * 3 + [-np.log(8)], rtol=1e-6)
    for grad in chainer_fast.grad([y], [scale, alpha, x]):
        assert np.isfinite(grad.array).all()


@pytest.mark.parametrize('name, order', [('mean', 1), ('variance', 2)])
def test_infinite_moments(device, name, order):
    scale = chainer_fast.Variable(device.send(np.ones(3, np.float32)))
    alpha = chainer_fast.Variable(device.send(np.array([0.5, order, 3], np.float32)))
    moment = getattr(distributions.Pareto(scale, alpha), name)
    compare.assert_allclose(moment.array, [np.inf, np.inf, [1.5, 0.75][order - 1]])
    for grad in chainer_fast.grad([moment], [scale, alpha]):
        compare.assert_array_equal(grad.array[:2], 0)
        assert grad.array[2] != 0


def test_divergence_from_one_that_does_not_cover(device):
    narrow, wide = [
        distributions.Pareto(device.send(np.array([scale])),
        device.send(np.array([3.]))) for scale in (2., 1.)]
    assert chainer_fast.kl_divergence(wide, narrow).array == float('inf')
    assert np.isfinite(chainer_fast.kl_divergence(narrow, wide).array)

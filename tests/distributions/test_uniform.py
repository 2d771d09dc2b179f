import numpy as np
import pytest
from scipy import stats

import chainer_fast
from chainer_fast import distributions
from chainer_fast.utils import type_check
from tests import compare
from tests.distributions.family import Family


class FixedEnds(distributions.Uniform):
    """With parameters by position, as the tests of a family give them."""

    def __init__(self, low, high):
        super().__init__(low=low, high=high)


class FixedLength(distributions.Uniform):
    def __init__(self, loc, scale):
        super().__init__(loc=loc, scale=scale)


class TestEnds(Family):
    dist = FixedEnds
    parameters = {'low': (-2, -0.5), 'high': (1, 3)}
    points = -0.4, 0.9
    functions = 'log_prob', 'cdf', 'icdf'
    statistics = 'mean', 'variance', 'stddev', 'entropy'
    missing = 'mode', 'covariance'
    support = '[low, high]'
    has_divergence = False

    def frozen(self, low, high):
        return stats.uniform(low, high - low)

    def drawn(self, size, low, high):
        noise = np.random.uniform(size=size).astype(low.dtype)
        return (high - low) * noise + low

    def test_gradients_of_functions(self, device):
        for name in ('cdf', 'icdf'):
            at = self.at((2, 3))
            if name == 'icdf':
                at = self.probabilities(at)
            self._check_gradients(
                device, lambda *inputs,
                name=name: getattr(self.dist(*inputs[:2]), name)(inputs[2]),
                [*self.params((2, 3)).values(), at])

    def test_gradients_of_log_prob(self, device):
        first, second, x = [
            chainer_fast.Variable(device.send(np.array(v))) for v in (-1., 4., 0.)]
        dist = self.dist(first, second)
        by_first, by_second, by_x = chainer_fast.grad(
            [dist.log_prob(x)], [first, second, x])
        assert by_x is None
        compare.assert_allclose(by_second.array, -1 / dist.scale.array)
        if self.dist is FixedEnds:
            compare.assert_allclose(by_first.array, 1 / dist.scale.array)
        else:
            assert by_first is None


class TestLength(TestEnds):
    dist = FixedLength
    parameters = {'loc': (-2, -0.5), 'scale': (2.5, 4)}

    def frozen(self, loc, scale):
        return stats.uniform(loc, scale)

    def drawn(self, size, loc, scale):
        return scale * np.random.uniform(size=size).astype(loc.dtype) + loc


def test_outside(device):
    x = chainer_fast.Variable(
        device.send(np.array([-1, 0, 0.25, 2, 3, np.nan], np.float32)))
    dist = distributions.Uniform(
        low=device.send(np.zeros(6, np.float32)),
        high=device.send(np.full(6, 2, np.float32)))
    compare.assert_allclose(
        dist.log_prob(x).array, [-np.inf] + [-np.log(2)] * 3 + [-np.inf] * 2, rtol=1e-6)
    y = dist.cdf(x)
    compare.assert_allclose(y.array, [0, 0, 0.125, 1, 1, np.nan])


def test_other_names_of_the_parameters(device):
    low, high = np.array([0., 1]), np.array([2., 5])
    ends = distributions.Uniform(low=device.send(low), high=device.send(high))
    length = distributions.Uniform(loc=device.send(low), scale=device.send(high - low))
    for name in ('low', 'high', 'loc', 'scale'):
        compare.assert_array_equal(
            getattr(ends, name).array, getattr(length, name).array)
    assert list(ends.params) == ['low', 'high']
    assert list(length.params) == ['loc', 'scale']


@pytest.mark.parametrize('names', [
    '', 'low', 'loc', 'low scale', 'loc high', 'low high loc scale'])
def test_one_pair_of_parameters(names):
    with pytest.raises(ValueError, match='Uniform needs'):
        distributions.Uniform(**{name: np.ones(2) for name in names.split()})


def test_only_names(device):
    with pytest.raises(TypeError):
        distributions.Uniform(device.send(np.zeros(2)), device.send(np.ones(2)))
    with pytest.raises(TypeError):
        distributions.Uniform(
            low=device.send(np.zeros(2)), high=device.send(np.ones(2)), width=1)


def test_divergence(device):
    inner = distributions.Uniform(
        low=device.send(np.array([0., 0, 0])), high=device.send(np.array([1., 1, 1])))
    outer = distributions.Uniform(
        low=device.send(np.array([-1., 0.5, 0])),
        high=device.send(np.array([2., 2, 0.5])))
    compare.assert_allclose(
        chainer_fast.kl_divergence(inner, outer).array, [np.log(3), np.inf, np.inf])


def test_a_divergence_has_a_gradient_by_the_location(device):
    loc, scale = map(chainer_fast.Variable, device.send((np.ones(2), np.ones(2))))
    other = distributions.Uniform(low=device.send(np.zeros(2)), high=device.send(
        np.full(2, 3.)))
    loss = chainer_fast.kl_divergence(
        distributions.Uniform(loc=loc, scale=scale), other)
    chainer_fast.functions.sum(loss).backward()
    compare.assert_allclose(loc.grad, np.zeros(2))
    compare.assert_allclose(scale.grad, -np.ones(2))


@pytest.mark.parametrize('method', ['log_prob', 'cdf', 'icdf'])
def test_bounds_that_do_not_fit_each_other(method):
    dist = distributions.Uniform(low=np.zeros(2, 'f'), high=np.ones(4, 'f'))
    with pytest.raises(type_check.InvalidType):
        getattr(dist, method)(np.full((4, 2), .5, 'f'))

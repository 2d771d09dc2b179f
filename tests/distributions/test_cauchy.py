import numpy as np
import pytest
from scipy import stats

import chainer_fast
from chainer_fast import distributions
from chainer_fast.distributions import cauchy
from tests import compare
from tests.devices import to_cpu
from tests.distributions.family import Family


class TestCauchy(Family):
    dist = distributions.Cauchy
    parameters = {'loc': (-2, 2), 'scale': (0.5, 3)}
    points = -5, 5
    functions = 'log_prob', 'cdf', 'icdf'
    statistics = ('entropy',)
    has_divergence = False

    def frozen(self, loc, scale):
        return stats.cauchy(loc, scale)

    def drawn(self, size, loc, scale):
        return loc + scale * np.random.standard_cauchy(size).astype(loc.dtype)

    def test_moments_of_samples(self, device):
        params = self.params((3,))
        device.seed(0)
        sample = to_cpu(self.dist(**device.send(params)).sample_n(20000).array)
        for q in (0.25, 0.5, 0.75):
            compare.assert_allclose(
                np.quantile(sample, q, axis=0), self.frozen(**params).ppf(q), atol=0.1)


@pytest.mark.parametrize('name', ['mean', 'variance'])
def test_undefined_moments(device, name):
    dist = distributions.Cauchy(
        device.send(np.zeros(2, np.float32)), device.send(np.ones(2, np.float32)))
    with pytest.warns(RuntimeWarning, match='(?i)%s of the cauchy' % name) as warned:
        value = getattr(dist, name)
    assert warned[0].filename == __file__
    assert value.dtype == np.float32
    assert not value.requires_grad
    assert np.isnan(value.array).all()


def test_tails_in_single_precision(device):
    dist = distributions.Cauchy(
        device.send(np.zeros(2, np.float32)), device.send(np.ones(2, np.float32)))
    standard = stats.cauchy()
    far = np.array([-1e6, -1e25], np.float32)
    compare.assert_allclose(
        dist.cdf(device.send(far)).array, standard.cdf(far), rtol=1e-5)
    # Its square is not a number of single precision.
    compare.assert_allclose(
        dist.log_prob(device.send(far)).array, -np.log(np.pi) - 2 * np.log(-far),
        rtol=1e-5)
    p = np.array([1e-7, 1e-30], np.float32)
    compare.assert_allclose(dist.icdf(device.send(p)).array, standard.ppf(p), rtol=1e-5)


@pytest.mark.parametrize('dtype', [np.float16, np.float32])
def test_quantiles_have_all_their_digits(device, dtype):
    p = np.linspace(0, 1, 65)[1:-1].astype(dtype)
    p = np.concatenate([p, 0.5 + p / 1024, p / 1024]).astype(dtype)
    dist = distributions.Cauchy(
        device.send(np.zeros_like(p)), device.send(np.ones_like(p)))
    compare.assert_allclose(
        dist.icdf(device.send(p)).array, stats.cauchy().ppf(p.astype(float)),
        rtol=8 * np.finfo(dtype).eps, atol=1e-12)


def test_infinite_points(device):
    dist = distributions.Cauchy(
        device.send(np.zeros(2, np.float32)), device.send(np.ones(2, np.float32)))
    inf = np.array([-np.inf, np.inf], np.float32)
    compare.assert_allclose(dist.cdf(device.send(inf)).array, [0, 1])
    compare.assert_array_equal(dist.log_prob(device.send(inf)).array, -inf[1])
    with np.errstate(divide='ignore'):
        compare.assert_array_equal(
            dist.icdf(device.send(np.array([0, 1], np.float32))).array, inf)


def test_log_sum_of_squares_has_one_gradient_where_sides_are_equal(device):
    x, y = [chainer_fast.Variable(device.send(np.array([2.]))) for _ in range(2)]
    for grad in chainer_fast.grad([cauchy._log_sum_of_squares(x, y)], [x, y]):
        # 2 x / (x * x + y * y)
        compare.assert_allclose(grad.array, 0.5)

import numpy as np
import pytest
from scipy import stats

import chainer_fast
from chainer_fast import distributions, gradient_check
from chainer_fast.distributions import laplace
from tests import compare
from tests.distributions.family import Family


class TestLaplace(Family):
    dist = distributions.Laplace
    parameters = {'loc': (-2, 2), 'scale': (0.5, 3)}
    points = -4, 4
    functions = 'log_prob', 'prob', 'cdf', 'icdf'
    statistics = 'mean', 'variance', 'stddev', 'entropy'
    missing = ('covariance',)

    def frozen(self, loc, scale):
        return stats.laplace(loc, scale)

    def drawn(self, size, loc, scale):
        noise = np.random.laplace(size=size).astype(np.float32)
        return loc + scale * noise.astype(loc.dtype)

    def test_gradients_of_samples(self, device):
        loc, scale = [
            chainer_fast.Variable(device.send(each))
            for each in self.params((3,)).values()]
        sample = self.dist(loc, scale).sample_n(2)
        by_loc, by_scale = chainer_fast.grad(
            [sample], [loc, scale], [device.xp.ones((2, 3))])
        noise = (sample.array - loc.array) / scale.array
        compare.assert_allclose(by_loc.array, [2, 2, 2])
        compare.assert_allclose(by_scale.array, noise.sum(axis=0))

    def test_mode(self):
        dist = self.dist(**self.params((3,)))
        assert dist.mode is dist.loc


@pytest.mark.parametrize('dtype', [np.float16, np.float32, np.float64])
@pytest.mark.parametrize('shape', [(), (0,), (2, 3)])
def test_function_and_inverse(device, dtype, shape):
    x = np.asarray(np.random.RandomState(0).uniform(-3, 3, shape)).astype(dtype)
    y = laplace._laplace_cdf(device.send(x))
    back = laplace._laplace_icdf(y)
    assert y.dtype == back.dtype == dtype
    compare.assert_allclose(
        back.array, x, rtol=5e-2 if dtype == np.float16 else 1e-4, atol=1e-2)


@pytest.mark.parametrize('function, low, high', [
    (laplace.LaplaceCDF, -3, 3), (laplace.LaplaceICDF, 0.05, 0.95)])
def test_gradients(device, function, low, high):
    rs = np.random.RandomState(1)
    x = rs.uniform(low, high, (5,))
    gy = device.send(rs.uniform(size=5))
    gg = rs.uniform(size=5)
    options = {'dtype': np.float64, 'atol': 1e-4, 'rtol': 1e-4}
    gradient_check.check_double_backward(
        lambda x: function().apply((x,))[0], device.send(x), gy, device.send(gg),
        **options)
    gradient_check.check_backward(
        lambda x: function().apply((x,))[0], device.send(x), gy, **options)


def test_tails_in_single_precision(device):
    standard = stats.laplace()
    far = np.array([-60, -1], np.float32)
    compare.assert_allclose(
        laplace._laplace_cdf(device.send(far)).array, standard.cdf(far), rtol=1e-6)
    p = np.array([1e-30, 0.5, 1 - 2 ** -20], np.float32)
    compare.assert_allclose(
        laplace._laplace_icdf(device.send(p)).array, standard.ppf(p), rtol=1e-6)
    with np.errstate(divide='ignore'):
        compare.assert_array_equal(
            laplace._laplace_icdf(device.send(np.array([0, 1], np.float32))).array,
            [-np.inf, np.inf])

import numpy as np
import pytest
from scipy import special, stats

import chainer_fast
from chainer_fast import distributions, gradient_check
from chainer_fast.distributions import bernoulli
from tests import compare
from tests.devices import to_cpu
from tests.distributions.family import Family


class TestBernoulli(Family):
    @staticmethod
    def dist(logit):
        return distributions.Bernoulli(logit=logit)

    parameters = {'logit': (-3, 3)}
    points = 0, 1
    discrete = True
    functions = 'log_prob', 'prob'
    statistics = 'mean', 'variance', 'stddev', 'entropy'
    missing = 'mode', 'covariance'
    support = '{0, 1}'
    reparameterized = False
    sample_dtype = np.int64

    def frozen(self, logit):
        return stats.bernoulli(special.expit(logit))

    def drawn(self, size, logit):
        p = chainer_fast.functions.sigmoid(logit).array
        return np.random.binomial(1, p, size)

    def test_points_broadcast_with_the_batch(self, device):
        logit = chainer_fast.Variable(device.send(np.array([0.5, -1, 2])))
        x = device.send(np.array([[0.], [1]]))
        y = self.dist(logit).log_prob(x)
        assert y.shape == (2, 3)
        grad, = chainer_fast.grad([y], [logit], device.send([np.ones((2, 3))]))
        compare.assert_allclose(grad.array, 1 - 2 * special.expit(to_cpu(logit.array)))


def test_probabilities(device):
    p = np.array([0.2, 0.7])
    dist = distributions.Bernoulli(device.send(p))
    compare.assert_allclose(dist.logit.array, special.logit(p))
    compare.assert_array_equal(dist.mean.array, p)
    assert list(dist.params) == ['logit']
    compare.assert_allclose(dist.prob(device.send(np.array([0., 1]))).array, [0.8, 0.7])
    compare.assert_allclose(dist.entropy.array, stats.bernoulli(p).entropy())


@pytest.mark.parametrize('dtype', [np.float16, np.float32])
def test_large_log_odds(device, dtype):
    logit = np.array([-200, 200, -200, 200], dtype)
    x = np.array([0, 0, 1, 1], dtype)
    dist = distributions.Bernoulli(logit=device.send(logit))
    compare.assert_allclose(
        dist.log_prob(device.send(x)).array, [0, -200, -200, 0], atol=1e-6)
    compare.assert_array_equal(dist.entropy.array, 0)


def test_certain_outcomes(device):
    p = chainer_fast.Variable(device.send(np.array([0, 1, 0, 1], np.float32)))
    dist = distributions.Bernoulli(p)
    x = device.send(np.array([0, 0, 1, 1], np.float32))
    with np.errstate(divide='ignore'):
        y = dist.log_prob(x)
    compare.assert_array_equal(y.array, [0, -np.inf, -np.inf, 0])
    compare.assert_array_equal(dist.prob(x).array, [1, 0, 0, 1])
    compare.assert_array_equal(dist.entropy.array, 0)
    compare.assert_array_equal(dist.sample_n(3).array, [[0, 1, 0, 1]] * 3)


def test_between_the_outcomes(device):
    logit, x = device.send(np.array([0.3, 0.3])), device.send(np.array([0.25, 1]))
    free = distributions.Bernoulli(logit=logit)
    checked = distributions.Bernoulli(logit=logit, binary_check=True)
    p = special.expit(0.3)
    linear = 0.25 * p + 0.75 * (1 - p)
    compare.assert_allclose(free.prob(x).array, [linear, p])
    compare.assert_allclose(checked.prob(x).array, [0, p])
    compare.assert_allclose(
        free.log_prob(x).array, [0.25 * np.log(p) + 0.75 * np.log(1 - p), np.log(p)])
    compare.assert_allclose(checked.log_prob(x).array, [-np.inf, np.log(p)])
    # Even where the log-odds are infinite.
    sure = distributions.Bernoulli(logit=device.send(np.array([np.inf, -np.inf])))
    compare.assert_allclose(sure.log_prob(x).array[0], np.log(0.25))


@pytest.mark.host
@pytest.mark.parametrize('x', [-1, 1.5, np.inf])
def test_far_from_the_outcomes(device, x):
    dist = distributions.Bernoulli(device.send(np.array([0.5])))
    with pytest.raises(FloatingPointError, match='from 0 to 1'):
        dist.log_prob(device.send(np.array([x])))


@pytest.mark.parametrize('binary_check', [False, True])
def test_gradient_where_nothing_is_smooth(device, binary_check):
    logit = chainer_fast.Variable(device.send(np.array([np.inf, -np.inf, 1, 1])))
    x = chainer_fast.Variable(device.send(np.array([1., 0, 0.5, 1])))
    y = bernoulli._bernoulli_log_prob(logit, x, binary_check)
    by_logit, by_x = chainer_fast.grad([y], [logit, x])
    assert by_x is None
    assert np.isnan(by_logit.array).tolist() == [True, True, binary_check, False]


@pytest.mark.parametrize('dtype', [np.int32, bool, np.float16, np.float64])
def test_dtype_is_that_of_the_log_odds(device, dtype):
    logit = chainer_fast.Variable(device.send(np.array([0.5, -0.5], np.float32)))
    x = np.array([0, 1]).astype(dtype)
    y = distributions.Bernoulli(logit=logit).log_prob(device.send(x))
    assert y.dtype == np.float32
    grad, = chainer_fast.grad([y], [logit])
    compare.assert_allclose(
        grad.array, x - special.expit(to_cpu(logit.array)), rtol=1e-5)


def test_shapes_that_do_not_fit(device):
    with pytest.raises(ValueError):
        bernoulli._bernoulli_log_prob(
            device.send(np.zeros(2)), device.send(np.zeros(3)))


@pytest.mark.parametrize('logit_shape, x_shape', [((2, 3), (2, 3)), ((), (3,))])
def test_gradients_of_the_node(device, logit_shape, x_shape):
    rs = np.random.RandomState(0)
    logit, gg = rs.uniform(-1, 1, logit_shape), rs.uniform(-1, 1, logit_shape)
    x = rs.randint(0, 2, x_shape).astype(float)
    gy = device.send(rs.uniform(size=x_shape))
    options = {'dtype': np.float64, 'atol': 1e-4, 'rtol': 1e-4}

    def function(logit):
        return bernoulli._bernoulli_log_prob(logit, device.send(x))

    gradient_check.check_backward(function, device.send(logit), gy, **options)
    gradient_check.check_double_backward(
        function, device.send(logit), gy, device.send(gg), **options)


@pytest.mark.filterwarnings('ignore::RuntimeWarning')
def test_divergence_of_certain_outcomes(device):
    p, q = np.array([0, 0, 0, 1, 0.5]), np.array([0, 0.5, 1, 0.5, 0])
    expected = [0, np.log(2), np.inf, np.log(2), np.inf]
    actual = chainer_fast.kl_divergence(
        distributions.Bernoulli(device.send(p)),
        distributions.Bernoulli(device.send(q)))
    compare.assert_allclose(actual.array, expected)
    logits = device.send((np.array([-800., 800]), np.array([800., 800])))
    actual = chainer_fast.kl_divergence(
        *[distributions.Bernoulli(logit=logit) for logit in logits])
    compare.assert_allclose(actual.array, [800, 0])


def test_either_probabilities_or_log_odds(device):
    p = device.send(np.full(2, 0.5))
    with pytest.raises(ValueError, match='neither'):
        distributions.Bernoulli()
    with pytest.raises(ValueError, match='not both'):
        distributions.Bernoulli(p, p)

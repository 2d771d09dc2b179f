import copy
import pickle

import numpy as np
import pytest

import chainer_fast
from chainer_fast import distributions, gradient_check
from tests import compare
from tests.devices import to_cpu

SHAPE = 2, 3, 4


def normal(device, shape=SHAPE, seed=0, dtype=np.float64):
    rs = np.random.RandomState(seed)
    return distributions.Normal(*device.send((
        np.asarray(rs.uniform(-1, 1, shape)).astype(dtype),
        np.asarray(rs.uniform(0.5, 2, shape)).astype(dtype))))


class Odd(chainer_fast.Distribution):
    """Has what no other distribution has."""

    batch_shape = 2, 3
    event_shape = ()
    mode = chainer_fast.Variable(np.arange(6.).reshape(2, 3))

    def perplexity(self, x):
        return self.mode + x


@pytest.mark.parametrize('n', [0, 1, 2, 3])
def test_shapes(device, n):
    dist = distributions.Independent(normal(device), n)
    assert dist.batch_shape == SHAPE[:3 - n]
    assert dist.event_shape == SHAPE[3 - n:]
    assert dist.reinterpreted_batch_ndims == n
    assert dist.entropy.shape == SHAPE[:3 - n]
    for name in ('mean', 'variance', 'stddev'):
        assert getattr(dist, name) is getattr(dist.distribution, name)
    assert dist.sample((5, 2)).shape == (5, 2) + SHAPE
    assert dist.support == 'real'
    assert dist.xp is device.xp
    assert list(dist.params) == ['loc', 'scale']


@pytest.mark.parametrize('shape, n', [((), 0), ((2,), 0), (SHAPE, 2)])
def test_one_axis_stays_by_default(device, shape, n):
    assert distributions.Independent(
        normal(device, shape)).reinterpreted_batch_ndims == n


def test_axes_of_events_come_before_those_of_the_distribution(device):
    inner = distributions.OneHotCategorical(device.send(np.full((2, 3, 4), 0.25)))
    dist = distributions.Independent(inner, 1)
    assert dist.batch_shape == (2,)
    assert dist.event_shape == (3, 4)
    x = np.eye(4)[np.zeros((5, 2, 3), int)]
    compare.assert_allclose(
        dist.log_prob(device.send(x)).array, np.full((5, 2), 3 * np.log(0.25)))


@pytest.mark.parametrize('n', [0, 1, 2, 3])
@pytest.mark.parametrize('name, reduce', [
    ('prob', np.prod), ('log_prob', np.sum), ('cdf', np.prod), ('log_cdf', np.sum),
    ('survival_function', np.prod), ('log_survival_function', np.sum)])
def test_functions(device, name, reduce, n):
    inner = normal(device)
    x = device.send(np.random.RandomState(1).normal(size=(5,) + SHAPE))
    y = getattr(distributions.Independent(inner, n), name)(x)
    compare.assert_allclose(
        y.array, reduce(
            getattr(inner, name)(x).array, axis=tuple(range(4 - n, 4))), rtol=1e-10)


def test_what_other_distributions_may_have():
    dist = distributions.Independent(Odd(), 1)
    assert dist.mode is Odd.mode
    compare.assert_array_equal(dist.perplexity(1.).array, [6, 120])


def test_gradients(device):
    rs = np.random.RandomState(0)
    inputs = device.send([rs.uniform(0.5, 1, SHAPE) for _ in range(3)])
    ggs = [rs.uniform(-1, 1, SHAPE) for _ in range(3)]
    gy = device.send(rs.uniform(size=2))

    def function(loc, scale, x):
        return distributions.Independent(
            distributions.Normal(loc, scale), 2).log_prob(x)

    options = {'dtype': np.float64, 'atol': 1e-4, 'rtol': 1e-3}
    gradient_check.check_backward(function, inputs, gy, **options)
    gradient_check.check_double_backward(
        function, inputs, gy, device.send(ggs), **options)


@pytest.mark.parametrize('n', [0, 1, 2])
@pytest.mark.parametrize('shape', [(2, 3), (0, 3)])
def test_covariance(device, shape, n):
    rs = np.random.RandomState(0)
    tril = chainer_fast.Variable(
        device.send(np.tril(rs.uniform(0.5, 1, shape + (2, 2))).astype(np.float32)))
    dist = distributions.Independent(distributions.MultivariateNormal(
        device.send(np.zeros(shape + (2,), np.float32)), scale_tril=tril), n)
    actual = dist.covariance
    assert actual.dtype == np.float32
    blocks = np.matmul(
        to_cpu(tril.array), to_cpu(tril.array).swapaxes(-1, -2))
    m = int(np.prod(shape[2 - n:]))
    blocks = blocks.reshape(shape[:2 - n] + (m, 2, 2))
    expected = np.zeros(shape[:2 - n] + (2 * m, 2 * m))
    for i in range(m):
        here = slice(2 * i, 2 * i + 2)
        expected[..., here, here] = blocks[..., i, :, :]
    compare.assert_allclose(actual.array, expected, rtol=1e-6)
    actual.grad = np.ones_like(actual.array)
    actual.backward()
    assert tril.grad.shape == tril.shape


def test_no_covariance_without_that_of_the_distribution(device):
    with pytest.raises(NotImplementedError):
        distributions.Independent(normal(device)).covariance  # noqa: B018


def test_stream_of_samples(device):
    inner = normal(device)
    device.seed(0)
    expected = inner.sample_n(3).array
    device.seed(0)
    sample = distributions.Independent(inner).sample_n(3)
    compare.assert_array_equal(sample.array, expected)


def test_no_inverse(device):
    with pytest.raises(RuntimeError, match='no inverse'):
        distributions.Independent(normal(device), 0).icdf(
            device.send(np.full(SHAPE, 0.5)))


def test_divergence(device):
    inner = normal(device, seed=0), normal(device, seed=1)
    outer = [distributions.Independent(each, 2) for each in inner]
    compare.assert_allclose(
        chainer_fast.kl_divergence(*outer).array,
        chainer_fast.kl_divergence(*inner).array.sum(axis=(1, 2)))
    with pytest.raises(ValueError, match='same shape.*reinterpreted_batch_ndims'):
        chainer_fast.kl_divergence(outer[0], distributions.Independent(inner[1], 1))
    with pytest.raises(KeyError):
        chainer_fast.kl_divergence(outer[0], inner[1])


def test_too_many_axes(device):
    with pytest.raises(ValueError, match='must not exceed'):
        distributions.Independent(normal(device), 4)


def test_copies(device):
    dist = distributions.Independent(normal(device))
    x = device.send(np.zeros(SHAPE))
    for other in (copy.copy(dist), pickle.loads(pickle.dumps(dist))):
        compare.assert_array_equal(
            other.log_prob(x).array, dist.log_prob(x).array)

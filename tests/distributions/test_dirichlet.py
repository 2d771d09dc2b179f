import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

import chainer_fast
from chainer_fast import distributions, gradient_check
from tests import compare


def alphas(shape=(2, 3), dtype=np.float64, seed=0):
    return np.random.RandomState(seed).uniform(0.5, 5, shape).astype(dtype)


def points(shape):
    x = np.random.RandomState(9).uniform(0.1, 1, shape)
    return x / x.sum(axis=-1, keepdims=True)


@settings(max_examples=30)
@given(
    hnp.arrays(np.float64, (3,), elements=st.floats(0.3, 8)),
    hnp.arrays(np.float64, (3,), elements=st.floats(0.1, 1)))
def test_of_scipy(alpha, weights):
    x = weights / weights.sum()
    dist, frozen = distributions.Dirichlet(alpha), stats.dirichlet(alpha)
    compare.assert_allclose(dist.log_prob(x).array, frozen.logpdf(x), rtol=1e-8)
    compare.assert_allclose(dist.mean.array, frozen.mean())
    compare.assert_allclose(dist.variance.array, frozen.var())
    compare.assert_allclose(dist.entropy.array, frozen.entropy(), atol=1e-8)


@pytest.mark.parametrize('dtype', [np.float16, np.float32, np.float64])
def test_batches(device, dtype):
    dist = distributions.Dirichlet(device.send(alphas(dtype=dtype)))
    assert (dist.batch_shape, dist.event_shape) == ((2,), (3,))
    assert dist.support == '[0, 1]'
    x = points((4, 2, 3)).astype(dtype)
    values = {
        (4, 2): [dist.log_prob(device.send(x))], (2, 3): [dist.mean, dist.variance],
        (2,): [dist.entropy, dist.alpha0]}
    for shape, ys in values.items():
        assert all(y.shape == shape and y.dtype == dtype for y in ys)
    for i in range(2):
        alone = distributions.Dirichlet(device.send(alphas()[i]))
        compare.assert_allclose(
            dist.log_prob(device.send(x)).array[:, i],
            alone.log_prob(device.send(x[:, i].astype(float))).array,
            rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])
        compare.assert_allclose(
            dist.entropy.array[i], alone.entropy.array, rtol=TOLERANCE[dtype],
            atol=TOLERANCE[dtype])


TOLERANCE = {np.float16: 3e-2, np.float32: 1e-4, np.float64: 1e-12}


def test_faces_of_the_simplex(device):
    dist = distributions.Dirichlet(device.send(np.array([1, 1, 2], np.float32)))
    compare.assert_allclose(
        dist.log_prob(device.send(np.array([0, 0.5, 0.5], np.float32))).array,
        np.log(3), rtol=1e-6)


@pytest.mark.parametrize('dtype', [np.float32, np.float64])
def test_samples(device, dtype):
    alpha = alphas(dtype=dtype)
    dist = distributions.Dirichlet(device.send(alpha))
    np.random.seed(3)
    expected = np.stack([np.random.dirichlet(row, 4) for row in alpha], axis=1)
    device.seed(3)
    sample = dist.sample((2, 2))
    assert sample.dtype == np.float32
    assert sample.creator is None or sample.creator.inputs[0].creator_node is None
    if device.xp is np:
        compare.assert_array_equal(
            sample.array, expected.astype(np.float32).reshape(2, 2, 2, 3))
    many = dist.sample_n(20000).array
    compare.assert_allclose(many.sum(axis=-1), 1, rtol=1e-5)
    compare.assert_allclose(many.mean(axis=0), dist.mean.array, atol=0.01)
    compare.assert_allclose(many.var(axis=0), dist.variance.array, atol=0.005)


@pytest.mark.parametrize('shape', [(0, 3), (3,)])
def test_shapes_of_samples(device, shape):
    dist = distributions.Dirichlet(device.send(alphas(shape, np.float32)))
    assert dist.sample((0,)).shape == (0,) + shape
    assert dist.sample((2, 5)).shape == (2, 5) + shape


def test_divergence(device):
    # Of two elements it is the beta distribution.
    first, second = alphas((4, 2), seed=1), alphas((4, 2), seed=2)
    expected = chainer_fast.kl_divergence(
        distributions.Beta(device.send(first[:, 0].copy()),
        device.send(first[:, 1].copy())),
        distributions.Beta(device.send(second[:, 0].copy()),
        device.send(second[:, 1].copy())))
    actual = chainer_fast.kl_divergence(
        distributions.Dirichlet(device.send(first)),
        distributions.Dirichlet(device.send(second)))
    compare.assert_allclose(actual.array, expected.array)


@pytest.mark.parametrize('function', [
    lambda alpha, x: distributions.Dirichlet(alpha).log_prob(x),
    lambda alpha, x: distributions.Dirichlet(alpha).entropy + x[:, 0],
    lambda alpha, x: distributions.Dirichlet(alpha).mean * x,
    lambda alpha, x: distributions.Dirichlet(alpha).variance * x,
    lambda alpha, x: chainer_fast.kl_divergence(
        distributions.Dirichlet(alpha), distributions.Dirichlet(5 * x)),
])
def test_gradients(device, function):
    inputs = device.send((alphas(), points((2, 3))))
    gy = device.send(np.random.RandomState(4).uniform(0.5, 1, function(*map(
        chainer_fast.Variable, inputs)).shape))
    options = {'dtype': np.float64, 'atol': 1e-4, 'rtol': 1e-3}
    gradient_check.check_backward(function, inputs, gy, **options)
    gradient_check.check_double_backward(
        function, inputs, gy, device.send([np.ones((2, 3))] * 2), **options)

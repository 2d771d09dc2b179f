import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import chainer_fast
from chainer_fast import distributions, gradient_check
from tests import compare


def probabilities(shape=(2, 3), dtype=np.float64, seed=0):
    return np.random.RandomState(seed).dirichlet(
        np.ones(shape[-1]), shape[:-1]).astype(dtype)


@settings(max_examples=30)
@given(st.integers(0, 99), st.integers(2, 5))
def test_of_scipy(device, seed, n):
    p, q = probabilities((2, n), seed=seed), probabilities((2, n), seed=seed + 1)
    dist = distributions.OneHotCategorical(device.send(p))
    x = np.eye(n)[np.random.RandomState(seed).randint(0, n, (4, 2))]
    for i in range(2):
        compare.assert_allclose(
            dist.log_prob(device.send(x)).array[:, i],
            stats.multinomial(1, p[i] / p[i].sum()).logpmf(x[:, i]), atol=1e-9)
    compare.assert_array_equal(dist.mean.array, p)
    compare.assert_allclose(dist.variance.array, stats.bernoulli(p).var())
    compare.assert_allclose(
        chainer_fast.kl_divergence(dist,
        distributions.OneHotCategorical(device.send(q))).array,
        stats.entropy(p, q, axis=-1))


@pytest.mark.parametrize('dtype', [np.float16, np.float32, np.float64])
@pytest.mark.parametrize('batch', [(), (0,), (2, 3)])
def test_shapes_and_dtypes(device, dtype, batch):
    dist = distributions.OneHotCategorical(
        device.send(probabilities(batch + (4,), dtype)))
    assert dist.batch_shape == batch
    assert dist.event_shape == (4,)
    assert list(dist.params) == ['p']
    y = dist.log_prob(device.send(np.ones((2,) + batch + (4,), dtype)))
    assert y.dtype == dtype
    assert y.shape == (2,) + batch
    assert dist.log_p.dtype == dist.mean.dtype == dist.variance.dtype == dtype
    sample = dist.sample((3, 2))
    assert sample.dtype == dtype
    assert sample.shape == (3, 2) + batch + (4,)


def test_gradients(device):
    rs = np.random.RandomState(0)
    p, x = probabilities(), rs.uniform(size=(2, 3))
    gy, ggs = device.send(rs.uniform(0.5, 1, 2)), list(rs.uniform(-1, 1, (2, 2, 3)))
    options = {'dtype': np.float64, 'atol': 1e-4, 'rtol': 1e-3}

    def function(p, x):
        return distributions.OneHotCategorical(p).log_prob(x)

    gradient_check.check_backward(function, device.send((p, x)), gy, **options)
    gradient_check.check_double_backward(
        function, device.send((p, x)), gy, device.send(ggs), **options)


def test_categories_that_never_occur(device):
    p = chainer_fast.Variable(device.send(np.array([0, 0.25, 0.75])))
    dist = distributions.OneHotCategorical(p)
    y = dist.log_prob(device.send(np.array([0., 1, 0])))
    compare.assert_allclose(y.array, np.log(0.25))
    grad, = chainer_fast.grad([y], [p])
    compare.assert_allclose(grad.array, [0, 4, 0])
    with np.errstate(divide='ignore'):
        assert dist.log_prob(device.send(np.array([1., 0, 0]))).array == -np.inf


def test_stream_of_samples():
    p = probabilities((2, 3, 4), np.float32)
    np.random.seed(1)
    categories = distributions.Categorical(p).sample_n(5).array
    np.random.seed(1)
    sample = distributions.OneHotCategorical(p).sample_n(5)
    compare.assert_array_equal(sample.array, np.eye(4)[categories])
    assert sample.creator is None


def test_errors(device):
    with pytest.raises(TypeError):
        distributions.OneHotCategorical()
    dist = distributions.OneHotCategorical(device.send(probabilities()))
    for name in ('entropy', 'support', 'stddev', 'covariance'):
        with pytest.raises(NotImplementedError):
            getattr(dist, name)
    with pytest.raises(ValueError, match='sum up to 1'):
        distributions.OneHotCategorical(device.send(np.full((2, 4), 0.3))).sample()

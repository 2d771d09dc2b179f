import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import chainer_fast
from chainer_fast import distributions, gradient_check
from chainer_fast.distributions import multivariate_normal
from chainer_fast.utils import type_check
from tests import compare
from tests.devices import to_cpu

OPTIONS = {'dtype': np.float64, 'atol': 1e-4, 'rtol': 1e-3}


def triangles(shape, dtype=np.float64, seed=0):
    """Return well-conditioned lower triangular matrices."""
    rs = np.random.RandomState(seed)
    d = shape[-1]
    x = np.tril(rs.uniform(-1, 1, shape + (d,)), -1)
    return (x + np.eye(d) * rs.uniform(0.5, 2, shape + (1,))).astype(dtype)


def locs(shape, dtype=np.float64, seed=0):
    return np.random.RandomState(seed).uniform(-1, 1, shape).astype(dtype)


def make(device, shape, dtype=np.float64, seed=0):
    return distributions.MultivariateNormal(
        device.send(locs(shape, dtype, seed)),
        scale_tril=device.send(triangles(shape, dtype, seed)))


@settings(max_examples=30)
@given(st.integers(0, 99), st.integers(1, 4))
def test_of_scipy(device, seed, d):
    dist = make(device, (2, d), seed=seed)
    x = np.random.RandomState(seed).normal(size=(5, 2, d))
    log_prob, entropy = dist.log_prob(device.send(x)).array, dist.entropy.array
    for i in range(2):
        tril = to_cpu(dist.scale_tril.array[i])
        expected = stats.multivariate_normal(
            to_cpu(dist.loc.array[i]), tril @ tril.T)
        compare.assert_allclose(log_prob[:, i], expected.logpdf(x[:, i]))
        compare.assert_allclose(entropy[i], expected.entropy())
        compare.assert_allclose(dist.covariance.array[i], expected.cov)


@pytest.mark.parametrize('dtype', [np.float16, np.float32, np.float64])
@pytest.mark.parametrize('batch', [(), (0,), (2, 3)])
def test_shapes_and_dtypes(device, dtype, batch):
    dist = make(device, batch + (3,), dtype)
    assert dist.batch_shape == batch
    assert dist.event_shape == (3,)
    assert dist.d == 3
    assert dist.support == 'real'
    assert list(dist.params) == ['loc', 'scale_tril']
    assert dist.mean is dist.loc
    sample = dist.sample((2,))
    for y, shape in [
            (sample, (2,) + batch + (3,)), (dist.log_prob(sample), (2,) + batch),
            (dist.entropy, batch), (dist.covariance, batch + (3, 3)),
            (chainer_fast.kl_divergence(dist, dist), batch)]:
        assert y.dtype == dtype
        assert y.shape == shape


def test_half_precision(device):
    half = make(device, (2, 3), np.float16)
    double = distributions.MultivariateNormal(
        *[half.loc.array.astype(float)], scale_tril=half.scale_tril.array.astype(float))
    x = locs((2, 3), seed=1)
    compare.assert_allclose(
        half.log_prob(device.send(x.astype(np.float16))).array,
        double.log_prob(device.send(x)).array, rtol=0.02)


def test_gradients(device):
    rs = np.random.RandomState(0)
    inputs = locs((2, 3)), triangles((2, 3)), locs((2, 3), seed=1)
    gy = device.send(rs.uniform(0.5, 1, 2))
    ggs = [rs.uniform(-1, 1, x.shape) for x in inputs]

    def log_prob(loc, tril, x):
        return distributions.MultivariateNormal(loc, scale_tril=tril).log_prob(x)

    def divergence(loc, tril, x):
        return chainer_fast.kl_divergence(
            distributions.MultivariateNormal(loc, scale_tril=tril),
            distributions.MultivariateNormal(x, scale_tril=tril[::-1]))

    for function in (log_prob, divergence):
        gradient_check.check_backward(function, device.send(inputs), gy, **OPTIONS)
        gradient_check.check_double_backward(
            function, device.send(inputs), gy, device.send(ggs), **OPTIONS)


def test_divergence_of_scipy_by_samples(device):
    first, second = make(device, (3,), seed=1), make(device, (3,), seed=2)
    device.seed(0)
    x = first.sample_n(40000)
    expected = (first.log_prob(x).array - second.log_prob(x).array).mean()
    compare.assert_allclose(
        chainer_fast.kl_divergence(first, second).array, expected, rtol=0.03)
    compare.assert_allclose(
        chainer_fast.kl_divergence(first, first).array, 0, atol=1e-12)


@pytest.mark.parametrize('dtype', [np.float32, np.float64])
@pytest.mark.host
def test_stream_of_samples(device, dtype):
    dist = make(device, (2, 3), dtype)
    np.random.seed(3)
    noise = np.random.standard_normal((5, 2, 3)).astype(np.float32)
    expected = dist.loc.array + np.matmul(
        dist.scale_tril.array, noise[..., None].astype(dtype))[..., 0]
    np.random.seed(3)
    # The same numbers, whose products a BLAS may add up in another order.
    compare.assert_allclose(
        dist.sample_n(5).array, expected, rtol=4 * np.finfo(dtype).eps)


def test_samples(device):
    tril = chainer_fast.Variable(device.send(triangles((2,))))
    loc = chainer_fast.Variable(device.send(locs((2,))))
    dist = distributions.MultivariateNormal(loc, scale_tril=tril)
    device.seed(0)
    sample = dist.sample_n(20000)
    compare.assert_allclose(sample.array.mean(axis=0), loc.array, atol=0.06)
    compare.assert_allclose(
        np.cov(to_cpu(sample.array.T)), dist.covariance.array, atol=0.15)
    by_loc, by_tril = chainer_fast.grad(
        [sample], [loc, tril], device.send([np.ones((20000, 2))]))
    noise = np.linalg.solve(
        to_cpu(tril.array), to_cpu(sample.array - loc.array).T).T
    compare.assert_allclose(by_loc.array, 20000)
    compare.assert_allclose(by_tril.array, [noise.sum(axis=0)] * 2)


@pytest.mark.parametrize('lower', [True, False])
@pytest.mark.parametrize('shape', [(1,), (4,), (0,), (2, 3), (2, 0, 3)])
def test_inverse(device, shape, lower):
    x = triangles(shape)
    junk = np.triu(np.ones(x.shape), 1)
    given, clean = (x + junk, x) if lower else (
        np.swapaxes(x + junk, -1, -2), np.swapaxes(x, -1, -2))
    y = multivariate_normal._triangular_inv(device.send(given), lower=lower)
    compare.assert_allclose(y.array, np.linalg.inv(clean), atol=1e-12)


@pytest.mark.parametrize('lower', [True, False])
def test_gradients_of_the_inverse(device, lower):
    x = triangles((2, 3))
    x = x if lower else np.swapaxes(x, -1, -2).copy()
    rs = np.random.RandomState(0)
    gy, gg = device.send(rs.uniform(-1, 1, x.shape)), rs.uniform(-1, 1, x.shape)

    def function(x):
        return multivariate_normal._triangular_inv(x, lower)

    gradient_check.check_backward(function, device.send(x), gy, **OPTIONS)
    gradient_check.check_double_backward(
        function, device.send(x), gy, device.send(gg), **OPTIONS)


def test_inverse_that_is_not_there(device):
    invert = multivariate_normal._triangular_inv
    if device.xp is np:     # A GPU gives NaN.
        with pytest.raises(np.linalg.LinAlgError, match='index 1'):
            invert(np.diag([1., 0, 2]))
        with pytest.raises(ValueError, match='inf or NaN'):
            invert(np.diag([1., np.nan]))
    for x in (np.ones((2, 3)), np.ones(2), np.ones((2, 2), int)):
        with pytest.raises(type_check.InvalidType):
            invert(device.send(x))


def test_size_of_determinant_ignores_signs(device):
    dist = distributions.MultivariateNormal(
        device.send(np.zeros(2)), scale_tril=device.send(np.diag([-2., 3])))
    compare.assert_allclose(
        dist.entropy.array,
        stats.multivariate_normal([0, 0], np.diag([4, 9])).entropy())


def test_errors(device):
    with pytest.raises(ValueError, match='scale_tril'):
        distributions.MultivariateNormal(device.send(np.zeros(2)))
    with pytest.raises(TypeError):
        distributions.MultivariateNormal(
            device.send(np.zeros(2)), device.send(np.eye(2)))
    for name in ('variance', 'stddev', 'mode'):
        with pytest.raises(NotImplementedError):
            getattr(make(device, (3,)), name)


@pytest.mark.parametrize('loc, scale', [('d', 'f'), ('f', 'd')])
def test_samples_of_parameters_of_two_types(loc, scale):
    mixed = distributions.MultivariateNormal(
        np.zeros(2, loc), scale_tril=np.eye(2, dtype=scale))
    with pytest.raises(type_check.InvalidType):
        mixed.sample_n(3)


def test_samples_of_a_triangle_of_halves():
    triangle = np.array([[1, 0], [.5, 2]], 'e')
    mixed = distributions.MultivariateNormal(np.zeros(2, 'f'), scale_tril=triangle)
    np.random.seed(0)
    y = mixed.sample(())
    np.random.seed(0)
    noise = np.random.standard_normal((1, 2, 1)).astype('f')
    assert y.dtype == np.float32
    np.testing.assert_allclose(
        y.array, (triangle.astype('f') @ noise)[0, :, 0], rtol=1e-3)

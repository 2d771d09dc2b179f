import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import special, stats

import chainer_fast
from chainer_fast import distributions, gradient_check
from tests import compare
from tests.devices import to_cpu

logits = hnp.arrays(np.float64, (2, 3), elements=st.floats(-5, 5))


def probabilities(shape=(2, 3), dtype=np.float64, seed=0):
    return np.random.RandomState(seed).dirichlet(
        np.ones(shape[-1]), shape[:-1]).astype(dtype)


@settings(max_examples=30)
@given(logits, st.booleans())
def test_of_scipy(device, logit, by_logit):
    p = special.softmax(logit, axis=-1)
    dist = distributions.Categorical(
        **device.send({'logit': logit} if by_logit else {'p': p}))
    compare.assert_allclose(dist.p.array, p)
    compare.assert_allclose(dist.log_p.array, np.log(p), atol=1e-12)
    compare.assert_allclose(dist.entropy.array, stats.entropy(p, axis=-1))
    for k in range(3):
        compare.assert_allclose(
            dist.log_prob(device.send(np.array([k, k]))).array, np.log(p[:, k]),
            atol=1e-12)
    compare.assert_allclose(
        chainer_fast.kl_divergence(
            dist, distributions.Categorical(device.send(p[::-1].copy()))).array,
        stats.entropy(p, p[::-1], axis=-1), atol=1e-12)


@pytest.mark.parametrize('dtype', [np.float16, np.float32, np.float64])
@pytest.mark.parametrize('name', ['p', 'logit'])
@pytest.mark.parametrize('batch', [(), (0,), (2, 3)])
def test_shapes_and_dtypes(device, dtype, name, batch):
    dist = distributions.Categorical(
        **{name: device.send(probabilities(batch + (4,), dtype))})
    assert dist.batch_shape == batch
    assert dist.event_shape == ()
    assert list(dist.params) == ['p']
    for x in (np.zeros((2,) + batch, np.int32), np.ones((2,) + batch, dtype)):
        y = dist.log_prob(device.send(x))
        assert y.dtype == dtype
        assert y.shape == (2,) + batch
    assert dist.entropy.dtype == dtype
    assert dist.entropy.shape == batch
    sample = dist.sample((3, 2))
    assert sample.dtype == np.int64
    assert sample.shape == (3, 2) + batch


def test_indices(device):
    p = probabilities()
    dist = distributions.Categorical(device.send(p))
    compare.assert_allclose(
        dist.log_prob(device.send(np.array([[-1], [0]]))).array, np.log(p[:, [2, 0]].T))
    compare.assert_allclose(dist.log_prob(1).array, np.log(p[:, 1]))
    compare.assert_allclose(
        dist.log_prob(chainer_fast.Variable(device.send(np.array([0.9, 1.1])))).array,
        np.log([p[0, 0], p[1, 1]]))
    if device.xp is np:     # A GPU does not look whether there is such a category.
        with pytest.raises(IndexError):
            dist.log_prob(np.array([0, 3]))


@pytest.mark.parametrize('name', ['p', 'logit'])
def test_gradients(device, name):
    rs = np.random.RandomState(0)
    value, gg = device.send(probabilities()), rs.uniform(-1, 1, (2, 3))
    gy = device.send(rs.uniform(0.5, 1, 2))
    x = np.array([2, 0])
    options = {'dtype': np.float64, 'atol': 1e-4, 'rtol': 1e-3}
    for function in (
            lambda v: distributions.Categorical(**{name: v}).log_prob(device.send(x)),
            lambda v: distributions.Categorical(**{name: v}).entropy,
            lambda v: chainer_fast.kl_divergence(
                distributions.Categorical(**{name: v}),
                distributions.Categorical(**{name: v[::-1]}))):
        gradient_check.check_backward(function, value, gy, **options)
        gradient_check.check_double_backward(
            function, value, gy, device.send(gg), **options)


def test_categories_that_never_occur(device):
    p = chainer_fast.Variable(device.send(np.array([0, 0.25, 0.75])))
    dist = distributions.Categorical(p)
    y = dist.log_prob(device.send(np.array(1)))
    grad, = chainer_fast.grad([y], [p])
    compare.assert_allclose(grad.array, [0, 4, 0])
    compare.assert_allclose(dist.entropy.array, stats.entropy(to_cpu(p.array)))
    with np.errstate(divide='ignore'):
        assert dist.log_prob(device.send(np.array(0))).array == -np.inf
    assert (dist.sample_n(100).array > 0).all()


def test_divergence_of_categories_that_never_occur(device):
    p = chainer_fast.Variable(device.send(np.array([0, 0.25, 0.75])))
    q = chainer_fast.Variable(device.send(np.array([0, 0.5, 0.5])))
    expected = stats.entropy(to_cpu(p.array), to_cpu(q.array))
    kl = chainer_fast.kl_divergence(
        distributions.Categorical(p), distributions.Categorical(q))
    compare.assert_allclose(kl.array, expected)
    by_p, by_q = chainer_fast.grad([kl], [p, q])
    compare.assert_allclose(by_q.array, [0, -0.5, -1.5])
    assert np.isfinite(by_p.array).all()
    logit = device.send(np.log(np.array([1e-320, 0.5, 0.5])))
    kl = chainer_fast.kl_divergence(
        distributions.Categorical(p), distributions.Categorical(logit=logit))
    compare.assert_allclose(kl.array, expected)
    with np.errstate(divide='ignore'):
        kl = chainer_fast.kl_divergence(
            distributions.Categorical(device.send(np.array([0.5, 0.5, 0]))),
            distributions.Categorical(p))
    assert kl.array == np.inf


def test_large_logits(device):
    dist = distributions.Categorical(
        logit=device.send(np.array([1000, 0, -1000], np.float32)))
    compare.assert_array_equal(dist.log_p.array, [0, -1000, -2000])
    assert dist.entropy.array == 0


def test_stream_of_samples():
    p = probabilities((2, 3, 4), np.float32)
    np.random.seed(1)
    rows = [np.random.choice(4, 5, p=row) for row in p.reshape(-1, 4)]
    np.random.seed(1)
    sample = distributions.Categorical(p).sample_n(5)
    compare.assert_array_equal(
        sample.array, np.stack(rows, axis=-1).reshape(5, 2, 3))
    assert sample.creator is None


@pytest.mark.parametrize('n_categories', [2, 30])
def test_frequencies_of_samples(device, n_categories):
    p = probabilities((3, n_categories))
    device.seed(0)
    sample = to_cpu(
        distributions.Categorical(device.send(p)).sample_n(20000).array)
    counts = [np.bincount(column, minlength=n_categories) for column in sample.T]
    compare.assert_allclose(np.array(counts) / 20000, p, atol=0.015)


def test_errors(device):
    p = probabilities()
    with pytest.raises(ValueError, match='neither'):
        distributions.Categorical()
    with pytest.raises(ValueError, match='not both'):
        distributions.Categorical(device.send(p), logit=device.send(p))
    with pytest.raises(TypeError):
        distributions.Categorical(device.send(p), device.send(p))
    for name in ('mean', 'variance', 'support', 'mode'):
        with pytest.raises(NotImplementedError):
            getattr(distributions.Categorical(device.send(p)), name)
    with pytest.raises(NotImplementedError):
        distributions.Categorical(device.send(p)).prob(device.send(np.zeros(2, int)))
    with pytest.raises(ValueError, match='sum up to 1'):
        distributions.Categorical(device.send(p * 1.1)).sample()

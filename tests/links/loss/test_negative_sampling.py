import numpy as np
import pytest

import chainer_fast
from chainer_fast import links
from tests import compare
from tests.devices import to_cpu

COUNTS = [10, 5, 2, 5, 2]


@pytest.mark.parametrize('dtype', ['e', 'f', 'd'])
@pytest.mark.parametrize('reduce', ['sum', 'no'])
def test_loss(device, dtype, reduce):
    with chainer_fast.using_config('dtype', np.dtype(dtype)):
        link = device.send(links.NegativeSampling(3, COUNTS, 4))
    W = np.random.uniform(-1, 1, link.W.shape).astype(dtype)
    link.W.array[...] = device.send(W)
    x = np.random.uniform(-1, 1, (3, 3)).astype(dtype)
    t = np.array([-1, 1, 4], 'i')
    y, samples = link(device.send(x), device.send(t), reduce, return_samples=True)
    assert samples.shape == (3, 5) and samples.dtype == np.int32
    scores = np.einsum('ikj,ij->ik', W[to_cpu(samples)].astype('d'), x)
    scores[:, 0] *= -1
    expected = np.log1p(np.exp(scores)).sum(axis=1) * (t != -1)
    assert y.dtype == np.dtype(dtype)
    compare.assert_allclose(
        y.array, expected if reduce == 'no' else expected.sum(),
        rtol=5e-3 if dtype == 'e' else 1e-5)


def test_known_samples():
    # What Chainer 7.8.1 draws.
    np.random.seed(0)
    link = links.NegativeSampling(2, [5, 1, 3], 4)
    _, samples = link(
        np.ones((2, 2), 'f'), np.array([0, 1], 'i'), return_samples=True)
    assert samples.tolist() == [[0, 0, 0, 0, 2], [1, 2, 0, 0, 2]]


@pytest.mark.parametrize('dtype, threshold', [
    ('f', [.0012146639, .0022931683, 1]), ('d', [.0012146639, .0022931683, 1])])
def test_known_thresholds(dtype, threshold):
    link = links.NegativeSampling(3, [100000, 7, 3], 2, dtype=dtype)
    compare.assert_allclose(link.sampler.threshold, threshold, rtol=1e-5)
    assert link.W.dtype == np.float32


@pytest.mark.parametrize('power', [.75, .5, 0, 1])
@pytest.mark.parametrize('config', ['e', 'f', 'mixed16'])
def test_distribution(power, config):
    # The first is too large for halves.
    counts = np.array([100000, 5, 2, 30000])
    dtype = chainer_fast.mixed16 if config == 'mixed16' else np.dtype(config)
    with chainer_fast.using_config('dtype', dtype):
        sampler = links.NegativeSampling(3, counts, 2, power=power).sampler
    n = len(counts)
    own, alias = sampler.values.reshape(n, 2).T
    heights = np.minimum(sampler.threshold.astype('d'), 1)
    shares = np.bincount(own, heights, n) + np.bincount(alias, 1 - heights, n)
    expected = counts ** float(power)
    compare.assert_allclose(shares / n, expected / expected.sum(), atol=1e-4)


def test_attributes():
    link = links.NegativeSampling(3, COUNTS, 4)
    compare.assert_array_equal(link.W.array, np.zeros((5, 3), 'f'))
    assert link.sample_size == 4


def test_sampler_moves_with_the_link(monkeypatch):
    link = links.NegativeSampling(3, COUNTS, 4)
    moved = []
    monkeypatch.setattr(
        link.sampler, 'device_resident_accept', lambda visitor: moved.append(visitor))
    link.to_device('@numpy')
    assert len(moved) == 1


def test_arguments(device):
    link = device.send(links.NegativeSampling(3, COUNTS, 4))
    x, t = device.send(np.ones((1, 3), 'f')), device.send(np.array([1], 'i'))
    with pytest.raises(ValueError, match='reduce'):
        link(x, t, 'mean')
    with pytest.raises(TypeError):
        link(x, t, samples=3)

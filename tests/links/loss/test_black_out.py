import numpy as np
import pytest

import chainer_fast
from chainer_fast import functions, links
from tests import compare
from tests.devices import to_cpu

COUNTS = [3, 2, 1]


def link_of(dtype='f', n_samples=4):
    with chainer_fast.using_config('dtype', np.dtype(dtype)):
        link = links.BlackOut(5, COUNTS, n_samples)
    link.W.array[...] = np.random.RandomState(0).uniform(-1, 1, (3, 5))
    return link


@pytest.mark.parametrize('dtype', ['e', 'f', 'd'])
def test_loss(device, dtype):
    link = device.send(link_of(dtype))
    x = np.random.uniform(-1, 1, (2, 5)).astype(dtype)
    t, samples = np.array([2, 0], 'i'), np.array([[0, 1, 0, 0], [2, 1, 2, 0]], 'i')
    link.sample_data = device.send(samples)
    y = link(device.send(x), device.send(t))
    assert y.dtype == np.dtype(dtype)
    losses, W = [], to_cpu(link.W.array)
    for k in range(2):
        e = np.exp(W.astype('d') @ x[k].astype('d'))
        z = e[t[k]] + e[samples[k]].sum()
        losses.append(-np.log(e[t[k]] / z) - np.log(1 - e[samples[k]] / z).sum())
    compare.assert_allclose(
        y.array, np.mean(losses), rtol=5e-3 if dtype == 'e' else 1e-5)


def test_samples_are_drawn():
    link = link_of()
    x, t = np.ones((2, 5), 'f'), np.array([2, 0], 'i')
    assert links.BlackOut.sample_data is None
    np.random.seed(3)
    y = link(x, t)
    np.random.seed(3)
    samples = link.sampler.sample((2, 4))
    compare.assert_array_equal(
        y.array, functions.black_out(x, t, link.W, samples).array)
    assert link.sample_data is None


def test_attributes():
    link = links.BlackOut(5, COUNTS, 4)
    assert np.isnan(link.W.array).all() and link.W.shape == (3, 5)
    assert link.sample_size == 4
    shares = np.bincount(link.sampler.sample(6000), minlength=3)
    compare.assert_allclose(shares, [3000, 2000, 1000], atol=300)


def test_sampler_moves_with_the_link(monkeypatch):
    link = links.BlackOut(5, COUNTS, 4)
    moved = []
    monkeypatch.setattr(
        link.sampler, 'device_resident_accept', lambda visitor: moved.append(visitor))
    link.to_device('@numpy')
    assert len(moved) == 1

import numpy as np
import pytest

import chainer_fast
from chainer_fast import functions as F
from chainer_fast import links as L
from tests import compare
from tests.functions import gradients
from tests.functions.connection import windows
from tests.links.connection import checks

IMAGES = gradients.uniform((2, 3, 5, 6), 0, 'f')


def convolve(x, link):
    b = None if link.b is None else link.b.array
    size = [(n - 1) // s + 1 for n, s in zip(x.shape[2:], link.stride, strict=True)]
    return windows.convolve(
        x, link.W.array, b, link.stride, link.pad, (1, 1), size)


def relu(x):
    return np.maximum(x, 0)


def windows_of(x, fill, stride):
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=fill)
    return np.lib.stride_tricks.sliding_window_view(
        padded, (3, 3), (2, 3))[:, :, ::stride, ::stride]


@pytest.mark.parametrize('in_channels', [3, None])
def test_values(device, in_channels):
    link = device.send(L.Inception(
        in_channels, 2, 3, 4, 5, 6, 7, bias_init=chainer_fast.initializers.Normal()))
    y = link(device.send(IMAGES))
    x = IMAGES
    expected = relu(
        np.concatenate([
        convolve(x, link.conv1), convolve(relu(convolve(x, link.proj3)), link.conv3),
        convolve(relu(convolve(x, link.proj5)), link.conv5),
        convolve(windows_of(x, -np.inf, 1).max((-2, -1)), link.projp)], 1))
    assert expected.shape == y.shape == (2, 19, 5, 6)
    compare.assert_allclose(y.array, expected, 1e-4, 1e-5)


def test_order_of_random_numbers():
    np.random.seed(0)
    link = L.Inception(3, 2, 3, 4, 5, 6, 7)
    np.random.seed(0)
    for name, shape in (
            ('conv1', (2, 3, 1, 1)), ('proj3', (3, 3, 1, 1)), ('conv3', (4, 3, 3, 3)),
            ('proj5', (5, 3, 1, 1)), ('conv5', (6, 5, 5, 5)), ('projp', (7, 3, 1, 1))):
        compare.assert_array_equal(
            link[name].W.array, checks.normal(np.prod(shape[1:]), *shape))
        compare.assert_array_equal(link[name].b.array, 0)


def test_initializers_and_snapshot(device):
    link = device.send(L.Inception(3, 2, 3, 4, 5, 6, 7, 1, 2))
    for name, param in link.namedparams():
        compare.assert_array_equal(param.array, 1 if name.endswith('W') else 2)
    checks.check_snapshot(device, lambda: L.Inception(None, 1, 1, 1, 1, 1, 1), IMAGES)


POOLING = {'max': lambda x, stride: windows_of(x, -np.inf, stride).max((-2, -1)),
           'avg': lambda x, stride: windows_of(x, 0, stride).mean((-2, -1))}


@pytest.mark.parametrize('out1, proj_pool, stride', [
    (2, 3, 1), (0, 3, 2), (0, None, 1), (0, None, 2)])
@pytest.mark.parametrize('pooltype', ['max', 'avg'])
@pytest.mark.parametrize('in_channels', [3, None])
def test_values_with_batch_normalization(device,
        out1, proj_pool, stride, pooltype, in_channels):
    link = device.send(L.InceptionBN(
        in_channels, out1, 2, 3, 4, 5, pooltype, proj_pool, stride,
        conv_init=chainer_fast.initializers.Normal(1)))

    def normalized(x, *names):
        for name in names:
            assert link[name].b is None
            x = convolve(x, link[name])
            axis = (0, 2, 3)
            x = relu((x - x.mean(axis, keepdims=True)) / np.sqrt(
                x.var(axis, keepdims=True) + 2e-5))
        return x

    y = link(device.send(IMAGES))
    pooled = POOLING[pooltype](IMAGES.astype('d'), stride)
    branches = [
        normalized(IMAGES, 'proj3', 'conv3'),
        normalized(IMAGES, 'proj33', 'conv33a', 'conv33b'),
        pooled if proj_pool is None else normalized(pooled, 'poolp')]
    if out1:
        branches.insert(0, normalized(IMAGES, 'conv1'))
    assert hasattr(link, 'conv1') == hasattr(link, 'conv1n') == bool(out1)
    assert hasattr(link, 'poolp') == hasattr(link, 'poolpn') == (proj_pool is not None)
    compare.assert_allclose(y.array, np.concatenate(branches, 1), 1e-3, 1e-4)
    assert (link.out1, link.proj_pool, link.stride, link.pooltype) == (
        out1, proj_pool, stride, pooltype)


def test_random_numbers_with_batch_normalization():
    np.random.seed(0)
    link = L.InceptionBN(3, 2, 3, 4, 5, 6, 'max', 7)
    np.random.seed(0)
    for name, shape in (
            ('proj3', (3, 3, 1, 1)), ('conv3', (4, 3, 3, 3)), ('proj33', (5, 3, 1, 1)),
            ('conv33a', (6, 5, 3, 3)), ('conv33b', (6, 6, 3, 3)),
            ('conv1', (2, 3, 1, 1)), ('poolp', (7, 3, 1, 1))):
        compare.assert_array_equal(
            link[name].W.array, checks.normal(np.prod(shape[1:]), *shape))


def test_training_of_batch_normalization(device):
    link = device.send(L.InceptionBN(3, 0, 2, 3, 4, 5, 'max', dtype=np.float64))
    assert link.conv3n.gamma.dtype == np.float64
    y = link(device.send(IMAGES))
    F.sum(y).backward()
    assert all(param.grad is not None for param in link.params())
    means = link.conv3n.avg_mean.copy()
    assert means.any()
    with chainer_fast.using_config('train', False):
        assert not np.array_equal(link(device.send(IMAGES)).array, y.array)
    compare.assert_array_equal(link.conv3n.avg_mean, means)


@pytest.mark.parametrize('options', [
    {'stride': 2, 'proj_pool': 3}, {'proj_pool': None}])
def test_wrong_architecture(options):
    with pytest.raises(AssertionError, match='stride=. and proj_pool='):
        L.InceptionBN(3, 1, 2, 3, 4, 5, 'max', **options)


def test_wrong_pooling():
    with pytest.raises(NotImplementedError, match='median'):
        L.InceptionBN(3, 1, 2, 3, 4, 5, 'median')


def test_mixed16_is_float16_in_batch_normalization():
    with chainer_fast.using_config('dtype', chainer_fast.mixed16):
        link = L.InceptionBN(3, 2, 2, 3, 2, 2, 'max', 2)
    assert {p.dtype for p in link.params()} == {np.dtype('float16')}

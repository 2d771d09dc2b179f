import numpy as np
import pytest

import chainer_fast
from chainer_fast import links as L
from tests import compare
from tests.functions import gradients
from tests.functions.connection import windows
from tests.links.connection import checks

uniform = gradients.uniform


@pytest.mark.parametrize('nd', [1, 2, 3])
@pytest.mark.parametrize('options', [
    {}, {'stride': 2, 'pad': 1, 'cover_all': True}, {'dilate': 2, 'groups': 2},
    {'nobias': True}])
def test_values(device, nd, options):
    ksize = (3, 2, 1)[:nd]
    groups = options.get('groups', 1)
    x = uniform((2, 4, 7, 4, 3)[:nd + 2], 0, 'f')
    for args in (4, 6, ksize), (None, 6, ksize), (6, ksize):
        np.random.seed(0)
        link = device.send(L.ConvolutionND(nd, *args, initial_bias=2.5, **options))
        y = link(device.send(x))
        assert link.ksize == ksize
        assert link.dilate == (options.get('dilate', 1),) * nd
        assert (link.stride, link.pad) == (
            options.get('stride', 1), options.get('pad', 0))
        np.random.seed(0)
        W = checks.normal(4 // groups * np.prod(ksize), 6, 4 // groups, *ksize)
        compare.assert_array_equal(link.W.array, W)
        b = None if link.b is None else np.full(6, 2.5)
        compare.assert_allclose(y.array, windows.convolve(
            x, W, b, (link.stride,) * nd, (link.pad,) * nd, link.dilate, y.shape[2:],
            groups), 0, 1e-5)


def test_all_is_covered(device):
    x = device.send(np.ones((1, 1, 6), 'f'))
    assert device.send(L.ConvolutionND(1, 1, 1, 3, 2))(x).shape == (1, 1, 2)
    assert device.send(L.ConvolutionND(1, 1, 1, 3, 2, cover_all=True))(x).shape == (
        1, 1, 3)


def test_gradients_and_snapshot(device):
    x = uniform((2, 2, 4, 3))
    checks.check_gradients(
        device, lambda: L.ConvolutionND(2, 4, 2, groups=2, pad=(1, 0)), x)
    checks.check_snapshot(device, lambda: L.ConvolutionND(2, None, 4, 2), x.astype('f'))


@pytest.mark.parametrize('cls, nd', [(L.Convolution1D, 1), (L.Convolution3D, 3)])
def test_one_dimension_and_three(device, cls, nd):
    x = uniform((2, 4) + (5,) * nd, 0, 'f')
    for in_channels in 4, None:
        np.random.seed(0)
        link = device.send(
            cls(in_channels, 4, 3, 2, 1, True, None, None, True, 2, 2))
        y = link(device.send(x))
        np.random.seed(0)
        same = device.send(L.ConvolutionND(
            nd, in_channels, 4, 3, 2, 1, True, cover_all=True, dilate=2, groups=2))
        compare.assert_array_equal(y.array, same(device.send(x)).array)
        assert (link.ksize, link.dilate, link.groups) == ((3,) * nd, (2,) * nd, 2)
        assert link.cover_all
        assert link.b is None
    link = cls.from_params(link.W, np.arange(4.), groups=2)
    compare.assert_array_equal(link.W.array, same.W.array)
    compare.assert_array_equal(link.b.array, np.arange(4))
    with pytest.raises(AssertionError):
        cls.from_params(np.ones((4, 2, 3, 3)))


@pytest.mark.parametrize('options', [
    {}, {'groups': 2, 'dilate': 2}, {'stride': 2, 'pad': (1, 0), 'cover_all': True}])
def test_from_params(device, options):
    W = uniform((4, 3, 3, 2), 0, 'f')
    link = device.send(
        L.ConvolutionND.from_params(chainer_fast.Parameter(W), **options))
    compare.assert_array_equal(link.W.array, W)
    compare.assert_array_equal(link.b.array, 0)
    assert link.ksize == (3, 2)
    for name, value in options.items():
        assert getattr(link, name) == (value if name != 'dilate' else (value,) * 2)
    link(device.send(np.ones((1, 3 * link.groups, 5, 5), 'f')))
    assert device.send(
        L.ConvolutionND.from_params(W, np.ones(4), nobias=True)).b is None
    with pytest.raises(ValueError, match='4 outputs, got 1'):
        L.ConvolutionND.from_params(W, np.ones(1))
    with pytest.raises(TypeError, match="'ndim'"):
        L.ConvolutionND.from_params(W, ndim=2)


@pytest.mark.parametrize('error, args, options', [
    (AssertionError, (2, 3, 4, (1, 2, 3)), {}),
    (AssertionError, (2, 3, 4, 3), {'dilate': (1, 2, 3)}),
    (ValueError, (2, 3, 4, 3), {'groups': 2}),
    (ValueError, (2, 4, 3, 3), {'groups': 2}),
    (ZeroDivisionError, (2, 4, 3, 3), {'groups': 0}),
    (TypeError, (2, 3), {}), (TypeError, (2, 3, 4, 3), {'deterministic': True})])
def test_errors(error, args, options):
    with pytest.raises(error):
        L.ConvolutionND(*args, **options)


def test_images_of_other_dimensions(device):
    with pytest.raises(AssertionError):
        device.send(L.ConvolutionND(3, 4, 4, 3))(
            device.send(np.ones((2, 4, 5, 6), 'f')))

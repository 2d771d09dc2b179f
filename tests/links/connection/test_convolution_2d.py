import pickle

import numpy as np
import pytest

import chainer_fast
from chainer_fast import links as L
from chainer_fast import memory_layouts
from chainer_fast.utils import type_check
from tests import compare
from tests.functions import gradients
from tests.functions.connection import windows
from tests.links.connection import checks

uniform = gradients.uniform


@pytest.mark.parametrize('args, in_channels', [
    ((4, 6, 3), 4), ((None, 6, 3), None), ((6, 3), None)])
@pytest.mark.parametrize('options', [
    {}, {'stride': 2, 'pad': (1, 2)}, {'dilate': (1, 2), 'groups': 2},
    {'nobias': True}])
def test_values(device, args, in_channels, options):
    np.random.seed(0)
    link = device.send(L.Convolution2D(*args, initial_bias=np.arange(6.), **options))
    assert link.W.is_initialized == (in_channels is not None)
    x = uniform((2, 4, 7, 8), 0, 'f')
    y = link(device.send(x))
    assert link.in_channels == in_channels
    assert (link.out_channels, link.ksize) == (6, 3)

    groups = options.get('groups', 1)
    share = 4 // groups
    np.random.seed(0)
    W = checks.normal(share * 9, 6, share, 3, 3)
    compare.assert_array_equal(link.W.array, W)
    b = None if link.b is None else np.arange(6.)
    compare.assert_allclose(y.array, windows.convolve(
        x, W, b, link.stride, link.pad, link.dilate, y.shape[2:], groups), 0, 1e-5)
    assert y.dtype == np.float32


def test_text():
    assert str(L.Convolution2D(3, (5, 4), pad=1)) == (
        'Convolution2D(in_channels=None, out_channels=3, ksize=(5, 4), stride=(1, 1), '
        'pad=(1, 1), nobias=False, dilate=(1, 1), groups=1)')
    link = L.Convolution2D(4, 6, [3, 2], (2, 1), 0, True, dilate=2, groups=2.)
    assert dict(link.printable_specs) == {
        'in_channels': 4, 'out_channels': 6, 'ksize': [3, 2], 'stride': (2, 1),
        'pad': (0, 0), 'nobias': True, 'dilate': (2, 2), 'groups': 2}


@pytest.mark.parametrize('dtype, expected', [
    ('e', 'e'), ('d', 'd'), (chainer_fast.mixed16, 'e')])
def test_dtypes(device, dtype, expected):
    if isinstance(dtype, str):
        dtype = np.dtype(dtype)
    with chainer_fast.using_config('dtype', dtype):
        link = device.send(L.Convolution2D(3, 2, 3, initial_bias=1))
        assert link.W.dtype == link.b.dtype == expected
    assert link(device.send(np.ones((1, 3, 3, 3), expected))).dtype == expected
    noise = chainer_fast.initializers.Normal(dtype='d')
    link = device.send(L.Convolution2D(3, 2, 3, initialW=noise))
    assert link.W.dtype == np.float64
    assert link.b.dtype == np.float32


def test_order_of_random_numbers(device):
    # The filters come first, unless they have to wait for the number of channels.
    noise = chainer_fast.initializers.Normal(1)
    for in_channels in (1, None):
        np.random.seed(0)
        link = device.send(
            L.Convolution2D(in_channels, 1, 1, initialW=noise, initial_bias=noise))
        link(device.send(np.ones((1, 1, 1, 1), 'f')))
        drawn = [link.W.array.item(), link.b.array.item()]
        np.random.seed(0)
        expected = np.random.normal(size=2).astype('f').tolist()
        assert drawn == (expected if in_channels else expected[::-1])


@pytest.mark.parametrize('options', [{'groups': 2}, {'nobias': True, 'stride': 2}])
def test_gradients(device, options):
    checks.check_gradients(
        device, lambda: L.Convolution2D(None, 4, (2, 3), **options),
        uniform((2, 2, 4, 5)))


def test_snapshot_and_pickle(device):
    checks.check_snapshot(
        device, lambda: L.Convolution2D(None, 2, 3), uniform((2, 3, 4, 4), 0, 'f'))
    x = device.send(uniform((2, 3, 4, 4), 0, 'f'))
    link = device.send(L.Convolution2D(None, 2, 3))
    link = pickle.loads(pickle.dumps(link))
    assert not link.W.is_initialized
    y = link(x)
    compare.assert_array_equal(pickle.loads(pickle.dumps(link))(x).array, y.array)


def test_copies_that_are_initialized_anew():
    link = L.Convolution2D(3, 2, 3)
    first, second = link.repeat(2)
    assert not np.array_equal(first.W.array, second.W.array)


@pytest.mark.parametrize('error, named, args, options', [
    (ValueError, 'input', (3, 4, 3), {'groups': 2}),
    (ValueError, 'output', (4, 3, 3), {'groups': 2}),
    (ValueError, 'cudnn_deterministic', (3, 4, 3), {'deterministic': True}),
    (TypeError, "'use_cudnn', 'wscale'", (3, 4, 3), {'wscale': 1, 'use_cudnn': True}),
    (TypeError, 'groups|int', (3, 4, 3), {'groups': None}),
    (TypeError, 'list', (3, 4, 3), {'initialW': [1]}),
    (ValueError, 'broadcast', (3, 4, 3), {'initial_bias': np.ones(3)}),
    (ValueError, 'must have two numbers', (3, 4, (1, 2, 3)), {})])
def test_errors(error, named, args, options):
    with pytest.raises(error, match=named):
        L.Convolution2D(*args, **options)


def test_wrong_images(device):
    with pytest.raises(type_check.InvalidType):
        device.send(L.Convolution2D(3, 4, 3))(device.send(np.ones((1, 2, 3, 3), 'f')))
    link = device.send(L.Convolution2D(None, 4, 3))
    with pytest.raises(ValueError):
        link(device.send(np.ones((2, 3, 3), 'f')))
    assert not link.W.is_initialized
    with pytest.raises(ValueError, match='divisible'):
        device.send(L.Convolution2D(None, 4, 3, groups=2))(
            device.send(np.ones((1, 3, 3, 3), 'f')))
    with pytest.raises(ValueError, match='dilate'):
        device.send(L.Convolution2D(3, 4, 3, dilate=0))(
            device.send(np.ones((1, 3, 3, 3), 'f')))


@pytest.mark.parametrize('wrap', [np.asarray, chainer_fast.Variable])
@pytest.mark.parametrize('options', [
    {}, {'groups': 2, 'dilate': 2}, {'stride': 2, 'pad': 1}, {'nobias': True}])
def test_from_params(wrap, options):
    W, b = uniform((4, 3, 3, 2), 0, 'f'), uniform((4,), 1, 'f')
    link = L.Convolution2D.from_params(wrap(W), wrap(b), **options)
    groups = options.get('groups', 1)
    assert (link.in_channels, link.out_channels, link.ksize) == (3 * groups, 4, (3, 2))
    assert (link.groups, link.dilate) == (groups, (options.get('dilate', 1),) * 2)
    assert (link.stride, link.pad) == (
        (options.get('stride', 1),) * 2, (options.get('pad', 0),) * 2)
    compare.assert_array_equal(link.W.array, W)
    assert not np.shares_memory(link.W.array, W)
    if 'nobias' in options:
        assert link.b is None
    else:
        compare.assert_array_equal(link.b.array, b)
        link = L.Convolution2D.from_params(wrap(W), **options)
        compare.assert_array_equal(link.b.array, 0)


def test_errors_of_from_params():
    W = np.ones((4, 3, 3, 2))
    with pytest.raises(ValueError, match='4 outputs, got 3'):
        L.Convolution2D.from_params(W, np.ones(3))
    with pytest.raises(TypeError, match="'initialW', 'ksize'"):
        L.Convolution2D.from_params(W, ksize=2, initialW=1)
    with pytest.raises(ValueError):
        L.Convolution2D.from_params(W[0])


class TestChannelsLast:

    def make(self, *args):
        with chainer_fast.using_config('compute_mode', 'cudnn_fast'):
            return L.Convolution2D(*args)

    @pytest.mark.parametrize('in_channels', [3, None])
    def test_parameters(self, in_channels):
        np.random.seed(0)
        link = self.make(in_channels, 4, (2, 5))
        assert link.cudnn_fast
        assert link.x_layout == memory_layouts.CUDNN_CHANNEL_LAST_X
        assert link.W.layout == memory_layouts.CUDNN_CHANNEL_LAST_W
        assert link.b.layout is None
        if in_channels is None:
            link._initialize_params(3)
        assert link.W.shape == (4, 3, 2, 5)
        np.random.seed(0)
        compare.assert_array_equal(
            link.W.raw_array, checks.normal(30, 4, 3, 2, 5).transpose(0, 2, 3, 1))

    def test_copies(self):
        link = self.make(3, 4, (2, 5))
        for copied in link.copy('copy'), pickle.loads(pickle.dumps(link)):
            assert copied.W.layout == memory_layouts.CUDNN_CHANNEL_LAST_W
            compare.assert_array_equal(copied.W.raw_array, link.W.raw_array)

    def test_images_of_another_layout(self, device):
        x = device.send(np.ones((1, 3, 2, 2), 'f'))
        with pytest.raises(AssertionError, match='CUDNN_CHANNEL_LAST_X'):
            device.send(self.make(3, 4, 1))(x)
        x = chainer_fast.as_variable(x).as_layout(memory_layouts.CUDNN_CHANNEL_LAST_X)
        with pytest.raises(AssertionError, match='CUDNN_CHANNEL_LAST_X'):
            device.send(L.Convolution2D(3, 4, 1))(x)
        link = device.send(self.make(None, 4, 1))
        with pytest.raises(RuntimeError, match='cudnn_fast'):
            link(x)
        assert link.W.shape == (4, 3, 1, 1)


@pytest.mark.parametrize('x', [[[1.]], (), 3, 'x', {}])
@pytest.mark.parametrize('make', [
    lambda: L.Convolution2D(None, 2, 3),
    lambda: L.DeformableConvolution2D(None, 2, 3),
    lambda: L.MLPConvolution2D(None, (2,), 3),
    lambda: L.Inception(None, 1, 1, 1, 1, 1, 1)])
def test_what_is_no_array_initializes_nothing(make, x):
    with pytest.raises(TypeError, match='expected'):
        make()(x)

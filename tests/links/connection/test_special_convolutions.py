import numpy as np
import pytest

import chainer_fast
from chainer_fast import functions as F
from chainer_fast import links as L
from chainer_fast.links.connection import deformable_convolution_2d
from tests import compare
from tests.devices import to_cpu
from tests.functions import gradients
from tests.functions.connection import windows
from tests.links.connection import checks

uniform = gradients.uniform
IMAGES = uniform((2, 3, 6, 5), 0, 'f')


@pytest.mark.parametrize('in_channels', [3, None])
def test_depthwise(device, in_channels):
    np.random.seed(0)
    link = device.send(L.DepthwiseConvolution2D(
        in_channels, 2, (3, 2), 2, 1, initial_bias=np.arange(6.)))
    y = link(device.send(IMAGES)).array
    assert (link.stride, link.pad, link.nobias) == ((2, 2), (1, 1), False)
    assert (link.channel_multiplier, link.ksize) == (2, (3, 2))
    np.random.seed(0)
    W = checks.normal(18, 2, 3, 3, 2)
    compare.assert_array_equal(link.W.array, W)
    for c in range(3):
        expected = windows.convolve(
            IMAGES[:, c:c + 1], W[:, c:c + 1], np.arange(2. * c, 2 * c + 2), (2, 2),
            (1, 1), (1, 1), y.shape[2:])
        compare.assert_allclose(y[:, 2 * c:2 * c + 2], expected, 0, 1e-5)


def test_depthwise_without_bias(device):
    link = device.send(L.DepthwiseConvolution2D(None, 2, 3, nobias=True))
    assert link.b is None
    assert link(device.send(IMAGES)).shape == (2, 6, 4, 3)
    with pytest.raises(ValueError, match='broadcast'):
        L.DepthwiseConvolution2D(3, 2, 3, initial_bias=np.ones(5))


@pytest.mark.parametrize('args, options', [
    ((3, 2, 3), {}), ((None, 2, 3), {'stride': (2, 1), 'pad': 2, 'dilate': 2}),
    ((2, 3), {'dilate': (1, 2), 'nobias': True})])
def test_dilated(device, args, options):
    np.random.seed(0)
    link = device.send(L.DilatedConvolution2D(*args, initial_bias=1, **options))
    y = link(device.send(IMAGES))
    np.random.seed(0)
    W = checks.normal(27, 2, 3, 3, 3)
    compare.assert_array_equal(link.W.array, W)
    b = None if link.b is None else np.ones(2)
    compare.assert_allclose(y.array, windows.convolve(
        IMAGES, W, b, link.stride, link.pad, link.dilate, y.shape[2:]), 0, 1e-5)
    assert (link.out_channels, link.ksize) == (2, 3)
    assert link.dilate == tuple(np.broadcast_to(options.get('dilate', 1), 2))


@pytest.mark.parametrize('args', [
    (3, 2, (6, 5)), (None, 2, (6, 5)), (3, 2, None), (None, 2)])
@pytest.mark.parametrize('stride', [1, (3, 1)])
def test_local(device, args, stride):
    np.random.seed(0)
    link = device.send(
        L.LocalConvolution2D(*args, ksize=(3, 2), stride=stride, initial_bias=.5))
    assert link.W.is_initialized == link.b.is_initialized == (args == (3, 2, (6, 5)))
    y = link(device.send(IMAGES)).array
    rows = 4 if stride == 1 else 2
    assert link.W.shape == (2, rows, 4, 3, 3, 2)
    assert y.shape == (2,) + link.b.shape == (2, 2, rows, 4)
    assert link.stride == ((1, 1) if stride == 1 else stride)
    sy, sx = link.stride
    for i, j in np.ndindex(rows, 4):
        seen = IMAGES[:, :, i * sy:i * sy + 3, j * sx:j * sx + 2]
        compare.assert_allclose(
            y[:, :, i, j], np.tensordot(seen, to_cpu(link.W.array[:, i, j]), (
                (1, 2, 3), (1, 2, 3))) + .5, 1e-4, 1e-5)


def test_arguments_of_local():
    # Any further keyword passes unseen.
    link = L.LocalConvolution2D(3, 2, 4, 3, 1, True, wscale=1)
    assert link.b is None
    assert link.nobias
    with pytest.raises(TypeError):
        L.LocalConvolution2D(2, 4, 3)
    with pytest.raises(ValueError):
        L.LocalConvolution2D(3, 2, (4, 5, 6), 3)


@pytest.mark.parametrize('in_channels', [3, None])
def test_deformable(device, in_channels):
    np.random.seed(0)
    link = device.send(L.DeformableConvolution2D(in_channels, 2, (3, 2), 2, 1))
    assert isinstance(link.offset_conv, L.Convolution2D)
    assert [name for name, _ in link.namedparams()] == [
        '/deform_conv/W', '/deform_conv/b', '/offset_conv/W', '/offset_conv/b']
    y = link(device.send(IMAGES))
    # Its filters are zero at first, those of the offsets are not.
    compare.assert_array_equal(y.array, np.zeros((2, 2, 3, 3)))
    np.random.seed(0)
    compare.assert_array_equal(
        link.offset_conv.W.array, checks.normal(18, 12, 3, 3, 2))

    link.deform_conv.W.array[...] = device.send(uniform((2, 3, 3, 2)))
    x = device.send(IMAGES)
    offset = F.convolution_2d(x, link.offset_conv.W, None, 2, 1)
    expected = F.deformable_convolution_2d_sampler(
        x, offset, link.deform_conv.W, None, 2, 1)
    compare.assert_allclose(link(x).array, expected.array, 1e-4, 1e-5)

    link.offset_conv.W.array[...] = 0
    compare.assert_allclose(link(device.send(IMAGES)).array, windows.convolve(
        IMAGES, link.deform_conv.W.array, None, (2, 2), (1, 1), (1, 1), (3, 3)),
        1e-4, 1e-5)


def test_initializers_of_deformable():
    link = L.DeformableConvolution2D(
        3, 2, 3, 1, 0, False, 1, 2, False, 3, 4)
    for param, value in ((link.offset_conv.W, 1), (link.offset_conv.b, 2),
                         (link.deform_conv.W, 3), (link.deform_conv.b, 4)):
        compare.assert_array_equal(param.array, value)
    link = L.DeformableConvolution2D(
        3, 2, 3, offset_nobias=True, deform_nobias=True)
    assert link.offset_conv.b is link.deform_conv.b is None
    sampler = deformable_convolution_2d.DeformableConvolution2DSampler(3, 2, 3, 2, 1)
    assert (sampler.stride, sampler.pad, sampler.ksize) == ((2, 2), (1, 1), 3)
    assert sampler.initialW is None


@pytest.mark.parametrize('make', [
    lambda: L.DepthwiseConvolution2D(None, 2, 2, 2),
    lambda: L.DilatedConvolution2D(2, 2, dilate=2),
    lambda: L.LocalConvolution2D(None, 2, ksize=(3, 2)),
    lambda: L.DeformableConvolution2D(None, 2, 2, 2)])
def test_gradients_and_snapshot(device, make):
    checks.check_gradients(device, make, IMAGES.astype('d'), eps=1e-4)
    checks.check_snapshot(device, make, IMAGES)


@pytest.mark.parametrize('make', [
    lambda: L.DepthwiseConvolution2D(3, 2, 2), lambda: L.DilatedConvolution2D(3, 2, 2),
    lambda: L.LocalConvolution2D(3, 2, 4, 2),
    lambda: L.DeformableConvolution2D(3, 2, 2)])
def test_dtype_of_the_configuration(make):
    with chainer_fast.using_config('dtype', chainer_fast.mixed16):
        link = make()
    assert {param.dtype for param in link.params()} == {np.dtype('e')}

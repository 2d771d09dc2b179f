import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast import links as L
from tests import compare
from tests.devices import to_cpu
from tests.functions import gradients
from tests.functions.connection import windows
from tests.links.connection import checks

IMAGES = gradients.uniform((2, 3, 6, 5), 0, 'f')


@pytest.mark.parametrize('args', [
    (3, (4, 5, 2), (3, 2)), (None, (4, 5, 2), (3, 2)), ((4, 5, 2), (3, 2), None)])
def test_values(device, args):
    np.random.seed(0)
    link = device.send(L.MLPConvolution2D(*args, 2, 1, F.tanh, bias_init=.5))
    assert link.activation is F.tanh
    assert [conv.out_channels for conv in link] == [4, 5, 2]
    assert [conv.ksize for conv in link] == [(3, 2), 1, 1]
    assert [conv.in_channels for conv in link] == [3 if args[0] == 3 else None, 4, 5]
    y = link(device.send(IMAGES))
    expected = windows.convolve(
        IMAGES, link[0].W.array, link[0].b.array, (2, 2), (1, 1), (1, 1), (3, 3))
    for conv in link[1:]:
        expected = np.einsum(
            'ncij,oc->noij', np.tanh(expected), to_cpu(conv.W.array[..., 0, 0])) + .5
    compare.assert_allclose(y.array, expected, 1e-4, 1e-5)


def test_initializers():
    link = L.MLPConvolution2D(3, [4, 5], 3, conv_init=2, bias_init=3)
    for conv in link:
        compare.assert_array_equal(conv.W.array, 2)
        compare.assert_array_equal(conv.b.array, 3)
    assert link.activation is F.relu


def test_single_convolution_is_not_activated(device):
    link = device.send(L.MLPConvolution2D(3, (4,), 3, activation=None))
    x = device.send(IMAGES)
    compare.assert_array_equal(link(x).array, link[0](x).array)


@pytest.mark.parametrize('error, named, args, options', [
    (TypeError, 'wscale', (3, (4,), 3, 1, 0, F.relu, 1), {}),
    (ValueError, 'wscale', (3, (4,), 3), {'wscale': 1}),
    (TypeError, "'use_cudnn'", (3, (4,), 3), {'use_cudnn': True}),
    (TypeError, 'len', (3, (4,)), {}), (AssertionError, 'empty', (3, (), 3), {})])
def test_errors(error, named, args, options):
    with pytest.raises(error, match=named):
        L.MLPConvolution2D(*args, **options)


def test_gradients_and_snapshot(device):
    checks.check_gradients(
        device, lambda: L.MLPConvolution2D(None, (2, 3), 2, activation=F.sigmoid),
        gradients.uniform((2, 2, 3, 3)))
    checks.check_snapshot(device, lambda: L.MLPConvolution2D((2, 3), 2), IMAGES)

import numpy as np
import pytest

from chainer_fast import links as L
from chainer_fast.utils import type_check
from tests import compare
from tests.devices import to_cpu
from tests.functions import gradients
from tests.functions.connection import windows
from tests.links.connection import checks

uniform = gradients.uniform


def make(kind, nd, *args, **options):
    if kind is L.DeconvolutionND:
        args = (nd, *args)
    return kind(*args, **options)


KINDS = [(L.Deconvolution2D, 2), (L.Deconvolution1D, 1), (L.Deconvolution3D, 3),
         (L.DeconvolutionND, 1), (L.DeconvolutionND, 2), (L.DeconvolutionND, 3)]


@pytest.mark.parametrize('kind, nd', KINDS)
@pytest.mark.parametrize('options', [
    {}, {'stride': 2, 'pad': 1}, {'dilate': 2, 'groups': 2}, {'nobias': True}])
def test_adjoint_of_the_convolution(device, kind, nd, options):
    ksize = (3, 2, 3)[:nd]
    groups = options.get('groups', 1)
    x = uniform((2, 4, 4, 3, 2)[:nd + 2], 0, 'f')
    for in_channels in 4, None:
        np.random.seed(0)
        link = device.send(make(kind, nd, in_channels, 6, ksize, **options))
        y = link(device.send(x))
        np.random.seed(0)
        W = checks.normal(6 // groups * np.prod(ksize), 4, 6 // groups, *ksize)
        compare.assert_array_equal(link.W.array, W)
        # <convolve(z), x> = <z, deconvolve(x)>
        z = uniform(y.shape, 1)
        stride, pad, dilate = [
            (options.get(name, default),) * nd
            for name, default in (('stride', 1), ('pad', 0), ('dilate', 1))]
        expected = windows.convolve(
            z, W, None, stride, pad, dilate, x.shape[2:], groups)
        compare.assert_allclose(
            (expected * x).sum(), (z * to_cpu(y.array)).sum(), rtol=1e-4, atol=1e-4)
    for i, (n, k) in enumerate(zip(x.shape[2:], ksize, strict=True)):
        assert y.shape[2 + i] == (
            stride[i] * (n - 1) + dilate[i] * (k - 1) + 1 - 2 * pad[i])


@pytest.mark.parametrize('kind, nd', KINDS[:1] + KINDS[3:])
def test_arguments(device, kind, nd):
    window = 3
    link = device.send(make(kind, nd, 4, window))
    assert (link.out_channels, link.b.shape) == (4, (4,))
    assert not link.W.is_initialized
    lengths = (4, 5, 6)[:nd]
    link = device.send(
        make(kind, nd, None, 4, window, 2, 1, False, lengths, 2., np.arange(4.)))
    y = link(device.send(np.zeros((1, 2) + (2, 3, 3)[:nd], 'f')))
    assert y.shape == (1, 4, *lengths)
    compare.assert_array_equal(link.W.array, 2)
    assert link.outsize == lengths
    compare.assert_array_equal(y.array[0, :, 0].reshape(4, -1)[:, 0], np.arange(4))


def test_attributes():
    link = L.Deconvolution2D(4, 6, 3, 2, (0, 1), groups=2., dilate=3)
    assert (link.stride, link.pad, link.dilate) == ((2, 2), (0, 1), (3, 3))
    assert (link.ksize, link.groups, link.outsize) == (3, 2, (None, None))
    link = L.DeconvolutionND(2, 4, 6, 3, 2, (0, 1), groups=2., dilate=3)
    assert (link.stride, link.pad, link.dilate) == (2, (0, 1), (3, 3))
    assert (link.ksize, link.groups, link.outsize) == ((3, 3), 2, None)


@pytest.mark.parametrize('kind, nd', [(L.Deconvolution2D, 2), (L.DeconvolutionND, 1)])
def test_gradients_and_snapshot(device, kind, nd):
    x = uniform((2, 4, 3, 2)[:nd + 2])
    checks.check_gradients(
        device, lambda: make(kind, nd, None, 2, 3, 2, 1, groups=2), x)
    checks.check_snapshot(device, lambda: make(kind, nd, None, 2, 3), x.astype('f'))


@pytest.mark.parametrize('kind', [L.Deconvolution2D, L.DeconvolutionND])
@pytest.mark.parametrize('error, args, options', [
    (ValueError, (3, 4, 3), {'groups': 2}), (ValueError, (4, 3, 3), {'groups': 2}),
    (TypeError, (3, 4, 3), {'cover_all': True}),
    (TypeError, (3, 4, 3), {'initial_bias': [1]})])
def test_errors(kind, error, args, options):
    with pytest.raises(error):
        make(kind, 2, *args, **options)


def test_errors_of_the_planar_one(device):
    with pytest.raises(AssertionError, match=r'shape \(3,\)'):
        L.Deconvolution2D(3, 4, 3, initial_bias=np.ones(3))
    with pytest.raises(ValueError, match='cudnn_deterministic'):
        L.Deconvolution2D(3, 4, 3, deterministic=True)
    with pytest.raises(ValueError, match='divisible'):
        device.send(L.Deconvolution2D(None, 4, 3, groups=2))(
            device.send(np.ones((1, 3, 3, 3), 'f')))
    with pytest.raises(type_check.InvalidType):
        device.send(L.Deconvolution2D(3, 4, 3))(device.send(np.ones((1, 2, 3, 3), 'f')))

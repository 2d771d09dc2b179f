import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
from chainer_fast.functions.pooling import (
    pooling_2d,
    unpooling_2d,
    unpooling_nd,
    upsampling_2d,
)
from chainer_fast.utils import type_check
from tests import compare
from tests.devices import to_cpu
from tests.functions import gradients


def by_hand(x, ksize, stride, pad, outs):
    y = np.zeros((*x.shape[:2], *outs), 'd')
    for at in np.ndindex(*x.shape[2:]):
        seen = (..., *[
            slice(max(a * s - p, 0), a * s - p + k)
            for a, k, s, p in zip(at, ksize, stride, pad, strict=True)])
        y[seen] += x[(..., *at)][(..., *[None] * len(outs))]
    return y


@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize(('lengths', 'window', 'cover_all', 'outs'), [
    ((5,), ((3,), (2,), (1,)), True, (8,)),
    ((2, 3), ((2, 2), (2, 2), (0, 0)), False, (4, 6)),
    ((2, 3), ((3, 2), (1, 2), (0, 1)), True, (4, 3)),
    ((2, 1, 2), ((2, 2, 1), (1, 2, 1), (0, 0, 0)), False, (3, 2, 2)),
])
def test_values(device, dtype, lengths, window, cover_all, outs):
    x = gradients.uniform((2, 3, *lengths), dtype=dtype)
    y = F.unpooling_nd(device.send(x), *window, cover_all=cover_all)
    assert (y.dtype, y.shape) == (dtype, (2, 3, *outs))
    tolerance = {'e': 2e-3, 'f': 1e-6, 'd': 1e-14}[dtype]
    compare.assert_allclose(
        y.array, by_hand(x, *window, outs), tolerance, tolerance)
    if len(lengths) == 2:
        compare.assert_array_equal(
            y.array, F.unpooling_2d(device.send(x), *window, cover_all=cover_all).array)


@pytest.mark.parametrize('function', [F.unpooling_2d, F.unpooling_nd])
@pytest.mark.parametrize(('outsize', 'cover_all'), [
    ((4, 6), False), ((5, 7), False), ((3, 5), True), ((4, 5), True), (None, True)])
def test_outsize(device, function, outsize, cover_all):
    x = gradients.uniform((2, 2, 2, 3))
    y = function(device.send(x), 2, outsize=outsize, cover_all=cover_all)
    assert y.shape[2:] == (outsize or (3, 5))
    compare.assert_array_equal(y.array, by_hand(
        x, (2, 2), (2, 2), (0, 0), y.shape[2:]))
    # Pooling brings it back.
    assert F.max_pooling_2d(y, 2, cover_all=cover_all).shape == x.shape
    gradients.check(
        device, lambda x: function(x, 2, outsize=outsize, cover_all=cover_all) ** 2, x)


@pytest.mark.parametrize('function', [F.unpooling_2d, F.unpooling_nd])
def test_gradients_of_overlapping_windows(device, function):
    x = gradients.uniform((2, 2, 3, 4))
    gradients.check(device, lambda x: function(x, 3, 2, 1) ** 2, x)


def test_average_pooling_is_the_left_inverse(device):
    x = gradients.uniform((1, 2, 5, 4))
    y = F.unpooling_2d(device.send(x), 3, cover_all=False)
    compare.assert_allclose(F.average_pooling_2d(y, 3).array, x, 1e-14)


@pytest.mark.parametrize('function', [F.unpooling_2d, F.unpooling_nd])
def test_outsize_of_another_size(device, function):
    x = gradients.uniform((2, 2, 2, 3), dtype='f')
    with pytest.raises(type_check.InvalidType):
        function(device.send(x), 2, outsize=(6, 6))


@pytest.mark.parametrize('outsize, error', [
    ((), type_check.InvalidType), ((4,), type_check.InvalidType),
    ((9, 6, 6), type_check.InvalidType), ((4, 6, 6), AssertionError)])
def test_outsize_of_other_dimensions(device, outsize, error):
    with pytest.raises(error):
        F.unpooling_nd(device.send(np.zeros((2, 2, 2, 3), 'f')), 2, outsize=outsize)


@pytest.mark.parametrize('number', [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize('function', [F.unpooling_2d, F.unpooling_nd])
def test_outsize_that_is_not_finite(device, function, number):
    x = device.send(np.zeros((2, 2, 2, 3), 'f'))
    with pytest.raises(type_check.InvalidType):
        function(x, 2, outsize=(4, number))
    with pytest.raises(type_check.InvalidType):
        F.upsampling_2d(x, device.send(np.zeros((2, 2, 2, 3), 'i')), 2,
                        outsize=(number, 6))


def test_one_function_a_dimension(device):
    for ndim, function in (1, F.unpooling_1d), (3, F.unpooling_3d):
        x = device.send(gradients.uniform((2, 3, *[2] * ndim), dtype='f'))
        compare.assert_array_equal(
            function(x, 3, 2, 1, None, False).array,
            F.unpooling_nd(x, 3, 2, 1, None, False).array)
        for wrong in x[..., None], x[..., 0]:
            with pytest.raises(ValueError, match='%d axes' % (2 + ndim)):
                function(wrong, 2)


@pytest.mark.parametrize('shape', [(0, 3, 2, 2), (2, 0, 2, 2)])
def test_no_images(device, shape):
    for function in F.unpooling_2d, F.unpooling_nd:
        y = function(device.send(np.zeros(shape, 'f')), 2, 2)
        assert y.shape == (*shape[:2], 3, 3)


@pytest.mark.parametrize('function', [F.unpooling_2d, F.unpooling_nd])
def test_nothing_is_left_by_any_padding(device, function):
    y = function(device.send(np.zeros((1, 1, 4, 4), 'f')), 2, pad=(1, 2 ** 40))
    assert y.shape == (1, 1, 5, 0)


def test_nothing_is_left_of_chosen_elements_by_any_padding(device):
    x, indexes = np.zeros((1, 1, 4, 4), 'f'), np.zeros((1, 1, 4, 4), 'i')
    y = F.upsampling_2d(*device.send((x, indexes)), 2, pad=(1, 2 ** 40))
    assert y.shape == (1, 1, 5, 0)


@pytest.mark.parametrize('function', [F.unpooling_2d, F.unpooling_nd])
@pytest.mark.parametrize(('args', 'error'), [
    ((-1,), ValueError), ((2, 0), ValueError), ((2.,), TypeError),
    ((2, 1, -1), ValueError)])
def test_windows_that_cannot_be(device, function, args, error):
    with pytest.raises(error):
        function(device.send(np.zeros((1, 1, 4, 4), 'f')), *args)


def test_function_objects(device):
    x = chainer.Variable(device.send(gradients.uniform((2, 3, 2, 3), dtype='f')))
    y = F.unpooling_2d(x, (2, 3), outsize=(4, 9), cover_all=False)
    f = y.creator
    assert type(f) is unpooling_2d.Unpooling2D and isinstance(f, pooling_2d.Pooling2D)
    assert (f.kh, f.kw, f.sy, f.sx, f.ph, f.pw) == (2, 3, 2, 3, 0, 0)
    assert (f.outh, f.outw) == (4, 9)
    y = F.unpooling_nd(x, 2)
    assert type(y.creator) is unpooling_nd.UnpoolingND and y.creator.outs == (3, 5)


def test_base_class():
    f = pooling_2d.Pooling2D(2, pad=(1, 0))
    assert (f.kh, f.kw, f.sy, f.sx, f.ph, f.pw) == (2, 2, 2, 2, 1, 0)
    for method in f.forward_gpu, lambda x: f.backward_gpu(x, x):
        with pytest.raises(RuntimeError, match='cuDNN'):
            method(())
    with pytest.raises(NotImplementedError):
        f._get_pool_mode()
    with pytest.raises(ValueError):
        pooling_2d.Pooling2D((2, 2, 2))


@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('size', [(6, 8), (5, 7)])
def test_upsampling(device, dtype, size):
    x = gradients.spread((2, 3, *size), dtype)
    y, indexes = F.max_pooling_2d(device.send(x), 2, return_indices=True)
    z = F.upsampling_2d(y, indexes, 2, outsize=size)
    assert (z.dtype, z.shape) == (dtype, x.shape)
    # What is not zero is where it was, and all maxima are there.
    compare.assert_array_equal(z.array, np.where(to_cpu(z.array) == 0, 0, x))
    assert np.count_nonzero(z.array) == y.size


def test_upsampling_gradients(device):
    x = gradients.spread((2, 2, 5, 5))
    y, indexes = F.max_pooling_2d(device.send(x), 3, 2, 1, return_indices=True)
    gradients.check(
        device, lambda y: F.upsampling_2d(y, indexes, 3, 2, 1, outsize=(5, 5)) ** 2,
        y.array)


@pytest.mark.parametrize('dtype', ['i', 'l', 'h', 'B'])
def test_upsampling_with_other_integers(device, dtype):
    x = gradients.spread((1, 1, 4, 4), 'f')
    y, indexes = F.max_pooling_2d(device.send(x), 2, return_indices=True)
    z = F.upsampling_2d(y, indexes.astype(dtype), 2)
    compare.assert_array_equal(z.array, F.upsampling_2d(y, indexes, 2).array)
    assert type(z.creator) is upsampling_2d.Upsampling2D
    assert z.creator.indexes.dtype == dtype


@pytest.mark.parametrize('indexes', [
    pytest.param(np.full((1, 1, 2, 2), 4), marks=pytest.mark.host),
    pytest.param(np.full((1, 1, 2, 2), -5), marks=pytest.mark.host),
    np.zeros((1, 1, 2, 2), 'f')])
def test_upsampling_with_no_indexes(device, indexes):
    with pytest.raises(IndexError, match='indexes'):
        F.upsampling_2d(
            device.send(np.zeros((1, 1, 2, 2), 'f')), device.send(indexes), 2)


@pytest.mark.parametrize(('shape', 'outsize'), [((1, 1, 2, 1), None), (
    (1, 1, 2, 2), (7, 7))])
def test_upsampling_of_other_shapes(device, shape, outsize):
    with pytest.raises(type_check.InvalidType):
        F.upsampling_2d(
            device.send(np.zeros((1, 1, 2, 2), 'f')), device.send(np.zeros(shape, int)),
            2, outsize=outsize)

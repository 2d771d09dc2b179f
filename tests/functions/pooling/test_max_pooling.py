import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
from chainer_fast.functions.pooling import max_pooling_nd
from chainer_fast.utils import type_check
from tests import compare
from tests.functions import gradients

# Types of indexes, as Chainer has them.
INDEX = {'@numpy': np.int64, '@cupy:0': np.int32}


def by_hand(x, ksize, stride, pad, outs):
    """Maxima and indexes, window by window."""
    padded = np.full(
        [n + 2 * p + k + s for n, p, k, s in zip(
            x.shape[2:], pad, ksize, stride, strict=True)], -np.inf)
    y, indexes = np.empty((2, *x.shape[:2], *outs))
    for image in np.ndindex(x.shape[:2]):
        padded[tuple([slice(p, p + n) for p, n in zip(
            pad, x.shape[2:], strict=True)])] = x[image]
        for at in np.ndindex(*outs):
            seen = padded[tuple([
                slice(a * s, a * s + k)
                for a, s, k in zip(at, stride, ksize, strict=True)])]
            y[image + at] = seen.max()
            indexes[image + at] = seen.argmax()
    return y, indexes


@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize(('lengths', 'window', 'cover_all', 'outs'), [
    ((7,), ((3,), (2,), (0,)), True, (3,)),
    ((6, 5), ((3, 2), (2, 3), (1, 0)), True, (4, 2)),
    ((6, 5), ((3, 2), (2, 3), (1, 0)), False, (3, 2)),
    ((3, 4, 2), ((2, 2, 2), (1, 2, 1), (0, 1, 1)), True, (2, 3, 3)),
    ((1, 2, 1, 2), ((1, 2, 1, 2), (1, 1, 1, 1), (0, 0, 0, 0)), True, (1, 1, 1, 1)),
])
def test_values(device, dtype, lengths, window, cover_all, outs):
    x = gradients.spread((2, 3, *lengths), dtype)
    y, indexes = F.max_pooling_nd(
        device.send(x), *window, cover_all, return_indices=True)
    expected, places = by_hand(x, *window, outs)
    assert (y.dtype, indexes.dtype) == (dtype, INDEX[device.name])
    compare.assert_array_equal(y.array, expected)
    compare.assert_array_equal(indexes, places)


@pytest.mark.parametrize(('lengths', 'window'), [
    ((5,), (3, 2, 1)), ((4, 5), (3, 2, 1)), ((4, 4), (2, 2, 0)), ((3, 2, 3), (2, 1, 0)),
])
def test_gradients(device, lengths, window):
    x = gradients.spread((2, 2, *lengths))
    # Squared, since of a piecewise linear function a second derivative says little.
    gradients.check(device, lambda x: F.max_pooling_nd(x, *window) ** 2, x)


@pytest.mark.parametrize('dtype', 'ef')
def test_dtype_of_gradients(device, dtype):
    x = chainer.Variable(device.send(gradients.spread((2, 2, 5, 5), dtype)))
    y = F.max_pooling_2d(x, 3, 1)
    gx, = chainer.grad([F.sum(y ** 2)], [x], enable_double_backprop=True)
    ggx, = chainer.grad([F.sum(gx)], [x])
    assert y.dtype == gx.dtype == ggx.dtype == dtype


def test_overlapping_windows_add_up(device):
    x = chainer.Variable(
        device.send(np.array([[[[0, 0, 0], [0, 1, 0], [0, 0, 0]]]], 'f')))
    y = F.max_pooling_2d(x, 2, 1)
    y.grad = device.send(np.array([[[[1, 2], [3, 4]]]], 'f'))
    y.backward()
    compare.assert_array_equal(x.grad[0, 0], [[0, 0, 0], [0, 10, 0], [0, 0, 0]])


def test_ties_and_nan(device):
    x = np.zeros((1, 1, 2, 4), 'f')
    x[0, 0, 1, 2] = x[0, 0, 1, 3] = np.nan
    x = chainer.Variable(device.send(x))
    y, indexes = F.max_pooling_2d(x, 2, return_indices=True)
    # The first counts, and NaN is the largest of all.
    compare.assert_array_equal(y.array.ravel(), [0, np.nan])
    compare.assert_array_equal(indexes.ravel(), [0, 2])
    y.grad = np.ones_like(y.array)
    y.backward()
    compare.assert_array_equal(x.grad[0, 0], [[1, 0, 0, 0], [0, 0, 1, 0]])


def test_windows_in_the_padding(device):
    x = chainer.Variable(device.send(np.zeros((1, 1, 2, 2), 'f')))
    y, indexes = F.max_pooling_2d(x, 1, 1, 1, return_indices=True)
    assert y.array[0, 0, 0, 0] == -np.inf and indexes[0, 0, 0, 0] == 0
    y.grad = np.ones_like(y.array)
    y.backward()
    compare.assert_array_equal(x.grad, np.ones((1, 1, 2, 2)))


def test_function_object(device):
    x = chainer.Variable(device.send(gradients.spread((2, 3, 6, 7), 'f')))
    y = F.max_pooling_2d(x, (3, 2), stride=(2, 1), pad=[1, 0])
    f = y.creator
    assert type(f) is max_pooling_nd.MaxPoolingND and f.label == 'MaxPoolingND'
    assert (f.ndim, f.ksize, f.stride, f.pad) == (2, (3, 2), (2, 1), (1, 0))
    assert f.cover_all is True and f.return_indices is False
    assert f.indexes.shape == y.shape and f.indexes.dtype == INDEX[device.name]
    assert not f.is_cudnn_used
    with chainer.using_config('cudnn_deterministic', True):
        assert f.get_cudnn_pool_mode() == 3
    assert f.get_cudnn_pool_mode() == 0

    gy = chainer.Variable(np.ones_like(y.array))
    gx, = chainer.grad([y], [x], [gy], enable_double_backprop=True)
    assert type(gx.creator) is max_pooling_nd.MaxPoolingNDGrad
    assert gx.creator.func is f
    ggy, = chainer.grad([gx], [gy], [x], enable_double_backprop=True)
    assert type(ggy.creator) is max_pooling_nd.MaxPoolingNDWithIndexes
    compare.assert_array_equal(ggy.array, y.array)


def test_one_function_a_dimension(device):
    for ndim, function in (
            (1, F.max_pooling_1d), (2, F.max_pooling_2d), (3, F.max_pooling_3d)):
        x = device.send(gradients.spread((2, 3, *[4] * ndim), 'f'))
        for a, b in zip(
                function(x, 2, 1, 1, False, True),
                F.max_pooling_nd(x, 2, 1, 1, False, True), strict=True):
            compare.assert_array_equal(
                getattr(a, 'array', a), getattr(b, 'array', b))
        for wrong in x[..., None], x[..., 0]:
            with pytest.raises(ValueError, match='%d axes' % (2 + ndim)):
                function(wrong, 2)


@pytest.mark.parametrize('x', [
    np.zeros((1, 1, 4, 4), 'i'), np.zeros((0, 1, 4, 4), 'f'),
    np.zeros((1, 1, 0, 4), 'f')])
def test_types(device, x):
    with pytest.raises(type_check.InvalidType):
        F.max_pooling_2d(device.send(x), 2)


@pytest.mark.parametrize(('args', 'error'), [
    ((5, 1), AssertionError), ((-1,), AssertionError), ((2, 2, -1), ValueError),
    ((0, 1), ValueError), ((2, 0), ZeroDivisionError), (((2, 2, 2),), AssertionError),
    ((2.,), TypeError)])
def test_windows_that_cannot_be(device, args, error):
    with pytest.raises(error):
        F.max_pooling_2d(
            device.send(np.zeros((1, 1, 4, 4), 'f')), *args, cover_all=False)


def test_retired_arguments(device):
    with pytest.raises(TypeError, match='use_cudnn'):
        F.max_pooling_2d(device.send(np.zeros((1, 1, 4, 4), 'f')), 2, use_cudnn=True)


@pytest.mark.parametrize('ndim', [0, -1])
def test_no_axes(ndim):
    with pytest.raises(ValueError, match='ndim'):
        max_pooling_nd.MaxPoolingND(ndim, 2)


@pytest.mark.parametrize(('size', 'height', 'numbers'), [
    ((9, 8), 3, 21), ((9, 8), 1, 1), ((5, 13), 4, 77), ((1, 1), 3, 11)])
def test_spatial_pyramid(device, size, height, numbers):
    x = gradients.spread((2, 3, *size), 'f')
    y = F.spatial_pyramid_pooling_2d(device.send(x), height, 'max')
    assert y.shape == (2, 3 * numbers, 1, 1) and y.dtype == 'f'
    # The first level is the maximum of all.
    compare.assert_array_equal(y.array[:, :3, 0, 0], x.max(axis=(2, 3)))


def test_spatial_pyramid_of_four_parts(device):
    x = gradients.spread((2, 3, 4, 6), 'f')
    y = F.spatial_pyramid_pooling_2d(device.send(x), 2, 'max').array
    parts = x.reshape(2, 3, 2, 2, 2, 3).max(axis=(3, 5))
    compare.assert_array_equal(y[:, 3:, 0, 0], parts.reshape(2, 12))


def test_spatial_pyramid_gradients(device):
    x = gradients.spread((1, 2, 5, 3))
    gradients.check(device, lambda x: F.spatial_pyramid_pooling_2d(x, 2, 'max') ** 2, x)


@pytest.mark.parametrize('pooling', [None, 'avg', max_pooling_nd.MaxPoolingND])
def test_spatial_pyramid_of_no_known_kind(device, pooling):
    with pytest.raises(ValueError, match='pooling'):
        F.spatial_pyramid_pooling_2d(
            device.send(np.zeros((1, 1, 4, 4), 'f')), 2, pooling)


@pytest.mark.host
@pytest.mark.parametrize('size', [2 ** 31, 2 ** 62])
def test_a_window_of_more_elements_than_there_can_be(size):
    x = np.zeros((1, 1, 2, 2), 'f')
    with pytest.raises((ValueError, MemoryError)):
        F.max_pooling_2d(x, size)

"""Loops over images give the same bits on any number of threads."""
import numpy as np
import pytest

import chainer_fast
import chainer_fast.functions as F
from chainer_fast.backends.kernels import (
    bilinear,
    convolution,
    normalization,
    pooling,
    roi,
)
from tests import layouts

WINDOW = (3, 3), (2, 2), (1, 1)


def batch(x, gy):
    ones = np.ones(x.shape[1], x.dtype)
    axis = 0, 2, 3
    y, mean, var, inv_std = normalization.batch_forward(x, ones, ones, axis, 1e-5)
    return (y, mean, var, *normalization.moments(x, axis),
            normalization.batch_apply(x, ones, ones, mean, inv_std, axis),
            *normalization.batch_backward(x, ones, gy, mean, inv_std, axis, False))


def response(x, gy):
    y, unit, scale = normalization.response_forward(x, 2, 2., 1e-4, .75)
    return y, unit, scale, normalization.response_backward(
        x, gy, unit, scale, 2, 1e-4, .75)


def maxima(x, gy):
    y, indexes = pooling.max_pool(x, *WINDOW, True)
    return (y, indexes, pooling.put(y, indexes, *WINDOW, x.shape[2:]),
            pooling.pick(x, indexes, *WINDOW))


def averages(x, gy):
    outs = pooling.places(x.shape[2:], *WINDOW, False)
    y = pooling.window_sum(x, *WINDOW, outs, 9)
    return y, pooling.window_spread(y, *WINDOW, x.shape[2:], 9)


def patches(x, gy):
    window = (1, 1), (1, 1)
    col = convolution.gather(x, (3, 3), *window, (1, 1), x.shape[2:])
    return col, convolution.scatter(col, *window, x.shape[2:], (1, 1))


def resized(x, gy):
    height, width = x.shape[2:]
    lines = bilinear.lines(x, (2 * height, width + 3), (height, width), False, True)
    y = bilinear.resize(x, *lines)
    return y, bilinear.resize_adjoint(y, *lines, height, width)


def sampled(x, gy):
    grid = np.random.RandomState(1).uniform(-1.1, 1.1, (len(x), 2, 50, 7)).astype('f')
    y = bilinear.sample(x, grid)
    return y, *bilinear.sample_adjoint(x, grid, y)


def regions(x, gy):
    boxes = np.array([[-1, 2, 20, 25], [3, 1, 6, 9], [0, 0, 6, 30]], np.float64)
    numbers, size = np.array([1, 0, 1]), (4, 3)
    most, at = roi.cell_max(x, numbers, boxes, size, 1, 0.)
    mean = roi.cell_mean(x, numbers, boxes, size, 0)
    top, sample = roi.sample_max(x, numbers, boxes, size, (2, 2))
    middle = roi.sample_mean(x, numbers, boxes, size, (2, 2))
    return (most, at, mean, top, sample, middle,
            roi.cell_put(most, at, numbers, x.shape),
            roi.cell_spread(mean, numbers, boxes, 0, x.shape),
            roi.sample_put(top, sample, numbers, boxes, (2, 2), x.shape),
            roi.sample_spread(middle, numbers, boxes, (2, 2), x.shape))


def bias(x, gy):
    x, W, b = [chainer_fast.Variable(each) for each in (
        x, np.ones((x.shape[1], 1, 1, 1), x.dtype), np.zeros(x.shape[1], x.dtype))]
    y = F.convolution_2d(x, W, b, groups=x.shape[1])
    y.grad = gy
    y.backward()
    return x.grad, W.grad, b.grad


@pytest.mark.parametrize('f', [
    batch, response, maxima, averages, patches, resized, sampled, regions, bias])
@pytest.mark.parametrize('order', ['C', 'channels last'])
@pytest.mark.parametrize('shape', [(7, 64, 29, 31), (2, 9, 150, 130), (64, 130, 7, 7)])
def test_same_bits_on_any_number_of_threads(f, order, shape):
    random = np.random.RandomState(0)
    x, gy = [layouts.ORDERS[order](random.normal(1, 2, shape).astype('f'))
             for _ in range(2)]
    with chainer_fast.using_config('num_threads', 1):
        expected = f(x, gy)
    for threads in 2, 3:
        with chainer_fast.using_config('num_threads', threads):
            for a, b in zip(f(x, gy), expected, strict=True):
                np.testing.assert_array_equal(a, b)


def test_a_bad_index_is_found_by_any_thread():
    gy = np.ones((8, 64, 14, 14), 'f')
    indexes = np.zeros(gy.shape, np.int64)
    indexes[5, 3, 2, 1] = 9
    for order in 'C', 'channels last':
        arrays = [layouts.ORDERS[order](each) for each in (gy, indexes)]
        with chainer_fast.using_config('num_threads', 2), pytest.raises(IndexError):
            pooling.put(*arrays, *WINDOW, (28, 28))

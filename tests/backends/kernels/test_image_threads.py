"""Loops over images give the same bits on any number of threads."""
import numpy as np
import pytest

import chainer_fast
from chainer_fast.backends.kernels import normalization, pooling
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


@pytest.mark.parametrize('f', [batch, response, maxima, averages])
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

import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
from chainer_fast.functions.pooling import average_pooling_2d, average_pooling_nd
from chainer_fast.utils import type_check
from tests import compare
from tests.functions import gradients

# lengths of the images, window, stride, padding
CASES = [
    ((7,), (3,), (2,), (1,)),
    ((6, 5), (3, 2), (2, 3), (1, 0)),
    ((4, 4), (2, 2), (2, 2), (0, 0)),
    ((3, 4, 2), (2, 2, 2), (1, 2, 1), (0, 1, 1)),
]


def by_hand(x, ksize, stride, pad, pad_value):
    outs = [(n + 2 * p - k) // s + 1 for n, k, s, p in zip(
        x.shape[2:], ksize, stride, pad, strict=True)]
    y = np.empty((*x.shape[:2], *outs), 'd')
    for at in np.ndindex(*outs):
        seen = x[(..., *[
            slice(max(a * s - p, 0), a * s - p + k)
            for a, k, s, p in zip(at, ksize, stride, pad, strict=True)])]
        total = seen.sum(axis=tuple(range(2, x.ndim)), dtype='d')
        count = np.prod(ksize if pad_value == 0 else seen.shape[2:])
        y[(..., *at)] = total / count
    return y


@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('pad_value', [0, None])
@pytest.mark.parametrize('case', CASES)
def test_values(device, dtype, pad_value, case):
    lengths, *window = case
    x = gradients.uniform((2, 3, *lengths), dtype=dtype)
    y = F.average_pooling_nd(device.send(x), *window, pad_value)
    assert y.dtype == dtype
    tolerance = {'e': 1e-3, 'f': 1e-6, 'd': 1e-14}[dtype]
    compare.assert_allclose(
        y.array, by_hand(x, *window, pad_value), tolerance, tolerance)
    if len(lengths) == 2 and pad_value == 0:
        compare.assert_array_equal(
            y.array, F.average_pooling_2d(device.send(x), *window).array)


@pytest.mark.parametrize('pad_value', [0, None])
@pytest.mark.parametrize('case', CASES)
def test_gradients(device, pad_value, case):
    lengths, *window = case
    x = gradients.uniform((2, 2, *lengths))
    gradients.check(
        device, lambda x: F.average_pooling_nd(x, *window, pad_value) ** 2, x)


def test_gradients_2d(device):
    x = gradients.uniform((2, 2, 5, 4))
    gradients.check(device, lambda x: F.average_pooling_2d(x, 3, (2, 1), 1) ** 2, x)


@pytest.mark.parametrize('function', [
    F.average_pooling_2d, F.average_pooling_nd,
    lambda *args: F.average_pooling_nd(*args, None)])
@pytest.mark.parametrize('dtype', 'ef')
def test_dtype_of_gradients(device, function, dtype):
    x = chainer.Variable(device.send(gradients.uniform((2, 2, 5, 5), dtype=dtype)))
    y = function(x, 3, 1, 1)
    gx, = chainer.grad([F.sum(y ** 2)], [x], enable_double_backprop=True)
    ggx, = chainer.grad([F.sum(gx)], [x])
    assert y.dtype == gx.dtype == ggx.dtype == dtype


def test_gradient_of_the_output_stays_as_it_is(device):
    x = chainer.Variable(device.send(np.ones((1, 1, 4, 4), 'f')))
    y = F.average_pooling_nd(x, 2, pad_value=None)
    gy = y.grad = np.ones_like(y.array)
    y.backward()
    compare.assert_array_equal(gy, np.ones((1, 1, 2, 2)))
    compare.assert_array_equal(x.grad, np.full((1, 1, 4, 4), .25))


def test_large_halves(device):
    # Their sum is beyond what halves can hold.
    x = device.send(np.full((1, 1, 4, 4), 6e4, 'e'))
    for y in F.average_pooling_2d(x, 4), F.average_pooling_nd(x, 4):
        assert y.array.item() == np.float16(6e4)


def test_function_objects(device):
    x = chainer.Variable(device.send(gradients.uniform((2, 3, 6, 7), dtype='f')))
    y = F.average_pooling_2d(x, (3, 2), 2, (1, 0))
    f = y.creator
    assert type(f) is average_pooling_2d.AveragePooling2D
    assert (f.kh, f.kw, f.sy, f.sx, f.ph, f.pw) == (3, 2, 2, 2, 1, 0)
    assert f.cover_all is False
    gx, = chainer.grad([F.sum(y)], [x], enable_double_backprop=True)
    g = gx.creator
    assert type(g) is average_pooling_2d.AveragePooling2DGrad and g.apool2d is f
    assert (g.kh, g.kw, g.sy, g.sx, g.ph, g.pw) == (3, 2, 2, 2, 1, 0)

    y = F.average_pooling_nd(x, 3, 2, 1)
    assert type(y.creator) is average_pooling_nd.AveragePoolingND
    assert y.creator.width is None and y.creator.get_cudnn_pool_mode() == 1
    y = F.average_pooling_nd(x, 3, 2, 1, None)
    compare.assert_array_equal(
        y.creator.width, [[4, 6, 6, 4], [6, 9, 9, 6], [6, 9, 9, 6]])
    assert y.creator.width.dtype == 'f' and y.creator.get_cudnn_pool_mode() == 2


def test_one_function_a_dimension(device):
    for ndim, function in (1, F.average_pooling_1d), (3, F.average_pooling_3d):
        x = device.send(gradients.uniform((2, 3, *[4] * ndim), dtype='f'))
        compare.assert_array_equal(
            function(x, 2, 1, 1, None).array,
            F.average_pooling_nd(x, 2, 1, 1, None).array)
        for wrong in x[..., None], x[..., 0]:
            with pytest.raises(ValueError, match='%d axes' % (2 + ndim)):
                function(wrong, 2)


def test_no_images(device):
    x = chainer.Variable(device.send(np.zeros((0, 3, 4, 4), 'f')))
    y = F.average_pooling_2d(x, 2)
    assert y.shape == (0, 3, 2, 2)
    y.grad = y.array
    y.backward()
    assert x.grad.shape == x.shape
    with pytest.raises(type_check.InvalidType):
        F.average_pooling_nd(x, 2)


@pytest.mark.parametrize('x', [np.zeros((1, 4, 4), 'f'), np.zeros((1, 1, 4, 4), 'i')])
def test_types(device, x):
    with pytest.raises(type_check.InvalidType):
        F.average_pooling_2d(device.send(x), 2)


@pytest.mark.parametrize('pad_value', [1, .5, 'x'])
def test_other_padding(device, pad_value):
    with pytest.raises(ValueError, match='pad_value'):
        F.average_pooling_nd(
            device.send(np.zeros((1, 1, 4, 4), 'f')), 2, pad_value=pad_value)


def test_no_cover_all():
    with pytest.raises(ValueError, match='cover_all'):
        average_pooling_nd.AveragePoolingND(2, 2, cover_all=True)


@pytest.mark.parametrize('function', [F.average_pooling_2d, F.average_pooling_nd])
@pytest.mark.parametrize(('args', 'error'), [
    ((5, 1), AssertionError), ((2, 2, -1), ValueError), ((0, 1), ValueError),
    ((2, 0), ZeroDivisionError), ((2.,), TypeError)])
def test_windows_that_cannot_be(device, function, args, error):
    with pytest.raises(error):
        function(device.send(np.zeros((1, 1, 4, 4), 'f')), *args)


@pytest.mark.parametrize('function', [F.average_pooling_2d, F.average_pooling_nd])
def test_retired_arguments(device, function):
    with pytest.raises(TypeError, match='use_cudnn'):
        function(device.send(np.zeros((1, 1, 4, 4), 'f')), 2, use_cudnn=True)

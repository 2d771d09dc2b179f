"""Casts, copies and views."""
import warnings

import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast.backends import cuda
from chainer_fast.functions.array import as_strided
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients


@pytest.mark.parametrize('before', 'efd')
@pytest.mark.parametrize('after', 'efd')
def test_cast(device, before, after):
    x = Variable(device.send(np.array([.5, 2], before)))
    y = F.cast(x, after)
    assert y.dtype == after
    y.grad = device.send(np.ones(2, after))
    y.backward()
    assert x.grad.dtype == before


def test_cast_from_integers(device):
    assert F.cast(device.send(np.arange(3)), np.float32).dtype == 'f'


@pytest.mark.parametrize('before', ['i', 'B', '?', 'F'])
def test_what_is_no_float_gets_no_gradient(device, before):
    x = Variable(device.send(np.ones(3, before)))
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')     # complex numbers lose a part
        y = F.sum(F.cast(x, 'd'))
    y.backward()
    assert x.grad is None


@pytest.mark.parametrize('target', [-1, '@numpy', cuda.DummyDevice])
@pytest.mark.host
def test_copy(device, target):
    x = Variable(np.arange(3.))
    y = F.copy(x, target)
    assert y.array is not x.array
    assert not np.shares_memory(y.array, x.array)
    compare.assert_array_equal(y.array, x.array)
    gradients.check(device, lambda x: F.copy(x, target) ** 2, x.array)


def test_copy_wants_a_device(device):
    with pytest.raises(TypeError):
        F.copy(device.send(np.zeros(2)), None)


def test_geometry_counts_elements_from_the_start_of_the_memory():
    geometry = as_strided.TensorGeometry(np.arange(12.).reshape(3, 4)[1:, ::2])
    assert geometry.ndim == 2
    assert geometry.shape == (2, 2)
    assert geometry.strides == (4, 2)
    assert geometry.storage_offset == 4


def test_as_strided_sees_the_whole_memory():
    memory = np.arange(12.).reshape(3, 4)
    x = memory[1:, 1:]
    compare.assert_array_equal(F.as_strided(x, (2,), (1,)).array, [5, 6])
    compare.assert_array_equal(F.as_strided(x, (2,), (1,), 0).array, [0, 1])
    compare.assert_array_equal(
        F.as_strided(x[::-1], (2, 2), (-4, 1), 8).array, [[8, 9], [4, 5]])
    assert F.as_strided(x, (), (), 3).array == 3
    assert np.shares_memory(F.as_strided(x, (2,), (1,)).array, memory)


@pytest.mark.parametrize('shape, strides, offset', [
    ((2, 2), (1, 1), 11), ((2, 2), (1, -1), 0), ((2,), (1, 1), 0)])
def test_as_strided_stays_within_the_memory(device, shape, strides, offset):
    with pytest.raises(ValueError):
        F.as_strided(device.send(np.zeros((3, 4))), shape, strides, offset)


@pytest.mark.parametrize('shape, strides, offset', [
    ((3, 2), (1, 2), 1), ((4,), (-1,), 3), ((2, 3), (0, 1), 2), ((0, 2), (1, 1), 0),
    ((), (), 5), ((2, 2), (-4, 2), 8), ((3,), (0,), 11)])
def test_gradients_of_views(device, shape, strides, offset):
    gradients.check(
        device, lambda x: F.as_strided(x, shape, strides, offset) ** 2,
        gradients.uniform((3, 4)))


@pytest.mark.parametrize('make, is_copied', [
    (lambda x: x, False), (lambda x: x.T, False), (lambda x: x[1:], True),
    (lambda x: x[:, ::2], True)])
def test_gradients_of_views_lie_like_the_input(device, make, is_copied):
    x = Variable(make(device.send(gradients.uniform((3, 4)))))
    F.sum(F.as_strided(x, (5,), (2,), 0)).backward()
    if is_copied:
        assert x.grad.flags.c_contiguous and x.grad.base is None
    else:
        assert x.grad.strides == x.array.strides


def test_elements_in_one_place_share_its_gradient(device):
    x = Variable(np.broadcast_to(device.send(np.arange(3.)), (2, 3)))
    y = F.as_strided(x, (3,), (1,))
    y.grad = device.send(np.ones(3))
    y.backward()
    compare.assert_array_equal(x.grad, np.full((2, 3), .5))


@pytest.mark.parametrize('shape, strides', [((), ()), ((3,), (0,))])
def test_gradients_of_views_of_one_element(device, shape, strides):
    gradients.check(
        device, lambda x: F.as_strided(x, shape, strides, 0) ** 2,
        gradients.uniform(()))


def test_elements_in_one_place_share_a_gradient(device):
    x = Variable(np.broadcast_to(device.send(np.arange(2.)), (4, 2)))
    weights = device.send(np.array([4., 8.]))
    F.sum(F.as_strided(x, (2,), (1,), 0) * weights).backward()
    compare.assert_array_equal(x.grad, [[1, 2]] * 4)


def read_only(x):
    x.flags.writeable = False
    return x


@pytest.mark.parametrize('x', [
    np.zeros((1, 2, 1, 3)), np.zeros((2, 4, 2, 6))[::2, ::-2, 1:, ::-2],
    np.zeros((3, 1, 2, 1)).T, np.zeros((1, 0, 1, 2)),
    np.zeros((2, 4, 2, 6))[:1, ::2, :1],
    read_only(np.zeros((1, 4, 1, 3))[:, ::2]), np.zeros((1, 2, 1, 3), '>f4')],
    ids=lambda x: '%s-%s' % (x.shape, x.strides))
@pytest.mark.parametrize('function, reference', [
    (F.squeeze, np.squeeze),
    (lambda x: F.squeeze(x, 0), lambda x: np.squeeze(x, 0)),
    (lambda x: F.squeeze(x, (2, -4)), lambda x: np.squeeze(x, (2, -4))),
    (lambda x: F.expand_dims(x, 2), lambda x: np.expand_dims(x, 2)),
    (lambda x: F.expand_dims(x, -1), lambda x: np.expand_dims(x, -1)),
    (F.transpose, np.transpose),
    (lambda x: F.transpose(x, (2, 0, 3, 1)), lambda x: x.transpose(2, 0, 3, 1)),
    (lambda x: F.swapaxes(x, 0, 3), lambda x: x.swapaxes(0, 3)),
    (lambda x: F.moveaxis(x, 0, 2), lambda x: np.moveaxis(x, 0, 2)),
    (lambda x: F.rollaxis(x, 3, 1), lambda x: np.rollaxis(x, 3, 1)),
    (lambda x: F.reshape(x, (*x.shape[:2], x.shape[3])),
     lambda x: x.reshape(*x.shape[:2], x.shape[3])),
    (lambda x: F.broadcast_to(x, (2, *x.shape)), lambda x: np.broadcast_to(
        x, (2, *x.shape))),
    (lambda x: F.broadcast_to(x, (*x.shape[:2], 5, x.shape[3])),
     lambda x: np.broadcast_to(x, (*x.shape[:2], 5, x.shape[3]))),
    (lambda x: F.split_axis(x, [1], 3)[1], lambda x: np.split(x, [1], 3)[1]),
    (lambda x: F.get_item(x, (slice(None), None, ..., slice(None, None, -1))),
     lambda x: x[:, None, ..., ::-1]),
    (F.flipud, np.flipud), (F.fliplr, np.fliplr),
    (lambda x: F.flip(x, 2), lambda x: np.flip(x, 2)),
    (lambda x: F.diagonal(x, 0, 1, 3), lambda x: np.diagonal(x, 0, 1, 3))])
@pytest.mark.host
def test_views_lie_as_those_of_numpy(x, function, reference):
    y, expected = function(x).array, reference(x)
    assert y.shape == expected.shape and y.dtype == expected.dtype
    assert y.strides == expected.strides
    assert np.shares_memory(y, x) == np.shares_memory(expected, x)

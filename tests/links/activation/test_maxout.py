import pickle

import numpy as np
import pytest

import chainer_fast
from chainer_fast import initializers
from chainer_fast import links as L
from chainer_fast.utils import type_check
from tests import compare
from tests.functions import gradients
from tests.links.connection import checks

uniform = gradients.uniform
W, B = uniform((2, 4, 6), 1, 'f'), uniform((2, 4), 2, 'f')


@pytest.mark.parametrize('in_size', [6, None])
@pytest.mark.parametrize('shape', [(5, 6), (5, 2, 3)])
def test_values(device, in_size, shape):
    x = uniform(shape, 0, 'f')
    rows = x.reshape(5, 6)
    link = device.send(L.Maxout(in_size, 2, 4, W, B))
    compare.assert_allclose(
        link(device.send(x)).array, (np.einsum('ni,opi->nop', rows, W) + B).max(2),
        1e-5, 1e-6)
    link = device.send(L.Maxout(in_size, 2, 4, W, None))
    assert link.linear.b is None
    compare.assert_allclose(
        link(device.send(x)).array, np.einsum('ni,opi->nop', rows, W).max(2), 1e-5,
        1e-6)


def test_defaults():
    np.random.seed(0)
    link = L.Maxout(6, 2, 4)
    np.random.seed(0)
    compare.assert_array_equal(link.linear.W.array, checks.normal(6, 8, 6))
    compare.assert_array_equal(link.linear.b.array, np.zeros(8))
    assert (link.out_size, link.pool_size) == (2, 4)
    link = L.Maxout(6, 2, 4, 1, 2.)
    compare.assert_array_equal(link.linear.W.array, np.ones((8, 6)))
    compare.assert_array_equal(link.linear.b.array, np.full(8, 2))


@pytest.mark.parametrize('in_size', [6, None])
def test_callables_see_the_groups(device, in_size):
    shapes = []

    def fill(array):
        shapes.append(array.shape)
        array[:, 1] = 5

    link = device.send(L.Maxout(in_size, 2, 4, fill, fill))
    link(device.send(np.ones((1, 6), 'f')))
    assert sorted(shapes) == [(2, 4), (2, 4, 6)]
    compare.assert_array_equal(link.linear.b.array[1::4], 5)
    compare.assert_array_equal(link.linear.W.array[1::4], 5)


def test_initializers_fill_the_whole():
    np.random.seed(0)
    link = L.Maxout(6, 2, 4, initializers.LeCunNormal(dtype='d'))
    np.random.seed(0)
    compare.assert_array_equal(
        link.linear.W.array, np.random.normal(0, 6 ** -.5, (8, 6)))


@pytest.mark.parametrize('error, args', [
    (ValueError, (W[0],)), (ValueError, (W, B[0])), (ValueError, (None, B[..., None])),
    (ValueError, (None, B[:, :3])), (ValueError, (np.array(1.),)), (TypeError, ([1],))])
def test_wrong_initial_values(error, args):
    with pytest.raises(error):
        L.Maxout(6, 2, 4, *args)


def test_wrong_input(device):
    with pytest.raises(type_check.InvalidType):
        device.send(L.Maxout(2, 3, 4))(device.send(np.ones((10, 7), 'f')))


def test_gradients_snapshot_and_copies(device):
    x = uniform((3, 6))
    checks.check_gradients(device, lambda: L.Maxout(None, 2, 3), x, eps=1e-5)
    checks.check_snapshot(device, lambda: L.Maxout(None, 2, 3), x.astype('f'))
    link = device.send(L.Maxout(6, 2, 3, initializers.Normal(1)))
    assert not np.array_equal(
        link.copy('init').linear.W.array, link.linear.W.array)
    copied = pickle.loads(pickle.dumps(link))
    compare.assert_array_equal(copied.linear.W.array, link.linear.W.array)


def test_dtype_of_the_configuration():
    with chainer_fast.using_config('dtype', np.dtype('e')):
        link = L.Maxout(6, 2, 4, W, B)
    assert link.linear.W.dtype == link.linear.b.dtype == np.float16

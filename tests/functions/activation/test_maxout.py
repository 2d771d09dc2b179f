import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients


@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('shape, size, axis', [
    ((3, 6), 2, 1), ((3, 6), 6, 1), ((3, 6), 1, 1), ((6, 2, 3), 3, 0),
    ((2, 6, 5), 3, 1), ((2, 6, 5), 3, -2), ((0, 4), 2, 1)])
def test_values(device, dtype, shape, size, axis):
    x = gradients.uniform(shape, 0, dtype)
    y = F.maxout(device.send(x), size, axis)
    at = axis % x.ndim
    grouped = x.reshape((*shape[:at], shape[at] // size, size, *shape[at + 1:]))
    assert y.dtype == dtype
    compare.assert_array_equal(y.array, grouped.max(axis=at + 1))


@pytest.mark.parametrize('shape, size, axis', [
    ((3, 6), 2, 1), ((4, 3), 2, 0), ((2, 6, 2), 3, 1)])
def test_gradients(device, shape, size, axis):
    gradients.check(device, lambda x: F.maxout(x, size, axis), gradients.spread(shape))


@pytest.mark.parametrize('dtype', 'ef')
def test_gradient_goes_to_all_of_the_largest(device, dtype):
    x = Variable(device.send(np.array([[1, 1, 0, 2, 3, 0]], dtype)))
    y = F.maxout(x, 3)
    y.grad = device.send(np.array([[5, 7]], dtype))
    y.backward()
    compare.assert_array_equal(x.grad, [[5, 5, 0, 0, 7, 0]])
    assert x.grad.dtype == dtype


@pytest.mark.parametrize('size, axis, error', [
    (0, 1, ValueError), (-1, 1, ValueError), (3, 1, type_check.InvalidType),
    (2, 2, IndexError), (2, -3, IndexError)])
def test_arguments(device, size, axis, error):
    with pytest.raises(error, match='pool_size|axis'):
        F.maxout(device.send(np.zeros((2, 4), 'f')), size, axis)


@pytest.mark.parametrize('axis', [1., 2.5, np.inf, np.nan])
def test_axis_that_is_no_integer(device, axis):
    with pytest.raises(TypeError):
        F.maxout(device.send(np.zeros((2, 4), 'f')), 2, axis)


def test_integers_are_refused(device):
    with pytest.raises(type_check.InvalidType):
        F.maxout(device.send(np.zeros((2, 4), 'i')), 2)

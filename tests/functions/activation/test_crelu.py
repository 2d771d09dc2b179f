import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast.functions.activation import crelu
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients


@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('shape, axis', [
    ((3, 4), 0), ((3, 4), 1), ((2, 3, 4), -1), ((2, 3, 4), -2), ((0, 3), 1), ((5,), 0)])
def test_values(device, dtype, shape, axis):
    x = gradients.uniform(shape, 0, dtype)
    y = F.crelu(device.send(x), axis=axis)
    assert y.dtype == dtype
    compare.assert_array_equal(
        y.array, np.concatenate([np.maximum(x, 0), np.maximum(-x, 0)], axis))


@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('step', [1, 2, 4, 8, -1])
@pytest.mark.parametrize('axis', [0, 1])
def test_values_of_strided_arrays(device, dtype, step, axis):
    # NumPy 2.4.6 gets np.negative(x, out=y) wrong for some combinations of strides.
    x = np.arange(-40, 24, dtype=dtype).reshape(8, 8)[:, ::step][:, :1]
    y = F.crelu(device.send(x), axis=axis)
    compare.assert_array_equal(
        y.array, np.concatenate([np.maximum(x, 0), np.maximum(-x, 0)], axis))


@pytest.mark.parametrize('axis', [0, 1, -1])
def test_gradients(device, axis):
    gradients.check(device, lambda x: F.crelu(x, axis), gradients.spread((2, 3, 2)))


def test_gradient_at_zero_is_zero(device):
    x = Variable(device.send(np.array([[0, -0.]], 'f')))
    y = F.crelu(x)
    y.grad = np.ones_like(y.array)
    y.backward()
    compare.assert_array_equal(x.grad, [[0, 0]])


@pytest.mark.parametrize('axis', ['1', None, 1.])
def test_axis_must_be_an_int(device, axis):
    with pytest.raises(TypeError, match='axis'):
        F.crelu(device.send(np.zeros((2, 3), 'f')), axis)


@pytest.mark.parametrize('x, axis', [
    (np.zeros((2, 3), 'f'), 2), (np.zeros((2, 3), 'f'), -3), (np.zeros((2, 3), 'i'), 1),
    (np.zeros((), 'f'), 0)])
def test_types_are_checked(device, x, axis):
    with pytest.raises(type_check.InvalidType):
        F.crelu(device.send(x), axis)


def test_output_shape():
    assert crelu.CReLU(-2).get_output_shape((2, 3, 4)) == (2, 6, 4)

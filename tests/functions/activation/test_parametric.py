"""Activations with a parameter for each channel."""
import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast.functions.activation import prelu, swish
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients

EXPECTED = {
    'prelu': (F.prelu, lambda x, w: np.where(x >= 0, x, w * x)),
    'swish': (F.swish, lambda x, w: x / (1 + np.exp(-w * x))),
}
each = pytest.mark.parametrize('f, expected', EXPECTED.values(), ids=EXPECTED)


@each
@pytest.mark.parametrize('shape, count', [
    ((3, 4), 1), ((3, 4), 0), ((2, 3, 4), 1), ((2, 3, 4), 2), ((2, 3, 4), 0), ((5,), 0),
    ((0, 4), 1), ((2, 1, 3), 1)])
@pytest.mark.parametrize('dtype, tolerance', [('e', 3e-3), ('f', 1e-6), ('d', 1e-12)])
@pytest.mark.parametrize('strided', [False, True])
def test_values_and_types(device, f, expected, shape, count, dtype, tolerance, strided):
    x = gradients.uniform(shape, 0, dtype, -3, 3)
    if strided:
        x = np.repeat(x, 2, axis=0)[::2]
    w = gradients.uniform(shape[1:1 + count], 1, dtype)
    x, w = Variable(device.send(x)), Variable(device.send(w))
    y = f(x, w)
    wide = w.array.reshape((1, *w.shape, *[1] * (x.ndim - 1 - count)))
    assert (y.shape, y.dtype) == (shape, dtype)
    compare.assert_allclose(
        y.array, expected(x.array.astype('d'), wide.astype('d')), tolerance, tolerance)
    y.grad = np.ones_like(y.array)
    y.backward()
    for v in x, w:
        assert isinstance(v.grad, device.xp.ndarray)
        assert (v.grad.shape, v.grad.dtype) == (v.shape, dtype)


@each
@pytest.mark.parametrize('shape, count', [
    ((3, 4), 1), ((2, 3, 2), 1), ((2, 3, 2), 2), ((3, 2), 0)])
def test_gradients(device, f, expected, shape, count):
    gradients.check(
        device, f, gradients.spread(shape), gradients.uniform(shape[1:1 + count], 3))


@each
def test_gradients_of_either_input_alone(device, f, expected):
    x, w = gradients.spread((2, 3)), gradients.uniform((3,))
    gradients.check(device, lambda x: f(x, device.send(w)), x)
    gradients.check(device, lambda w: f(device.send(x), w), w)


@each
@pytest.mark.parametrize('shape, dtype', [
    ((3,), 'f'), ((4,), 'd'), ((2, 4), 'f'), ((4,), 'i')])
def test_parameters_that_do_not_fit(device, f, expected, shape, dtype):
    with pytest.raises(type_check.InvalidType):
        f(device.send(np.zeros((2, 4), 'f')), device.send(np.zeros(shape, dtype)))


def test_attributes_of_gradients(device):
    x = Variable(device.send(np.ones((2, 3, 4), 'f')))
    w = Variable(device.send(np.ones(3, 'f')))
    for f, cls, axes in (
            (F.prelu, prelu.PReLUFunctionGrad, 'reduce_axes'),
            (F.swish, swish.SwishGrad, 'reduction_axes')):
        y = f(x, w)
        y.grad = np.ones_like(y.array)
        x.cleargrad()
        y.backward(enable_double_backprop=True)
        gradient = x.grad_var.creator
        assert type(gradient) is cls
        assert getattr(gradient, axes) == (0, 2)
        assert gradient.extended_shape == (1, 3, 1)


def test_at_zero_and_nan(device):
    x = Variable(device.send(np.array([[0, -0., np.nan]], 'f')))
    w = Variable(device.send(np.full(3, .25, 'f')))
    y = F.prelu(x, w)
    y.grad = np.ones_like(y.array)
    y.backward()
    compare.assert_array_equal(y.array, [[0, 0, np.nan]])
    compare.assert_array_equal(x.grad, [[1, 1, .25]])
    compare.assert_array_equal(w.grad, [0, 0, np.nan])


def test_swish_far_out(device):
    x = Variable(device.send(np.array([[-1e4, 1e4]], 'f')))
    beta = Variable(device.send(np.full(2, 3, 'f')))
    y = F.swish(x, beta)
    compare.assert_array_equal(y.array, [[0, 1e4]])
    y.grad = np.ones_like(y.array)
    y.backward()
    compare.assert_array_equal(x.grad, [[0, 1]])
    compare.assert_array_equal(beta.grad, [0, 0])

import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast import grad
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients

uniform = gradients.uniform


@pytest.mark.parametrize('shape, axis', [
    ((3, 4), 1), ((4,), 0), ((2, 3, 4), (0, 2)), ((2, 3), -1), ((), ())])
def test_values_and_gradients(device, shape, axis):
    x = uniform(shape, low=.2, high=1)
    norm = np.sqrt(np.square(x).sum(axis=axis, keepdims=True))
    y = F.normalize(device.send(x), eps=.1, axis=axis)
    compare.assert_allclose(y.array, x / (norm + .1))
    gradients.check(device, lambda x: F.normalize(x, eps=.1, axis=axis), x)


@pytest.mark.parametrize('dtype', 'efd')
def test_dtypes(device, dtype):
    x = Variable(device.send(uniform((3, 4), 0, dtype)))
    y = F.normalize(x)
    g, = grad([y * y * y], [x], enable_double_backprop=True)
    gg, = grad([g * g], [x])
    assert y.dtype == g.dtype == gg.dtype == dtype


def test_lengths_of_halves(device):
    x = np.full((2, 100), 300, 'e')
    compare.assert_allclose(F.normalize(device.send(x)).array, .1, rtol=1e-3)


def test_zeros(device):
    x = Variable(device.send(np.array([[0, 0], [3, 4]], 'f')))
    y = F.normalize(x, eps=.5)
    compare.assert_allclose(y.array, [[0, 0], [3 / 5.5, 4 / 5.5]], rtol=1e-6)
    y.grad = device.send(np.ones((2, 2), 'f'))
    g, = grad([y], [x], [y.grad_var], enable_double_backprop=True)
    compare.assert_allclose(g.array[0], [2, 2])
    gg, = grad([g * g], [x])
    assert np.isfinite(gg.array).all()


@pytest.mark.parametrize('shape, axis', [((0, 2), 1), ((2, 0), 1)])
def test_empty(device, shape, axis):
    x = Variable(device.send(np.empty(shape, 'f')))
    y = F.normalize(x, axis=axis)
    y.grad = y.array
    y.backward()
    assert y.shape == x.grad.shape == shape


def test_errors(device):
    x = uniform((3, 4))
    for axis in 2, -3, (1, 1), (1, -1):
        with pytest.raises(ValueError):
            F.normalize(device.send(x), axis=axis)
    with pytest.raises(type_check.InvalidType):
        F.normalize(device.send(x.astype(int)))

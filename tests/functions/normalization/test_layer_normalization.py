import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast import grad
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients

uniform = gradients.uniform


@pytest.mark.parametrize('shape', [(3, 5), (1, 4), (20, 3), (2, 37)])
def test_values_and_gradients(device, shape):
    xs = uniform(shape), uniform(shape[1:], 1), uniform(shape[1:], 2)
    x, gamma, beta = xs
    y = F.layer_normalization(*device.send(xs), eps=.1)
    centered = x - x.mean(1, keepdims=True)
    compare.assert_allclose(
        y.array, centered / np.sqrt(x.var(1, keepdims=True) + .1) * gamma + beta)
    gradients.check(
        device, lambda *xs: F.layer_normalization(*xs, eps=.1), *xs, rtol=1e-3,
        atol=1e-3)


@pytest.mark.parametrize('dtype', 'efd')
def test_dtypes(device, dtype):
    x, gamma, beta = [Variable(device.send(uniform(s, i, dtype))) for i, s in enumerate(
        [(4, 6), (6,), (6,)])]
    y = F.layer_normalization(x, gamma, beta)
    gs = grad([y * y], [x, gamma, beta], enable_double_backprop=True)
    ggs = grad([gs[0]], [x, gamma])
    assert {v.dtype for v in (y, *gs, *ggs)} == {x.dtype}


def test_statistics_of_halves(device):
    x = uniform((3, 5000), low=300, high=900).astype('e')
    y = F.layer_normalization(
        *device.send((x, np.ones(5000, 'e'), np.zeros(5000, 'e')))).array
    compare.assert_allclose(y.astype('d').std(1), 1, atol=1e-3)


def test_third_gradients(device):
    gamma, beta = uniform((3,), 1), uniform((3,), 2)

    def f(x):
        x = x if isinstance(x, Variable) else Variable(x)
        y = F.layer_normalization(x, device.send(gamma), device.send(beta), eps=.1)
        g, = grad([y * y], [x], enable_double_backprop=True)
        return g

    gradients.check(device, f, uniform((2, 3)), rtol=1e-3, atol=1e-3)


def test_one_number_for_all_columns(device):
    x, gamma, beta = [Variable(device.send(uniform(s, i))) for i, s in enumerate(
        [(4, 6), (1,), (1,)])]
    y = F.layer_normalization(x, gamma, beta)
    expected = F.layer_normalization(x, np.repeat(gamma.array, 6),
                                     np.repeat(beta.array, 6))
    compare.assert_array_equal(y.array, expected.array)
    y.grad = np.ones_like(y.array)
    y.backward()
    compare.assert_allclose(beta.grad, [24])


@pytest.mark.parametrize('shape', [(0, 3), (3, 0)])
def test_empty(device, shape):
    x, gamma, beta = [
        Variable(device.send(np.ones(s, 'f'))) for s in (shape, shape[1:], shape[1:])]
    y = F.layer_normalization(x, gamma, beta)
    y.grad = y.array
    y.backward(enable_double_backprop=True)
    assert y.shape == x.grad.shape == shape
    compare.assert_array_equal(gamma.grad, np.zeros(shape[1]))


@pytest.mark.parametrize('xs, error', [
    ([np.ones((2, 3, 4)), np.ones(3), np.ones(3)], type_check.InvalidType),
    ([np.ones((2, 3), int), np.ones(3), np.ones(3)], type_check.InvalidType),
    ([np.ones((2, 3)), np.ones(3, 'f'), np.ones(3)], type_check.InvalidType),
    ([np.ones((2, 3)), np.ones(3), np.ones(1)], type_check.InvalidType),
    ([np.ones((2, 3)), np.ones(1), np.ones(3)], type_check.InvalidType),
    ([np.ones((2, 3)), np.ones(4), np.ones(4)], ValueError)])
def test_types_are_checked(device, xs, error):
    with pytest.raises(error, match='gamma|ndim|kind'):
        F.layer_normalization(*device.send(xs))


@pytest.mark.parametrize('lists', [(0,), (1,), (2,), (1, 2)])
def test_lists_are_refused(device, lists):
    xs = [uniform(shape, dtype='f') for shape in ((3, 1), (1,), (1,))]
    xs = [x.tolist() if i in lists else device.send(x) for i, x in enumerate(xs)]
    with pytest.raises(TypeError, match='list'):
        F.layer_normalization(*xs)

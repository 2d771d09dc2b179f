import numpy as np
import pytest

from chainer_fast import as_variable, using_config
from chainer_fast import functions as F
from chainer_fast import links as L
from chainer_fast.link_hooks import WeightStandardization
from tests import compare
from tests.devices import to_cpu
from tests.functions import gradients

uniform = gradients.uniform


def standardized(weight, eps=1e-5):
    axes = tuple(range(1, weight.ndim))
    return (weight - weight.mean(axes, keepdims=True)) / np.sqrt(
        weight.var(axes, keepdims=True) + eps)


@pytest.mark.parametrize('in_size', [3, None])
def test_fully_connected(device, in_size):
    layer = device.send(
        L.Linear(in_size, 2).add_hook(hook := WeightStandardization(eps=.1)))
    x = uniform((4, 3), 0, 'f')
    y = layer(x=device.send(x))
    weight = layer.W
    array = to_cpu(weight.array)
    compare.assert_allclose(
        y.array, x @ standardized(array, .1).T, rtol=1e-4, atol=1e-5)
    assert hook.original_weight is weight
    layer.delete_hook('WeightStandardization')
    compare.assert_allclose(
        layer(device.send(x)).array, x @ array.T, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize('in_size', [3, None])
def test_convolution(device, in_size):
    layer = device.send(
        L.Convolution2D(in_size, 5, 2).add_hook(WeightStandardization()))
    x = device.send(uniform((2, 3, 4, 4), 0, 'f'))
    y = layer(x)
    compare.assert_allclose(y.array, F.convolution_2d(
        x, standardized(layer.W.array), layer.b).array, rtol=1e-4, atol=1e-5)


def test_other_weights(device):
    layer = device.send(L.EmbedID(4, 3).add_hook(WeightStandardization()))
    compare.assert_allclose(
        layer(device.send(np.arange(4, dtype='i'))).array, standardized(layer.W.array),
        rtol=1e-4, atol=1e-5)
    layer = device.send(
        L.Linear(3, 2).add_hook(WeightStandardization(weight_name='b', name='b')))
    layer.b.array[:] = 7
    # One number each: nothing remains.
    compare.assert_array_equal(
        layer(device.send(np.zeros((1, 3), 'f'))).array, [[0, 0]])
    layer.delete_hook('b')


@pytest.mark.parametrize('dtype', 'efd')
def test_dtypes(device, dtype):
    with using_config('dtype', np.dtype(dtype)):
        layer = device.send(L.Linear(3, 2).add_hook(WeightStandardization()))
    assert layer(device.send(uniform((4, 3), 0, dtype))).dtype == dtype


def test_gradients(device):
    with using_config('dtype', np.dtype('d')):
        layer = device.send(L.Linear(3, 2).add_hook(WeightStandardization()))

    def f(x, weight):
        layer.W = as_variable(weight)
        return layer(x)

    gradients.check(
        device, f, uniform((4, 3), 1), uniform((2, 3)), atol=1e-3, rtol=1e-3)


def test_errors():
    hook = WeightStandardization()
    with pytest.raises(NotImplementedError), hook:
        pass
    with pytest.raises(TypeError):
        WeightStandardization(1e-5)
    with pytest.raises(ValueError, match="'V'"):
        L.Linear(3, 2).add_hook(WeightStandardization(weight_name='V'))
    layer = L.Linear(3, 2).add_hook(hook)
    with pytest.raises(KeyError):
        layer.add_hook(WeightStandardization())

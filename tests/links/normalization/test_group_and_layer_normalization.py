import numpy as np
import pytest

from chainer_fast import as_variable, initializers, mixed16, using_config
from chainer_fast import links as L
from chainer_fast.serializers import DictionarySerializer, NpzDeserializer
from chainer_fast.utils import type_check
from tests import compare
from tests.functions import gradients

uniform = gradients.uniform
GN, LN = L.GroupNormalization, L.LayerNormalization


def standardized(rows, eps):
    return (rows - rows.mean(-1, keepdims=True)) / np.sqrt(
        rows.var(-1, keepdims=True) + eps)


@pytest.mark.parametrize('size', [None, 4])
@pytest.mark.parametrize('groups', [1, 2, 4])
def test_group_normalization(device, groups, size):
    link = device.send(
        GN(groups, size, eps=.1, initial_gamma=2, initial_beta=np.arange(4.)))
    assert (link.gamma.array is None) == (size is None)
    x = uniform((3, 4, 5), 0, 'f')
    expected = standardized(x.reshape(3, groups, -1), .1).reshape(x.shape)
    compare.assert_allclose(
        link(device.send(x)).array, 2 * expected + np.arange(4)[:, None], rtol=1e-4,
        atol=1e-5)
    assert link.gamma.dtype == link.beta.dtype == 'f'


@pytest.mark.parametrize('size', [None, 5])
def test_layer_normalization(device, size):
    link = device.send(LN(size, .1, 2, initializers.Constant(1)))
    x = uniform((3, 5), 0, 'f')
    compare.assert_allclose(
        link(device.send(x)).array, 2 * standardized(x, .1) + 1, rtol=1e-4, atol=1e-5)
    assert link.gamma.shape == link.beta.shape == (5,)


def test_array_is_the_parameter_of_layer_normalization(device):
    gamma = device.send(uniform((5,), 0, 'f'))
    for link in device.send((LN(initial_gamma=gamma), LN(5, initial_gamma=gamma))):
        link(device.send(uniform((3, 5), 0, 'f')))
        assert link.gamma.array is gamma
        compare.assert_array_equal(link.beta.array, np.zeros(5))


@pytest.mark.parametrize('make', [lambda: GN(2), LN])
def test_gradients(device, make):
    with using_config('dtype', np.dtype('d')):
        link = device.send(make())
        link(device.send(uniform((3, 4))))

    def f(x, gamma, beta):
        link.gamma, link.beta = as_variable(gamma), as_variable(beta)
        return link(x)

    gradients.check(device, f, uniform((3, 4)), uniform((4,), 1), uniform((4,), 2))


@pytest.mark.parametrize('dtype, group, layer', [
    (np.float16, 'e', 'e'), (np.float64, 'd', 'd'), (mixed16, 'f', 'e')])
def test_dtypes(device, dtype, group, layer):
    with using_config('dtype', dtype):
        for link, expected in device.send([(GN(2, 4), group), (LN(4), layer)]):
            assert link.gamma.dtype == link.beta.dtype == expected
            x = uniform((3, 4), 0, 'e' if dtype is mixed16 else dtype)
            assert link(device.send(x)).dtype == x.dtype


@pytest.mark.parametrize('make', [lambda n=None: GN(2, n), LN])
def test_serialization(device, make):
    link, stored = device.send(make()), {}
    link(device.send(uniform((3, 4), 0, 'f')))
    link.gamma.array[:] = device.send(uniform((4,), 1))
    link.serialize(DictionarySerializer(stored))
    assert set(stored) == {'gamma', 'beta'}
    for other in device.send(make()), device.send(make(4)):
        other.serialize(NpzDeserializer(stored))
        compare.assert_array_equal(other.gamma.array, link.gamma.array)


@pytest.mark.parametrize('make', [lambda **k: GN(1, **k), LN])
def test_order_of_random_numbers(device, make):
    normal = initializers.Normal()
    np.random.seed(0)
    link = device.send(make(initial_gamma=normal, initial_beta=normal))
    link(device.send(np.zeros((1, 2), 'f')))
    np.random.seed(0)
    for parameter in link.gamma, link.beta:
        expected = np.random.normal(0, .05, 2)
        compare.assert_array_equal(parameter.array, expected.astype('f'))


def test_empty_batch(device):
    for link in device.send((LN(), GN(1))):
        assert link(device.send(np.zeros((0, 3), 'f'))).shape == (0, 3)


def test_errors(device):
    for shape in (), (3,):
        with pytest.raises(ValueError, match='channels'):
            device.send(GN(1))(device.send(np.zeros(shape, 'f')))
    with pytest.raises(ValueError, match='groups'):
        device.send(GN(2))(device.send(np.zeros((2, 3), 'f')))
    with pytest.raises(TypeError, match='groups'):
        device.send(GN(1.5))(device.send(np.zeros((2, 3), 'f')))
    with pytest.raises(TypeError):
        GN(1, initial_gamma={})
    with pytest.raises(TypeError):
        device.send(LN(initial_gamma={}))(device.send(np.zeros((2, 3), 'f')))
    with pytest.raises(type_check.InvalidType):
        device.send(LN())(device.send(np.zeros((2, 3, 4), 'f')))

import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients

uniform = gradients.uniform


@pytest.mark.parametrize('n', [-1, 0, 1, 4, 5, 20])
@pytest.mark.parametrize('shape, beta', [((2, 7), .75), ((2, 3, 4), .6)])
def test_values_and_gradients(device, shape, beta, n):
    x = uniform(shape)
    window = np.abs(np.subtract.outer(*[range(shape[1])] * 2)) <= max(n // 2, 0)
    energy = np.einsum('ij,nj...->ni...', window * 1., x * x)

    def f(x):
        return F.local_response_normalization(x, n, 1.5, .3, beta)

    compare.assert_allclose(f(device.send(x)).array, x * (1.5 + .3 * energy) ** -beta)
    gradients.check(device, f, x, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize('dtype', 'efd')
def test_dtypes(device, dtype):
    x = Variable(device.send(uniform((2, 7, 3), 0, dtype, 100, 300)))
    y = F.local_response_normalization(x)
    y.grad = np.ones_like(y.array)
    y.backward()
    assert y.dtype == x.grad.dtype == dtype
    expected = F.local_response_normalization(x.array.astype('d')).array
    compare.assert_allclose(y.array, expected, rtol=1e-3)
    assert y.creator.unit_scale.shape == y.creator.scale.shape == x.shape


@pytest.mark.parametrize('shape', [(0, 7, 3), (2, 0, 3), (2, 7, 0)])
def test_empty(device, shape):
    x = Variable(device.send(np.empty(shape, 'f')))
    y = F.local_response_normalization(x)
    y.grad = y.array
    y.backward()
    assert y.shape == x.grad.shape == shape


def test_errors(device):
    with pytest.raises(type_check.InvalidType):
        F.local_response_normalization(device.send(np.ones(3)))
    with pytest.raises(type_check.InvalidType):
        F.local_response_normalization(device.send(np.ones((2, 3), int)))
    with pytest.raises((TypeError, AttributeError)):
        F.local_response_normalization(device.send(np.ones((2, 3))), n=2.5)

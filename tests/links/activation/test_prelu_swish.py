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
X = gradients.spread((4, 3, 2), 'f')


@pytest.mark.parametrize('shape', [(), (3,), (3, 2)])
def test_prelu(device, shape):
    slope = uniform(shape, 1, 'f')
    link = device.send(L.PReLU(shape, slope))
    factors = slope.reshape(shape + (1,) * (2 - len(shape)))
    compare.assert_allclose(
        link(device.send(X)).array, np.where(X > 0, X, factors * X), rtol=1e-6)
    checks.check_gradients(device, lambda: L.PReLU(shape), X.astype('d'))


def test_slope(device):
    link = device.send(L.PReLU())
    assert (link.W.shape, link.W.dtype, link.W.array) == ((), np.float32, .25)
    assert device.send(
        L.PReLU((3,), initializers.Normal(dtype='d'))).W.dtype == np.float64
    with chainer_fast.using_config('dtype', chainer_fast.mixed16):
        assert device.send(L.PReLU((3,))).W.dtype == np.float16
    with pytest.raises(type_check.InvalidType):
        device.send(L.PReLU((2,)))(device.send(X))


@pytest.mark.parametrize('shape', [(), (3,), (3, 2), None])
def test_swish(device, shape):
    link = device.send(L.Swish(shape, 1.5))
    assert link.beta.is_initialized == (shape is not None)
    y = link(device.send(X))
    assert link.beta.shape == ((3, 2) if shape is None else shape)
    assert y.dtype == np.float32
    compare.assert_allclose(y.array, X / (1 + np.exp(-1.5 * X)), 1e-5, 1e-6)
    checks.check_gradients(device, lambda: L.Swish(shape), X.astype('d'))
    checks.check_snapshot(device, lambda: L.Swish(shape), X)


def test_steepness(device):
    beta = uniform((3, 2), 1, 'f')
    for shape in (3, 2), None:
        link = device.send(L.Swish(shape, beta))
        link(device.send(X))
        compare.assert_array_equal(link.beta.array, beta)
        assert link.beta.array is not beta
    assert device.send(L.Swish(())).beta.array == 1
    assert device.send(
        L.Swish((2,), initializers.Normal(dtype='d'))).beta.dtype == np.float64
    with pytest.raises(type_check.InvalidType):
        device.send(L.Swish((2,)))(device.send(X))

import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast.utils import type_check
from tests import compare
from tests.functions import gradients


@pytest.mark.parametrize('dtype, rtol', [('e', 2e-3), ('f', 1e-6), ('d', 1e-14)])
def test_values(device, dtype, rtol):
    x = np.linspace(-12, 12, 60).astype(dtype).reshape(3, 20)
    wide = x.astype('d')
    # tanh(log(1 + e)) = ((1 + e)^2 - 1) / ((1 + e)^2 + 1)
    e = np.exp(wide)
    part = e * (e + 2)
    y = F.mish(device.send(x))
    assert y.dtype == x.dtype
    compare.assert_allclose(
        y.array, wide * part / (part + 2), rtol=rtol, atol=rtol / 10)


def test_large_values(device):
    x = np.array([-1e30, -200, 200, 1e30], 'f')
    compare.assert_array_equal(
        F.mish(device.send(x)).array, np.array([0, 0, 200, 1e30], 'f'))


def test_least_value(device):
    x = device.send(np.linspace(-2, 0, 2001))
    y = F.mish(x).array
    compare.assert_allclose(x[int(y.argmin())], -1.192, atol=1e-3)
    compare.assert_allclose(y.min(), -.30884, atol=1e-5)


def test_gradients(device):
    gradients.check(device, F.mish, gradients.uniform((3, 4), low=-3, high=3))


def test_integers_are_refused():
    with pytest.raises(type_check.InvalidType):
        F.mish(np.arange(3))

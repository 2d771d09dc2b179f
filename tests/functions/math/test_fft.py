"""Fourier transforms."""
import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients

METHODS = ['fft', 'ifft']


@pytest.mark.parametrize('method', METHODS)
@pytest.mark.parametrize('shape', [(4,), (5,), (2, 3), (2, 3, 1), (0, 3)])
@pytest.mark.parametrize('dtype', 'efd')
def test_values(device, method, shape, dtype):
    xs = [gradients.uniform(shape, i, dtype) for i in range(2)]
    ys = getattr(F, method)(device.send(xs))
    assert isinstance(ys, tuple)
    z = getattr(np.fft, method)(xs[0].astype('d') + 1j * xs[1])
    for y, expected in zip(ys, (z.real, z.imag), strict=True):
        assert y.dtype == dtype
        # NumPy computes in double precision.
        rtol = 0 if device.xp is np else {'e': 1e-2, 'f': 1e-4, 'd': 1e-10}[dtype]
        compare.assert_allclose(y.array, expected.astype(dtype), rtol)


@pytest.mark.parametrize('method', METHODS)
@pytest.mark.parametrize('shape', [(4,), (2, 3)])
def test_gradients(device, method, shape):
    xs = [gradients.uniform(shape, i) for i in range(2)]
    gradients.check(device, lambda *xs: getattr(F, method)(xs), *xs)
    for part in range(2):
        gradients.check(device, lambda *xs: getattr(F, method)(xs)[part], *xs)  # noqa: B023


def test_gradients_of_an_inverse_pair(device):
    x = [Variable(device.send(gradients.uniform((3, 4), i))) for i in range(2)]
    y = F.ifft(F.fft(x))
    for part, original in zip(y, x, strict=True):
        compare.assert_allclose(part.array, original.array, atol=1e-12)
    F.sum(y[0]).backward()
    compare.assert_allclose(x[0].grad, 1)
    compare.assert_allclose(x[1].grad, 0, atol=1e-12)


@pytest.mark.parametrize('xs', [
    (np.zeros(3), np.zeros(4)), (np.zeros(3), np.zeros(3, 'f')),
    (np.zeros(()), np.zeros(())), (np.zeros(3, 'i'), np.zeros(3, 'i'))])
def test_wrong_types(device, xs):
    with pytest.raises(type_check.InvalidType):
        F.fft(device.send(xs))


def test_an_axis_of_no_elements(device):
    with pytest.raises(ValueError):
        F.fft(device.send((np.zeros((2, 0)), np.zeros((2, 0)))))

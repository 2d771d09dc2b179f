"""Losses without a softmax: forms for the GPU against the reference."""
import numpy as np
import pytest

from chainer_fast.backends.kernels import losses as kernels
from tests.backends.kernels import forms

pytestmark = pytest.mark.gpu
DTYPES = pytest.mark.parametrize('dtype', 'efd')


def floats(shape, dtype, n, seed=0):
    rng = np.random.RandomState(seed)
    return [rng.uniform(-3, 3, shape).astype(dtype) for _ in range(n)]


@DTYPES
@pytest.mark.parametrize('shape', [(3, 4), (7, 2, 3), (130, 150)])
def test_errors(device, dtype, shape):
    a, b, g = floats(shape, dtype, 3)
    mean = np.array(.3, dtype)
    for x in forms.layouts(a):
        forms.check(kernels.squared_error, x, b)
        forms.check(kernels.squared_error_grad, x, b, mean)
        forms.check(kernels.absolute_mean, x)
        forms.check(kernels.absolute_mean_grad, x, mean)
        forms.check(kernels.huber_loss, x, b, 1.5)
        forms.check(kernels.huber_grad, x, b, g, 1.5)


@DTYPES
@pytest.mark.parametrize('shape', [(3, 4), (7, 2, 3), (130, 150)])
@pytest.mark.parametrize('n', [None, 3])
def test_sigmoid(device, dtype, shape, n):
    scores, = floats(shape, dtype, 1)
    scores[0] *= 1000
    g, = floats(shape, dtype, 1, 1)
    t = np.random.RandomState(0).randint(-1, 2, shape)
    for x in forms.layouts(scores):
        forms.check(kernels.sigmoid_losses, x, t, -1)
        mean, number = kernels.sigmoid_mean.device(*device.send((x, t)), -1, n)
        expected, expected_number = kernels.sigmoid_mean.reference(x, t, -1, n)
        forms.assert_close(mean, expected)
        assert number == expected_number
        forms.check(kernels.sigmoid_gradient, x, t, g, -1, 2)
        forms.check(
            kernels.sigmoid_gradient, x, t, np.array(.3, dtype), -1,
            np.array(7, np.promote_types(dtype, 'f')))


@DTYPES
@pytest.mark.parametrize('squared', [False, True])
@pytest.mark.parametrize('shape', [(3, 4), (130, 150)])
def test_hinge(device, dtype, squared, shape):
    scores, g = floats(shape, dtype, 2)
    t = np.random.RandomState(0).randint(-1, 4, shape[0]).astype('i')
    for x in forms.layouts(scores):
        forms.check(kernels.hinge_losses, x, t, squared)
        forms.check(kernels.hinge_mean, x, t, squared)
        forms.check(kernels.hinge_gradient, x, t, g, squared, 1)
        forms.check(
            kernels.hinge_gradient, x, t, np.array(.3, dtype), squared, 3)

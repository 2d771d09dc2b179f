import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast.functions.activation import log_softmax
from chainer_fast.utils import type_check
from tests import compare
from tests.functions import gradients

both = pytest.mark.parametrize('f', [F.softmax, F.log_softmax])


@both
@pytest.mark.parametrize('shape, axis', [
    ((3, 4), 1), ((3, 4), 0), ((2, 3, 4), -1), ((2, 3, 4), 1), ((4,), 0), ((0, 3), 1)])
@pytest.mark.parametrize('dtype, tolerance', [('e', 2e-3), ('f', 1e-6), ('d', 1e-14)])
def test_values(device, f, shape, axis, dtype, tolerance):
    x = gradients.uniform(shape, 0, dtype, -3, 3)
    e = np.exp(x.astype('d'))
    expected = e / e.sum(axis=axis, keepdims=True)
    if f is F.log_softmax:
        expected = np.log(expected)
    y = f(device.send(x), axis=axis)
    assert y.dtype == dtype
    compare.assert_allclose(y.array, expected, tolerance, tolerance)


@both
@pytest.mark.parametrize('axis', [0, 1, -1])
def test_gradients(device, f, axis):
    gradients.check(device, lambda x: f(x, axis=axis), gradients.uniform((2, 3, 2)))


def test_large_scores(device):
    x = device.send(np.array([[1e4, 0, -1e4]], 'f'))
    compare.assert_array_equal(F.softmax(x).array, [[1, 0, 0]])
    compare.assert_array_equal(F.log_softmax(x).array, [[0, -1e4, -2e4]])


@both
@pytest.mark.parametrize('shape, axis', [((3,), 1), ((2, 3), 2), ((2, 3), -3)])
def test_axis_must_exist(device, f, shape, axis):
    with pytest.raises(type_check.InvalidType):
        f(device.send(np.zeros(shape, 'f')), axis=axis)


@both
def test_integers_are_refused(device, f):
    with pytest.raises(type_check.InvalidType):
        f(device.send(np.zeros((2, 3), 'i')))


def test_logsumexp_takes_several_axes(device):
    x = gradients.uniform((2, 3, 4))
    y = log_softmax.logsumexp(device.send(x), (0, 2))
    assert y.shape == (1, 3, 1)
    compare.assert_allclose(y.ravel(), np.log(np.exp(x).sum(axis=(0, 2))))


def test_the_input_is_left_alone(device):
    x = gradients.uniform((2, 3))
    kept = x.copy()
    sent = device.send(x)
    F.softmax(sent)
    log_softmax._log_softmax(sent)
    compare.assert_array_equal(sent, kept)

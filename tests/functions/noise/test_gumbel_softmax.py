import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients


@pytest.mark.parametrize('dtype, tolerance', [('e', 1e-2), ('f', 1e-5), ('d', 1e-12)])
@pytest.mark.parametrize('axis', [0, 1, -1])
@pytest.mark.parametrize('tau', [.5, 3, np.float64(.7), np.array(.7)])
def test_softmax_of_gumbel_numbers(dtype, tolerance, axis, tau):
    log_pi = gradients.uniform((3, 4), 0, dtype)
    np.random.seed(3)
    y = F.gumbel_softmax(log_pi, tau, axis=axis)
    after = np.random.rand()
    np.random.seed(3)
    z = (log_pi + np.random.gumbel(size=(3, 4))) / tau
    assert np.random.rand() == after
    expected = np.exp(z) / np.exp(z).sum(axis=axis, keepdims=True)
    assert y.dtype == dtype
    compare.assert_allclose(y.array, expected, tolerance, tolerance)


def test_gradients(device, monkeypatch):
    drawn = device.send(np.random.gumbel(size=(2, 3)))
    monkeypatch.setattr(device.xp.random, 'gumbel', lambda size, **options: drawn)
    gradients.check(
        device, lambda x: F.gumbel_softmax(x, .9), gradients.uniform((2, 3)))
    gradients.check(
        device, lambda x, tau: F.gumbel_softmax(x, F.broadcast_to(tau, (2, 3))),
        gradients.uniform((2, 3)), np.full((1, 1), .8))


def test_without_an_axis_there_is_one_class(device):
    y = F.gumbel_softmax(Variable(device.send(np.array(.3, 'e'))))
    assert (y.array, y.dtype, y.shape) == (1, 'e', ())
    assert y.requires_grad


def test_no_rows(device):
    assert F.gumbel_softmax(device.send(np.zeros((0, 4), 'f'))).shape == (0, 4)


def test_axis_must_exist(device):
    with pytest.raises(type_check.InvalidType):
        F.gumbel_softmax(device.send(np.zeros((2, 3), 'f')), axis=2)

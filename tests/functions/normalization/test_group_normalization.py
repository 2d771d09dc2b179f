import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast import grad
from chainer_fast.functions.normalization import group_normalization as module
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients

uniform = gradients.uniform

SHAPES = [((3, 4), 2), ((2, 4, 3), 1), ((2, 4, 3), 4), ((1, 6, 2, 5), 3),
          ((20, 4), 2)]


def expected_of(x, groups, gamma, beta, eps):
    rows = x.astype('d').reshape(len(x), groups, -1)
    rows = (rows - rows.mean(2, keepdims=True)) / np.sqrt(
        rows.var(2, keepdims=True) + eps)
    shape = (-1, *(1,) * (x.ndim - 2))
    return rows.reshape(x.shape) * gamma.reshape(shape) + beta.reshape(shape)


@pytest.mark.parametrize('shape, groups', SHAPES)
def test_values_and_gradients(device, shape, groups):
    xs = uniform(shape), uniform(shape[1:2], 1), uniform(shape[1:2], 2)

    def f(x, gamma, beta):
        return F.group_normalization(x, groups, gamma, beta, eps=.1)

    compare.assert_allclose(
        f(*device.send(xs)).array, expected_of(xs[0], groups, *xs[1:], .1))
    gradients.check(device, f, *xs, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize('dtypes', ['ee', 'ef', 'fe', 'ff', 'df', 'fd'])
def test_dtypes(device, dtypes):
    x = Variable(device.send(uniform((2, 4, 30), 0, dtypes[0], 100, 900)))
    gamma, beta = [Variable(device.send(uniform((4,), i, dtypes[1]))) for i in (1, 2)]
    y = F.group_normalization(x, 2, gamma, beta)
    compare.assert_allclose(
        y.array, expected_of(x.array, 2, gamma.array, beta.array, 1e-5),
        atol=1e-2 if 'e' in dtypes else 1e-4)
    gs = grad([y * y], [x, gamma, beta], enable_double_backprop=True)
    ggs = grad([gs[0]], [x, gamma])
    for v, g in zip((x, gamma, beta, x, gamma), (*gs, *ggs), strict=True):
        assert g.dtype == v.dtype
        assert np.isfinite(g.array).all()


@pytest.mark.parametrize('shape', [(0, 4, 2), (2, 4, 0), (2, 0, 3)])
def test_empty(device, shape):
    x, gamma, beta = [Variable(device.send(np.ones(s, 'f'))) for s in (
        shape, shape[1:2], shape[1:2])]
    y = F.group_normalization(x, 2, gamma, beta)
    y.grad = y.array
    y.backward()
    assert y.shape == x.grad.shape == shape
    assert gamma.grad.shape == gamma.shape


@pytest.mark.parametrize('groups, error', [
    (3, ValueError), (0, ValueError), (-1, ValueError), (2., TypeError),
    (np.int64(2), TypeError)])
def test_groups_are_checked(device, groups, error):
    with pytest.raises(error, match='groups'):
        F.group_normalization(
            device.send(uniform((2, 4, 3))), groups, device.send(np.ones(4)),
            device.send(np.ones(4)))


@pytest.mark.parametrize('xs', [
    [np.ones((2, 4), int), np.ones(4), np.ones(4)], [np.ones(4)] * 3,
    [np.ones((2, 4)), np.ones(5), np.ones(5)],
    [np.ones((2, 4)), np.ones(4), np.ones(1)],
    [np.ones((2, 4)), np.ones((4, 1)), np.ones((4, 1))],
    [np.ones((2, 4)), np.ones(4, 'f'), np.ones(4)]])
def test_types_are_checked(device, xs):
    with pytest.raises(type_check.InvalidType):
        F.group_normalization(device.send(xs[0]), 2, *device.send(xs[1:]))


def test_division_by_deviations_of_rows(device):
    x, y = uniform((4, 5)), uniform((4, 5), 1)

    def f(x, y):
        array = getattr(x, 'array', x)
        inv_std = (array.var(1) + .1) ** -.5
        return module._MulInvStd(.1, array.mean(1), inv_std, None).apply((x, y))[0]

    compare.assert_allclose(
        f(*device.send((x, y))).array, y * (x.var(1)[:, None] + .1) ** -.5)
    gradients.check(device, f, x, y)

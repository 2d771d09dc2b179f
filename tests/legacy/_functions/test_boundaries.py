"""Gradients at points where the pieces of a function meet, by version."""
import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast.variable import Variable

SELU = 1.6732632423543772, 1.0507009873554805

# A function, points, and the gradients there of version 7, and of the versions named.
POINTS = [
    (F.leaky_relu, (), [0, -0.], .2, 1, ['v1', 'v2', 'v4']),
    (F.leaky_relu, (-.5,), [0, -0.], -.5, 1, ['v3']),
    (F.elu, (.3,), [0, -0.], .3, 1, ['v1', 'v5']),
    (F.selu, (), [0, -0.], SELU[0] * SELU[1], SELU[1], ['v3', 'v5']),
    (F.clip, (-1, 2.5), [-1, 2.5], 1, 0, ['v1', 'v2', 'v5']),
    (F.clip, (0, 1), [0, -0., 1], 1, 0, ['v4']),
]
CASES = [(*case, version) for *case, versions in POINTS for version in versions]
ELSEWHERE = [-3, -.5, .5, 7, np.inf, -np.inf]


def gradients(function, args, points):
    x = Variable(np.array(points + ELSEWHERE, 'f'))
    y = getattr(F, function.__name__)(x, *args)
    assert y.dtype == np.float32
    y.grad = np.arange(2, 2 + x.size, dtype='f')
    y.backward()
    return y.array, x.grad


@pytest.mark.filterwarnings('ignore::RuntimeWarning')
@pytest.mark.parametrize('function, args, points, today, before, version', CASES)
def test_gradients(enable, used, function, args, points, today, before, version):
    values, expected = gradients(function, args, points)
    n = len(points)
    g = np.arange(2, 2 + n)
    np.testing.assert_allclose(expected[:n], g * today, 1e-6)
    enable(version)
    y, gx = gradients(function, args, points)
    np.testing.assert_array_equal(y, values)
    np.testing.assert_allclose(gx[:n], g * before, 1e-6)
    np.testing.assert_array_equal(gx[n:], expected[n:])
    name = 'elu' if function is F.selu else function.__name__
    assert used() == {
        'chainer.functions.%s with its gradient where pieces meet' % name: 1}


@pytest.mark.parametrize('version', ['v5', 'v6'])
def test_version_in_which_leaky_relu_had_that_of_today(enable, version):
    enable(version)
    y, gx = gradients(F.leaky_relu, (), [0])
    np.testing.assert_allclose(gx[0], .4, 1e-6)


def test_functions_without_such_points_are_those_of_today(enable, used):
    enable('v4')
    x = Variable(np.array([-1, 2], 'f'))
    for y in F.leaky_relu(x), F.elu(x, .3), F.clip(x, 0, 1):
        assert type(y.creator).__module__.startswith('chainer_fast.functions.')
        assert type(y.creator).__name__ in ('LeakyReLU', 'ELU', 'Clip')
    F.elu(Variable(np.zeros(2, 'f')))       # both pieces have the same slope
    assert not used()


def test_second_derivatives(enable):
    enable('v5')
    x = Variable(np.array([0, -1, 2], 'f'))
    F.sum(F.elu(x, .5) ** 2).backward(enable_double_backprop=True)
    gx = x.grad_var
    x.cleargrad()
    F.sum(gx).backward()
    assert x.grad[0] == 2       # twice the square of the slope

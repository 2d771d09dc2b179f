"""Tests with a stand-in for the few objects of Theano that are used."""
import sys
import types

import numpy as np
import pytest

from chainer_fast import Variable
from chainer_fast import functions as F
from chainer_fast import links as L
from chainer_fast.utils import type_check


class TensorType:
    def __init__(self, dtype, ndim):
        self.dtype, self.ndim = dtype, ndim
        self.numpy_dtype = np.dtype(dtype)

    def __call__(self, name):
        return TensorVariable(self, lambda values, me: values[me])


class TensorVariable:
    """An expression: a function of the values of all inputs."""

    def __init__(self, type_, compute):
        self.type, self.compute = type_, compute


class Compiled:
    def __init__(self, inputs, outputs, on_unused_input='raise'):
        self.inputs, self.outputs = inputs, outputs
        self.indices = [(types.SimpleNamespace(variable=x), None, x) for x in inputs]

    def __call__(self, *arrays):
        assert all(isinstance(array, np.ndarray) for array in arrays)
        values = dict(zip(self.inputs, arrays, strict=True))
        return [y.compute(values, y) for y in self.outputs]


def grad(cost, wrt, known_grads, disconnected_inputs):
    """The gradients of a sum and a difference, of two variables with the weights."""
    assert cost is None and disconnected_inputs == 'ignore'

    def of(i):
        def compute(values, me):
            total = 0
            for y, g in known_grads.items():
                total = total + y.weights[i] * values[g]
            return np.asarray(total, 'd')
        return compute

    return [TensorVariable(x.type, of(i)) for i, x in enumerate(wrt)]


@pytest.fixture
def theano(monkeypatch):
    module, tensor = types.ModuleType('theano'), types.ModuleType('theano.tensor')
    module.tensor, module.function = tensor, Compiled
    tensor.TensorVariable, tensor.grad = TensorVariable, grad
    monkeypatch.setitem(sys.modules, 'theano', module)
    monkeypatch.setitem(sys.modules, 'theano.tensor', tensor)


def combination(x, y, weights, dtype='float32'):
    z = TensorVariable(TensorType(dtype, 2), lambda values, me: (
        weights[0] * values[x] + weights[1] * values[y]))
    z.weights = weights
    return z


def make_inputs(second='float32'):
    return TensorType('float32', 2)('x'), TensorType(second, 2)('y')


def test_two_outputs(theano):
    x, y = make_inputs()
    link = L.TheanoFunction(
        [x, y], (combination(x, y, (1, 2)), combination(x, y, (3, -1))))
    assert list(link.params()) == []
    a, b = Variable(np.full((2, 3), 5, 'f')), Variable(np.ones((2, 3), 'f'))
    z, w = link(a, b)
    np.testing.assert_array_equal(z.array, np.full((2, 3), 7))
    np.testing.assert_array_equal(w.array, np.full((2, 3), 14))
    F.sum(z + 10 * w).backward()
    np.testing.assert_array_equal(a.grad, np.full((2, 3), 31))
    np.testing.assert_array_equal(b.grad, np.full((2, 3), -8))
    assert a.grad.dtype == 'f'


def test_output_without_gradient(theano):
    x, y = make_inputs()
    link = L.TheanoFunction(
        (x, y), [combination(x, y, (1, 2)), combination(x, y, (3, -1))])
    a, b = [Variable(np.ones((2, 3), 'f')) for _ in range(2)]
    F.sum(link(a, b)[1]).backward()
    np.testing.assert_array_equal(a.grad, np.full((2, 3), 3))


def test_integers_have_no_gradient(theano):
    x, y = make_inputs('int32')
    link = L.TheanoFunction([x, y], combination(x, y, (1, 2)))
    a, b = Variable(np.ones((2, 3), 'f')), Variable(np.ones((2, 3), 'i'))
    z = link(a, b)
    assert isinstance(z, Variable)
    z.grad = np.ones_like(z.array)
    z.backward()
    np.testing.assert_array_equal(a.grad, np.ones((2, 3)))
    assert b.grad is None


def test_single_input(theano):
    x = TensorType('float32', 2)('x')
    y = TensorVariable(x.type, lambda values, me: values[x] * 2)
    link = L.TheanoFunction(x, y)
    np.testing.assert_array_equal(
        link(np.ones((1, 2), 'f')).array, np.full((1, 2), 2))


def test_wrong_arguments(theano):
    x, y = make_inputs()
    link = L.TheanoFunction([x, y], combination(x, y, (1, 1)))
    a = np.ones((2, 3), 'f')
    for arguments in (a,), (a, a[0]), (a, a.astype('d')):
        with pytest.raises(type_check.InvalidType):
            link(*arguments)


def test_wrong_variables(theano):
    x, y = make_inputs()
    for inputs, outputs, name in (3, y, 'inputs'), ([3], y, 'inputs'), (
            x, 'y', 'outputs'):
        with pytest.raises(TypeError, match=name):
            L.TheanoFunction(inputs, outputs)


def test_without_theano(monkeypatch):
    monkeypatch.setitem(sys.modules, 'theano', None)
    with pytest.raises(RuntimeError, match='pip install theano'):
        L.TheanoFunction([], [])

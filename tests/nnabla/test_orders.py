"""The table of orders, checked again."""
import inspect

import numpy as np
import pytest

from chainer_fast import FunctionNode, Variable, as_variable, gradient_check, nnabla
from chainer_fast import functions as F
from chainer_fast.nnabla.backward_functions import registry
from tests.nnabla import cases, orders


def test_every_function_has_an_entry():
    names = {name for name in dir(F) if inspect.isfunction(getattr(F, name))}
    assert {name.partition('(')[0] for name in registry} == names
    assert list(registry) == sorted(cases.CASES)


@pytest.mark.parametrize('name', sorted(cases.CASES))
def test_orders(name):
    assert orders.of_case(name) == registry[name]


def _outputs(f):
    """Leave out what has no gradient, and a tuple of one."""
    def g(*xs):
        ys = orders._outputs(f, list(xs))
        return tuple(ys) if len(ys) > 1 else ys[0]
    return g


@pytest.mark.parametrize('name', sorted(
    name for name, (order, remark) in registry.items()
    if order > 1 and 'zero' not in remark and name not in cases.SINGLE))
def test_double_backward(name):
    f, arrays = cases.CASES[name]
    f = _outputs(f)
    ys = f(*map(Variable, arrays))
    ys = ys if isinstance(ys, tuple) else (ys,)
    weights = [orders._weights(each, seed) for seed, each in enumerate(
        [[y.array for y in ys], arrays])]
    gradient_check.check_double_backward(
        f, arrays, *map(tuple, weights), dtype='d', rtol=1e-3, atol=1e-3)


class Cube(FunctionNode):
    """``x ** 3`` with an error in the derivative of the given order."""

    def __init__(self, error, factor=1., power=3):
        super().__init__()
        self.error, self.factor, self.power = error, factor, power

    def forward(self, inputs):
        self.retain_inputs((0,))
        return self.factor * inputs[0] ** self.power,

    def backward(self, indexes, gys):
        x, = self.get_retained_inputs()
        factor = self.factor * self.power * (1 if self.error != 1 else 1.01)
        return gys[0] * Cube(self.error - 1, factor, self.power - 1).apply((x,))[0],


@pytest.mark.parametrize('wrong', [1, 2, 3])
def test_wrong_derivatives_are_found(wrong):
    found = orders.highest_order(lambda x: Cube(wrong).apply((x,))[0], [np.ones(3)])
    assert found == (wrong - 1, 'higher orders are wrong')


class Silent(FunctionNode):
    """Sine whose gradient says nothing about its own."""

    def forward(self, inputs):
        self.retain_inputs((0,))
        return np.sin(inputs[0]),

    def backward(self, indexes, gys):
        x, = self.get_retained_inputs()
        return gys[0] * as_variable(np.cos(x.array)),


def test_a_gradient_without_a_graph_is_found():
    found = orders.highest_order(lambda x: Silent().apply((x,))[0], [np.ones(3)])
    assert found == (1, 'higher orders are wrong')


def test_show_registry(capsys):
    nnabla.show_registry()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(registry)
    assert any(line.split() == ['sin', '4'] for line in lines)
    assert any(line.split(None, 2) == ['lstm', '2', 'higher orders raise an error']
               for line in lines)


def test_tenth_derivatives():
    x = Variable(np.linspace(-2, 2, 5))
    for f, tenth in ((F.sin, -np.sin(x.array)), (F.exp, np.exp(x.array)),
                     (lambda v: v ** 10, np.full(5, 3628800.)),
                     (lambda v: F.exp(-v), np.exp(-x.array))):
        y = f(x)
        for _ in range(10):
            y, = nnabla.grad(y, x)
        np.testing.assert_allclose(y.array, tenth, rtol=1e-12)

"""What ``grad`` finds in a graph, visits and refuses."""
import copy

import numpy as np
import pytest

from chainer_fast import (
    Function,
    FunctionNode,
    Parameter,
    Variable,
    function_hooks,
)
from chainer_fast import functions as F
from chainer_fast import links as L
from chainer_fast.nnabla import grad
from tests import compare
from tests.nnabla.variables import W, X, assert_zero

# -- parameters that share arrays

def test_detached_parameters():
    model = L.Linear(3, 2)
    shared = model.copy()
    x = Variable(np.ones((4, 3), 'f'))
    loss = F.sum(model(x) ** 2)
    direct = grad(loss, model.params())
    matched = grad(loss, shared.params())
    for a, b in zip(direct, matched, strict=True):
        assert b.array.any()
        np.testing.assert_array_equal(a.array, b.array)
    # Second derivatives find them as well.
    penalty = sum(F.sum(g ** 2) for g in matched)
    for a, b in zip(grad(penalty, model.params()), grad(penalty, shared.params()),
                    strict=True):
        assert b.array.any()
        np.testing.assert_array_equal(a.array, b.array)


def test_a_detached_variable_needs_the_very_array(xw):
    x, _ = xw
    y = x * x
    compare.assert_allclose(grad(y, Variable(x.array))[0].array, 2 * X)
    compare.assert_allclose(
        grad(y, Variable(x.array, requires_grad=False))[0].array, 2 * X)
    equal = Variable(x.array.copy())
    assert_zero(grad(y, equal)[0], equal)
    view = Variable(x.array[:])
    assert_zero(grad(y, view)[0], view)


def test_several_leaves_with_one_array(xw):
    x, _ = xw
    other = Variable(x.array)
    y = x * x + other ** 3
    compare.assert_allclose(grad(y, x)[0].array, 2 * X)
    compare.assert_allclose(grad(y, other)[0].array, 3 * X ** 2)
    # A third one stands for both.
    third = copy.copy(x)
    first, = grad(y, third)
    compare.assert_allclose(first.array, 2 * X + 3 * X ** 2)
    compare.assert_allclose(grad(first, third)[0].array, 2 + 6 * X)


def test_a_released_leaf_matches_nothing(xw):
    x, _ = xw
    y = x + Variable(x.array.copy())
    gradient, = grad(y, Parameter())
    assert gradient.shape == ()
    assert gradient.array == 0


def test_arrays_in_between_do_not_match(xw):
    x, _ = xw
    h = x * 2
    y = h * h
    # Its array is that of no leaf.
    other = Variable(h.array)
    assert_zero(grad(y, other)[0], other)
    # The input itself is made by a function that no output depends on.
    same = F.identity(x)
    assert same.array is x.array
    assert_zero(grad(y, same)[0], same)


# -- what is visited

class Counted(FunctionNode):
    """Twice the input; counts its calls."""

    def __init__(self):
        super().__init__()
        self.backwards = 0

    def forward(self, inputs):
        return inputs[0] * 2,

    def backward(self, indexes, gys):
        self.backwards += 1
        return gys[0] * 2,


def test_only_functions_on_a_way_are_visited(xw):
    x, w = xw
    on_way, beside, before, after, other = [Counted() for _ in range(5)]
    early, = before.apply((x,))
    h, = on_way.apply((early,))
    side, = beside.apply((w,))
    y = h * side
    after.apply((y,))
    z, = other.apply((w,))
    gradient, = grad([y, z], early)
    compare.assert_allclose(gradient.array, 4 * W)
    assert [f.backwards for f in (on_way, beside, before, after, other)] == [
        1, 0, 0, 0, 0]


def test_every_function_is_visited_once(xw):
    x, w = xw
    counted = Counted()
    h, = counted.apply((x,))
    y = h * w + F.sin(h) * h
    parameter = Variable(w.array)
    # With detached parameters, a repeated input and one out of reach, too.
    grad([y, h], [x, parameter, h, x, Variable(x.array.copy())])
    assert counted.backwards == 1


def test_hooks_see_what_is_visited():
    x, w = Variable(X), Variable(W)
    y = F.sin(x) * F.exp(w)
    with function_hooks.TimerHook() as hook:
        grad(y, x)
    names = [name for name, _ in hook.call_history]
    assert {'Mul', 'Sin'} < set(names)
    assert 'Exp' not in names


def test_long_graphs():
    x = Variable(np.ones(1))
    y = x
    for _ in range(5000):
        y = y + 0
    assert grad(y, [x, Variable(np.ones(1))])[0].array == 1


# -- functions without a gradient

class Opaque(FunctionNode):
    def forward(self, inputs):
        return inputs[0] * 2,


class Accumulating(FunctionNode):
    """Twice the input, without ``backward``."""

    def forward(self, inputs):
        return inputs[0] * 2,

    def backward_accumulate(self, indexes, gys, gxs):
        return gys[0] * 2 + (0 if gxs[0] is None else gxs[0]),


class OldSquare(Function):
    def forward(self, inputs):
        return inputs[0] ** 2,

    def backward(self, inputs, gys):
        return 2 * inputs[0] * gys[0],


class OldOpaque(Function):
    def forward(self, inputs):
        return inputs[0] ** 2,


@pytest.mark.parametrize('function', [lambda x: Opaque().apply((x,))[0],
                                      lambda x: OldOpaque()(x)])
def test_a_function_without_backward(function, xw):
    x, w = xw
    y = F.sin(function(x)) * w
    with pytest.raises(NotImplementedError, match='Opaque has no gradient'):
        grad(y, [w, x])
    # It is on no way from this input.
    compare.assert_allclose(
        grad(y, w)[0].array, F.sin(function(x)).array)


def test_a_function_that_accumulates(xw):
    x, _ = xw
    y, = Accumulating().apply((x,))
    compare.assert_array_equal(grad([y, x], x)[0].array, 3)


def test_evaluation_functions():
    x = Variable(np.ones((2, 3), 'f'))
    with pytest.raises(NotImplementedError, match='Accuracy has no gradient'):
        grad(F.accuracy(x, np.zeros(2, 'i')), x)


def test_old_style_functions(xw):
    x, w = xw
    first, = grad(OldSquare()(x) * w, x)
    compare.assert_allclose(first.array, 2 * X * W)
    with pytest.raises(RuntimeError, match='twice-differentiate.*"OldSquare"'):
        grad(first, x)


def test_functions_with_zero_gradients(xw):
    x, _ = xw
    assert_zero(grad(F.sign(x), x)[0], x)


def test_an_error_changes_nothing(xw):
    x, w = xw
    w.grad = w.array.copy()
    before = w.grad
    with pytest.raises(NotImplementedError):
        grad(Opaque().apply((x * w,))[0], [x, w], bind_grad_output=True)
    assert w.grad is before
    assert x.grad is None

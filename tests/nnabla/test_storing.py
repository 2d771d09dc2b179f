"""What ``grad`` keeps or stores beside its results."""
import gc

import numpy as np
import pytest

from chainer_fast import FunctionNode, Parameter, Variable
from chainer_fast import functions as F
from chainer_fast.nnabla import grad
from tests import compare
from tests.nnabla.variables import W, X


@pytest.mark.parametrize('flags, kept', [
    ([], [True, True]), ((), [True, True]), ([True, False], [True, False]),
    ([0, 1], [False, True]), (np.array([False, False]), [False, False]),
    (iter([True, True]), [True, True])])
def test_persistent_outputs(flags, kept, xw):
    x, w = xw
    ys = [x + w, x - w]
    nodes = [y.node for y in ys]
    values = [y.array for y in ys]
    grad(ys, x, persistent_outputs=flags)
    assert [node.data is not None for node in nodes] == kept
    del ys
    gc.collect()
    for node, value, keeps in zip(nodes, values, kept, strict=True):
        array = node.get_variable().array
        assert array is (value if keeps else None)


def test_arrays_that_functions_retain_stay(xw):
    y = F.exp(xw[0])
    grad(y, xw[0], persistent_outputs=[False])
    compare.assert_allclose(grad(y, xw[0])[0].array, np.exp(X))


@pytest.mark.parametrize('flags, error', [
    ([True], ValueError), ([True] * 3, ValueError), (True, TypeError),
    (None, TypeError)])
def test_wrong_persistent_outputs(flags, error, xw):
    x, w = xw
    with pytest.raises(error, match='persistent_outputs must be'):
        grad([x + w, x - w], x, persistent_outputs=flags)


def test_bind_grad_output(xw):
    x, w = xw
    x.grad, w.grad = x.xp.full_like(x.array, 7), x.xp.full_like(x.array, 7)
    other = Variable(x.xp.ones_like(x.array))
    other.grad = x.xp.full_like(x.array, -5)
    h = x * w
    y = h * x
    gx, gh, _ = grad(y, [x, h, other], bind_grad_output=True)
    assert x.grad is gx.array
    compare.assert_allclose(x.grad, 2 * X * W)
    compare.assert_allclose(h.grad, X)
    compare.assert_array_equal(w.grad, 7)
    compare.assert_array_equal(other.grad, -5)
    assert x.grad_var.creator is None


def test_bound_gradients_share_no_memory_with_others(xw):
    x, w = xw
    given = Variable(x.xp.ones_like(x.array))
    y = x + w + F.reshape(x, (1, 3))[0]
    gradients = grad([y, w], [x, w, x], [given, w], bind_grad_output=True)
    x.grad *= 100
    compare.assert_array_equal(w.grad, 1 + W)
    compare.assert_array_equal(given.array, 1)
    w.grad *= 100
    compare.assert_array_equal(w.array, W)
    compare.assert_array_equal(gradients[0].array, 2)
    compare.assert_array_equal(x.grad, 200)


def test_bound_gradients_are_no_views(xw):
    x, _ = xw
    h = F.reshape(x, (1, 3))
    grad(h * h, [x, h], bind_grad_output=True)
    x.grad *= 100
    compare.assert_allclose(h.grad, 2 * X.reshape(1, 3))


class Product(FunctionNode):
    """A product that takes its gradient to be one."""

    def forward(self, inputs):
        self.retain_inputs((0, 1))
        return inputs[0] * inputs[1],

    def backward(self, indexes, gys):
        return self.get_retained_inputs()[::-1]


def test_bound_gradients_are_no_data(xw):
    x, w = xw
    y, = Product().apply((x, w))
    grad(y, [x, w], bind_grad_output=True)
    x.grad *= 100
    compare.assert_array_equal(w.array, W)


def test_bound_gradient_of_an_output(xw):
    x, w = xw
    y = x * w
    grad(y, y, w, bind_grad_output=True)
    y.grad[:] = 0
    compare.assert_array_equal(w.array, W)


def test_optimizers_take_bound_gradients():
    p = Parameter(X.copy())
    gradient, = grad(F.sum(p ** 2), p, bind_grad_output=True)
    p.grad *= .5
    np.testing.assert_array_equal(p.grad, X)
    assert gradient.array is p.grad

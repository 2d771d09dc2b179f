"""What ``grad`` returns, and what it leaves as it is."""
import itertools
import subprocess
import sys

import numpy as np
import pytest

from chainer_fast import Variable, no_backprop_mode, using_config
from chainer_fast import functions as F
from chainer_fast import links as L
from chainer_fast.nnabla import grad
from tests import compare
from tests.nnabla.variables import W, X, assert_zero

# -- results

@pytest.mark.parametrize('dtype', 'efd')
def test_dtypes(device, dtype):
    x, w = [Variable(device.send(a.astype(dtype))) for a in (X, W)]
    for order in (1, 2):
        y = F.sin(x) * w
        for _ in range(order):
            y, gw = grad(y, [x, w])
        assert y.dtype == gw.dtype == dtype


def test_mixed_dtypes(device):
    x = Variable(device.send(X.astype('e')))
    y = F.cast(x, 'f') ** 3
    first, = grad(y, x)
    second, = grad(first, x)
    assert first.dtype == second.dtype == 'e'
    compare.assert_allclose(second.array, 6 * X)


def test_unreachable_inputs(xw):
    x, w = xw
    other = Variable(x.xp.ones((2, 3), 'e'))
    zero, gradient, again = grad(x * w, [other, x, other])
    assert_zero(zero, other)
    assert_zero(again, other)
    compare.assert_allclose(gradient.array, W)
    assert_zero(grad(zero, other)[0], other)
    assert_zero(grad(zero, x)[0], x)
    y = x * w
    y.unchain()
    assert_zero(grad(y, x)[0], x)


def test_inputs_that_require_no_gradient(xw):
    x, _ = xw
    n = Variable(x.xp.ones_like(x.array), requires_grad=False)
    zero, gradient = grad(x * n, [n, x])
    assert_zero(zero, n)
    compare.assert_array_equal(gradient.array, 1)
    assert_zero(grad(n * n, n)[0], n)
    assert_zero(grad(n, n)[0], n)


def test_gradients_of_variables_are_left_alone(xw):
    x, w = xw
    x.grad, w.grad = x.xp.full_like(x.array, 7), x.xp.full_like(x.array, 8)
    y = x * w
    y.grad = x.array.copy()
    before = x.grad, w.grad, y.grad
    first, = grad(y * y, x)
    grad(first, w)
    assert all(v.grad is g for v, g in zip((x, w, y), before, strict=True))
    compare.assert_array_equal(x.grad, 7)
    compare.assert_array_equal(w.grad, 8)


def test_backward_of_a_gradient(xw):
    x, _ = xw
    first, = grad(x ** 3, x)
    F.sum(first).backward()
    compare.assert_allclose(x.grad, 6 * X)


def test_a_graph_can_be_differentiated_again_after_backward(xw):
    x, w = xw
    y = F.sum(F.sin(x) * w)
    y.backward()
    compare.assert_allclose(grad(y, x)[0].array, x.grad)


def test_mixed_partial_derivatives_agree(xw):
    x, w = xw
    y = F.sin(x * w) * F.exp(w)
    orders = [grad(grad(grad(y, a)[0], b)[0], c)[0].array
              for a, b, c in set(itertools.permutations([0, 0, 1]))
              for a, b, c in [[(x, w)[i] for i in (a, b, c)]]]
    assert len(orders) == 3
    for each in orders[1:]:
        compare.assert_allclose(each, orders[0], rtol=1e-12)


def test_in_no_backprop_mode(xw):
    x, _ = xw
    y = x ** 3
    with no_backprop_mode():
        gradient, = grad(y, x)
    compare.assert_allclose(gradient.array, 3 * X ** 2)
    assert gradient.creator is None
    with using_config('enable_backprop', False), using_config('enable_backprop', True):
        gradient, = grad(y, x)
    compare.assert_allclose(grad(gradient, x)[0].array, 6 * X)


def test_config_is_left_alone(xw):
    with no_backprop_mode():
        grad(xw[0], xw[0])
        assert (xw[0] * 2).creator is None


# -- usage

def test_gradient_penalty_trains():
    random = np.random.RandomState(0)
    layer = L.Linear(3, 1, initialW=random.randn(1, 3))
    x = Variable(random.randn(8, 3).astype('f'))
    norms = []
    for _ in range(40):
        gx, = grad(F.sum(F.tanh(layer(x))), x)
        loss = F.mean((F.sqrt(F.sum(gx ** 2, axis=1)) - 1) ** 2)
        grad(loss, layer.params(), bind_grad_output=True)
        for parameter in layer.params():
            if parameter.grad is not None:
                parameter.array -= .5 * parameter.grad
        norms.append(float(loss.array))
    assert norms[-1] < .3 * norms[0]


def test_the_package_is_loaded_when_asked_for():
    code = ('import sys, chainer_fast as c;'
            'assert "chainer_fast.nnabla" not in sys.modules;'
            'c.nnabla.grad; from chainer_fast.nnabla.backward_functions import '
            'show_registry')
    subprocess.run([sys.executable, '-c', code], check=True)

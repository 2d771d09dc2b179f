"""The contract of ``nnabla.grad``, as nnabla 1.39 keeps it or documents it."""
import copy
import gc
import itertools

import numpy as np
import pytest

from chainer_fast import (
    Function,
    FunctionNode,
    Parameter,
    Variable,
    function_hooks,
    no_backprop_mode,
    using_config,
)
from chainer_fast import functions as F
from chainer_fast import links as L
from chainer_fast.nnabla import grad
from tests import compare

X, W = np.array([1., 2., 3.]), np.array([4., 5., 6.])


@pytest.fixture
def xw(device):
    return Variable(device.send(X.copy())), Variable(device.send(W.copy()))


def assert_zero(gradient, x):
    compare.assert_array_equal(gradient.array, np.zeros(x.shape))
    assert gradient.dtype == x.dtype
    assert gradient.creator is None
    assert not gradient.requires_grad
    assert gradient.device == x.device


# -- outputs and inputs

@pytest.mark.parametrize('wrap', [
    lambda v: v, lambda v: [v], lambda v: (v,), lambda v: {1: v}.values(),
    lambda v: iter([v])], ids=['one', 'list', 'tuple', 'view', 'iterator'])
def test_one_variable_or_several(wrap, xw):
    x, w = xw
    found = grad(wrap(x * x * w), wrap(x))
    assert type(found) is list
    compare.assert_allclose(found[0].array, 2 * X * W)


def test_gradients_of_a_sum(xw):
    x, w = xw
    found = grad([x * x * w, F.sum(x)], [x, w])
    compare.assert_allclose(found[0].array, 2 * X * W + 1)
    compare.assert_allclose(found[1].array, X * X)


@pytest.mark.parametrize('value', [None, 3, 'x', np.ones(3), [np.ones(3)], ['x'],
                                   np.ones(()), [None]], ids=repr)
@pytest.mark.parametrize('place', [0, 1])
def test_what_is_no_variable(value, place, xw):
    arguments = [xw[0] * 2, xw[0]]
    arguments[place] = value
    name = ('outputs', 'inputs')[place]
    with pytest.raises(ValueError, match=name + ' must be a Variable or a sequence'):
        grad(*arguments)


def test_no_outputs_or_inputs(xw):
    x, w = xw
    assert grad([x * w], []) == []
    assert_zero(grad([], [x])[0], x)


def test_an_output_without_an_array():
    with pytest.raises(ValueError, match='initialize the parameter'):
        grad(Parameter(), Variable(X))


def test_an_input_without_an_array(xw):
    gradient, = grad(xw[0] * 2, Parameter())
    assert gradient.array == 0
    assert gradient.dtype.kind == 'f'


def test_repeated_inputs(xw):
    x, w = xw
    for gradient in grad([x * w], [x, x]):
        compare.assert_allclose(gradient.array, W)


def test_repeated_outputs(xw):
    x, w = xw
    y = x * w
    compare.assert_allclose(grad([y, y], [x], [1, 10])[0].array, 11 * W)
    compare.assert_allclose(grad([y, F.sum(x), y], [x, y])[0].array, 2 * W + 1)
    gradient, = grad([y, y], x, [None, w])
    compare.assert_allclose(gradient.array, (1 + W) * W)
    compare.assert_allclose(grad(gradient, w)[0].array, 1 + 2 * W)


def test_an_output_that_is_an_input(xw):
    x, w = xw
    y = x * w
    z = F.sin(y)
    gx, gy = grad([y, z], [x, y], [2, 1])
    compare.assert_allclose(gy.array, 2 + np.cos(X * W))
    compare.assert_allclose(gx.array, (2 + np.cos(X * W)) * W)
    compare.assert_allclose(grad([x], [x], 5)[0].array, 5)


def test_values_in_between(xw):
    x, w = xw
    h = x * w
    gh, gx = grad(F.sin(h), [h, x])
    compare.assert_allclose(gh.array, np.cos(X * W))
    compare.assert_allclose(gx.array, np.cos(X * W) * W)


# -- gradients of outputs

@pytest.mark.parametrize('given, expected', [
    (None, 1), (2, 2), (2.5, 2.5), (True, 1), (np.float32(2), 2), (np.int64(3), 3),
    ([2], 2), ([None], 1), ((2,), 2), (W, W), ([W], W), (W.astype('f'), W),
    (np.array([1, 2, 3], 'i'), [1, 2, 3]), (np.array([True, False, True]), [1, 0, 1]),
], ids=str)
def test_grad_outputs(device, given, expected, xw):
    x, _ = xw
    given = device.send(list(given) if isinstance(given, tuple) else given)
    gradient, = grad(x * x, x, given)
    compare.assert_allclose(gradient.array, 2 * X * expected)
    assert gradient.dtype == 'd'


@pytest.mark.parametrize('wrap', [lambda v: v, lambda v: [v]])
def test_variables_as_grad_outputs(wrap, xw):
    x, w = xw
    gradient, = grad(x * x, x, wrap(w))
    compare.assert_allclose(gradient.array, 2 * X * W)
    # Differentiable by the weights as well: products with the Jacobian matrix.
    compare.assert_allclose(grad(gradient, w, 3)[0].array, 6 * X)


def test_one_for_each_output(xw):
    x, w = xw
    outputs = [x * x, F.sum(x), w * x, x * 4]
    gradient, = grad(outputs, x, [None, 3, w, W])
    compare.assert_allclose(gradient.array, 2 * X + 3 + W * W + 4 * W)


def test_a_number_of_another_device_or_dtype(device):
    x = Variable(device.send(X.astype('f')))
    gradient, = grad(x * x, x, W)       # an array of NumPy
    assert gradient.dtype == 'f'
    assert gradient.device == x.device
    gradient, = grad(x * x, x, Variable(device.send(W)))
    assert gradient.dtype == 'f'
    compare.assert_allclose(gradient.array, 2 * X * W)


@pytest.mark.parametrize('given', [
    [], [1, 2, 3], (1,), 2, W, Variable(W)], ids=['[]', '3', '1', 'n', 'a', 'v'])
def test_wrong_lengths(given):
    x = Variable(X)
    with pytest.raises(ValueError, match='one element for each of outputs'):
        grad([x * 2, x * 3], [x], given)


@pytest.mark.parametrize('given', [
    np.ones(2), np.ones((1, 3)), np.ones(()), Variable(np.ones(2)),
    Variable(np.ones((3, 1)))], ids=str)
@pytest.mark.parametrize('wrap', [lambda v: v, lambda v: [v]])
def test_wrong_shapes(wrap, given):
    x = Variable(X)
    with pytest.raises(ValueError, match=r'shape.*grad_outputs\[0\]'):
        grad(x * 2, x, wrap(given))


@pytest.mark.parametrize('given', [
    'a', ['a'], [[1, 2, 3]], {}, 1j, np.array([1j, 1, 1]), np.array(['a'] * 3),
    np.array([None] * 3), (v for v in [2]), Parameter()], ids=str)
def test_wrong_types(given):
    x = Variable(X)
    with pytest.raises(ValueError, match='grad_outputs must be'):
        grad(x * 2, x, given)


def test_the_callers_array_is_not_shared(xw):
    x, _ = xw
    given = np.ones(3)
    gradient, = grad(x, x, given)
    given[:] = 7
    compare.assert_array_equal(gradient.array, 1)


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
    assert 'ExpBackward' not in str(names)
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


# -- persistent_outputs and bind_grad_output

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
    import subprocess
    import sys
    code = ('import sys, chainer_fast as c;'
            'assert "chainer_fast.nnabla" not in sys.modules;'
            'c.nnabla.grad; from chainer_fast.nnabla.backward_functions import '
            'show_registry')
    subprocess.run([sys.executable, '-c', code], check=True)

import copy
import pickle

import numpy as np
import pytest

import chainer_fast
import chainer_fast.functions as F
from chainer_fast import backend, chainerx

NATIVE = chainer_fast.get_device('native:0')
X = np.array([1, 2], 'f')


def array(values=X):
    return backend.to_chx(np.array(values))


def values(found):
    return backend.from_chx(found).tolist()


def test_the_array_is_in_the_graph():
    a = array()
    x = chainer_fast.Variable(a)
    assert x._has_chainerx_array
    assert x.requires_grad
    assert x.xp is chainerx
    assert x.device == NATIVE
    assert x.array is x.array
    assert not x.array.is_backprop_required()
    assert not a.is_backprop_required()
    x.array._array[0] = 5
    assert values(a) == [5, 2]
    with pytest.raises(RuntimeError, match='node'):
        x.node  # noqa: B018
    with pytest.raises(RuntimeError, match='cannot be replaced'):
        x.array = array()


def test_arrays_that_are_in_a_graph():
    a = array().require_grad()
    assert chainer_fast.Variable(a).raw_array is a
    with pytest.raises(ValueError, match='as_grad_stopped'):
        chainer_fast.Variable(a, requires_grad=False)


def test_views():
    x = chainer_fast.Variable(array())
    view = x.chx_array
    assert view.is_backprop_required()
    assert not view.is_grad_required()
    F.sum(F.square(view)).backward()
    assert values(x.grad) == [2, 4]
    with pytest.raises(ValueError, match='chx_array'):
        chainer_fast.Variable(X).chx_array  # noqa: B018


def _through_itself(x):
    x.grad_var = x * x * x


def _through_backward(x):
    F.sum(x ** 4 / 4).backward(enable_double_backprop=True)


def _through_two(x):
    F.sum(x ** 4).backward(enable_double_backprop=True)
    assert x.grad_var is x.grad_var
    F.sum(x ** 4 / -4 * 3).backward(enable_double_backprop=True)


def _through_grad(x):
    chainer_fast.grad(
        [F.sum(x ** 4 / 4)], [x], enable_double_backprop=True, set_grad=True)


@pytest.mark.parametrize(
    'through', [_through_itself, _through_backward, _through_two, _through_grad])
def test_gradients_stay_in_the_graph(through):
    x = chainer_fast.Variable(array())
    through(x)
    # Reading the array makes no difference.
    assert values(x.grad) == [1, 8]
    assert not x.grad.is_backprop_required()
    y = F.sum(x.grad_var * x.grad_var)
    x.cleargrad()
    y.backward()
    np.testing.assert_allclose(values(x.grad), [6, 192], rtol=1e-6)


def test_gradients():
    x = chainer_fast.Variable(array())
    assert x.grad is x.grad_var is None
    g = array()
    x.grad = g
    assert x.grad is g
    assert x.grad_var is x.grad_var
    assert x.grad_var.requires_grad
    gv = x.grad_var = chainer_fast.Variable(array())
    assert x.grad_var is gv
    assert values(x.grad) == [1, 2]
    x.cleargrad()
    assert x.grad is x.grad_var is None
    for wrong, error in ((X, TypeError), (array([1., 2.]), TypeError),
                         (array(np.ones(3, 'f')), ValueError)):
        with pytest.raises(error):
            x.grad = wrong
    with pytest.raises(RuntimeError):
        chainer_fast.Variable(array(), requires_grad=False).grad = g


def loss(x):
    return F.sum(F.tanh(x * x) + 2)


@pytest.mark.parametrize('scale', [None, 8.])
def test_backward(scale):
    x, plain = chainer_fast.Variable(array()), chainer_fast.Variable(X)
    for _ in range(2):
        loss(x).backward(loss_scale=scale)
        loss(plain).backward()
    assert values(x.grad) == plain.grad.tolist()


def test_backward_from_several():
    x = chainer_fast.Variable(array())
    y, z = x * 2, x * x
    chainer_fast.backward([y, z], [chainer_fast.Variable(array()), None])
    assert values(x.grad) == [2, 4]
    chainer_fast.backward([z], [chainer_fast.Variable(array())])
    assert values(x.grad) == [4, 12]


def test_gradients_of_gradients():
    x = chainer_fast.Variable(array())
    g, = chainer_fast.grad([x * x * x], [x], enable_double_backprop=True)
    assert values(g.array) == [3, 12]
    assert x.grad is None
    gg, none = chainer_fast.grad([g], [x, chainer_fast.Variable(array())])
    assert values(gg.array) == [6, 12]
    assert none is None
    g, = chainer_fast.grad([x * x], [x], set_grad=True, loss_scale=4,
                           grad_inputs=[chainer_fast.Variable(array())])
    assert values(g.array) == values(x.grad) == [3, 6]


def test_no_backprop_mode():
    x = chainer_fast.Variable(array())
    with chainer_fast.no_backprop_mode():
        y = x * 2
    assert not y.requires_grad
    assert not y.raw_array.is_backprop_required()


@pytest.mark.parametrize('make', [chainer_fast.Variable, chainer_fast.Parameter])
def test_moves(make):
    x = make(X.copy())
    x.grad = X.copy()
    plain = x.array
    x.to_chx()
    assert (values(x.array), values(x.grad)) == ([1, 2], [1, 2])
    assert backend.from_chx(x.array) is plain
    if make is chainer_fast.Variable:
        for move in x.from_chx, x.to_cpu:
            with pytest.raises(RuntimeError, match='cannot be moved'):
                move()
        return
    x.from_chx()
    assert x.array is plain
    assert x.grad.tolist() == [1, 2]


def test_results_do_not_move_to_chainerx():
    y = chainer_fast.Variable(X) * 2
    with pytest.raises(RuntimeError, match='cannot be moved'):
        y.to_chx()


def test_parameters_that_are_initialized_later():
    x = chainer_fast.Parameter(3)
    x.to_device('native:0')
    x.initialize((2,))
    assert x.raw_array.is_backprop_required()
    assert values(x.array) == [3, 3]


@pytest.mark.parametrize('make', [chainer_fast.Variable, chainer_fast.Parameter])
@pytest.mark.parametrize('duplicate', [
    copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies(make, duplicate):
    x = make(array())
    x.grad = array()
    y = duplicate(x)
    assert type(y) is make
    assert y._has_chainerx_array
    assert (values(y.array), values(y.grad)) == ([1, 2], [1, 2])

"""Several graphs at a time, their scopes and modes."""
import gc
import threading
import weakref

import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
from chainer_fast import chainerx


def full(value, *graphs):
    array = chainerx.full((2,), value, 'float32')
    for each in graphs:
        array.require_grad(each)
    return array


def values(array):
    return chainerx.to_numpy(array).tolist()


@pytest.fixture
def graphs():
    with chainerx.backprop_scope('a') as a, chainerx.backprop_scope('b') as b:
        yield a, b


def in_graphs(array, *graphs):
    return [array.is_backprop_required(each) for each in graphs]


def test_gradients_of_one_graph_are_in_the_others(graphs):
    a, b = graphs
    x, y = full(2, a), full(3, b)
    z = x * (x + y)
    assert in_graphs(z, a, b, None) == [True, True, False]
    z.backward(a)
    gx = x.get_grad(a)
    assert values(gx) == [7, 7]
    assert in_graphs(gx, a, b, None) == [False, True, False]
    (x * gx).backward(b)
    assert values(y.get_grad(b)) == [2, 2]
    with pytest.raises(chainerx.ChainerxError):
        y.get_grad(a)


def test_an_array_in_the_default_graph_and_another(graphs):
    a, b = graphs
    x, w = full(2, None, a), full(5, b)
    z = x * x * w
    z.backward(a)
    assert x.grad is None and values(x.get_grad(a)) == [20, 20]
    z.backward()
    assert values(x.grad) == [20, 20]
    x.grad.backward(b)
    assert values(w.get_grad(b)) == [4, 4]


def test_double_backprop(graphs):
    a, _ = graphs
    x = full(3, a)
    gx, = chainerx.grad([x * x * x], [x], a, enable_double_backprop=True)
    assert in_graphs(gx, a) == [True]
    ggx, = chainerx.grad([gx], [x], a)
    assert values(ggx) == [18, 18]
    assert in_graphs(ggx, a) == [False]
    assert x.get_grad(a) is None


def test_graphs_that_are_stopped(graphs):
    a, b = graphs
    x = full(2, a, b)
    left = x.as_grad_stopped([a])
    assert in_graphs(left, a, b) == [False, True]
    z = x * left
    assert values(chainerx.grad([z], [x], a)[0]) == [2, 2]
    assert values(chainerx.grad([z], [x], b)[0]) == [4, 4]
    assert in_graphs(x.as_grad_stopped(), a, b) == [False, False]


def test_graphs_that_are_switched_off(graphs):
    a, b = graphs
    x = full(2, a, b)
    with chainerx.no_backprop_mode(a):
        y = x * x
        with chainerx.force_backprop_mode([a]):
            both = x * x
    assert in_graphs(y, a, b) == [False, True]
    assert in_graphs(both, a, b) == [True, True]
    with chainerx.no_backprop_mode():
        assert in_graphs(x * x, a, b) == [False, False]
        assert in_graphs(x, a, b) == [False, False]
    assert values(chainerx.grad([x * y], [x], a)[0]) == [4, 4]
    assert values(chainerx.grad([x * y], [x], b)[0]) == [12, 12]


@pytest.mark.parametrize('double', [False, True])
def test_gradients_are_not_in_graphs_that_are_switched_off(graphs, double):
    a, b = graphs
    x, w = full(2, a), full(3, b)
    y = x * x * w
    with chainerx.no_backprop_mode(b):
        off, = chainerx.grad([y], [x], a, enable_double_backprop=double)
        y.backward(a)
    assert in_graphs(off, a, b) == [double, False]
    assert in_graphs(x.get_grad(a), a, b) == [False, False]
    assert values(off) == values(x.get_grad(a)) == [12, 12]
    on, = chainerx.grad([y], [x], a, enable_double_backprop=double)
    assert in_graphs(on, a, b) == [double, True]


def test_modes_of_chainer_are_those_of_the_default_graph(graphs):
    a, _ = graphs
    x = full(2, None, a)
    with chainer.no_backprop_mode():
        assert in_graphs(x * x, None, a) == [False, True]
        with chainerx.force_backprop_mode():
            assert in_graphs(x * x, None, a) == [True, True]
    with chainerx.no_backprop_mode():
        assert not chainer.config.enable_backprop
    assert chainer.config.enable_backprop


@pytest.mark.parametrize('mode', [chainerx.no_backprop_mode, chainer.no_backprop_mode])
@pytest.mark.parametrize('function', [
    lambda x: x + x, lambda x: x * 2, lambda x: 3 - x, chainerx.relu, chainerx.exp,
    lambda x: x[1:], lambda x: x.view(),
    lambda x: F.relu(chainer.Variable(x)).chx_array,
    lambda x: F.sin(chainer.Variable(x)).chx_array])
def test_results_of_a_graph_that_is_off_stay_outside(mode, function):
    x = full(2, None)
    with mode():
        y = function(x)
    assert not y.is_backprop_required()
    assert function(x).is_backprop_required()


def test_modes_are_of_a_thread():
    found = []
    with chainerx.no_backprop_mode():
        thread = threading.Thread(
            target=lambda: found.append(chainerx.is_backprop_required()))
        thread.start()
        thread.join()
    assert found == [True]


def test_graphs_that_have_ended(graphs):
    with chainerx.backprop_scope('c') as c:
        x = full(1, c)
    with pytest.raises(chainerx.ChainerxError, match='ended'):
        x.get_grad(c)
    assert "'<expired>'" in repr(x)


def test_gradients_are_added_up_and_kept():
    x = full(2, None)
    for expected in 4, 8:
        (x * x).backward()
        assert values(x.grad) == [expected] * 2
    kept = x.grad
    x.cleargrad()
    (x * x * x).backward()
    assert values(kept) == [8, 8] and values(x.grad) == [12, 12]


def test_results_keep_gradients_that_they_are_told_to():
    x = full(2, None)
    y = (x * x).require_grad()
    (y * y).backward()
    assert values(y.grad) == [8, 8] and values(x.grad) == [32, 32]
    z = x * x
    z.set_grad(full(.5))
    z.backward()
    assert values(z.grad) == [.5, .5] and values(x.grad) == [34, 34]


@pytest.mark.parametrize('other', [False, True])
def test_leaves_that_are_outputs(other):
    with chainerx.backprop_scope('c') as graph:
        graph = graph if other else None
        x = full(2, graph)
        x.backward(graph)
        assert values(x.get_grad(graph)) == [1, 1]
        x.set_grad(full(7), graph)
        keeps = (x * x).require_grad(graph)
        x.backward(graph)
        assert values(x.get_grad(graph)) == [7, 7]
        del keeps


def test_arrays_of_a_graph_are_not_written_to():
    x = full(2, None)
    with pytest.raises(chainerx.ChainerxError):
        x += 1
    free = x.as_grad_stopped()
    free += 1
    assert values(x) == [3, 3]


def test_variables_and_arrays_share_a_graph():
    x = full(2, None)
    v = chainer.Variable(x)
    F.sum(v * v).backward()
    assert values(v.grad) == [4, 4]
    (v.chx_array * v.chx_array).backward()
    assert values(v.grad) == [8, 8]


@pytest.mark.parametrize('wrong', [
    full(1).astype('float64'), chainerx.zeros((3,), 'float32'),
    chainerx.zeros((2,), 'float32', 'native:1')])
def test_gradients_that_do_not_fit(wrong):
    x = full(2, None)
    with pytest.raises(chainerx.GradientError):
        x.grad = wrong


def test_a_long_chain_is_freed_by_counts_of_references():
    x = y = full(1, None)
    gc.collect()
    gc.disable()
    try:
        for _ in range(30000):
            y = y + x
        node = weakref.ref(y._v.node)
        y.backward()
        assert values(x.grad) == [30001, 30001]
        del y
        assert node() is None
    finally:
        gc.enable()


def test_gradients_by_finite_differences():
    x = chainerx.array(np.array([1, 2], 'f')).require_grad()
    gy, eps = full(1), full(1e-2)

    def wrong(xs):
        return xs[0] * xs[0].as_grad_stopped(),
    chainerx.check_backward(lambda xs: (xs[0] * xs[0],), (x,), (gy,), (eps,), 1e-3)
    with pytest.raises(chainerx.GradientCheckError, match='input 0'):
        chainerx.check_backward(wrong, (x,), (gy,), (eps,), 1e-3)
    chainerx.check_double_backward(
        lambda xs: (xs[0] * xs[0],), (x,), (full(1, None),), (gy,), (eps, eps), 1e-3)
    with pytest.raises(chainerx.GradientCheckError):
        chainerx.check_double_backward(
            wrong, (x,), (full(1, None),), (gy,), (eps, eps), 1e-3)

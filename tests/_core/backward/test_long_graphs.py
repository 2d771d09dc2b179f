"""Graphs so long or wide that nothing may recurse over them, nor look at all of them.

Recursion would end the process; what grows with the square of the length would not end.
"""
import copy
import pickle

import numpy as np
import pytest

import chainer_fast
from chainer_fast import computational_graph
from chainer_fast import functions as F
from chainer_fast.variable import Variable


class AddOne(chainer_fast.FunctionNode):
    """A function without a kernel."""

    def forward(self, inputs):
        return inputs[0] + 1,

    def backward(self, indexes, grad_outputs):
        return grad_outputs


class Fork(chainer_fast.FunctionNode):
    """A function of two outputs."""

    def forward(self, inputs):
        return inputs[0] + 1, inputs[0] - 1

    def backward(self, indexes, grad_outputs):
        g0, g1 = grad_outputs
        return g1 if g0 is None else g0 if g1 is None else g0 + g1,


STEPS = {
    'kernel': lambda x: -x,
    'kernel that retains': F.tanh,
    'method': lambda x: AddOne().apply((x,))[0],
    'two outputs': lambda x: Fork().apply((x,))[1],
}
each_step = pytest.mark.parametrize('step', STEPS.values(), ids=STEPS)


def chain(step, length):
    x = y = Variable(np.zeros(1, 'f'))
    for _ in range(length):
        y = step(y)
    return x, y


def test_a_million_functions():
    x, y = chain(STEPS['kernel'], 1_000_000)
    assert y.rank == 1_000_000
    y.grad = np.ones(1, 'f')
    y.backward()
    assert x.grad.tolist() == [1]
    del y


def test_a_million_functions_unchained():
    x, y = chain(STEPS['kernel'], 1_000_000)
    middle = y.creator.inputs[0]
    y.unchain_backward()
    assert y.creator is None
    assert middle.creator is None
    y.grad = np.ones(1, 'f')
    y.backward()
    assert x.grad is None


@each_step
def test_a_hundred_thousand_functions(step):
    x, y = chain(step, 100_000)
    y.grad = np.ones(1, 'f')
    y.backward(retain_grad=True)
    assert x.grad is not None
    assert y.grad is not None
    y.unchain_backward()


@each_step
def test_gradients_that_are_a_graph(step):
    x, y = chain(step, 20_000)
    y.grad = np.ones(1, 'f')
    y.backward(enable_double_backprop=True)
    g = x.grad_var
    del x, y
    g.unchain_backward()


@each_step
def test_grad(step):
    x, y = chain(step, 50_000)
    g, = chainer_fast.grad([y], [x])
    assert g.array is not None


def test_freed_from_the_middle():
    x, y = chain(STEPS['kernel'], 100_000)
    node = y.creator.inputs[0]
    for _ in range(50_000):
        node = node.creator.inputs[0]
    del y
    node.get_variable().unchain_backward()
    assert x.node.creator is None


def test_text_of_a_long_graph():
    _, y = chain(STEPS['kernel'], 20_000)
    graph = computational_graph.build_computational_graph([y])
    assert len(graph.nodes) == 40_001
    assert graph.dump().count('->') == 40_000
    assert repr(y).startswith('variable(')


def test_copies_leave_the_graph_behind():
    _, y = chain(STEPS['kernel'], 50_000)
    for other in (copy.deepcopy(y), pickle.loads(pickle.dumps(y))):
        assert other.creator is None
        assert other.rank == 0


def test_one_variable_in_very_many_functions():
    x = Variable(np.ones(1, 'f'))
    ys = [x * 1 for _ in range(30_000)]
    chainer_fast.backward(ys, [Variable(np.ones(1, 'f'))] * len(ys))
    assert x.grad.tolist() == [30_000]
    total = F.add(*ys)
    x.cleargrad()
    total.grad = np.ones(1, 'f')
    total.backward()
    assert x.grad.tolist() == [30_000]


def test_function_of_very_many_outputs():
    class Spread(chainer_fast.FunctionNode):
        def forward(self, inputs):
            return tuple(np.array([value]) for value in inputs[0])

        def backward(self, indexes, grad_outputs):
            return Variable(np.array(
                [0. if g is None else g.array[0] for g in grad_outputs])),

    x = Variable(np.arange(20_000.))
    ys = Spread().apply((x,))
    chainer_fast.backward([ys[0], ys[-1]], [Variable(np.ones(1))] * 2)
    assert x.grad.sum() == 2


def test_ladder_of_shared_functions():
    # Each rung is used twice: without care there would be 2 ** 60 ways down.
    x = y = Variable(np.ones(1, 'd'))
    for _ in range(60):
        y = y + y
    y.grad = np.ones(1)
    y.backward()
    assert x.grad.tolist() == [2. ** 60]
    g, = chainer_fast.grad([y], [x])
    assert g.array.tolist() == [2. ** 60]
    y.unchain_backward()

"""Programs replace ``VariableNode.__init__`` to note something in every node."""
import contextlib
import pickle

import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast.variable import VariableNode

A = np.ones((2, 3), 'f')


@contextlib.contextmanager
def replaced(cls, note):
    """Call ``note`` with the object and its arguments after ``__init__``."""
    own = cls.__dict__.get('__init__')
    original = cls.__init__

    def __init__(self, *args, **kwargs):
        original(self, *args, **kwargs)
        note(self, *args, **kwargs)

    cls.__init__ = __init__
    try:
        yield
    finally:
        if own is None:
            del cls.__init__
        else:
            cls.__init__ = own


@pytest.fixture
def made():
    """Arguments of all calls; nodes get a tag."""
    calls = []

    def note(node, variable, name):
        node.tag = len(calls)
        calls.append((variable, name))

    with replaced(VariableNode, note):
        yield calls


def test_variable(made):
    x = chainer.Variable(A, name='x')
    assert [(v is x, name) for v, name in made] == [(True, 'x')]
    assert x.node.tag == 0
    assert (x.node.name, x.node.shape, x.node.dtype) == ('x', (2, 3), np.float32)
    assert x.node.get_variable() is x
    assert x.node is x.node
    assert len(made) == 1


def test_parameters(made):
    link = L.Linear(3, 2)
    assert len(made) == 2
    assert link.W.node.tag != link.b.node.tag
    uninitialized = chainer.Parameter()
    assert uninitialized.node.tag == 2
    assert pickle.loads(pickle.dumps(link)).W.node.tag > 2


@pytest.mark.parametrize('function, n', [
    (F.relu, 1), (lambda x: x + x, 1), (lambda x: x * 2, 1), (lambda x: -x, 1),
    (lambda x: F.concat([x, x]), 1), (lambda x: F.split_axis(x, 3, 1)[0], 3),
    (lambda x: F.relu(x * 2), 2), (F.dropout, 1)])
def test_outputs(made, function, n):
    x = chainer.Variable(A)
    y = function(x)
    assert len(made) == 1 + n       # as in Chainer 7.8.1
    assert 1 <= y.node.tag <= n
    assert y.node.creator is not None
    F.sum(y).backward()
    assert x.grad is not None


def test_inputs_that_are_arrays(made):
    y = F.relu(A)
    assert sorted([y.node.tag, y.creator_node.inputs[0].tag]) == [0, 1]
    assert len(made) == 2


def test_without_backprop(made):
    x = chainer.Variable(A)
    with chainer.no_backprop_mode():
        F.relu(x)
    assert len(made) == 2       # as in Chainer 7.8.1


def test_original_is_back():
    seen = []
    for _ in range(3):
        with replaced(VariableNode, lambda node, *args: seen.append(node)):
            node = chainer.Variable(A).node
            assert seen.pop() is node
        assert F.relu(chainer.Variable(A)).node is not None
        assert not seen


def test_errors_of_the_program():
    def fail(node, *args):
        raise KeyError('mine')

    x = chainer.Variable(A)
    with replaced(VariableNode, fail):
        for make in (lambda: chainer.Variable(A), lambda: F.relu(x), lambda: x + x,
                     lambda: F.concat([x, x])):
            with pytest.raises(KeyError, match='mine'):
                make()
    assert F.relu(x).node is not None


def test_init_of_functions():
    seen = []
    x = chainer.Variable(A)
    with replaced(chainer.FunctionNode, lambda function: seen.append(function)):
        # Those of ``x * 2`` have an ``__init__`` that calls no other, as in Chainer.
        for call in (F.relu, lambda x: x + x, lambda x: -x):
            y = call(x)
            assert seen.pop() is y.creator_node
            assert not seen

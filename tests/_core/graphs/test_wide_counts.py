"""Numbers of inputs and outputs, and ranks, that are wider than two or four bytes."""
import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import Function, FunctionNode, Variable
from chainer_fast import functions as F

MANY = 40_000, 70_000


class Doubled(FunctionNode):
    """Each input times two; the first ones are retained, and the outer outputs."""

    def forward(self, xs):
        self.seen = len(self.input_layouts)
        self.retain_inputs((0, 1))
        self.retain_outputs((0, len(xs) - 1))
        return tuple([2 * x for x in xs])

    def backward(self, indexes, gys):
        return tuple([None if gys[i] is None else 2 * gys[i] for i in indexes])


class OldDoubled(Function):

    def forward(self, xs):
        self.retain_inputs(())
        self.retain_outputs((0, len(xs) - 1))
        return tuple([2 * x for x in xs])

    def backward(self, xs, gys):
        return tuple([None if g is None else 2 * g for g in gys])


def many(n):
    return [Variable(np.array([i], np.float32)) for i in range(n)]


class SeenLengths(chainer.FunctionHook):
    name = 'SeenLengths'

    def __init__(self):
        self.seen = []

    def forward_postprocess(self, function, in_data):
        self.seen.append(len(in_data))

    def backward_postprocess(self, function, in_data, out_grad):
        self.seen.extend([len(in_data), len(out_grad)])


@pytest.mark.parametrize('n', MANY)
@pytest.mark.parametrize('hooked', [False, True])
def test_many_inputs_and_outputs(n, hooked):
    xs, function, hook = many(n), Doubled(), SeenLengths()
    if hooked:
        function.add_hook(hook)
    ys = function.apply(tuple(xs))
    assert len(ys) == len(function.outputs) == len(function.inputs) == n
    assert function.seen == len(function.input_layouts) == n
    assert len(function.output_layouts) == n
    first, *between, last = function.output_data
    assert (first, last) == (0, 2 * n - 2) and between == [None] * (n - 2)
    F.sum(F.concat([ys[0], ys[40], ys[-1]], 0)).backward()
    assert (xs[0].grad, xs[40].grad, xs[-1].grad) == (2, 2, 2)
    assert xs[1].grad is None
    assert hook.seen == ([n] * 3 if hooked else [])
    function.unchain()
    assert len(function.input_layouts) == len(function.output_layouts) == n
    assert len(function.output_data) == n
    assert ys[0].creator is None


@pytest.mark.parametrize('n', MANY)
def test_without_a_graph(n):
    function = Doubled()
    with chainer.no_backprop_mode():
        assert len(function.apply(tuple(many(n)))) == n
    assert len(function.input_layouts) == len(function.output_layouts) == n


@pytest.mark.parametrize('n', MANY)
def test_old_style_function(n):
    xs, function = many(n), OldDoubled()
    ys = function(*xs)
    assert len(function.output_data) == len(ys) == n
    F.sum(ys[-1]).backward()
    assert xs[-1].grad == 2


@pytest.mark.parametrize('n', MANY)
@pytest.mark.parametrize('join', [F.concat, lambda xs, axis: F.separate(
    F.stack([F.reshape(x, ()) for x in xs]), axis)])
def test_functions_of_the_package(n, join):
    xs = many(n)
    y = join(xs, axis=0)
    y = y if isinstance(y, Variable) else y[-1]
    g, = chainer.grad([F.sum(y ** 2)], [xs[-1]], enable_double_backprop=True)
    assert g.array == 2 * (n - 1)
    gg, = chainer.grad([g], [xs[-1]])
    assert gg.array == 2


@pytest.mark.parametrize('n', [40_000])
def test_static_chain(n):
    class Chain(chainer.Chain):

        @chainer.static_graph
        def __call__(self, x):
            return F.concat(Doubled().apply(F.split_axis(x, n, 0)), 0)

    chain = Chain()
    for k in range(4):
        x = Variable(np.full(n, k, np.float32))
        y = chain(x)
        y.grad = np.ones(n, np.float32)
        y.backward()
        assert (y.array == 2 * k).all() and (x.grad == 2).all()


@pytest.mark.parametrize('rank', [2 ** 31 - 2, 2 ** 32 - 2, 2 ** 40])
def test_ranks(rank):
    """Ranks of a state that is cut off again and again go on counting."""
    x = Variable(np.ones(2))
    x.node._rank = rank
    order = []

    class Noted(FunctionNode):

        def __init__(self, name):
            self.name = name

        def forward(self, xs):
            return 1 * xs[0],

        def backward(self, indexes, gys):
            order.append(self.name)
            return gys[0],

    y = x
    for name in range(4):
        y, = Noted(name).apply((y,))
        assert y.rank == rank + name + 1
        assert y.creator_node.rank == rank + name
    F.sum(y + x).backward()
    assert order == [3, 2, 1, 0] and (x.grad == 2).all()
    y.unchain()
    assert y.rank == rank + 4


def test_ranks_that_are_set():
    node, function = Variable().node, Doubled()
    for rank in -1, 0, 2 ** 47 - 1, -2 ** 47:
        node._rank = function.rank = rank
        assert node.rank == node._rank == function.rank == rank
    for owner, name in (node, '_rank'), (function, 'rank'):
        with pytest.raises(OverflowError):
            setattr(owner, name, 2 ** 47)


def test_another_call_of_a_function():
    function = Doubled()
    for n in 2, 5, 3:
        function.apply(tuple(many(n)))
        assert function.seen == len(function.input_layouts) == n
        assert len(function.output_layouts) == n

"""Shortcuts of functions with several outputs, in the graph."""
import gc
import weakref

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast.functions.array import separate, split_axis
from chainer_fast.functions.rnn import lstm, slstm
from chainer_fast.variable import Variable
from tests.ways import General, called_methods, same_bits


def normal(*shape):
    return np.random.RandomState(sum(shape)).normal(size=shape).astype('f')


FUNCTIONS = {
    'split': (split_axis.SplitAxis, lambda x: F.split_axis(x, [1, 3], 1), [(3, 4)]),
    'separate': (separate.Separate, lambda x: F.separate(x, 1), [(3, 4)]),
    'lstm': (lstm.LSTM, F.lstm, [(3, 2), (2, 8)]),
    'slstm': (slstm.SLSTM, F.slstm, [(3, 2), (3, 2), (3, 8), (3, 8)])}
each_function = pytest.mark.parametrize(
    ('cls', 'f', 'shapes'), FUNCTIONS.values(), ids=list(FUNCTIONS))


def both_ways(cls, run):
    """Run something by the shortcut, which has to serve it, and the general way."""
    with called_methods(cls) as called:
        found = run()
    assert not called
    with called_methods(cls) as called, General():
        expected = run()
    assert called == {'forward', 'backward'}
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        assert same_bits(a, b), (a, b)


@each_function
@pytest.mark.parametrize('reached', [0, 1])
@pytest.mark.parametrize('held', [True, False])
def test_one_output_leads_to_the_loss(cls, f, shapes, reached, held):
    def run():
        xs = [Variable(normal(*shape)) for shape in shapes]
        ys = f(*xs)
        z = ys[reached] * 2
        if not held:
            del ys
        z.grad = z.array
        z.backward()
        return [z.array, *[x.grad for x in xs]]

    both_ways(cls, run)


@each_function
def test_gradients_are_retained(cls, f, shapes):
    def run():
        xs = [Variable(normal(*shape)) for shape in shapes]
        ys = f(*xs)
        ys[0].grad = ys[0].array * 3     # of an output that the loss may not reach
        z = F.sum(ys[-1] * ys[-1])
        z.backward(retain_grad=True)
        return [*[y.grad for y in ys[1:]], *[x.grad for x in xs]]

    # A gradient that the user has put there makes it a case for the methods.
    with General():
        expected = run()
    for a, b in zip(run(), expected, strict=True):
        assert same_bits(a, b)

    def without():
        xs = [Variable(normal(*shape)) for shape in shapes]
        ys = f(*xs)
        z = F.sum(ys[-1] * ys[-1])
        z.backward(retain_grad=True)
        return [*[y.grad for y in ys], *[x.grad for x in xs]]

    both_ways(cls, without)


@each_function
def test_outputs_that_were_unchained(cls, f, shapes):
    def run():
        xs = [Variable(normal(*shape)) for shape in shapes]
        ys = f(*xs)
        z = F.sum(ys[0]) + F.sum(ys[1] * ys[1])
        ys[0].unchain()
        z.backward()
        return [x.grad for x in xs]

    both_ways(cls, run)


@each_function
def test_gradients_add_up_on_those_there_are(cls, f, shapes):
    def run():
        xs = [Variable(normal(*shape)) for shape in shapes]
        for _ in range(2):
            ys = f(*xs)
            F.sum(ys[0] + ys[0]).backward()
        return [x.grad for x in xs]

    both_ways(cls, run)


@each_function
def test_second_order(cls, f, shapes):
    def run():
        xs = [Variable(normal(*shape)) for shape in shapes]
        ys = f(*xs)
        loss = sum([F.sum(y * y) for y in ys])
        grads = chainer.grad([loss], xs, enable_double_backprop=True)
        sum([F.sum(g * g) for g in grads]).backward()
        return [*[g.array for g in grads], *[x.grad for x in xs]]

    found = run()
    with General():
        expected = run()
    for a, b in zip(found, expected, strict=True):
        assert same_bits(a, b)


@each_function
def test_outside_of_the_graph(cls, f, shapes):
    xs = [normal(*shape) for shape in shapes]
    with chainer.no_backprop_mode():
        ys = f(*map(Variable, xs))
    assert all(y.creator is None for y in ys)
    ys = f(*xs)
    assert not any(y.requires_grad for y in ys)


@each_function
def test_place_in_the_graph(cls, f, shapes):
    xs = [Variable(normal(*shape)) for shape in shapes]
    ys = f(*[x * 1 for x in xs])
    function = ys[0].creator_node
    assert type(function) is cls
    assert all(y.creator_node is function and y.rank == 2 for y in ys)
    assert [reference() for reference in function.outputs] == [y.node for y in ys]
    assert function.rank == 1
    with General():
        other = f(*[x * 1 for x in xs])[0].creator_node
    for name in ('_output_count', '_input_indexes_to_retain',
                 '_output_indexes_to_retain'):
        assert getattr(function, name) == getattr(other, name)


@each_function
def test_memory_returns_by_reference_counts(cls, f, shapes):
    gc.disable()
    try:
        xs = [Variable(normal(*shape)) for shape in shapes]
        ys = f(*xs)
        references = [weakref.ref(y.node) for y in ys]
        references.append(weakref.ref(ys[0].creator_node))
        F.sum(ys[0]).backward()
        del ys
        assert [reference() for reference in references] == [None] * len(references)
    finally:
        gc.enable()


def test_arrays_put_in_the_place_of_retained_ones():
    def run():
        c, x = Variable(normal(3, 2)), Variable(normal(3, 8))
        ys = F.lstm(c, x)
        x.array = x.array * 2
        ys[0].array = ys[0].array * 3
        F.sum(ys[1]).backward()
        return [c.grad, x.grad]

    both_ways(lstm.LSTM, run)


@pytest.mark.parametrize('make', [
    lambda x: F.split_axis(x, 2, 1), lambda x: F.split_axis(x, [1], 0),
    lambda x: F.separate(x, 0), lambda x: F.separate(x, -1)])
@pytest.mark.parametrize('layout', ['C', 'F', 'reversed', 'read-only'])
@pytest.mark.parametrize('dtype', ['f', 'i', '?', 'O', '>f4', 'M8[s]'])
def test_pieces_are_views(make, layout, dtype):
    array = np.arange(16).reshape(2, 8)[:, ::2].astype(dtype)
    if layout == 'F':
        array = np.asfortranarray(array)
    if layout == 'reversed':
        array = array[::-1, ::-1]
    if layout == 'read-only':
        array.flags.writeable = False
    x = Variable(array, requires_grad=False)
    ys = make(x)
    with General():
        expected = make(x)
    assert len(ys) == len(expected)
    for y, other in zip(ys, expected, strict=True):
        a, b = y.array, other.array
        assert np.shares_memory(a, array)
        assert a.__array_interface__ == b.__array_interface__
        assert a.base is b.base
        assert str(a.flags) == str(b.flags)
        assert a.dtype == b.dtype


@pytest.mark.parametrize('cuts', [[1, 3], np.array([1, 3])], ids=['list', 'array'])
@pytest.mark.parametrize('length', [2, 1])
def test_cuts_that_change_before_the_gradient(cuts, length):
    def run():
        given = cuts.copy()
        x = Variable(normal(2, 5))
        ys = F.split_axis(x, given, 1)
        given[0] = 2
        if length == 1 and type(given) is list:
            del given[1]
        F.sum(ys[1] * ys[1]).backward()
        return [x.grad]

    both_ways(split_axis.SplitAxis, run)
    found, = run()
    expected = np.zeros((2, 5), 'f')
    expected[:, 1:3] = 2 * normal(2, 5)[:, 1:3]
    np.testing.assert_array_equal(found, expected)


def test_gradient_of_pieces_that_the_loss_does_not_reach():
    x = Variable(normal(2, 5))
    F.sum(F.split_axis(x, [1, 4], 1)[1] * 3).backward()
    expected = np.zeros((2, 5), 'f')
    expected[:, 1:4] = 3
    np.testing.assert_array_equal(x.grad, expected)


@pytest.mark.parametrize('indices', [[0.], [1, 2.], (np.float32(1),)])
def test_indices_that_are_floats_are_an_error(indices):
    with pytest.raises(TypeError, match='cannot be interpreted as an integer'):
        F.split_axis(normal(3, 4), indices, 1)

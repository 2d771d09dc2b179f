"""Who keeps whom alive: memory returns without the garbage collector's help."""
import gc
import sys
import weakref

import numpy as np
import pytest

import chainer_fast
from chainer_fast import functions as F
from chainer_fast.functions.activation import tanh
from chainer_fast.variable import Variable


def leaf(n=2):
    return Variable(np.ones(n, 'f'))


@pytest.fixture(autouse=True)
def no_collector():
    """The garbage collector has to be off: it would hide a cycle."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


class Halves(chainer_fast.FunctionNode):
    """Two outputs, by methods."""

    def forward(self, inputs):
        self.retain_inputs((0,))
        self.retain_outputs((0,))
        return inputs[0] * inputs[0], inputs[0] * 0.5

    def backward(self, indexes, grad_outputs):
        x, = self.get_retained_inputs()
        self.get_retained_outputs()
        g0, g1 = grad_outputs
        g = 0 if g0 is None else g0 * x * 2.
        return g if g1 is None else g + g1 * 0.5,


def compute(x, w):
    h = F.tanh(F.linear(F.reshape(x, (1, 2)), w))
    a, b = Halves().apply((h,))
    return F.sum(a * b + F.relu(h) - 0.5 * h)


def step(x, w, **options):
    loss = compute(x, w)
    w.cleargrad()
    loss.backward(**options)
    return loss


def test_everything_of_a_graph_goes_at_once():
    x, w = leaf(), Variable(np.ones((3, 2), 'f'))
    for options in {}, {'retain_grad': True}, {'enable_double_backprop': True}:
        loss = step(x, w, **options)
        references = []
        functions = [loss.creator_node]
        while functions:
            function = functions.pop()
            if function is None:
                continue
            references.append(weakref.ref(function))
            for node in function.inputs:
                if node.creator_node is not None:
                    references.append(weakref.ref(node))
                functions.append(node.creator_node)
        del function, node
        assert len(references) > 10
        x.cleargrad()
        w.cleargrad()
        del loss
        assert [r() for r in references] == [None] * len(references)


@pytest.mark.parametrize('options', [
    {}, {'retain_grad': True}, {'enable_double_backprop': True}], ids=str)
def test_memory_is_flat_over_thousands_of_steps(options):
    x, w = leaf(), Variable(np.ones((3, 2), 'f'))

    def many(n):
        for _ in range(n):
            step(x, w, **options)
            x.cleargrad()
            w.cleargrad()

    many(50)
    before = sys.getallocatedblocks()
    many(4000 if not options else 1000)
    assert abs(sys.getallocatedblocks() - before) < 200
    assert gc.collect() == 0


def test_memory_is_flat_with_hooks_and_debug():
    x, w = leaf(), Variable(np.ones((3, 2), 'f'))

    class Hook(chainer_fast.FunctionHook):
        pass

    def many(n):
        for _ in range(n):
            with Hook(), chainer_fast.using_config('debug', True):
                step(x, w)
            chainer_fast.grad([compute(x, w)], [x, w], enable_double_backprop=True)

    many(10)
    gc.collect()
    before = sys.getallocatedblocks()
    many(100)
    gc.collect()
    assert abs(sys.getallocatedblocks() - before) < 200


def test_arrays_that_no_function_needs_are_released():
    class Watched(np.ndarray):
        pass

    x = Variable(np.ones(2, 'f').view(Watched))
    reference = weakref.ref(x.array)
    y = x + 1
    del x
    assert reference() is None
    assert y.creator.inputs[0].data is None

    x = Variable(np.ones(2, 'f').view(Watched))
    reference = weakref.ref(x.array)
    y = x * x
    del x
    assert reference() is not None
    del y
    assert reference() is None


def test_variable_goes_while_the_graph_stays():
    x = leaf()
    y = F.tanh(x)
    z = y * 2
    reference, node = weakref.ref(y), y.node
    del y
    assert reference() is None
    assert node.get_variable_or_none() is None
    z.grad = np.ones(2, 'f')
    z.backward()
    np.testing.assert_allclose(x.grad, 2 * (1 - np.tanh(1) ** 2), rtol=1e-6)


def test_variable_is_made_anew_for_its_node():
    y = F.tanh(leaf())
    z = y * 2
    node, array = y.node, y.array
    y.name = 'hidden'
    del y
    again = node.get_variable()
    assert again.node is node
    assert again.creator is node.creator
    assert again.array is array
    assert again.name == 'hidden'
    assert again.requires_grad
    assert z.creator.inputs[0] is node


def test_node_outlives_its_variable_and_the_other_way_round():
    x = leaf()
    node = x.node
    del x
    assert node.shape == (2,)
    assert node.grad is None
    assert node.grad_var is None
    with pytest.raises(RuntimeError, match='released'):
        node.retain_data()
    x = leaf()
    reference = weakref.ref(x.node)
    assert reference() is x.node
    del x
    assert reference() is None


def test_outputs_are_held_weakly():
    function = Halves()
    y, z = function.apply((leaf(),))
    assert [r() for r in function.outputs] == [y.node, z.node]
    del y
    assert [r() for r in function.outputs] == [None, z.node]

    function = tanh.Tanh()
    y, = function.apply((leaf(),))
    assert function.outputs[0]() is y.node
    reference = weakref.ref(y.node)
    del y
    assert reference() is None
    assert function.outputs[0]() is None
    assert len(function.outputs) == 1


def test_lost_output_is_put_back_in_its_place():
    function = tanh.Tanh()
    y, = function.apply((leaf(),))
    array = y.array
    del y
    again, = function.get_retained_outputs()
    assert again.array is array
    assert again.creator_node is function
    assert again.rank == 1
    assert function.outputs[0]() is again.node
    assert function.get_retained_outputs()[0] is again


@pytest.mark.parametrize('first', ['function', 'output', 'input'])
def test_any_order_of_going(first):
    x = leaf()
    function = tanh.Tanh()
    y, = function.apply((x,))
    if first == 'function':
        y.unchain()
        del function
        assert y.creator is None
    elif first == 'output':
        del y
        assert function.outputs[0]() is None
        function.unchain()
        assert function.inputs is None
    else:
        node = y.creator.inputs[0]
        del x, y, function
        assert node.creator is None
        assert node.get_variable().array is None
        assert node.shape == (2,)


def test_function_keeps_its_output_in_sight_when_that_is_cut_off():
    function = tanh.Tanh()
    y, = function.apply((leaf(),))
    y.unchain()
    assert function.outputs[0]() is y.node
    assert function.inputs is not None
    function.unchain()
    assert function.outputs is None


# Cycles that users make are for the garbage collector.

def collected(*references):
    gc.collect()
    return all(r() is None for r in references)


def test_cycle_through_a_variable():
    x = leaf()
    x.friend = F.relu(x)
    x.friend.friend = x
    reference = weakref.ref(x)
    del x
    assert reference() is not None
    assert collected(reference)


def test_cycle_through_a_node():
    y = F.tanh(leaf())
    y.creator.inputs[0].remark = y
    references = weakref.ref(y), weakref.ref(y.node), weakref.ref(y.creator)
    del y
    assert collected(*references)


def test_cycle_through_a_function():
    for cls in tanh.Tanh, Halves:
        function = cls()
        ys = function.apply((leaf(),))
        function.results = ys
        references = [weakref.ref(function), *map(weakref.ref, ys)]
        del function, ys
        assert collected(*references)


def test_cycle_through_a_gradient():
    x = leaf()
    x.grad_var = x
    reference = weakref.ref(x)
    del x
    assert collected(reference)


def test_cycle_through_a_long_graph():
    x = leaf()
    y = x
    for _ in range(20_000):
        y = -y
    x.end = y
    y.node.remark = x
    references = weakref.ref(x), weakref.ref(y), weakref.ref(y.creator)
    del x, y
    assert collected(*references)


def test_cycles_full_of_everything():
    random = np.random.RandomState(0)
    for _ in range(30):
        values = [leaf()]
        for _ in range(20):
            x, y = (values[random.randint(len(values))] for _ in range(2))
            values.extend(Halves().apply((x * y,)) if random.rand() < .5 else
                          [F.tanh(x + y)])
        for v in values:
            if random.rand() < .3:
                v.other = values[random.randint(len(values))]
            if random.rand() < .3:
                v.node.other = values[random.randint(len(values))]
            if v.creator is not None and random.rand() < .3:
                v.creator.other = values[random.randint(len(values))]
        loss = F.sum(values[-1])
        loss.backward(retain_grad=True, enable_double_backprop=True)
        reference = weakref.ref(loss)
        del values, v, x, y, loss
        assert collected(reference)


def test_finalizer_that_looks_around():
    seen = []

    class Curious(Variable):
        def __del__(self):
            seen.append((self.node.get_variable() is self, self.creator))

    x = Curious(np.ones(2, 'f'))
    y = x * 2
    del x
    assert seen == [(True, None)]
    assert y.creator.inputs[0].get_variable_or_none() is None


def test_resurrected_variable():
    kept = []

    class Undead(Variable):
        def __del__(self):
            kept.append(self)

    x = Undead(np.ones(2, 'f'))
    y = x * 2
    del x
    x, = kept
    assert y.creator.inputs[0].get_variable_or_none() is x
    y.grad = np.ones(2, 'f')
    y.backward()
    assert x.grad.tolist() == [2, 2]
    kept.clear()
    del x
    assert y.creator.inputs[0].get_variable_or_none() is None


def test_weak_reference_callbacks_may_use_the_graph():
    x = leaf()
    y = F.tanh(x) * 2
    node = y.creator.inputs[0]
    found = []

    def gone(reference):
        found.append(node.get_variable_or_none())
        found.append(node.get_variable().array is not None)

    z = node.get_variable()
    reference = weakref.ref(z, gone)
    del z
    assert reference() is None
    assert found[0] is None
    assert len(found) == 2


@pytest.mark.parametrize('depth', range(0, 140, 10))
def test_looking_at_an_output_while_it_goes(depth):
    # The interpreter puts off deallocations that are nested deeply, which leaves nodes
    # that nobody refers to but that are still there.
    class Probe:
        def __del__(self):
            found.append(function.outputs[0]())
            found.append(function.get_retained_outputs()[0].array.tolist())
            function.unchain()

    found = []
    function = tanh.Tanh()
    y, = function.apply((Variable(np.zeros(1, 'f')),))
    other = leaf(1)
    other.node.remark = Probe()
    z = other + y
    del other, y
    for _ in range(depth):
        z = -z
    del z
    assert found[0] is None or isinstance(found[0], chainer_fast.variable.VariableNode)
    assert found[1] == [0]
    assert function.outputs is None

"""Gradients by node: the hash table, and who owns a buffer."""
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chainer_fast
from chainer_fast import _backprop_utils
from chainer_fast._core.backward import backprop
from chainer_fast._core.graphs import graph
from chainer_fast.variable import Variable

GradTable = backprop.GradTable


def leaf(value=0., shape=(2,), dtype='f'):
    return Variable(np.full(shape, value, dtype))


def made(x=None):
    """A variable that a function made."""
    return (leaf() if x is None else x) * 2


operations = st.lists(st.tuples(
    st.sampled_from(['set', 'accumulate', 'add', 'append', 'pop', 'take', 'none']),
    st.integers(0, 59), st.integers(1, 100)), max_size=150)


@settings(max_examples=60, deadline=None)
@given(operations)
def test_like_a_dictionary_of_sums(steps):
    variables = [made() for _ in range(60)]
    table = GradTable()
    sums = {}
    for step, i, number in steps:
        node = variables[i].node
        gradient = leaf(number)
        if step == 'set':
            table[node] = gradient
            sums[i] = number
        elif step == 'none':
            table[node] = None
            sums[i] = None
        elif step in ('accumulate', 'add'):
            table.accumulate(node, gradient)
            sums[i] = (sums.get(i) or 0) + number
        elif step == 'append':
            table.get_as_list(node).append(gradient)
            sums[i] = (sums.get(i) or 0) + number
        else:
            found = table.pop(node)
            expected = sums.pop(i, None)
            assert (None if found is None else found.array[0]) == expected
    for i, expected in sums.items():
        found = table.pop(variables[i].node)
        assert (None if found is None else found.array[0]) == expected
    table.assert_no_grads()


def test_many_nodes_come_and_go():
    # Runs of occupied slots are closed up, so that nothing behind a gap is lost.
    random = np.random.RandomState(0)
    variables = [made() for _ in range(3000)]
    table = GradTable()
    for i, v in enumerate(variables):
        table[v.node] = leaf(i)
    order = random.permutation(len(variables))
    for place, i in enumerate(order):
        assert table.pop(variables[i].node).array[0] == i
        if place % 100 == 0:
            for j in order[place + 1:]:
                assert table.get_as_list(variables[j].node)[0].array[0] == j
    table.assert_no_grads()


def test_left_over_gradients():
    table = GradTable()
    v = made()
    table.get_as_list(v.node)
    table.assert_no_grads()
    table[v.node] = leaf()
    with pytest.raises(AssertionError, match='left'):
        table.assert_no_grads()


def test_nodes_and_gradients_are_released():
    v, g = made(), leaf()
    counts = sys.getrefcount(v.node), sys.getrefcount(g)
    table = GradTable()
    table[v.node] = g
    table[v.node] = g
    table.pop(v.node)
    assert (sys.getrefcount(v.node), sys.getrefcount(g)) == counts
    table.get_as_list(v.node).append(g)
    table.accumulate(v.node, g)
    del table
    assert (sys.getrefcount(v.node), sys.getrefcount(g)) == counts


def test_gradients_of_leaves():
    x = leaf()
    x.grad = np.ones(2, 'f')
    assert GradTable().pop(x.node) is None
    assert GradTable().get_as_list(x.node) == []

    def table():
        return GradTable(accumulate_grad_inputs=True)

    assert table().accumulate_grad_inputs is True
    assert table().pop(x.node).array is x.grad
    first, = table().get_as_list(x.node)
    assert first.array is x.grad
    filled = table()
    filled.accumulate(x.node, leaf(3))
    assert filled.pop(x.node).array.tolist() == [4, 4]
    assert x.grad.tolist() == [1, 1]
    # Once the table has the gradient, the variable's is not looked at.
    filled = table()
    filled[x.node] = leaf(3)
    assert filled.pop(x.node).array.tolist() == [3, 3]


def test_own_gradient_as_a_variable():
    x = leaf()
    x.grad_var = leaf(2)
    table = GradTable(True)
    assert table.pop(x.node) is x.grad_var


def test_gradient_of_an_uninitialized_parameter_does_not_count():
    p = chainer_fast.Parameter()
    assert GradTable(True).pop(p.node) is None


def test_reduce():
    reduce_gradients = backprop.reduce_gradients
    assert _backprop_utils._reduce is reduce_gradients
    assert reduce_gradients([]) is None
    g = leaf(1)
    assert reduce_gradients([g]) is g
    assert reduce_gradients((g, g, g)).array.tolist() == [3, 3]
    total = reduce_gradients([g, leaf(2)])
    assert total.creator is not None


def test_sums_are_functions_of_the_graph():
    v, a, b = made(), leaf(1), leaf(2)
    table = GradTable()
    table.accumulate(v.node, a)
    table.accumulate(v.node, b)
    total = table.pop(v.node)
    gradients = chainer_fast.grad([total], [a, b])
    assert [g.array.tolist() for g in gradients] == [[1, 1]] * 2


# The rules of ownership are about bare arrays, which come from kernels.

def table_with(array):
    v = made()
    table = GradTable()
    table[v.node] = array
    return v, table


def address_of(array):
    return array.__array_interface__['data'][0]


@pytest.mark.parametrize('dtype', 'efdil')
def test_owned_buffer_is_reused(dtype):
    array = np.full(2, 1, dtype)
    address = address_of(array)
    v, table = table_with(array)
    del array
    other = np.full(4, 2, dtype)
    table.accumulate(v.node, other[:2])
    table.accumulate(v.node, other[::2])
    found = table.pop(v.node).array
    # Elsewhere nobody can tell whether somebody else has the array.
    assert address_of(found) == address or not graph.TRIED
    assert found.tolist() == [5, 5]
    assert found.dtype == dtype
    assert other.tolist() == [2] * 4


def test_in_place_only_if_nobody_else_has_the_array():
    g = np.full(2, 1, 'f')
    v, table = table_with(g)
    table.accumulate(v.node, np.full(2, 2, 'f'))
    assert g.tolist() == [1, 1]
    assert table.pop(v.node).array.tolist() == [3, 3]

    # A variable around the array is somebody, too.
    v, table = table_with(np.full(2, 1, 'f'))
    holder = table.pop(v.node)
    table[v.node] = holder.array
    table.accumulate(v.node, np.full(2, 2, 'f'))
    assert holder.array.tolist() == [1, 1]


def test_memory_of_others_is_not_written():
    base = np.zeros((2, 2), 'f')
    for array in base[0], base.T, np.broadcast_to(base[0], (2, 2)), base.reshape(4):
        v, table = table_with(array)
        extra = np.ones(array.shape, 'f')
        del array
        table.accumulate(v.node, extra)
        assert (table.pop(v.node).array == 1).all()
        assert not base.any()


def test_view_keeps_its_base_from_being_written():
    v, table = table_with(np.zeros(2, 'f'))
    view = table.pop(v.node).array[:1]
    table[v.node] = view.base
    table.accumulate(v.node, np.ones(2, 'f'))
    assert view.tolist() == [0]


def test_read_only_arrays_are_not_written():
    array = np.zeros(2, 'f')
    array.flags.writeable = False
    v, table = table_with(array)
    del array
    table.accumulate(v.node, np.ones(2, 'f'))
    assert table.pop(v.node).array.tolist() == [1, 1]


@pytest.mark.parametrize(('shape', 'order'), [((), 'C'), ((0,), 'C'), ((2, 3), 'F')])
def test_any_shape(shape, order):
    v = leaf(shape=shape) * 2
    for held in (None, []):
        table = GradTable()
        first = np.full(shape, 1, 'f', order=order)
        if held is not None:
            held.append(first)
        table[v.node] = first
        del first
        table.accumulate(v.node, np.full(shape, 2, 'f'))
        found = table.pop(v.node).array
        assert type(found) is np.ndarray
        assert found.shape == shape
        assert (found == 3).all()


def test_mismatched_arrays_are_refused():
    v, table = table_with(np.zeros(2, 'f'))
    with pytest.raises(chainer_fast.utils.type_check.InvalidType):
        table.accumulate(v.node, np.zeros(2, 'd'))


@pytest.mark.parametrize(('a', 'b', 'message'), [
    (3e38, 3e38, 'overflow encountered in add'),
    (np.inf, -np.inf, 'invalid value encountered in add')])
@pytest.mark.parametrize('held', [False, True])
def test_floating_point_errors(a, b, message, held):
    def add():
        array = np.full(2, a, 'f')
        v, table = table_with(array)
        if not held:
            del array
        table.accumulate(v.node, np.full(2, b, 'f'))
        return table.pop(v.node).array

    with pytest.warns(RuntimeWarning, match=message):
        add()
    with np.errstate(all='raise'), pytest.raises(FloatingPointError, match=message):
        add()
    with np.errstate(all='ignore'):
        assert not np.isfinite(add()).any()

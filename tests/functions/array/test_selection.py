"""Functions that pick elements out, or put them in."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.extra import numpy as hnp

from chainer_fast import functions as F
from chainer_fast import grad, using_config
from chainer_fast.functions.array import get_item, where
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients

INDEXES = [
    0, -1, slice(None, None, 2), Ellipsis, None, (0, slice(1, 3)), (1, Ellipsis, None),
    [0, 1, 0], ([0, 1, 1], [1, 2, 2]), np.array([[0, 1], [1, 1]]), (slice(2), [0, 0]),
    np.array([True, False]), (0, 1, 2), [], np.int64(1), (np.array(0), 1), True,
    np.eye(2, 3) > 0, (slice(None), np.eye(3, 4) > 0), (np.eye(2, 3) > 0, 1),
    (np.array([False, True]), [1, 1])]


@pytest.mark.parametrize('index', INDEXES, ids=repr)
def test_get_item(device, index):
    x = gradients.uniform((2, 3, 4))
    y = F.get_item(device.send(x), device.send(index))
    assert isinstance(y.array, device.xp.ndarray)
    compare.assert_array_equal(y.array, x[index])
    compare.assert_array_equal(Variable(device.send(x))[index].array, x[index])
    gradients.check(device, lambda x: F.get_item(x, device.send(index)) ** 2, x)


@settings(max_examples=60, deadline=None)
@given(hnp.basic_indices((3, 4, 2), allow_newaxis=True))
def test_basic_indexes_reach_each_element_once(device, index):
    x = np.arange(24.).reshape(3, 4, 2)
    assert get_item.is_distinct(get_item.as_index_tuple(index))
    v = Variable(device.send(x))
    y = v[index]
    y.grad = np.ones_like(y.array)
    y.backward()
    expected = np.zeros_like(x)
    np.add.at(expected, index, 1)
    compare.assert_array_equal(v.grad, expected)


def test_a_list_of_lists_is_a_tuple(device):
    x = gradients.uniform((3, 3))
    y = F.get_item(device.send(x), [[0, 1], [2, 2]])
    compare.assert_array_equal(y.array, x[[0, 1], [2, 2]])


@pytest.mark.parametrize('index', [2, 1.5, 'a', (0, 0, 0)])
def test_indexes_out_of_range_and_of_no_sense(device, index):
    with pytest.raises(IndexError):
        F.get_item(device.send(np.zeros((2, 3))), index)


@pytest.mark.parametrize('index', [
    0, slice(2), [0, 0, 1], ([1, 1], [2, 2]), (0, 1), np.array([True, False])],
    ids=repr)
def test_scatter_add(device, index):
    a = gradients.uniform((2, 3))
    b = gradients.uniform(a[index].shape, 1)
    kept, expected = a.copy(), a.copy()
    np.add.at(expected, index, b)
    compare.assert_allclose(F.scatter_add(*device.send((a, index, b))).array, expected)
    compare.assert_array_equal(a, kept)
    gradients.check(
        device, lambda a, b: F.scatter_add(a, device.send(index), b) ** 2, a, b)


def test_scatter_add_of_transposed_arrays(device):
    a, b = gradients.uniform((3, 4)).T, gradients.uniform((3, 5), 1).T
    index, expected = np.array([3, 0, 0, 1, 3]), a.copy()
    np.add.at(expected, index, b)
    y = F.scatter_add(*device.send((a, index, b)))
    compare.assert_allclose(y.array, expected)
    assert y.array.flags.c_contiguous


@pytest.mark.parametrize('index', [
    (), (np.eye(2, 3) > 0,), ([1], slice(None), [2]), (Ellipsis, [0]), (None, [1, 0]),
    (True,), (0, None, 1, 2)], ids=repr)
def test_the_shape_of_a_selection(device, index):
    x, index = device.send(np.zeros((2, 3, 4))), tuple(map(device.send, index))
    assert get_item.selected_shape(x, index) == x[index].shape


def test_the_shape_of_no_selection():
    with pytest.raises(IndexError, match='3-dimensional, but 4 were indexed'):
        get_item.selected_shape(np.zeros((2, 3, 4)), (0, 0, 0, 0))


def test_scatter_add_does_not_broadcast(device):
    with pytest.raises(ValueError):
        F.scatter_add(device.send(np.zeros((2, 3))), 0, device.send(np.zeros(())))
    with pytest.raises(type_check.InvalidType):
        F.scatter_add(device.send(np.zeros(2)), (0, 0), device.send(np.zeros(())))


def test_select_item(device):
    x, t = gradients.uniform((3, 4)), np.array([3, 0, 1])
    compare.assert_array_equal(
        F.select_item(device.send(x), device.send(t)).array, x[[0, 1, 2], t])
    gradients.check(device, lambda x: F.select_item(x, device.send(t)) ** 2, x)
    v = Variable(device.send(t))
    F.sum(F.select_item(Variable(device.send(x)), v)).backward()
    assert v.grad is None


@pytest.mark.parametrize('x, t', [
    (np.zeros((2, 3)), np.zeros(3, 'i')), (np.zeros(3), np.zeros(3, 'i')),
    (np.zeros((2, 3)), np.zeros(2)), (np.zeros((2, 3)), np.zeros((2, 1), 'i'))])
def test_select_item_checks_types(device, x, t):
    with pytest.raises(type_check.InvalidType):
        F.select_item(device.send(x), device.send(t))


def test_labels_are_checked_in_debug_mode(device):
    x = device.send(np.zeros((2, 3)))
    F.select_item(x, device.send(np.array([0, -1])))
    with using_config('debug', True), pytest.raises(ValueError):
        F.select_item(x, device.send(np.array([0, -1])))


@pytest.mark.parametrize('shapes', [
    [(2, 3)] * 3, [(3,), (2, 1), (1, 3)], [(), (2,), ()], [(2, 3), (), (3,)]])
def test_where(device, shapes):
    condition = np.asarray(gradients.uniform(shapes[0]) > 0)
    xs = gradients.uniform(shapes[1], 1), gradients.uniform(shapes[2], 2)
    y = F.where(Variable(device.send(condition)), *device.send(xs))
    compare.assert_array_equal(y.array, np.where(condition, *xs))
    gradients.check(
        device, lambda x, y: F.where(device.send(condition), x, y) ** 2, *xs)


def test_where_lets_no_nan_through(device):
    x = Variable(device.send(np.array([1., np.nan])))
    y = Variable(device.send(np.array([np.nan, 1.])))
    condition = np.array([True, False])
    F.sum(F.where(device.send(condition), x, y) * 2).backward()
    compare.assert_array_equal(x.grad, [2, 0])
    compare.assert_array_equal(y.grad, [0, 2])


@pytest.mark.parametrize('condition, x, y', [
    (np.zeros(2, 'i'), np.zeros(2), np.zeros(2)),
    (np.zeros(2, '?'), np.zeros(2), np.zeros(2, 'f')),
    (np.zeros(2, '?'), np.zeros(3), np.zeros(3)), ([True], np.zeros(1), np.zeros(1))])
def test_where_checks_types(device, condition, x, y):
    with pytest.raises(type_check.InvalidType):
        where.where(*device.send((condition, x, y)))


@pytest.mark.parametrize('axis', [0, 1, -1])
@pytest.mark.parametrize('inv', [True, False])
def test_permutate(device, axis, inv):
    x = gradients.uniform((3, 3))
    order = np.array([2, 0, 1])
    y = F.permutate(device.send(x), device.send(order), axis, inv)
    expected = np.take(x, np.argsort(order) if inv else order, axis)
    compare.assert_array_equal(y.array, expected)
    gradients.check(
        device, lambda x: F.permutate(x, device.send(order), axis, inv) ** 2, x)


@pytest.mark.parametrize('order', [[0, 3, 1], [0, 0, 1], [-1, 0, 1]])
def test_permutations_are_checked_in_debug_mode(device, order):
    with using_config('debug', True), pytest.raises(ValueError):
        F.permutate(device.send(np.zeros(3)), device.send(np.array(order)))


@pytest.mark.parametrize('order', [np.zeros(2), np.zeros((1, 2), 'i')])
def test_permutations_are_vectors_of_integers(device, order):
    with pytest.raises(ValueError):
        F.permutate(device.send(np.zeros(2)), device.send(order))


def test_a_plain_condition_holds_for_all_elements(device):
    x, y = np.arange(3.), np.zeros(3)
    compare.assert_array_equal(F.where(True, device.send(x), device.send(y)).array, x)
    compare.assert_array_equal(
        F.where(np.bool_(False), device.send(x), device.send(y)).array, y)


@pytest.mark.parametrize('index', [1, [0, 2]])
@pytest.mark.parametrize('dtypes', ['ef', 'fe', 'fd', 'df'])
@pytest.mark.parametrize('double', [False, True])
def test_scatter_add_of_another_type(device, index, dtypes, double):
    a = Variable(device.send(np.zeros((4, 6), dtypes[0])))
    b = Variable(device.send(np.ones(a.array[index].shape, dtypes[1])))
    y = F.scatter_add(a, index, b)
    for v, g in zip((a, b), grad(
            [F.sum(y)], [a, b], enable_double_backprop=double), strict=True):
        assert (g.shape, g.dtype) == (v.shape, v.dtype)
        compare.assert_array_equal(g.array, 1)

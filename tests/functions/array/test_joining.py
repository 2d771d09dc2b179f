"""Functions that join arrays and take them apart."""
import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast import using_config
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients


@pytest.mark.parametrize('shapes, axis', [
    ([(2, 3), (2, 1), (2, 0)], 1), ([(2, 3), (1, 3)], -2), ([(2,), (3,)], 0),
    ([(2, 3)], 1)])
def test_concat(device, shapes, axis):
    xs = [gradients.uniform(s, i) for i, s in enumerate(shapes)]
    y = F.concat(device.send(xs), axis)
    compare.assert_array_equal(y.array, np.concatenate(xs, axis))
    gradients.check(device, lambda *xs: F.concat(xs, axis) ** 2, *xs)


@pytest.mark.parametrize('axis', [0, 1, 2, -1, -3])
def test_stack_and_separate(device, axis):
    xs = [gradients.uniform((2, 3), i) for i in range(3)]
    y = F.stack(device.send(xs), axis)
    compare.assert_array_equal(y.array, np.stack(xs, axis))
    for x, part in zip(xs, F.separate(y, axis), strict=True):
        compare.assert_array_equal(part.array, x)
    gradients.check(device, lambda *xs: F.stack(xs, axis) ** 2, *xs)
    gradients.check(
        device, lambda x: tuple(v ** 2 for v in F.separate(x, axis)), y.array)


def test_separate_a_vector(device):
    parts = F.separate(device.send(np.arange(3.)))
    assert [p.shape for p in parts] == [()] * 3
    assert all(isinstance(p.array, device.xp.ndarray) for p in parts)


@pytest.mark.parametrize('f, expected', [
    (F.hstack, np.hstack), (F.vstack, np.vstack), (F.dstack, np.dstack)])
@pytest.mark.parametrize('shapes', [
    [(), ()], [(3,), (3,)], [(2, 3), (2, 3)], [(2, 3, 4)] * 3])
def test_joins_of_equal_shapes(device, f, expected, shapes):
    xs = [gradients.uniform(s, i) for i, s in enumerate(shapes)]
    compare.assert_array_equal(f(device.send(xs)).array, expected(xs))
    gradients.check(device, lambda *xs: f(xs) ** 2, *xs)


@pytest.mark.parametrize('f, shapes', [
    (F.hstack, [(2,), (3,)]), (F.hstack, [(2, 1), (2, 3)]),
    (F.vstack, [(1, 3), (2, 3)]), (F.dstack, [(2, 3, 1), (2, 3, 2)])])
def test_joins_of_unequal_lengths(device, f, shapes):
    xs = [gradients.uniform(s, i) for i, s in enumerate(shapes)]
    gradients.check(device, lambda *xs: f(xs) ** 2, *xs)


@pytest.mark.parametrize('f, shapes', [
    (F.hstack, [(2, 1), (3, 1)]), (F.hstack, [(2,), (2, 1)]),
    (F.vstack, [(2,), (3,)]), (F.vstack, [(2, 2), (2, 3)]),
    (F.dstack, [(2, 3), (3, 2)]), (F.dstack, [(2, 3, 1), (3, 3, 1)]),
    (F.concat, [(2, 1), (3, 1)]), (F.concat, [(2, 1), (2, 1, 1)]),
    (F.stack, [(2,), (3,)])])
def test_joins_that_do_not_fit(device, f, shapes):
    xs = [np.zeros(s, 'f') for s in shapes]
    with pytest.raises(type_check.InvalidType):
        f(device.send(xs))
    with pytest.raises(type_check.InvalidType):
        f(device.send([xs[0], xs[0].astype('d')]))
    with pytest.raises(type_check.InvalidType):
        f([])


@pytest.mark.parametrize('cuts, axis', [
    ([1, 3], 1), (3, 0), (2, -1), ([], 0), ([0, 2], 0), ([2, 2], 1),
    (np.array([1]), 1), (np.array(2), 1), ((1, 2), 0), (np.array([]), 0)])
def test_split_axis(device, cuts, axis):
    x = gradients.uniform((3, 4))
    parts = F.split_axis(device.send(x), cuts, axis)
    joined = np.concatenate([p.array for p in parts], axis)
    compare.assert_array_equal(joined, x)
    count = len(cuts) + 1 if np.ndim(cuts) else int(cuts)
    assert len(parts) == count
    gradients.check(device, lambda x: tuple(
        p ** 2 for p in F.split_axis(x, cuts, axis)), x)


def test_outputs_left_out_have_a_gradient_of_zero(device):
    x = Variable(device.send(np.zeros((2, 3), 'f')))
    y = F.split_axis(x, 3, 1)[1]
    y.grad = np.ones_like(y.array)
    y.backward()
    compare.assert_array_equal(x.grad, [[0, 1, 0]] * 2)
    x.cleargrad()
    y = F.separate(x, 1)[2]
    y.grad = np.ones_like(y.array)
    y.backward()
    compare.assert_array_equal(x.grad, [[0, 0, 1]] * 2)


def test_single_section(device):
    x = device.send(np.zeros((2, 3), 'f'))
    assert isinstance(F.split_axis(x, 1, 0), tuple)
    assert isinstance(F.split_axis(x, 1, 0, force_tuple=False), Variable)


@pytest.mark.parametrize('cuts, axis, error', [
    (2, 1, type_check.InvalidType), ([4], 1, type_check.InvalidType),
    (1, 2, type_check.InvalidType), (1.5, 1, TypeError), (-1, 1, ValueError),
    (np.array([[1]]), 1, TypeError), (np.int64(3), 1, TypeError)])
def test_splits_that_fail(device, cuts, axis, error):
    with pytest.raises(error):
        F.split_axis(device.send(np.zeros((2, 3), 'f')), cuts, axis)


def test_unsorted_cuts_are_found_in_debug_mode(device):
    x = device.send(np.zeros((2, 3), 'f'))
    F.split_axis(x, [2, 1], 1)
    with using_config('debug', True), pytest.raises(ValueError):
        F.split_axis(x, [2, 1], 1)


def test_pieces_of_unsorted_cuts_overlap(device):
    x = gradients.uniform((2, 3))
    parts = F.split_axis(device.send(x), [2, 1], 1)
    for part, expected in zip(parts, (x[:, :2], x[:, 2:1], x[:, 1:]), strict=True):
        compare.assert_array_equal(part.array, expected)
    gradients.check(
        device, lambda x: tuple(p ** 2 for p in F.split_axis(x, [2, 1], 1)), x)


@pytest.mark.parametrize('axis', [0, 1, 2])
@pytest.mark.parametrize('layout', [np.ascontiguousarray, np.asfortranarray])
@pytest.mark.parametrize('join', [
    F.concat, F.stack, lambda xs, axis: F.hstack(xs), lambda xs, axis: F.vstack(xs),
    lambda xs, axis: F.dstack(xs)])
def test_gradients_of_leaves_are_views(join, axis, layout):
    """Parts of the gradient are not copied, and nothing is added to them in place."""
    xs = [Variable(np.zeros((2, 3, 4), np.float32)) for _ in range(3)]
    y = join(xs, axis=axis)
    gy = layout(np.arange(y.size, dtype=np.float32).reshape(y.shape))
    y.grad = gy
    y.backward()
    for x in xs:
        assert np.shares_memory(x.grad, gy) and x.grad.flags.writeable
    compare.assert_array_equal(join([x.grad_var for x in xs], axis=axis).array, gy)
    before = gy.copy()
    F.sum(xs[0]).backward()
    compare.assert_array_equal(gy, before)


@pytest.mark.parametrize('axis', [0, 1])
def test_parts_of_one_array(axis):
    x, other = [Variable(np.ones((2, 3), np.float32)) for _ in range(2)]
    y = F.concat((x, other, x), axis)
    gy = y.grad = np.arange(18, dtype=np.float32).reshape(y.shape)
    before = gy.copy()
    y.backward()
    first, middle, last = np.split(before, 3, axis)
    compare.assert_array_equal(x.grad, first + last)
    compare.assert_array_equal(other.grad, middle)
    compare.assert_array_equal(gy, before)


@pytest.mark.parametrize('cuts', [{}, {2: 1}, {1, 2}, None, iter([1])])
def test_cuts_are_a_sequence(device, cuts):
    with pytest.raises(TypeError):
        F.split_axis(device.send(np.zeros((4, 6), 'f')), cuts, 0)

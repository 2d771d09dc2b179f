"""Gradients of arrays of which functions use parts, against sums of whole arrays."""
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chainer_fast as chainer
import chainer_fast.functions as F
from tests._core.update_cases import assert_same_bits
from tests.ways import General, called_methods

# Of enough elements that parts are added.
SHAPES = [(70, 64), (4, 2000), (5000,), (6, 7, 8, 16)]
SPECIAL = [0., -0., -0., np.inf, -np.inf, np.nan, 1e30, 6e4, -1., 2.]


def numbers(seed, shape, dtype):
    return np.random.RandomState(seed).choice(SPECIAL, shape).astype(dtype)


def at(index):
    return lambda x: [x[index]]


@st.composite
def indexes(draw, shape):
    index = []
    for length in shape[:draw(st.integers(1, len(shape)))]:
        first = draw(st.integers(-length, length - 1))
        stop = first + draw(st.integers(1, 5))
        index.append(draw(st.sampled_from([
            first, np.int64(first), slice(first, stop), slice(first, None, -9),
            slice(None), slice(0, 1)])))
    index += draw(st.sampled_from([[], [None], [Ellipsis]]))
    return tuple(index)


@st.composite
def uses(draw, shape, dtype):
    """A function of an array, whose outputs are few of its elements, mostly."""
    n = shape[0]
    seed = draw(st.integers(0, 99))
    kind = draw(st.sampled_from([
        'index', 'index', 'index', 'array', 'split', 'separate', 'select', 'embed',
        'whole', 'matmul']))
    if kind == 'array':
        return at(draw(st.sampled_from([
            [0, 0, n - 1], np.arange(n) % 3 == 1, (np.array([1, 1]), Ellipsis)])))
    if kind == 'split':
        cuts = sorted(draw(st.lists(st.integers(0, n), min_size=1, max_size=3)))
        chosen = draw(st.lists(st.integers(0, len(cuts)), min_size=1, max_size=2))
        return lambda x: [F.split_axis(x, cuts, 0)[i] for i in chosen]
    if kind == 'separate':
        axis = draw(st.integers(0, len(shape) - 1))
        i = draw(st.integers(0, shape[axis] - 1))
        return lambda x: [F.separate(x, axis)[i]]
    if kind == 'whole':
        return lambda x: [x * np.asarray(2, dtype)]
    if len(shape) == 2:
        if kind == 'select':
            t = np.random.RandomState(seed).randint(-shape[1], shape[1], n)
            return lambda x: [F.select_item(x, t)]
        if kind == 'embed':
            ids = np.random.RandomState(seed).randint(0, n, 3).astype('i')
            return lambda x: [F.embed_id(ids, x)]
        if kind == 'matmul' and dtype != 'e':
            return lambda x: [F.matmul(np.ones((2, n), dtype), x)]
    return at(draw(indexes(shape)))


@st.composite
def programs(draw):
    shape, dtype = draw(st.sampled_from(SHAPES)), draw(st.sampled_from('efd'))
    functions = draw(st.lists(uses(shape, dtype), min_size=1, max_size=7))
    return (shape, dtype, functions, draw(st.booleans()), draw(st.booleans()),
            draw(st.sampled_from([None, True, False])))


def gradients(program):
    """Return all gradients of a program."""
    shape, dtype, functions, from_function, before, retain = program
    leaf = chainer.Variable(numbers(0, shape, dtype))
    leaf.grad = numbers(1, shape, dtype) if before else None
    x = F.identity(leaf) if from_function else leaf
    ys = [y for function in functions for y in function(x)]
    for i, y in enumerate(ys):
        y.grad = numbers(2 + i, y.shape, dtype)
    held = [y.grad for y in ys]
    kept = [each.copy() for each in held]
    before = leaf.grad
    copied = None if before is None else before.copy()
    if retain is None:
        chainer.backward(ys)
    else:
        sum([F.sum(y * y.grad) for y in ys]).backward(retain_grad=retain)
    for a, b in zip([*held, before], [*kept, copied], strict=True):
        if a is not None:
            assert_same_bits(a, b)
            assert not np.shares_memory(a, leaf.grad)
    return [leaf.grad, x.grad]


@pytest.mark.filterwarnings('ignore:.*encountered:RuntimeWarning')
@settings(max_examples=400, deadline=None)
@given(programs())
def test_parts_have_the_bits_of_whole_arrays(program):
    result = gradients(program)
    with General():
        expected = gradients(program)
    for a, b in zip(result, expected, strict=True):
        assert (a is None) == (b is None)
        if a is not None:
            assert a.flags.c_contiguous and a.shape == b.shape
            assert_same_bits(a, b)


#: Functions of an array of n rows that use all of it, a few elements each.
LOOPS = {
    'rows': lambda x: [x[i] for i in range(len(x))],
    'columns': lambda x: [x[:, i] for i in range(x.shape[1])],
    'elements': lambda x: [x[i, i] for i in range(min(x.shape))],
    'slices that overlap': lambda x: [x[i:i + 3] for i in range(len(x))],
    'pieces': lambda x: [
        F.split_axis(x, [i, i + 1], 0)[1] for i in range(1, len(x) - 1)],
    'slices of an axis': lambda x: [F.separate(x, 1)[i] for i in range(x.shape[1])],
    'labels': lambda x: [
        F.select_item(x, np.full(len(x), i)) for i in range(x.shape[1])],
    'words': lambda x: [
        F.embed_id(np.array([i, 0, i], 'i'), x) for i in range(len(x) // 5)],
}


def peak_of_backward(ys):
    """Return by how many bytes the memory grows meanwhile, at most."""
    for y in ys:
        y.grad = np.ones_like(y.array)
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        chainer.backward(ys)
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize('kind', ['leaf', 'made', 'gone'])
@pytest.mark.parametrize('name', LOOPS)
def test_one_array_is_made_for_all_parts(name, kind):
    leaf = chainer.Variable(np.ones((1200, 500), 'f'))
    array = leaf.array
    ys = LOOPS[name](F.identity(leaf) if kind == 'made' else leaf)
    if kind == 'gone':
        del leaf
    # A second array of its size, even for a moment, would be too much.
    assert peak_of_backward(ys) < 1.9 * array.nbytes
    if kind != 'gone':
        expected = np.zeros_like(array)
        places = chainer.Variable(np.arange(array.size, dtype='d').reshape(array.shape))
        for y in LOOPS[name](places):
            np.add.at(expected.reshape(-1), y.array.astype('l'), 1)
        np.testing.assert_array_equal(leaf.grad, expected)


def test_rows_of_many_batches_take_little_memory():
    weight = chainer.Parameter(np.ones((100000, 10), 'f'))
    batches = np.random.RandomState(0).permutation(100000)[:20000].reshape(-1, 20)
    ys = [F.embed_id(ids, weight) for ids in batches]
    assert peak_of_backward(ys) < 0.75 * weight.array.nbytes
    assert (weight.grad[batches] == 1).all() and weight.grad.sum() == 200000


@pytest.mark.parametrize('name', LOOPS)
def test_shortcuts_are_taken(name):
    x = chainer.Variable(np.ones((100, 60), 'f'))
    with called_methods(F.array.get_item.GetItem) as calls:
        y, *_ = ys = LOOPS[name](x)
        for y in ys:
            y.grad = np.ones_like(y.array)
        chainer.backward(ys)
    assert not calls


def test_double_backpropagation():
    x = chainer.Variable(np.random.RandomState(0).normal(size=(70, 64)))
    y = sum([F.sum(x[i] ** 3) for i in range(70)])
    y.backward(enable_double_backprop=True)
    grad = x.grad_var
    x.cleargrad()
    F.sum(grad).backward()
    np.testing.assert_allclose(x.grad, 6 * x.array)


def test_hooks_see_whole_arrays():
    seen = []

    class Hook(chainer.FunctionHook):
        def backward_postprocess(self, function, inputs, grads):
            seen.append(grads[0].shape)

    x = chainer.Variable(np.ones((70, 64), 'f'))
    with Hook():
        F.sum(F.identity(x)[3] + F.identity(x)[4]).backward()
    assert (70, 64) in seen
    assert x.grad.sum() == 128


def test_replaced_input_is_an_error():
    x = chainer.Variable(np.ones((70, 64), 'f'))
    y = x[60]
    x.array = np.ones((50, 64), 'f')
    y.grad = np.ones_like(y.array)
    with pytest.raises(IndexError):
        y.backward()
    assert x.grad is None


def test_sums_that_overflow_warn():
    x = chainer.Variable(np.ones((70, 64), 'f'))
    ys = [x[3], x[3], x[3]]
    for y in ys:
        y.grad = np.full_like(y.array, 3e38)
    with pytest.warns(RuntimeWarning, match='overflow encountered in add'):
        chainer.backward(ys)
    assert np.isinf(x.grad[3]).all()

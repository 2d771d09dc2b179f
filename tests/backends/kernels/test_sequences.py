"""Padding and regrouping sequences: the compiled form against the reference."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainer_fast.backends.kernels import sequences

DTYPES = st.sampled_from('?bHiqefdFD')
SHAPES = st.sampled_from([(), (3,), (2, 3), (0,), (1, 1, 2)])


def make(lengths, shape, dtype, strided=False):
    xs = []
    for i, n in enumerate(lengths):
        x = np.random.RandomState(i).randint(0, 9, (2 * n, *shape)).astype(dtype)
        xs.append(x[::2] if strided else x[:n])
    return xs


@given(st.lists(st.integers(0, 6), min_size=1, max_size=5), st.integers(0, 3), SHAPES,
       DTYPES, st.booleans(), st.integers(0, 300))
def test_stack_padded(lengths, spare, shape, dtype, strided, padding):
    xs = make(lengths, shape, dtype, strided)
    value = np.asarray(padding).astype(dtype)[()]
    args = xs[0], xs, max(lengths) + spare, value
    y = sequences.stack_padded(*args)
    expected = sequences.stack_padded.reference(*args)
    assert (y.dtype, y.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(y, expected)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=5), st.integers(0, 2), SHAPES,
       DTYPES, st.booleans())
def test_transpose(lengths, spare, shape, dtype, strided):
    lengths = sorted(lengths, reverse=True)
    xs = make(lengths, shape, dtype, strided)
    args = xs[0], xs, lengths[0] + spare
    ys, expected = sequences.transpose(*args), sequences.transpose.reference(*args)
    assert len(ys) == len(expected) == lengths[0] + spare
    for i, (y, z) in enumerate(zip(ys, expected, strict=True)):
        assert y.dtype == z.dtype == np.dtype(dtype)
        np.testing.assert_array_equal(y, z)
        assert len(y) == sum(n > i for n in lengths)
        assert y.flags.c_contiguous


@given(st.lists(st.integers(0, 6), min_size=1, max_size=5), SHAPES, DTYPES)
def test_rows(lengths, shape, dtype):
    xs = make(sorted(lengths, reverse=True), shape, dtype)
    steps = sequences.transpose(xs[0], xs, max(lengths) + 1)
    expected = sequences.rows.reference(steps[0], steps)
    y = sequences.rows.compiled(steps[0], steps)
    assert y.dtype == expected.dtype and y.flags.c_contiguous
    np.testing.assert_array_equal(y, expected)
    if expected.size:
        assert np.shares_memory(y, steps[0])
    np.testing.assert_array_equal(sequences.rows(xs[0], xs), np.concatenate(xs))


@pytest.mark.parametrize('choose', [
    lambda steps: steps[::-1], lambda steps: steps[:1] + steps[2:],
    lambda steps: (steps[0], steps[1].copy()), lambda steps: (steps[0].copy(),),
    lambda steps: (steps[0], steps[1].view('i4')),
    lambda steps: (steps[0], steps[1][:, ::-1]),
    lambda steps: (steps[0], steps[1].reshape(1, 4)),
    lambda steps: (steps[0].reshape(1, 3, 2), steps[1].reshape(1, 2, 2))])
def test_rows_elsewhere_are_copied(choose):
    xs = make((3, 3, 1), (2,), 'f')
    steps = choose(sequences.transpose(xs[0], xs, 3))
    assert sequences.rows.compiled(steps[0], steps) is NotImplemented


@pytest.mark.parametrize('xs', [
    [np.ones(2), np.ones(3)], [np.ones(2), np.ones(2, 'f')],
    [np.ones(2, '>f4'), np.ones(1, '>f4')], [np.ones(2, object)]])
def test_no_code_for_these(xs):
    compiled = sequences.transpose.compiled
    assert compiled(xs[0], xs, 3) is NotImplemented


def test_results_are_of_their_own():
    x = np.zeros((2, 3))
    for y in sequences.transpose(x, [x], 2):
        assert not np.shares_memory(x, y)

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

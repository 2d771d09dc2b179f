"""Running sums, and many short sums: compiled forms."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from chainer_fast.backends.kernels import reduction


def values(shape, dtype):
    return np.asarray(np.random.RandomState(0).standard_normal(shape), dtype)


@given(hnp.array_shapes(max_dims=3, min_side=0, max_side=20), st.data())
@pytest.mark.parametrize('dtype', 'fd')
@pytest.mark.parametrize('from_the_end', [False, True])
def test_running_sum(dtype, from_the_end, shape, data):
    x = values(shape, dtype)
    axes = [*range(-x.ndim, x.ndim), *([] if from_the_end else [None])]
    axis = data.draw(st.sampled_from(axes))
    found = reduction.running_sum.compiled(x, axis, from_the_end)
    if x.size:
        np.testing.assert_array_equal(
            found, reduction.running_sum.reference(x, axis, from_the_end), strict=True)
    else:
        assert found is NotImplemented


@given(hnp.array_shapes(min_dims=2, max_dims=3, min_side=0, max_side=12))
@pytest.mark.parametrize('dtype', 'efd')
def test_sum_second_axis(dtype, shape):
    x = values(shape, dtype)
    expected = x.astype('f') if dtype == 'e' else x     # halves are rounded once
    np.testing.assert_array_equal(
        reduction.sum_second_axis(x), expected.sum(axis=1).astype(dtype), strict=True)


def test_sum_second_axis_is_a_new_array():
    x = np.array([[-0.], [1.]], 'f')
    assert not np.shares_memory(reduction.sum_second_axis(x), x)


def test_sum_second_axis_warns_once():
    x = np.array([[3e38, 3e38, -np.inf, np.inf]], 'f')
    with pytest.warns(RuntimeWarning) as found:
        reduction.sum_second_axis(x)
    with pytest.warns(RuntimeWarning) as expected:
        reduction.sum_second_axis.reference(x)
    assert [str(w.message) for w in found] == [str(w.message) for w in expected]

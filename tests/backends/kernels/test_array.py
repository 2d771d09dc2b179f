"""Sums at places that an index names, and running sums: compiled forms."""
import collections

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from chainer_fast.backends.kernels import array as kernels
from chainer_fast.backends.kernels import reduction


def values(shape, dtype):
    return np.asarray(np.random.RandomState(0).standard_normal(shape), dtype)


@given(hnp.array_shapes(max_dims=3, max_side=12),
       hnp.array_shapes(max_dims=2, min_side=0), st.booleans())
@pytest.mark.parametrize('dtype', 'fd')
@pytest.mark.parametrize('label', 'il')
def test_add_at(dtype, label, shape, places, from_zeros):
    index = np.random.RandomState(1).randint(-shape[0], shape[0], places).astype(label)
    x, base = values(places + shape[1:], dtype), values(shape, dtype)
    before = base.copy()
    args = x, (index,), shape if from_zeros else base
    found = kernels.add_at.compiled(*args)
    if x.size:
        np.testing.assert_array_equal(
            found, kernels.add_at.reference(*args), strict=True)
    else:
        assert found is NotImplemented
    np.testing.assert_array_equal(base, before)


def test_add_at_leaves_other_indexes_to_the_reference():
    x, index = values((3, 4), 'f'), np.array([0, 1, 1])

    def refuses(x, index, base):
        return kernels.add_at.compiled(x, index, base) is NotImplemented

    assert not refuses(x, (index,), (2, 4))
    assert refuses(x, (index, np.array([0, 1, 2])), (2, 4))
    assert refuses(x, ([0, 1, 1],), (2, 4))
    assert refuses(x, collections.namedtuple('Index', 'rows')(index), (2, 4))
    assert refuses(x, (index == 0,), (3, 4))
    assert refuses(x, (index,), (1, 4))
    assert refuses(x, (index - 3,), (2, 4))
    assert refuses(x, (index,), (2, 5))
    assert refuses(x, (index[:2],), (2, 4))
    assert refuses(x, (index,), np.zeros((2, 4)))
    assert refuses(x[:, 0].copy(), (index,), ())


def test_add_at_warns_of_overflow():
    x = np.full((2, 1), 3e38, 'f')
    with pytest.warns(RuntimeWarning, match='overflow'):
        found = kernels.add_at(x, (np.array([0, 0]),), (1, 1))
    np.testing.assert_array_equal(found, [[np.inf]])


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
    np.testing.assert_array_equal(
        reduction.sum_second_axis(x), x.sum(axis=1), strict=True)


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

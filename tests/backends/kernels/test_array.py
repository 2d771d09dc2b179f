"""Values added at places that an index names: the compiled form."""
import collections
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import chainer_fast
from chainer_fast.backends.kernels import array as kernels
from chainer_fast.backends.kernels.array import places


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


def entries(draw, shape, rows):
    """Return an index of whole axes around integers and arrays of a shape."""
    first = draw(st.integers(0, len(shape) - 1))
    end = draw(st.integers(first + 1, len(shape)))
    found = [slice(None)] * first
    for length in shape[first:end]:
        numbers = hnp.arrays('l', rows, elements=st.integers(-length, length - 1))
        found.append(draw(st.one_of(st.integers(-length, length - 1), numbers)))
    whole = draw(st.integers(0, len(shape) - end))
    return (*found, *[slice(None)] * whole)


@given(st.data(), hnp.array_shapes(min_dims=2, max_dims=4, min_side=2, max_side=5),
       hnp.array_shapes(max_dims=2), st.booleans())
@pytest.mark.parametrize('dtype', 'fd')
def test_add_at_of_several_axes(dtype, data, shape, rows, from_zeros):
    base = values(shape, dtype)
    index = entries(data.draw, shape, rows)
    x = values(base[index].shape, dtype)
    args = x, index, shape if from_zeros else base
    with mock.patch.object(places, 'LEAST', 1):
        found = kernels.add_at.compiled(*args)
    np.testing.assert_array_equal(found, kernels.add_at.reference(*args), strict=True)


def test_add_at_of_several_axes_leaves_other_indexes_to_the_reference():
    x, rows = values((2000, 3), 'f'), np.zeros(2000, 'l')

    def refuses(index, shape=(3, 2, 3), x=x):
        return kernels.add_at.compiled(x, index, shape) is NotImplemented

    whole = slice(None)
    assert not refuses((rows, rows))
    assert not refuses((rows, 1, whole))
    assert refuses((rows, True))
    assert refuses((rows, rows - 3))
    assert refuses((rows, 5))
    assert refuses((rows, rows[:7]))
    assert refuses((rows, None, rows))
    assert refuses((rows, 1, slice(1, 3)), x=x[:, 1:])
    assert refuses((rows, whole, rows))
    assert refuses((rows, rows, whole, whole))
    assert refuses((rows, rows), x=x[:, :2])


def test_the_gradient_of_an_index_of_columns_is_that_of_a_loop():
    x, index = chainer_fast.Variable(values((40, 50), 'f')), np.arange(0, 100, 3) % 50
    y = x[:, index]
    gy = y.grad = values(y.shape, 'f')
    y.backward()
    expected = np.zeros((40, 50), 'f')
    for column, number in enumerate(index):
        expected[:, number] += gy[:, column]
    np.testing.assert_array_equal(x.grad, expected)


def test_add_at_warns_of_overflow():
    x = np.full((2, 1), 3e38, 'f')
    with pytest.warns(RuntimeWarning, match='overflow'):
        found = kernels.add_at(x, (np.array([0, 0]),), (1, 1))
    np.testing.assert_array_equal(found, [[np.inf]])

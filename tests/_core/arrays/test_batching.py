import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from chainer_fast import datasets
from chainer_fast._core.arrays import batching
from chainer_fast.datasets.tuple_dataset import read_examples


@given(st.lists(st.integers(-5, 4)))
def test_tuples_are_those_of_indexing(indices):
    columns = (np.arange(10.).reshape(5, 2), [10, 20, 30, 40, 50], 'words')
    got = batching.tuples(columns, indices)
    assert len(got) == len(indices)
    for example, i in zip(got, indices, strict=True):
        assert type(example) is tuple
        np.testing.assert_array_equal(example[0], columns[0][i])
        assert example[1:] == (columns[1][i], columns[2][i])


def test_tuples_share_memory_with_arrays():
    array = np.zeros((3, 2))
    ((row,),) = batching.tuples((array,), [1])
    assert np.shares_memory(row, array)


def test_tuples_pass_errors_on():
    with pytest.raises(IndexError):
        batching.tuples(([1, 2],), [0, 2])


def test_examples_of_a_subclass_are_its_own():
    class Doubled(datasets.TupleDataset):
        def __getitem__(self, index):
            return super().__getitem__(index) * 2

    dataset = Doubled([1, 2], [3, 4])
    assert read_examples(dataset, np.array([1, 0])) == [(2, 4, 2, 4), (1, 3, 1, 3)]
    assert read_examples([5, 6], np.array([1, 1])) == [6, 6]


numbers = st.one_of(
    hnp.integer_dtypes(endianness='='), hnp.unsigned_integer_dtypes(endianness='='),
    hnp.floating_dtypes(endianness='=', sizes=(16, 32, 64)),
    hnp.complex_number_dtypes(endianness='=', sizes=(64, 128)), hnp.boolean_dtypes())


@given(st.data(), hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4),
       st.integers(1, 5))
def test_stack_is_that_of_numpy(data, shape, n):
    dtype = data.draw(numbers)
    arrays = [data.draw(hnp.arrays(dtype, shape)) for _ in range(n)]
    expected = np.stack(arrays)
    got = batching.stack(arrays)
    assert got.dtype == expected.dtype and got.shape == expected.shape
    assert got.flags.c_contiguous and got.flags.owndata and got.flags.writeable
    assert got.tobytes() == expected.tobytes()


@given(st.data(), st.integers(1, 5))
def test_scalars_are_stacked_as_by_numpy(data, n):
    dtype = data.draw(numbers)
    scalars = [data.draw(hnp.from_dtype(dtype)) for _ in range(n)]
    expected = np.asarray(scalars)
    got = batching.stack(scalars)
    assert got.dtype == expected.dtype and got.shape == expected.shape
    assert got.tobytes() == expected.tobytes()


@pytest.mark.parametrize('arrays', [
    [],
    [np.int32(1), 2],
    [np.int32(1), np.int64(2)],
    [np.float64(1), 2.],
    [2., np.float64(1)],
    [np.float32(1), np.array(1, 'f')],
    [np.str_('a')],
    [np.datetime64('2020-01-01')],
    [np.array([(1, 2.)], 'i4,f4')[0]],
    [None],
    [1, 2],
    [np.zeros(2), np.zeros(3)],
    [np.zeros(2), np.zeros((2, 1))],
    [np.zeros(2, 'f'), np.zeros(2, 'd')],
    [np.zeros(2), [0., 0.]],
    [np.zeros((2, 3)).T, np.zeros((2, 3)).T],
    [np.zeros(4)[::2]] * 2,
    [np.zeros(2, '>f4')] * 2,
    [np.zeros(2, object)] * 2,
    [np.zeros(2, 'M8[s]'), np.zeros(2, 'M8[D]')],
    [np.zeros(2, 'U3')] * 2,
    [np.ma.masked_array([1., 2.], [True, False])] * 2,
    [np.zeros(1, [('a', 'i4')])] * 2,
    [np.zeros((1,) * 16)] * 2,
])
def test_stack_leaves_the_rest_to_numpy(arrays):
    assert batching.stack(arrays) is None

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainer_fast.datasets import SubDataset
from chainer_fast.mn import datasets
from chainer_fast.mn.datasets import scatter

pytestmark = pytest.mark.mpi


@given(length=st.integers(0, 3000), size=st.integers(1, 40))
def test_ranges_are_disjoint_and_nearly_equal(length, size):
    ranges = list(scatter._scatter_index(length, size, False))
    assert [rank for rank, _, _ in ranges] == list(range(size))
    assert [i for _, start, end in ranges for i in range(start, end)] == list(
        range(length))
    lengths = [end - start for _, start, end in ranges]
    assert max(lengths) - min(lengths) <= 1
    assert lengths == sorted(lengths, reverse=True)


@given(length=st.integers(0, 3000), size=st.integers(1, 40))
def test_ranges_of_equal_length_cover_everything(length, size):
    ranges = list(scatter._scatter_index(length, size, True))
    assert {end - start for _, start, end in ranges} == {-(-length // size)}
    assert {i for _, start, end in ranges for i in range(start, end)} == set(
        range(length))
    assert all(0 <= start <= end <= length for _, start, end in ranges)


@pytest.mark.parametrize('length, equal, expected', [
    (10, True, [(0, 0, 4), (1, 3, 7), (2, 6, 10)]),
    (11, True, [(0, 0, 4), (1, 3, 7), (2, 7, 11)]),
    (2, True, [(0, 0, 1), (1, 0, 1), (2, 1, 2)]),
    (10, False, [(0, 0, 4), (1, 4, 7), (2, 7, 10)]),
])
def test_ranges_of_the_released_chainer(length, equal, expected):
    assert list(scatter._scatter_index(length, 3, equal)) == expected


def test_negative_length(comm):
    with pytest.raises(AssertionError, match='length of a data set cannot be -1'):
        list(scatter._scatter_index(-1, 3, True))


@pytest.mark.parametrize('equal', [True, False])
@pytest.mark.parametrize('shuffle', [True, False])
@pytest.mark.parametrize('length', [0, 1, 2, 11])
def test_scatter_dataset(comm, length, shuffle, equal):
    for root in range(comm.size):
        whole = [str(i) for i in range(length)]
        part = datasets.scatter_dataset(
            whole if comm.rank == root else None, comm, root=root, shuffle=shuffle,
            seed=4, force_equal_length=equal)
        assert isinstance(part, SubDataset)
        order = numpy.arange(length)
        if shuffle:
            order = numpy.random.RandomState(4).permutation(length)
        ranges = list(scatter._scatter_index(length, comm.size, equal))
        _, start, end = ranges[comm.rank]
        assert part[:] == [whole[i] for i in order[start:end]]


def test_orders_of_the_released_chainer(comm):
    part = datasets.scatter_dataset(
        list(range(10)), comm, shuffle=True, seed=7, force_equal_length=False)
    parts = comm.gather_obj(part[:])
    if comm.rank == 0:
        assert sum(parts, []) == [8, 5, 0, 2, 1, 9, 7, 3, 6, 4]


def test_global_random_state_stays(comm):
    before = numpy.random.get_state()[1].tolist()
    datasets.scatter_dataset(list(range(9)), comm, shuffle=True)
    assert numpy.random.get_state()[1].tolist() == before


def test_orders_differ_without_a_seed(comm):
    one, other = (
        comm.bcast_obj(comm.gather_obj(datasets.scatter_dataset(
            list(range(200)), comm, shuffle=True)[:])) for _ in range(2))
    assert one != other


def test_small_messages(comm):
    whole = numpy.random.RandomState(0).randn(1000)
    part = datasets.scatter_dataset(
        whole if comm.rank == 0 else None, comm, max_buf_len=100)
    start, end = datasets.scatter_index(1000, comm)
    assert part[:] == list(whole[start:end])


def test_too_large_messages(comm):
    with pytest.raises(AssertionError):
        datasets.scatter_dataset([1, 2], comm, max_buf_len=2 ** 31)


def test_scatter_index(comm):
    for root in range(comm.size):
        found = datasets.scatter_index(
            11 if comm.rank == root else None, comm, root, force_equal_length=False)
        assert (comm.rank, *found) == list(
            scatter._scatter_index(11, comm.size, False))[comm.rank]


def test_epochs(comm):
    # Parts may differ in length; the first process decides.
    part = [0] * (10 + comm.rank)
    with pytest.warns(DeprecationWarning, match='get_n_iterations_for_one_epoch is'):
        assert scatter.get_n_iterations_for_one_epoch(part, 3, comm) == 4
    with pytest.warns(DeprecationWarning) as warned:
        assert scatter.get_epoch_trigger(2, part, 5, comm) == (4, 'iteration')
    assert [str(warning.message).split()[0] for warning in warned] == [
        'get_epoch_trigger', 'get_n_iterations_for_one_epoch']


def test_data_size_error():
    assert issubclass(datasets.DataSizeError, RuntimeError)

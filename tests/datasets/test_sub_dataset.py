import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainer_fast import datasets

letters = list('abcdefghij')


def content(pairs):
    return [(''.join(a), ''.join(b)) for a, b in pairs]


def test_range():
    sub = datasets.SubDataset(letters, 2, 5)
    assert len(sub) == 3
    assert list(sub) == ['c', 'd', 'e']
    assert sub[-1] == 'e'
    assert sub[-3] == 'c'
    assert sub[::-1] == ['e', 'd', 'c']
    for i in (3, -4):
        with pytest.raises(IndexError, match='out of range'):
            sub[i]


def test_range_of_a_permutation():
    sub = datasets.SubDataset('abc', 0, 2, [2, 0, 1])
    assert list(sub) == ['c', 'a']


@pytest.mark.parametrize('arguments', [(-1, 2), (0, 11), (0, 1, [0, 1])])
def test_what_does_not_fit(arguments):
    with pytest.raises(ValueError, match='overruns|same length'):
        datasets.SubDataset(letters, *arguments)


@given(st.integers(0, 10), st.none() | st.permutations(range(10)))
def test_split_in_two(at, order):
    first, second = datasets.split_dataset(letters, at, order)
    assert len(first) == at
    assert list(first) + list(second) == [letters[i] for i in order or range(10)]


def test_split_needs_an_integer_within_the_data():
    assert len(datasets.split_dataset(letters, numpy.int32(3))[0]) == 3
    with pytest.raises(TypeError, match='float'):
        datasets.split_dataset(letters, 3.)
    with pytest.raises(ValueError, match='negative'):
        datasets.split_dataset(letters, -1)
    with pytest.raises(ValueError, match='11 > 10'):
        datasets.split_dataset(letters, 11)


def test_random_splits_are_those_of_chainer():
    first, second = datasets.split_dataset_random(range(10), 3, seed=0)
    assert list(first) == [2, 8, 4]
    assert list(second) == [9, 1, 6, 7, 3, 0, 5]
    parts = datasets.split_dataset_n_random(range(10), 3, seed=1)
    assert [list(part) for part in parts] == [[2, 9, 6], [4, 0, 3], [1, 7, 8]]
    pairs = datasets.get_cross_validation_datasets_random(range(10), 3, seed=2)
    assert [list(test) for _, test in pairs] == [[3, 6, 9, 8], [0, 7, 2], [4, 1, 5]]


def test_random_splits_leave_the_global_state_alone():
    numpy.random.seed(0)
    datasets.split_dataset_random(letters, 3)
    assert numpy.random.permutation(10).tolist() == [2, 8, 4, 9, 1, 6, 7, 3, 0, 5]


@given(st.integers(1, 12))
def test_split_in_n(n):
    parts = datasets.split_dataset_n(letters, n)
    assert [len(part) for part in parts] == [10 // n] * n
    assert sum(map(list, parts), []) == letters[:10 // n * n]


def test_cross_validation():
    assert content(datasets.get_cross_validation_datasets(letters, 3)) == [
        ('abcdef', 'ghij'), ('ghijabc', 'def'), ('defghij', 'abc')]
    assert content(datasets.get_cross_validation_datasets('abc', 3, [2, 1, 0])) == [
        ('cb', 'a'), ('ac', 'b'), ('ba', 'c')]


@given(st.integers(1, 10))
def test_folds_partition_the_data(n):
    pairs = content(datasets.get_cross_validation_datasets(letters, n))
    assert len(pairs) == n
    assert ''.join([test for _, test in reversed(pairs)]) == 'abcdefghij'
    assert all(sorted(train + test) == letters for train, test in pairs)


def test_former_name_of_n_folds():
    with pytest.warns(DeprecationWarning, match='`n_fold` is deprecated'):
        pairs = datasets.get_cross_validation_datasets(letters, n_fold=2)
    assert len(pairs) == 2
    with pytest.raises(TypeError, match='n_folds'):
        datasets.get_cross_validation_datasets(letters)


def test_more_folds_than_examples():
    with pytest.raises(ValueError, match='2 examples .* 3 folds'):
        datasets.get_cross_validation_datasets('ab', 3)
    assert content(datasets.get_cross_validation_datasets('', 2)) == [('', '')] * 2


@pytest.mark.parametrize('integer', [numpy.uint8, numpy.int8, numpy.int64])
def test_positions_exceed_the_type_of_the_index(integer):
    part = datasets.SubDataset(range(1000), 300, 500)
    assert part[integer(7)] == 307
    assert part[numpy.arange(3, dtype=integer)] == [300, 301, 302]
    outer = datasets.SubDataset(part, 0, 200, numpy.arange(200).astype(numpy.uint8))
    assert outer[199] == 499

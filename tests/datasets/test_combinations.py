"""TupleDataset, DictDataset, ConcatenatedDataset and TransformDataset."""
import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainer_fast import datasets

x = numpy.arange(6).reshape(3, 2)
t = ['a', 'b', 'c']


def test_tuples():
    data = datasets.TupleDataset(x, t)
    assert len(data) == 3
    image, label = data[1]
    assert image.tolist() == [2, 3]
    assert label == 'b'
    assert [label for _, label in data[::-1]] == ['c', 'b', 'a']
    assert data._datasets == (x, t)


def test_tuples_of_arrays_take_lists_of_indices():
    a, b = datasets.TupleDataset(x, x + 1)[[0, 2]]
    assert a.tolist() == [[0, 1], [4, 5]]
    assert b.tolist() == [[1, 2], [5, 6]]


def test_dicts():
    data = datasets.DictDataset(image=x, label=t)
    assert len(data) == 3
    assert data[-1]['label'] == 'c'
    assert data[1]['image'].tolist() == [2, 3]
    assert [example['label'] for example in data[:2]] == ['a', 'b']


def test_lengths_have_to_agree():
    with pytest.raises(ValueError, match='3, 2'):
        datasets.TupleDataset(x, [1, 2])
    with pytest.raises(ValueError, match='a 3, b 2'):
        datasets.DictDataset(a=x, b=[1, 2])
    with pytest.raises(ValueError, match='no datasets'):
        datasets.TupleDataset()
    with pytest.raises(ValueError, match='no datasets'):
        datasets.DictDataset()


@pytest.mark.parametrize('data', [
    datasets.TupleDataset(x, t), datasets.DictDataset(x=x, t=t),
    datasets.ConcatenatedDataset(t), datasets.TransformDataset(t, str.upper)])
def test_end_is_an_index_error(data):
    with pytest.raises(IndexError):
        data[3]


@given(st.lists(st.lists(st.integers(), max_size=3), max_size=4))
def test_concatenation_is_that_of_lists(parts):
    data = datasets.ConcatenatedDataset(*parts)
    whole = sum(parts, [])
    assert len(data) == len(whole)
    assert [data[i] for i in range(len(data))] == whole
    assert data[1::2] == whole[1::2]
    with pytest.raises(IndexError, match='index -1'):
        data[-1]


def test_transform_is_called_at_each_access():
    calls = []
    data = datasets.TransformDataset(t, lambda s: calls.append(s) or s * 2)
    assert len(data) == 3
    assert data[0] == 'aa'
    assert data[[0, 2]] == ['aa', 'cc']
    assert calls == ['a', 'a', 'c']

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainer_fast import dataset


class Squares(dataset.DatasetMixin):

    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def get_example(self, i):
        return i * i


indices = st.none() | st.integers(-12, 12)


@given(st.integers(0, 9), indices, indices, indices.filter(lambda step: step != 0))
def test_slices_are_those_of_a_list(n, start, stop, step):
    cut = slice(start, stop, step)
    assert Squares(n)[cut] == [i * i for i in range(n)][cut]


def test_lists_and_arrays_fetch_several_examples():
    data = Squares(5)
    assert data[[4, 0, 4]] == [16, 0, 16]
    assert data[numpy.array([1, 3])] == [1, 9]
    assert data[[]] == []


def test_anything_else_is_handed_on():
    class Echo(dataset.DatasetMixin):
        def get_example(self, i):
            return i

    assert Echo()[-1] == -1
    assert Echo()['key'] == 'key'


def test_what_is_missing_is_named():
    with pytest.raises(NotImplementedError, match='DatasetMixin.*get_example'):
        dataset.DatasetMixin()[0]
    with pytest.raises(NotImplementedError, match='__len__'):
        len(dataset.DatasetMixin())

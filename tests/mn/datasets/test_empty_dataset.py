import numpy
import pytest

from chainer_fast.mn import datasets


@pytest.mark.parametrize('dataset', [[], [1, 2, 3], numpy.zeros((4, 2))])
def test_create_empty_dataset(dataset):
    empty = datasets.create_empty_dataset(dataset)
    assert empty == [()] * len(dataset)

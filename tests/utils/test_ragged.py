"""Rows of different lengths where NumPy 1 made arrays of objects of them."""
import numpy
import pytest

from chainer_fast import Link, serializers
from chainer_fast.dataset import tabular
from chainer_fast.utils import _ragged


def test_as_numpy():
    array = numpy.arange(3)
    assert _ragged.as_numpy(array) is array
    assert _ragged.as_numpy([[1, 2], [3, 4]]).dtype.kind == 'i'
    found = _ragged.as_numpy([[1, 2], [3]])
    assert (found.dtype, found.shape, found[1]) == (object, (2,), [3])
    with pytest.raises(ValueError, match='inhomogeneous'):
        _ragged.as_numpy([[1, 2], [3]], min_ndim=2)


def test_columns_of_tabular_data():
    data = tabular.from_data(([[1, 2], [3]], [4, 5]))
    column, numbers = data.convert(data.fetch())
    assert (column.dtype, list(column)) == (object, [[1, 2], [3]])
    numpy.testing.assert_array_equal(numbers, [4, 5])


def test_persistent_lists_of_arrays(tmp_path):
    link = Link()
    link.add_persistent('sizes', [numpy.ones(2, 'f'), numpy.zeros(3, 'f')])
    serializers.save_npz(tmp_path / 'link.npz', link)
    other = Link()
    other.add_persistent('sizes', [numpy.zeros(2, 'f'), numpy.ones(3, 'f')])
    serializers.load_npz(tmp_path / 'link.npz', other, allow_pickle=True)
    first, second = other.sizes
    numpy.testing.assert_array_equal(first, [1, 1])
    numpy.testing.assert_array_equal(second, [0, 0, 0])

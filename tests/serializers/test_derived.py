"""Classes derived from serializers that set Chainer's attributes by themselves."""
import numpy as np
import pytest

from chainer_fast import links as L
from chainer_fast import serializers


class FromArrays(serializers.NpzDeserializer):
    def __init__(self, arrays):
        self.npz, self.path, self.strict, self.ignore_names = arrays, '', True, []


class ToArrays(serializers.DictionarySerializer):
    def __init__(self):
        self.target, self.path = {}, ''


def test_npz():
    link, saved = L.Linear(3, 2), ToArrays()
    link.b.array[:] = 1, 2
    saved.save(link)
    other = L.Linear(3, 2)
    FromArrays(saved.target).load(other)
    np.testing.assert_array_equal(other.W.array, link.W.array)
    np.testing.assert_array_equal(other.b.array, [1, 2])
    # A file that lacks a value changes nothing, as for the class itself.
    other.b.array[:] = 7
    with pytest.raises(KeyError):
        FromArrays({'b': saved.target['b']}).load(other)
    np.testing.assert_array_equal(other.b.array, [7, 7])


def test_hdf5(tmp_path):
    h5py = pytest.importorskip('h5py')

    class FromGroup(serializers.HDF5Deserializer):
        def __init__(self, group):
            self.group, self.strict = group, True

    class ToGroup(serializers.HDF5Serializer):
        def __init__(self, group):
            self.group, self.compression = group, None

    link, other = L.Linear(3, 2), L.Linear(3, 2)
    with h5py.File(tmp_path / 'link.h5', 'w') as file:
        ToGroup(file).save(link)
        FromGroup(file).load(other)
    np.testing.assert_array_equal(other.W.array, link.W.array)

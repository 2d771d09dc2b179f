"""Saving to and loading from HDF5 files, by way of h5py."""
import os

import numpy

from chainer_fast import serializer
from chainer_fast.backends import cuda
from chainer_fast.serializers import _convert
from chainer_fast.serializers._replacing import replacing


def __getattr__(name):
    # h5py takes long to import, so it is looked for when it is asked for.
    if name == '_available':
        return _find_h5py() is not None
    raise AttributeError('module %r has no attribute %r' % (__name__, name))


def _find_h5py():
    try:
        import h5py
    except ImportError:
        return None
    return h5py


def _check_available():
    """Return h5py; RuntimeError if it is not installed."""
    h5py = _find_h5py()
    if h5py is None:
        raise RuntimeError(
            'h5py is not installed on your environment. '
            'Please install h5py to activate hdf5 serializers.')
    return h5py


class HDF5Serializer(serializer.Serializer):
    """Serializer that writes into a group of an HDF5 file.

    Parameters
    ----------
    group : h5py.Group
        Where to write.
    compression : int, str or None
        How arrays are compressed: a level of gzip, the name of a method, or None.
    """

    def __init__(self, group, compression=4):
        _check_available()
        self.compression = compression
        self.group = group

    def __call__(self, key, value):
        h5py = _check_available()
        if value is None:
            if h5py.version.version_tuple < (2, 7, 0):
                raise RuntimeError('h5py 2.7.0 or later is needed to save None')
            data, compression = h5py.Empty('f'), None
        else:
            data = _convert.to_numpy(value)
            compression = self.compression if data.size > 1 else None
            if data.dtype.kind == 'U':
                data = data.astype(h5py.string_dtype())
        self.group.create_dataset(key.lstrip('/'), data=data, compression=compression)
        return value

    def __getitem__(self, key):
        child = self.group.require_group(key.strip('/'))
        return HDF5Serializer(child, self.compression)


class HDF5Deserializer(serializer.Deserializer):
    """Deserializer that reads from a group of an HDF5 file.

    Parameters
    ----------
    group : h5py.Group or None
        Where to read; None if there is no such group.
    strict : bool
        Whether a value that is missing raises KeyError; otherwise it stays as it is.
    """

    def __init__(self, group, strict=True):
        _check_available()
        self.strict = strict
        self.group = group

    def __call__(self, key, value):
        key = key.lstrip('/')
        if self.group is None:
            if self.strict:
                raise ValueError('Inexistent group is specified, to load %r' % key)
            return value
        if not (self.strict or key in self.group):
            return value
        dataset = self.group[key]
        if dataset.shape is None:
            return None
        if isinstance(value, numpy.ndarray):
            _read_into(value, dataset)
            return value
        loaded = _read(dataset)
        if value is None:
            return loaded
        if isinstance(value, cuda.ndarray):
            value.set(loaded.astype(value.dtype, copy=False))
            return value
        return _convert.to_type_of(value, loaded, safely=False)

    def __getitem__(self, key):
        child = None if self.group is None else self.group.get(key.strip('/'))
        return HDF5Deserializer(child, self.strict)


def _is_text(dataset):
    return dataset.dtype.kind == 'O'


def _read(dataset):
    """Return a dataset as a NumPy array, text as an array of text."""
    if _is_text(dataset):
        return numpy.asarray(dataset.asstr()[()], dtype=str)
    return numpy.asarray(dataset)


def _read_into(array, dataset):
    """Fill an array; h5py converts the dtype, not always with NumPy's roundings."""
    if dataset.size != array.size:
        raise ValueError(
            'dataset %s has shape %s, the array to load it into %s'
            % (dataset.name, dataset.shape, array.shape))
    if array.size == 0:
        return
    if _is_text(dataset):
        array[...] = _read(dataset).reshape(array.shape)
    elif dataset.shape == array.shape and array.flags.c_contiguous:
        dataset.read_direct(array)
    else:
        read = numpy.empty(dataset.shape, array.dtype)
        dataset.read_direct(read)
        array[...] = read.reshape(array.shape)


def _save(file, obj, compression):
    with _check_available().File(file, 'w') as opened:
        serializer = HDF5Serializer(opened, compression)
        if isinstance(obj, dict):
            for key, array in obj.items():
                serializer(key, array)
        else:
            serializer.save(obj)


def save_hdf5(filename, obj, compression=4):
    """Save an object to an HDF5 file.

    A file on disk is replaced at once when all is written: whatever goes wrong, what
    was there before is not lost.

    Parameters
    ----------
    filename : str, path or file
        Where to save.
    obj : object
        An object with a method ``serialize``, such as a link or an optimizer, or a
        dictionary of arrays.
    compression : int, str or None
        How arrays are compressed: a level of gzip, the name of a method, or None.

    Raises
    ------
    RuntimeError
        If h5py is not installed.
    """
    _check_available()
    if not isinstance(filename, (str, bytes, os.PathLike)):
        _save(filename, obj, compression)
        return
    with replacing(os.fsdecode(filename)) as draft:
        _save(draft, obj, compression)


def load_hdf5(filename, obj):
    """Load an object from an HDF5 file.

    Parameters
    ----------
    filename : str, path or file
        The file.
    obj : object
        An object with a method ``serialize``, such as a link or an optimizer.

    Raises
    ------
    RuntimeError
        If h5py is not installed.
    """
    with _check_available().File(filename, 'r') as opened:
        HDF5Deserializer(opened).load(obj)

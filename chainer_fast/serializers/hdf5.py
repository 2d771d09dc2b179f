"""Saving to and loading from HDF5 files, with h5py."""
from __future__ import annotations

import functools
import os
import zipfile
from typing import IO, Any

from chainer_fast import backend, serializer
from chainer_fast._help import mistakes
from chainer_fast.backends.arrays import get_array_types
from chainer_fast.serializer import AbstractSerializer
from chainer_fast.serializers import _convert, _loading, _npy
from chainer_fast.serializers._replacing import replacing


def __getattr__(name: str) -> bool:
    # h5py is slow to import, so it is imported on first use.
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


def _reader():
    """Return the module that reads datasets, which imports h5py."""
    _check_available()
    from chainer_fast.serializers import _dataset
    return _dataset


class HDF5Serializer(serializer.Serializer):
    """Serializer that writes into a group of an HDF5 file.

    Parameters
    ----------
    group : h5py.Group
        Group to write to.
    compression : int, str or None
        Compression of arrays: a level of gzip, the name of a method, or None.

    Raises
    ------
    RuntimeError
        If h5py is not installed.

    Examples
    --------
    ::

        with h5py.File('model.h5', 'w') as file:
            chainer.serializers.HDF5Serializer(file).save(model)
    """

    def __init__(self, group: Any, compression: int | str | None = 4) -> None:
        _check_available()
        self.compression = compression
        self.group = group

    def __call__(self, key: str, value: Any) -> Any:
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
        _require_group(self.group)
        self.group.create_dataset(key.lstrip('/'), data=data, compression=compression)
        return value

    def __getitem__(self, key: str) -> AbstractSerializer:
        _require_group(self.group)
        child = self.group.require_group(key.strip('/'))
        return HDF5Serializer(child, self.compression)


class _MissingGroup(ValueError, KeyError):
    """Chainer's ValueError, which is also a KeyError for a missing value."""

    __str__ = ValueError.__str__


class HDF5Deserializer(serializer.Deserializer):
    """Deserializer that reads from a group of an HDF5 file.

    Parameters
    ----------
    group : h5py.Group or None
        Group to read from; None if it does not exist.
    strict : bool
        Whether a missing value raises KeyError; otherwise the object keeps its own.

    Raises
    ------
    RuntimeError
        If h5py is not installed.

    Examples
    --------
    ::

        with h5py.File('model.h5', 'r') as file:
            chainer.serializers.HDF5Deserializer(file).load(model)
    """

    def __init__(self, group: Any, strict: bool = True) -> None:
        _check_available()
        self.strict = strict
        self.group = group

    @functools.cached_property
    def _loading(self) -> Any:
        # Derived classes may set the attributes above themselves.
        return _loading.Loading(self.group)

    def __call__(self, key: str, value: Any) -> Any:
        if self.group is None:
            if self.strict:
                raise _MissingGroup(
                    'Inexistent group is specified, to load %r from in %s'
                    % (key, self._loading.file))
            return value
        key = key.lstrip('/')
        reader, loading = _reader(), self._loading
        path = loading.path = _path(self.group, key)
        loading.asked.add(path)
        dataset = self._find(key, path)
        if not isinstance(dataset, _check_available().Dataset):
            if dataset is not None or self.strict:
                raise KeyError('%s has no value %r' % (loading.file, path))
            return value
        what = loading.describe(path)
        with reader.reading(what):
            shape, _ = dataset.shape, dataset.dtype
        if shape is None:
            return None
        is_array = isinstance(value, get_array_types())
        if is_array:
            array = backend.CpuDevice().send(value)
            _check_array(array, shape, what)
        elif value is not None and issubclass(type(value), (int, float, complex)):
            _convert.check_is_one(type(value), shape, what)
        reader.check_storage(dataset, loading, path, is_array)
        if is_array:
            with loading.filling(value), reader.reading(what):
                reader.read_into(dataset, array)
                if array is not value:
                    backend.copyto(value, array)
            return value
        with reader.reading(what):
            loaded = reader.read(dataset)
        if value is None:
            return loaded
        return _convert.to_type_of(value, loaded)

    def __getitem__(self, key: str) -> AbstractSerializer:
        child = None
        if self.group is not None:
            key = key.strip('/')
            child = self._find(key, _path(self.group, key))
            if not isinstance(child, _check_available().Group):
                child = None
        child = HDF5Deserializer(child, self.strict)
        child._loading = self._loading
        return child

    def _find(self, key, path):
        return _reader().find(self.group, key, self._loading.describe(path))

    def load(self, obj: Any) -> None:
        """Load into an object, which does not change if an error occurs."""
        with self._loading.whole(obj) as is_all:
            super().load(obj)
        if is_all and self.strict and self.group is not None:
            self._loading.warn_of_rest(obj, _reader().paths(self.group))

    def _names(self):
        """Return the names of the values at this level, without those of children."""
        if self.group is None:
            return []
        above = self.group.name.rstrip('/') + '/'
        names = [('/' + path)[len(above):] for path in _reader().paths(self.group)]
        return [name for name in names if '/' not in name]


def _require_group(group):
    mistakes.require(group, 'require_group', (
        'the group of an HDF5 serializer must be an h5py.Group or an h5py.File'))


def _path(group, key):
    _require_group(group)
    return (group.name + '/' + key).lstrip('/')


def _check_array(array, shape, what):
    """Raise TypeError, as h5py does, if an array and a dataset differ in shape."""
    # Leading axes of length 1 may be added or removed. If other axes are missing, h5py
    # fills the beginning of the array and does not change the rest.
    target = array.shape
    while len(target) > len(shape) and target[0] == 1:
        target = target[1:]
    if len(target) > len(shape) or not _convert.fits_by_broadcasting(shape, target):
        raise TypeError('%s has shape %s, which could not be broadcast into shape %s '
                        'of the object' % (what, shape, array.shape))
    _convert.warn_of_broadcasting(shape, array.shape, what)
    if not array.flags.writeable:
        raise TypeError('%s cannot fill an array that is read-only' % what)


def _save(file, obj, compression):
    with _check_available().File(file, 'w') as opened:
        serializer = HDF5Serializer(opened, compression)
        if isinstance(obj, dict):
            for key, array in obj.items():
                # npz.serialize represents None only in this form.
                serializer(key, None if _npy.is_none(array) else array)
        else:
            serializer.save(obj)


def save_hdf5(
        filename: str | os.PathLike[str] | IO[Any], obj: Any,
        compression: int | str | None = 4) -> None:
    """Save an object to an HDF5 file.

    A file on disk is only replaced when the new one is complete, so that an error does
    not destroy the old one.

    Parameters
    ----------
    filename : str, path or file
        Destination.
    obj : object
        An object with a method ``serialize``, such as a link or an optimizer, or a
        dictionary of arrays.
    compression : int, str or None
        Compression of arrays: a level of gzip, the name of a method, or None.

    Raises
    ------
    RuntimeError
        If h5py is not installed.
    OSError
        If the file cannot be written.

    See Also
    --------
    chainer_fast.serializers.load_hdf5

    Examples
    --------
    This example needs h5py: ::

        chainer.serializers.save_hdf5('model.h5', model)
        chainer.serializers.load_hdf5('model.h5', model)
    """
    _check_available()
    _loading.check_order(filename, obj, 'save_hdf5')
    if not isinstance(filename, (str, bytes, os.PathLike)):
        _save(filename, obj, compression)
        return
    with replacing(os.fsdecode(filename)) as draft:
        _save(draft, obj, compression)


def load_hdf5(filename: str | os.PathLike[str] | IO[Any], obj: Any) -> None:
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
    KeyError
        If a value is missing.
    TypeError, ValueError
        If a shape or a dtype does not fit, or a group is missing.
    OSError
        If the file is damaged or not an HDF5 file.

    See Also
    --------
    chainer_fast.serializers.save_hdf5

    Notes
    -----
    The object is loaded completely or not at all: after an error, parameters, states,
    counts and everything else have their old values. The warnings are those of
    :func:`load_npz`.

    Examples
    --------
    See :func:`save_hdf5`.
    """
    h5py = _check_available()
    _loading.check_order(filename, obj, 'load_hdf5')
    try:
        file = h5py.File(filename, 'r')
    except OSError as error:
        if error.errno:     # it does not exist, or is not readable
            raise
        raise OSError('%s is not an HDF5 file, or is damaged: %s%s' % (
            _loading.name_of(filename), error, (
                '; it is a zip archive, which load_npz loads if save_npz has written it'
                if not hasattr(filename, 'read') and zipfile.is_zipfile(filename)
                else ''))) from error
    with file:
        HDF5Deserializer(file).load(obj)

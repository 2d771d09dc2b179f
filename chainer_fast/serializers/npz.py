"""Saving to and loading from NumPy's npz archives."""
from __future__ import annotations

import functools
import os
import zipfile
from typing import IO, Any

import numpy

from chainer_fast import backend, serializer
from chainer_fast._core import kinds
from chainer_fast._help import mistakes
from chainer_fast.backends import cuda
from chainer_fast.serializer import AbstractSerializer
from chainer_fast.serializers import _archive, _convert, _loading, _npy
from chainer_fast.serializers._replacing import replacing
from chainer_fast.variable import as_array

# Larger members are written with 64-bit size fields.
_LARGE = 1 << 30


class DictionarySerializer(serializer.Serializer):
    """Serializer that collects arrays in a flat dictionary.

    The keys are paths, such as ``'predictor/l1/W'``, and the values NumPy arrays.

    Parameters
    ----------
    target : dict, optional
        Dictionary to collect in; a new one by default.
    path : str
        Prefix of all keys.

    Attributes
    ----------
    target : dict
        The collected arrays.
    path : str
        As given.

    Examples
    --------
    >>> serializer = chainer.serializers.DictionarySerializer()
    >>> serializer.save(L.Linear(3, 2))
    >>> {key: array.shape for key, array in sorted(serializer.target.items())}
    {'W': (2, 3), 'b': (2,)}
    """

    def __init__(
            self, target: dict[Any, Any] | None = None, path: str = '') -> None:
        self.path = path
        self.target: dict[Any, Any] = {} if target is None else target

    def __call__(self, key: str, value: Any) -> Any:
        self.target[self.path + key.lstrip('/')] = _convert.to_numpy(value)
        return value

    def __getitem__(self, key: str) -> AbstractSerializer:
        return DictionarySerializer(self.target, _child_path(self.path, key))


def _child_path(path, key):
    return '%s%s/' % (path, key.strip('/'))


def serialize(obj: Any) -> dict[Any, Any]:
    """Collect the arrays of an object in a dictionary.

    Parameters
    ----------
    obj : object
        An object with a method ``serialize``, such as a link or an optimizer.

    Returns
    -------
    dict
        NumPy arrays by path.
    """
    collector = DictionarySerializer()
    collector.save(obj)
    return collector.target


def save_npz(
        file: str | os.PathLike[str] | IO[Any], obj: Any,
        compression: bool = True) -> None:
    """Save an object to an npz archive.

    A file on disk is only replaced when the new one is complete, so that an error does
    not destroy the old one.

    Parameters
    ----------
    file : str, path or file
        Destination. A string is used unchanged; a path object without the suffix
        ``.npz`` gets it, as in NumPy.
    obj : object
        An object with a method ``serialize``, such as a link or an optimizer; or a
        dictionary made by :func:`serialize`.
    compression : bool
        Whether to compress.

    Raises
    ------
    OSError
        If the file cannot be written.

    See Also
    --------
    chainer_fast.serializers.load_npz

    Examples
    --------
    >>> model, same = L.Linear(3, 2), L.Linear(3, 2)
    >>> chainer.serializers.save_npz('model.npz', model)
    >>> chainer.serializers.load_npz('model.npz', same)
    >>> np.array_equal(model.W.array, same.W.array)
    True
    """
    _loading.check_order(file, obj, 'save_npz')
    arrays = obj if isinstance(obj, dict) else serialize(obj)
    if hasattr(file, 'write'):
        _write(file, arrays, compression)
        return
    name = os.fsdecode(file)
    if isinstance(file, os.PathLike) and not name.endswith('.npz'):
        name += '.npz'
    with replacing(name) as draft:
        _write(draft, arrays, compression)


def _write(file, arrays, compression):
    """Write an archive like ``numpy.savez``, but with any names for the arrays."""
    method = zipfile.ZIP_DEFLATED if compression else zipfile.ZIP_STORED
    with zipfile.ZipFile(file, 'w', method) as archive:
        for path, array in arrays.items():
            array = numpy.asarray(array)
            # The zip module must know beforehand whether sizes take 64 bits.
            large = array.nbytes > _LARGE or array.dtype.hasobject
            with archive.open(path + '.npy', 'w', force_zip64=large) as member:
                _npy.write(member, array)


class NpzDeserializer(serializer.Deserializer):
    """Deserializer of npz archives.

    Parameters
    ----------
    npz : NpzFile or dict
        Arrays by path, as returned by ``numpy.load``. Arrays of objects are only
        unpickled if ``numpy.load`` was called with ``allow_pickle=True``; otherwise
        only None is recognized.
    path : str
        Prefix of all keys.
    strict : bool
        Whether a missing value raises KeyError; otherwise the object keeps its own.
    ignore_names : str, callable, or list of them, optional
        Paths of values not to load, or functions that take a path and return whether to
        ignore it.

    Attributes
    ----------
    npz : NpzFile or dict
        As given.
    path : str
        As given.
    strict : bool
        As given.
    ignore_names : list
        Values that are not loaded.

    Raises
    ------
    KeyError
        When a missing value is loaded, if ``strict``.

    Warns
    -----
    UserWarning
        When an object is loaded, if the file has values that the object does not have
        and ``strict`` is true; when elements of a saved array are repeated to fill a
        larger one.

    Examples
    --------
    >>> arrays = {'W': np.ones((2, 3), np.float32), 'b': np.zeros(2, np.float32)}
    >>> link = L.Linear(3, 2)
    >>> chainer.serializers.NpzDeserializer(arrays).load(link)
    >>> link.W.array
    array([[1., 1., 1.],
           [1., 1., 1.]], dtype=float32)
    """

    def __init__(
            self, npz: Any, path: str = '', strict: bool = True,
            ignore_names: Any = None) -> None:
        self.strict = strict
        self.ignore_names: Any = [] if ignore_names is None else ignore_names
        self.path = path
        self.npz = npz

    @functools.cached_property
    def _loading(self) -> Any:
        # Derived classes may set the attributes above themselves.
        npz = self.npz
        return _loading.Loading(
            npz.zip.fp  # type: ignore[union-attr]    # it is open
            if isinstance(npz, numpy.lib.npyio.NpzFile) else npz)

    def __call__(self, key: str, value: Any) -> Any:
        plain = kinds.plain(value)
        if plain is not value:
            found = self(key, plain)
            return value if found is plain else found
        path = self.path + key.lstrip('/')
        self._loading.asked.add(path)
        if not self.strict and not self._has(path):
            return value
        if self._is_ignored(path):
            return value
        loaded = self._read(path, value)
        if loaded is None or value is None:
            return loaded
        if isinstance(value, (numpy.ndarray, cuda.ndarray)):
            if loaded is not value:
                with self._loading.filling(value):
                    backend.copyto(value, _convert.narrowed(loaded))
            return value
        return _convert.to_type_of(value, loaded)

    def __getitem__(self, key: str) -> AbstractSerializer:
        child = NpzDeserializer(
            self.npz, _child_path(self.path, key), self.strict, self.ignore_names)
        child._loading = self._loading
        return child

    def load(self, obj: Any) -> None:
        """Load into an object, which does not change if an error occurs."""
        with self._loading.whole(obj) as is_all:
            super().load(obj)
        if is_all and self.strict:
            self._loading.warn_of_rest(obj, [
                name for name in self._paths()
                if name.startswith(self.path) and not self._is_ignored(name)])

    def _paths(self):
        """Return the paths of all values of the file."""
        if isinstance(self.npz, numpy.lib.npyio.NpzFile):
            return self.npz.files
        paths = getattr(self.npz, 'paths', None)
        return list(self.npz) if paths is None else paths(self._loading.asked)

    def _names(self):
        """Return the names of the values at this level, without those of children."""
        return [path[len(self.path):] for path in self._paths()
                if path.startswith(self.path) and '/' not in path[len(self.path):]]

    def _has(self, path):
        if isinstance(self.npz, numpy.lib.npyio.NpzFile):
            return _archive.has(self.npz, path, self._loading)
        return path in self.npz

    def _read(self, path, value):
        """Return an array that can replace a value; None for a None."""
        loading = self._loading
        loading.path = path

        def check(shape, dtype):
            what = loading.describe(path)
            if isinstance(value, numpy.ndarray):
                _convert.check_array(value, shape, dtype, what)
                return True
            if isinstance(value, cuda.ndarray):
                if _convert.fits_by_broadcasting(shape, value.shape):
                    _convert.warn_of_broadcasting(shape, value.shape, what)
                return shape == value.shape
            if value is not None:
                _convert.check_scalar(value, shape, dtype, what)
            return False

        if isinstance(self.npz, numpy.lib.npyio.NpzFile):
            target = value if isinstance(value, numpy.ndarray) else None
            return _archive.read(self.npz, path, loading, check, target)
        mistakes.require(self.npz, '__getitem__', (
            'an NpzDeserializer reads from the result of numpy.load, or from a dict of '
            'arrays'))
        array = numpy.asarray(as_array(self.npz[path]))
        if _npy.is_none(array):
            return None
        check(array.shape, array.dtype)
        return array

    def _is_ignored(self, path):
        names = self.ignore_names
        if not isinstance(names, (list, tuple)):
            names = [names]
        for name in names:
            if isinstance(name, str):
                ignored = path == name
            elif callable(name):
                ignored = name(path)
            else:
                raise ValueError(
                    'ignore_names needs to be a callable, string or list of them.')
            if ignored:
                return True
        return False


def load_npz(
        file: str | os.PathLike[str] | IO[Any], obj: Any, path: str = '',
        strict: bool = True, ignore_names: Any = None, *,
        allow_pickle: bool = False) -> None:
    """Load an object from an npz archive.

    Parameters
    ----------
    file : str, path or file
        The archive.
    obj : object
        An object with a method ``serialize``, such as a link or an optimizer.
    path : str
        Path of the object in the archive, ending in a slash, to load only a part.
    strict : bool
        Whether a missing value raises KeyError; otherwise the object keeps its own.
    ignore_names : str, callable, or list of them, optional
        Paths of values not to load, or functions that take a path and return whether to
        ignore it.
    allow_pickle : bool
        Whether Python objects may be loaded. This allows the author of the file to run
        any code; Chainer never writes such files.

    Raises
    ------
    KeyError
        If a value is missing.
    ValueError, TypeError
        If a shape or a dtype does not fit, the file is not an archive, or it holds
        Python objects that are not allowed.
    zipfile.BadZipFile
        If the file is damaged.

    See Also
    --------
    chainer_fast.serializers.save_npz

    Notes
    -----
    The object is loaded completely or not at all: after an error, parameters, states,
    counts and everything else have their old values. A ``UserWarning`` reports
    values in the file that a link or an update rule does not have, unless they are
    ignored or ``strict`` is false, and saved arrays whose elements are repeated to
    fill larger ones. Whole links in the file may be left unread.

    Examples
    --------
    Loading a part of a model into another model:

    >>> model = chainer.Sequential(L.Linear(3, 4), F.relu, L.Linear(4, 2))
    >>> chainer.serializers.save_npz('model.npz', model)
    >>> last = L.Linear(4, 2)
    >>> chainer.serializers.load_npz('model.npz', last, path='1/')
    >>> np.array_equal(model[2].W.array, last.W.array)
    True
    """
    _loading.check_order(file, obj, 'load_npz')
    name = _loading.name_of(file)
    with _archive.opened(file, allow_pickle, name) as archive:
        NpzDeserializer(archive, path, strict, ignore_names).load(obj)

"""Saving to and loading from files of the format safetensors.

Such a file contains named arrays and no code. The name of a value is its path with
dots for slashes, as in PyTorch's modules and as tools for these files expect. Values
that are not arrays of numbers, namely None and strings, are stored in the metadata as
JSON.
"""
from __future__ import annotations

import collections.abc
import json
import os
from typing import Any

import numpy

from chainer_fast._help import installation
from chainer_fast.serializers import _loading, _npy, npz
from chainer_fast.serializers._replacing import replacing

# Entry of the metadata for values that are not arrays of numbers.
_VALUES = 'chainer_fast.values'
# dtypes that both NumPy and the format support. The format lacks NumPy's 128-bit
# floating-point numbers and arrays of objects and strings.
_DTYPES = frozenset([
    'bool', 'int8', 'uint8', 'int16', 'uint16', 'int32', 'uint32', 'int64', 'uint64',
    'float16', 'float32', 'float64', 'complex64'])
_NAMES = frozenset([
    'BOOL', 'I8', 'U8', 'I16', 'U16', 'I32', 'U32', 'I64', 'U64', 'F16', 'F32', 'F64',
    'C64'])


def _library():
    try:
        import safetensors.numpy
    except ImportError as error:
        raise RuntimeError(
            'safetensors is not installed: ' + installation.install('safetensors')
        ) from error
    return safetensors


def _name(path):
    return path.replace('/', '.')


def _split(arrays):
    """Return the arrays of a file by name, and the values for the metadata."""
    tensors, values, paths = {}, {}, {}
    for path, array in arrays.items():
        array, name = numpy.asarray(array), _name(path)
        if name in paths:
            raise ValueError(
                '%r and %r have the same name in a safetensors file, where dots '
                'replace slashes: rename one of them, or use save_npz'
                % (paths[name], path))
        if name == '__metadata__':
            raise ValueError(
                'the name %r is reserved in safetensors files: rename the value, '
                'or use save_npz' % name)
        paths[name] = path
        if _npy.is_none(array):
            values[name] = None
        elif array.dtype.kind == 'U' and array.ndim == 0:
            values[name] = array.item()
        elif array.dtype.name in _DTYPES:
            # The library writes the bytes as they are in memory.
            tensors[name] = array.astype(
                array.dtype.newbyteorder('<'), order='C', copy=False)
        else:
            raise TypeError(
                '%r has the dtype %s, which safetensors files do not support: use '
                'save_npz or save_hdf5' % (path, array.dtype))
    return tensors, values


def save_safetensors(path: str | os.PathLike[str], obj: Any) -> None:
    """Save an object to a safetensors file.

    A file on disk is only replaced when the new one is complete, so that an error does
    not destroy the old one.

    Parameters
    ----------
    path : str or path
        Destination.
    obj : object
        An object with a method ``serialize``, such as a link or an optimizer; or a
        dictionary of arrays.

    Raises
    ------
    RuntimeError
        If safetensors is not installed.
    TypeError
        If a value has a dtype that the format does not support, such as
        complex128.
    ValueError
        If two values have the same name, or one is ``__metadata__``.

    Notes
    -----
    The value that :func:`save_npz` calls ``predictor/l1/W`` is ``predictor.l1.W`` here.
    Numbers become 0-dimensional arrays. None, for an uninitialized parameter, and
    strings are stored in the metadata. Memory holds the arrays twice while the file is
    written.

    See Also
    --------
    chainer_fast.interop.torch.torch_state_dict : weights by the names of PyTorch.
    """
    library = _library()
    arrays = obj if isinstance(obj, dict) else npz.serialize(obj)
    tensors, values = _split(arrays)
    metadata = {'format': 'np'}
    if values:
        metadata[_VALUES] = json.dumps(values)
    data = library.numpy.save(tensors, metadata)
    with replacing(os.fsdecode(path)) as draft, open(draft, 'wb') as file:
        file.write(data)


class _Arrays(collections.abc.Mapping):
    """The arrays of an open file by the paths of values."""

    def __init__(self, filename: str, file) -> None:
        self.filename = filename
        self._file = file
        self._what = _loading.name_of(filename)
        self._names = frozenset(file.keys())
        self._values = self._read_values((file.metadata() or {}).get(_VALUES, '{}'))

    def _read_values(self, text):
        try:
            values = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ValueError('%s is damaged: %r of its metadata is not JSON' % (
                self._what, _VALUES)) from error
        if not isinstance(values, dict) or not all(
                value is None or isinstance(value, str) for value in values.values()):
            raise ValueError('%s is damaged: %r of its metadata has values other than '
                             'null and strings' % (self._what, _VALUES))
        return values

    def __contains__(self, path: Any) -> bool:
        name = _name(path)
        return name in self._names or name in self._values

    def paths(self, known):
        """Return the paths of all values: known paths, and the names of others."""
        paths = {_name(path): path for path in known}
        return [paths.get(name, name.replace('.', '/')) for name in self]

    def __iter__(self):
        return iter(self._names.union(self._values))

    def __len__(self) -> int:
        return len(self._names.union(self._values))

    def __getitem__(self, path: str | os.PathLike[str]):
        name = _name(path)
        if name in self._names:
            return self._read(name)
        if name not in self._values:
            raise KeyError('%s has no %r' % (self._what, name))
        value = self._values[name]
        return numpy.array(value, object if value is None else None)

    def _read(self, name):
        dtype = self._file.get_slice(name).get_dtype()
        if dtype not in _NAMES:
            raise TypeError(
                '%r of %s has the dtype %s, which NumPy does not support: convert it '
                'to F32 (float32) first' % (name, self._what, dtype))
        try:
            return self._file.get_tensor(name)
        except _library().SafetensorError as error:
            raise ValueError(
                '%r of %s is damaged: %s' % (name, self._what, error)) from error


def load_safetensors(
        path: str | os.PathLike[str], obj: Any, strict: bool = True) -> None:
    """Load an object from a safetensors file.

    Parameters
    ----------
    path : str or path
        The file.
    obj : object
        An object with a method ``serialize``, such as a link or an optimizer.
    strict : bool
        Whether a missing value raises KeyError; otherwise the object keeps its own.

    Raises
    ------
    RuntimeError
        If safetensors is not installed.
    KeyError
        If a value is missing.
    TypeError, ValueError
        If a shape or a dtype does not fit, NumPy lacks a dtype (bfloat16), or the file
        is damaged or of another format.

    Notes
    -----
    The object is loaded completely or not at all: after an error, parameters, states,
    counts and everything else have their old values. Additional values in the file
    are ignored with a warning, as in :func:`load_npz`.

    See Also
    --------
    chainer_fast.interop.torch.load_torch_state_dict : weights of PyTorch's modules.
    """
    library = _library()
    name = os.fsdecode(path)
    try:
        opened = library.safe_open(name, 'np')
    except library.SafetensorError as error:
        raise ValueError('%s is damaged, or not a safetensors file: %s' % (
            _loading.name_of(name), error)) from error
    with opened as file:
        npz.NpzDeserializer(_Arrays(name, file), strict=strict).load(obj)

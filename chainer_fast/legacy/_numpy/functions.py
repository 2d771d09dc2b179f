"""NumPy calls that are now errors or have another meaning."""
import functools
import types

import numpy

from chainer_fast._help.past.removed import _numpy as _removed_numpy
from chainer_fast.legacy import _frames, _report
from chainer_fast.legacy._python import callers


def is_called_by_old_code():
    """Return whether the program calls, possibly through NumPy functions."""
    return callers.wants_old_names(_frames.caller(ignored=('numpy',)))


def _is_about_ragged_rows(error):
    return 'inhomogeneous shape' in str(error)


def _making(function):
    """Wrap a function that creates an array from a value.

    Ragged rows become an array of objects, or of whether they are empty, and
    ``copy=False`` copies if necessary.
    """
    @functools.wraps(function)
    def make(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except ValueError as error:
            dtype = args[1] if args[1:] else kwargs.get('dtype')
            is_ragged = _is_about_ragged_rows(error) and (
                dtype is None or numpy.dtype(dtype) == bool)
            has_to_copy = kwargs.get('copy') is False and 'avoid copy' in str(error)
            if not (is_ragged or has_to_copy) or not is_called_by_old_code():
                raise
            if is_ragged:
                _report.adapted('numpy.array of ragged rows')
                kwargs['dtype'] = object
                args = args[:1]
                if dtype is not None:
                    return make(*args, **kwargs).astype(bool)
            else:
                _report.adapted('numpy.array(copy=False) that has to copy')
                kwargs['copy'] = None
            return make(*args, **kwargs)
    return make


_asarray = numpy.asarray


def _as_objects(value):
    """Return an array of objects for ragged rows, and anything else unchanged."""
    if isinstance(value, (list, tuple)):
        try:
            _asarray(value)
        except ValueError as error:
            if _is_about_ragged_rows(error):
                return _asarray(value, dtype=object)
    return value


def _reading(function):
    """Wrap a function of arrays that converted ragged rows itself."""
    @functools.wraps(function)
    def read(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except ValueError as error:
            if not _is_about_ragged_rows(error) or not is_called_by_old_code():
                raise
            # An array of objects was created from the rows, and counted.
            if not any(isinstance(arg, numpy.ndarray) and arg.dtype.hasobject
                       for arg in args):
                _report.adapted('numpy.array of ragged rows')
            return function(*map(_as_objects, args), **{
                name: _as_objects(value) for name, value in kwargs.items()})
    return read


def _fromstring(function):
    @functools.wraps(function)
    def fromstring(string, dtype=float, count=-1, *, sep='', **kwargs):
        if sep != '' or not is_called_by_old_code():
            return function(string, dtype, count, sep=sep, **kwargs)
        _report.adapted('numpy.fromstring of bytes')
        if isinstance(string, str):
            string = string.encode('latin1')
        return numpy.frombuffer(string, dtype, count).copy()
    return fromstring


def _refuses_objects(error):
    return 'allow_pickle=False' in str(error)


class _Archive(numpy.lib.npyio.NpzFile):
    """A file of arrays, including objects."""

    def __getitem__(self, key):
        try:
            return super().__getitem__(key)
        except ValueError as error:
            if not _refuses_objects(error):
                raise
        self.allow_pickle = True
        _report.adapted('numpy.load of objects')
        return super().__getitem__(key)


def _load(function):
    @functools.wraps(function)
    def load(file, mmap_mode=None, *args, **kwargs):
        if args or 'allow_pickle' in kwargs or not is_called_by_old_code():
            return function(file, mmap_mode, *args, **kwargs)
        start = file.tell() if hasattr(file, 'tell') else None
        try:
            loaded = function(file, mmap_mode, **kwargs)
        except ValueError as error:
            if not _refuses_objects(error):
                raise
            if start is not None:
                file.seek(start)
            _report.adapted('numpy.load of objects')
            return function(file, mmap_mode, allow_pickle=True, **kwargs)
        if type(loaded) is numpy.lib.npyio.NpzFile:
            loaded.__class__ = _Archive
        return loaded
    return load


def _renamed(what, old, new):
    """Return a decorator of functions with a renamed keyword."""
    def decorate(function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            if old in kwargs and new not in kwargs:
                kwargs[new] = kwargs.pop(old)
                _report.adapted(what)
            return function(*args, **kwargs)
        return call
    return decorate


def _of_sequence(function):
    """Wrap a function that joins arrays and used to accept a generator."""
    @functools.wraps(function)
    def join(arrays, *args, **kwargs):
        if hasattr(arrays, '__next__'):
            arrays = list(arrays)
            _report.adapted('numpy.stack of a generator')
        return function(arrays, *args, **kwargs)
    return join


def _of_kinds(function):
    kinds = {float: numpy.floating, int: numpy.signedinteger,
             complex: numpy.complexfloating}

    @functools.wraps(function)
    def issubdtype(arg1, arg2):
        if isinstance(arg2, type) and arg2 in kinds and is_called_by_old_code():
            _report.adapted('numpy.issubdtype of float, int or complex')
            arg2 = kinds[arg2]
        return function(arg1, arg2)
    return issubdtype


def _loadtxt(function):
    """Wrap loadtxt, which returned whole lines if the newline is the delimiter."""
    @functools.wraps(function)
    def loadtxt(fname, dtype=float, comments='#', delimiter=None, *args, **kwargs):
        if delimiter in ('\n', b'\n') and is_called_by_old_code():
            _report.adapted("numpy.loadtxt(delimiter='\\n')")
            delimiter = '\x1f'      # ASCII's unit separator, never in text
        return function(fname, dtype, comments, delimiter, *args, **kwargs)
    return loadtxt


def _histogram(function):
    # `normed` of histogram() and of the others is the same.
    return _renamed('numpy.histogram(normed=)', 'normed', 'density')(function)


_INTERPOLATION = _renamed('numpy.percentile(interpolation=)', 'interpolation', 'method')
_NEWSHAPE = _renamed(
    'numpy.reshape(newshape=)', 'newshape',
    'shape' if numpy.lib.NumpyVersion(numpy.__version__) >= '2.1.0' else 'newshape')
_WRAPPED = {
    **dict.fromkeys(_removed_numpy.OF_RAGGED_ROWS, _reading),
    **dict.fromkeys(('array', 'asarray', 'asanyarray', 'ascontiguousarray',
                     'asfortranarray'), _making),
    **dict.fromkeys(('stack', 'hstack', 'vstack', 'dstack', 'column_stack'),
                    _of_sequence),
    'fromstring': _fromstring,
    'load': _load, 'loadtxt': _loadtxt,
    'histogram': _histogram, 'histogram2d': _histogram, 'histogramdd': _histogram,
    'percentile': _INTERPOLATION, 'nanpercentile': _INTERPOLATION,
    'quantile': _INTERPOLATION, 'nanquantile': _INTERPOLATION,
    'reshape': _NEWSHAPE,
}


class Builtin:
    """A function that classes do not bind as a method, like functions written in C."""

    def __init__(self, function):
        functools.update_wrapper(self, function)
        self._function = function

    def __call__(self, *args, **kwargs):
        return self._function(*args, **kwargs)

    def __reduce__(self):
        return self._function.__name__


def install(patches):
    if 'numpy' in patches.named:
        patches.set(numpy, 'issubdtype', _of_kinds(numpy.issubdtype))
    for name, wrap in _WRAPPED.items():
        function = getattr(numpy, name)
        wrapped = wrap(function)
        is_builtin = isinstance(function, types.BuiltinFunctionType)
        patches.set(numpy, name, Builtin(wrapped) if is_builtin else wrapped)

"""Pickles of objects of earlier Chainer versions, which the program reads by itself.

The program trusts them, as it did then; Python's own unpickler reads all others.
"""
import copyreg
import functools
import importlib
import io
import pickle

from chainer_fast.backends import cuda
from chainer_fast.legacy import _report
from chainer_fast.serializers import (
    _allowed,
    _class_paths,
    _loading,
    _old_states,
    _reconstructors,
    _unpickler,
)

# For these, a pickle does not call the class itself.
_MADE_OTHERWISE = (
    cuda.GpuDevice, _reconstructors.NumberedDevice, _reconstructors.Ignored)
_of_class = copyreg._reconstructor      # type: ignore[attr-defined]
_WHAT = 'pickle.load of objects of an earlier Chainer'


class _OfChainer(Exception):
    """Signals that a pickle refers to Chainer, which this package replaces."""


def _is_of_chainer(module):
    return _class_paths.is_of_chainer(module) and (
        module.partition('.')[0] != 'chainer_fast')


def _made_of_class(cls, base, value):
    """Create an object of the protocols 0 and 1; some classes are compiled now."""
    if base is object:
        return cls.__new__(cls)
    return _of_class(cls, base, value)


class _Trusting(_unpickler.Unpickler):
    """Reads what ``load_pickle`` reads, and creates any other object in the file."""

    get_extension = pickle._Unpickler.get_extension             # type: ignore
    persistent_load = pickle._Unpickler.persistent_load

    def __init__(self, file, encoding='latin1', errors='strict', fix_imports=True):
        super().__init__(
            file, _loading.name_of(file), _allowed.Allowed(()), encoding)
        self.errors = errors
        self.fix_imports = fix_imports

    def find_class(self, module, name):
        if _class_paths.is_of_chainer(module):
            return self._find_in_chainer(module, name)
        if module.partition('.')[0] == 'cupy':      # NumPy's on machines without a GPU
            return super().find_class(module, name)
        found = pickle._Unpickler.find_class(self, module, name)
        return _made_of_class if found is _of_class else found

    def _find_in_chainer(self, module, name):
        real, real_name = _class_paths.today(module, name)
        if (real, real_name) in _old_states.CALLS:
            return super()._find_in_chainer(module, name)
        try:
            found = importlib.import_module(real)
            for part in real_name.split('.'):
                found = getattr(found, part)
        except (ImportError, AttributeError) as error:
            raise AttributeError(
                'the pickle names %s.%s, which is gone' % (module, name)) from error
        return _unpickler.ClassOnly(found) if found is cuda.GpuDevice else found

    def _is_trusted(self, obj):
        return not isinstance(obj, _unpickler.ClassOnly) and not any(
            obj is other for other in _MADE_OTHERWISE)


def _position(file):
    """Return the position of a file if it can be read again from there, or None."""
    try:
        return file.tell() if file.seekable() else None
    except (AttributeError, OSError, ValueError):
        return None


class _Unpickler(pickle.Unpickler):
    """Python's own unpickler, which passes pickles of Chainer to another one."""

    def __init__(self, file, **options):
        super().__init__(file, **options)
        self._file, self._options = file, options
        # A class that overrides the lookup of names keeps it.
        self._may_leave = type(self).find_class is _Unpickler.find_class and (
            'buffers' not in options)

    def find_class(self, module, name):
        if self._may_leave and _is_of_chainer(module):
            raise _OfChainer
        return super().find_class(module, name)

    def load(self):
        start = _position(self._file)
        self._may_leave = self._may_leave and start is not None
        try:
            return super().load()
        except _OfChainer:
            self._file.seek(start)
        _report.adapted(_WHAT)
        trusting = _Trusting(self._file, **self._options)
        if hasattr(self, 'persistent_load'):
            trusting.persistent_load = self.persistent_load
        return trusting.load()


_Unpickler.__name__ = _Unpickler.__qualname__ = 'Unpickler'
_Unpickler.__module__ = 'pickle'


def _load(load):
    @functools.wraps(load)
    def call(file, **options):
        return _Unpickler(file, **options).load()
    return call


def _loads(loads):
    @functools.wraps(loads)
    def call(data, /, **options):
        if isinstance(data, str):
            return loads(data, **options)       # an error that reports it
        return _Unpickler(io.BytesIO(data), **options).load()
    return call


def install(patches):
    """Read such pickles by an unpickler that supports their names and states.

    ``six.moves.cPickle`` is ``pickle``.
    """
    patches.set(pickle, 'load', _load(pickle.load))
    patches.set(pickle, 'loads', _loads(pickle.loads))
    patches.set(pickle, 'Unpickler', _Unpickler)

"""Pickles of Python 2, and files that were not opened as binary files."""
import csv
import functools
import gzip
import io
import marshal
import pickle
import struct

import numpy

from chainer_fast.legacy import _frames, _report
from chainer_fast.legacy._python import callers, files

_TEXT = 'pickle.load of text of Python 2'
_FILE = 'pickle in a file of text'
_BYTES = 'bytes in a file of text'
_STRUCT = 'struct of text'
_CSV = 'csv of bytes'
_GZIP = 'text in a file of gzip'


def _is_old(ignored=()):
    return callers.wants_old_names(_frames.caller(ignored))


def _with_bytes(what, function, position=0):
    """Wrap a function of a binary file to accept a text file, too.

    Parameters
    ----------
    what : str
        Entry that counts the uses.
    function : callable
    position : int
        Position of the file among the arguments.
    """
    @functools.wraps(function)
    def call(*args, **options):
        text = args[position] if len(args) > position else None
        below = files.bytes_below(text) if _is_old() else None
        if below is None:
            return function(*args, **options)
        _report.adapted(what)
        # The text file would close the other one if it were deleted.
        arguments = list(args)
        arguments[position] = below
        result = function(*arguments, **options)
        files.go_on_behind(text, below)
        if isinstance(result, numpy.lib.npyio.NpzFile):
            # Arrays are read later.
            result._text = text     # type: ignore[attr-defined]
        return result
    return call


def _load(load):
    @functools.wraps(load)
    def call(file, **options):
        if not _is_old() or 'encoding' in options:
            return load(file, **options)
        try:
            start = file.tell()
        except (AttributeError, OSError):
            # What is ASCII is the same in this encoding.
            return load(file, encoding='latin1', **options)
        try:
            return load(file, **options)
        except UnicodeDecodeError:
            file.seek(start)
        _report.adapted(_TEXT)
        return load(file, encoding='latin1', **options)
    return call


def _loads(loads):
    @functools.wraps(loads)
    def call(data, /, **options):
        if isinstance(data, str) and _is_old():
            _report.adapted(_TEXT)
            data = files.as_bytes(data)
        try:
            return loads(data, **options)
        except UnicodeDecodeError:
            if 'encoding' in options or not _is_old():
                raise
        _report.adapted(_TEXT)
        return loads(data, encoding='latin1', **options)
    return call


def _class(base):
    """Derive Pickler or Unpickler to support text files, too."""
    class Derived(base):    # type: ignore[misc,valid-type]

        def __init__(self, file, *args, **options):
            is_old = _is_old()
            below = files.bytes_below(file) if is_old else None
            if is_old and hasattr(base, 'load'):
                # What is ASCII is the same in this encoding.
                options.setdefault('encoding', 'latin1')
            if below is not None:
                _report.adapted(_FILE)
                self._text = file       # closes the other one if it is deleted
            super().__init__(file if below is None else below, *args, **options)

    Derived.__name__ = Derived.__qualname__ = base.__name__
    Derived.__doc__ = base.__doc__
    Derived.__module__ = base.__module__
    return Derived


def _unpacking(function):
    @functools.wraps(function)
    def call(format, data, *args, **options):
        if isinstance(data, str) and _is_old():
            _report.adapted(_STRUCT)
            data = files.as_bytes(data)
        return function(format, data, *args, **options)
    return call


def _packing(function):
    @functools.wraps(function)
    def call(format, *values):
        try:
            return function(format, *values)
        except struct.error:
            if not any(isinstance(value, str) for value in values) or not _is_old():
                raise
        _report.adapted(_STRUCT)
        return function(format, *[
            files.as_bytes(value) if isinstance(value, str) else value
            for value in values])
    return call


def _reading_csv(reader):
    @functools.wraps(reader)
    def call(lines, *args, **options):
        if isinstance(lines, (io.BufferedIOBase, io.RawIOBase)) and _is_old(('csv',)):
            _report.adapted(_CSV)
            lines = map(_decoded, lines)
        return reader(lines, *args, **options)
    return call


def _decoded(line):
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode('latin1')


def _writing_text(write):
    @functools.wraps(write)
    def call(self, data):
        if isinstance(data, str) and _is_old():
            _report.adapted(_GZIP)
            data = data.encode()
        return write(self, data)
    return call


def install(patches):
    """Let functions that read and write files accept files of the other type.

    ``six.moves.cPickle`` is ``pickle``.
    """
    patches.set(pickle, 'load', _with_bytes(_FILE, _load(pickle.load)))
    patches.set(pickle, 'loads', _loads(pickle.loads))
    patches.set(pickle, 'dump', _with_bytes(_FILE, pickle.dump, 1))
    for name in ('Pickler', 'Unpickler'):
        patches.set(pickle, name, _class(getattr(pickle, name)))
    patches.set(marshal, 'load', _with_bytes(_BYTES, marshal.load))
    patches.set(marshal, 'dump', _with_bytes(_BYTES, marshal.dump, 1))
    for name in ('load', 'save', 'savez', 'savez_compressed'):
        patches.set(numpy, name, _with_bytes(_BYTES, getattr(numpy, name)))
    for name in ('unpack', 'unpack_from'):
        patches.set(struct, name, _unpacking(getattr(struct, name)))
    patches.set(struct, 'pack', _packing(struct.pack))
    patches.set(csv, 'reader', _reading_csv(csv.reader))
    patches.set(gzip.GzipFile, 'write', _writing_text(gzip.GzipFile.write))

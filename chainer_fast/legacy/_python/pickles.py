"""Pickles of Python 2, and files that were not opened as binary ones."""
import functools
import io
import pickle

from chainer_fast.legacy import _frames, _report
from chainer_fast.legacy._python import callers

_TEXT = 'pickle.load of text of Python 2'
_FILE = 'pickle in a file of text'


def _is_old():
    return callers.wants_old_names(_frames.caller())


def _binary(file):
    """Return the file of bytes below one of text."""
    if not isinstance(file, io.TextIOBase) or not hasattr(file, 'buffer'):
        return file
    _report.adapted(_FILE)
    return file.buffer


def _load(load):
    @functools.wraps(load)
    def call(file, **options):
        if not _is_old():
            return load(file, **options)
        file = _binary(file)
        if 'encoding' in options:
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
        try:
            return loads(data, **options)
        except UnicodeDecodeError:
            if 'encoding' in options or not _is_old():
                raise
        _report.adapted(_TEXT)
        return loads(data, encoding='latin1', **options)
    return call


def _dump(dump):
    @functools.wraps(dump)
    def call(obj, file, *args, **options):
        if isinstance(file, io.TextIOBase) and _is_old():
            file.flush()
            file = _binary(file)
        return dump(obj, file, *args, **options)
    return call


def install(patches):
    """Have the functions of ``pickle`` take them; ``six.moves.cPickle`` is that."""
    for name, wrap in (('load', _load), ('loads', _loads), ('dump', _dump)):
        patches.set(pickle, name, wrap(getattr(pickle, name)))

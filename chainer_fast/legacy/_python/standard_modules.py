"""Removed modules of the standard library."""
import io
import pickle

from chainer_fast._help.past import removed
from chainer_fast.legacy._python import distutils, modules, old_modules
from chainer_fast.legacy._python.old_modules import module as _module


def _pickle():
    """Return pickle, which has another name in Python 2."""
    return _module('cPickle', pickle.__doc__, **{
        name: value for name, value in vars(pickle).items()
        if name == '__all__' or not name.startswith('__')})


class StringIO:
    """A text file, or a binary file if it starts with bytes."""

    def __init__(self, initial=''):
        is_bytes = isinstance(initial, bytes)
        self._file = io.BytesIO(initial) if is_bytes else io.StringIO(initial)

    def write(self, data):
        """Write text or bytes."""
        is_of_text = isinstance(self._file, io.StringIO)
        if is_of_text and not isinstance(data, str):
            if self._file.getvalue():
                data = bytes(data).decode('latin1')
            else:
                self._file = io.BytesIO()
        elif not is_of_text and isinstance(data, str):
            data = data.encode()
        return self._file.write(data)

    def writelines(self, lines):
        """Write several texts or bytes."""
        for line in lines:
            self.write(line)

    @property
    def len(self):
        """Number of characters or bytes."""
        return len(self._file.getvalue())

    def __getattr__(self, name):
        if name == '_file':     # of an object that is being copied
            raise AttributeError(name)
        return getattr(self._file, name)

    def __iter__(self):
        return iter(self._file)

    def __next__(self):
        return next(self._file)

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        self._file.close()


def _string_io():
    return _module('StringIO', 'Files of text, or of bytes.', StringIO=StringIO)


def _urllib2():
    import urllib.error
    import urllib.request
    return _module('urllib2', 'Of urllib.request and urllib.error.', **{
        name: getattr(module, name) for module in (urllib.request, urllib.error)
        for name in (module.__all__ + ['quote', 'unquote'])
        if hasattr(module, name)})


def _commands():
    import subprocess
    return _module('commands', 'Of subprocess.', getoutput=subprocess.getoutput,
                   getstatusoutput=subprocess.getstatusoutput)


# Modules whose contents differ from those of the module in the entry
_SPECIAL = {
    'cPickle': _pickle,
    'cStringIO': _string_io, 'StringIO': _string_io,
    'urllib2': _urllib2,
    'commands': _commands,
    'sets': lambda: _module('sets', 'Of builtins.', Set=set, ImmutableSet=frozenset),
}


def _is_module(what, entry):
    return (entry.part == 'python' and entry.last == 'Python 2.7'
            and what.isidentifier())


def install(patches):
    known = {what: (_SPECIAL.get(what), what)
             for what, entry in removed.entries().items() if _is_module(what, entry)}
    for name, make in old_modules.MODULES.items():
        known[name] = make, name
    for name, make in distutils.MODULES.items():
        known[name] = make, 'distutils'
    modules.provide(patches, known)

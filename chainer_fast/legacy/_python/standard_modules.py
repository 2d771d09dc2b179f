"""Modules of the standard library that are gone."""
import importlib
import importlib.machinery
import importlib.util
import io
import pickle
import sys
import types

from chainer_fast._past import removed
from chainer_fast.legacy._python import distutils, modules


def _module(name, doc, **contents):
    module = types.ModuleType(name, doc)
    vars(module).update(contents)
    return module


def _pickle():
    """Return pickle, which has another name in Python 2."""
    return _module('cPickle', pickle.__doc__, **{
        name: value for name, value in vars(pickle).items()
        if name == '__all__' or not name.startswith('__')})


class StringIO:
    """A file of text, or of bytes if it begins with bytes."""

    def __init__(self, initial=''):
        is_bytes = isinstance(initial, bytes)
        self._file = io.BytesIO(initial) if is_bytes else io.StringIO(initial)

    def write(self, data):
        """Write text or bytes."""
        if not isinstance(data, str) and isinstance(self._file, io.StringIO) and (
                not self._file.getvalue()):
            self._file = io.BytesIO()
        return self._file.write(data)

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


def _imp():
    def load_source(name, path, file=None):
        loader = importlib.machinery.SourceFileLoader(name, path)
        module = importlib.util.module_from_spec(
            importlib.util.spec_from_loader(name, loader))  # type: ignore[arg-type]
        sys.modules[name] = module
        loader.exec_module(module)
        return module
    return _module('imp', 'Of importlib.', load_source=load_source,
                   reload=importlib.reload, new_module=types.ModuleType)


# Those of other contents than the module that the entry names
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
    known['imp'] = (_imp, 'imp')
    for name, make in distutils.MODULES.items():
        known[name] = make, 'distutils'
    modules.provide(patches, known)

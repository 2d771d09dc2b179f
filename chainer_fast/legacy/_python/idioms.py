"""Built-in names, and attributes of built-in types, in Python 2."""
import builtins
import codecs
import collections.abc
import functools
import importlib
import sys
import types

from chainer_fast.legacy import _report
from chainer_fast.legacy._python import sources


def _cmp(a, b):
    return (a > b) - (a < b)


def _execfile(path, globals=None, locals=None):
    if globals is None:
        frame = sys._getframe(1)
        globals, locals = frame.f_globals, frame.f_locals
    with open(path, 'rb') as f:
        code = sources.compile(
            f.read(), path, is_member=bool(globals.get('__package__')))
    exec(code, globals, locals or globals)


def _apply(function, args=(), kwargs=None):
    return function(*args, **(kwargs or {}))


def _raw_input(prompt=''):
    return input(prompt)        # notebooks replace it with their own repeatedly


_NAMES = {
    'xrange': range, 'unicode': str, 'basestring': str, 'unichr': chr, 'long': int,
    'raw_input': _raw_input, 'reduce': functools.reduce, 'reload': importlib.reload,
    'intern': sys.intern, 'file': open, 'cmp': _cmp, 'execfile': _execfile,
    'apply': _apply}


def _meaning(name):
    def find():
        _report.adapted('builtins.' + name)
        return _NAMES[name]
    return find


def _attribute(what, type_, today):
    """Return a function that looks up the current attribute of objects of a type."""
    def find(owner):
        if not isinstance(owner, type_) or not hasattr(owner, today):
            return NotImplemented
        _report.adapted(what)
        return getattr(owner, today)
    return find


def _iterator(what, today):
    """Return a function that looks up a method of mappings that returns an iterator."""
    def find(owner):
        if not isinstance(owner, _MAPPINGS):
            return NotImplemented
        _report.adapted(what)
        return lambda: iter(getattr(owner, today)())
    return find


_MAPPINGS = (collections.abc.Mapping, types.MappingProxyType)
_FUNCTIONS = (types.FunctionType, types.MethodType)
_ATTRIBUTES = {
    'viewitems': ('dict.viewitems', _MAPPINGS, 'items'),
    'viewkeys': ('dict.viewkeys', _MAPPINGS, 'keys'),
    'viewvalues': ('dict.viewvalues', _MAPPINGS, 'values'),
    'has_key': ('dict.has_key', _MAPPINGS, '__contains__'),
    'next': ('iterator.next', collections.abc.Iterator, '__next__'),
    **{'func_' + name: ('function.func_' + name, _FUNCTIONS, '__%s__' % name)
       for name in ('name', 'code', 'defaults', 'globals', 'dict', 'doc', 'closure')},
    'im_func': ('method.im_func', types.MethodType, '__func__'),
    'im_self': ('method.im_self', types.MethodType, '__self__'),
}


# Values that Python 2 decoded without converting them to text.
_CODECS = {'hex', 'base64', 'zlib', 'zip', 'bz2', 'rot13', 'rot_13', 'string_escape',
           'unicode_escape', 'string-escape', 'unicode-escape', 'quopri', 'uu'}


def _decode(owner):
    if not isinstance(owner, str):
        return NotImplemented
    _report.adapted('str.decode')

    def decode(encoding=None, errors='strict'):
        if encoding not in _CODECS:
            return owner
        encoding = encoding.replace('string', 'unicode')
        is_of_text = encoding.startswith('rot')
        decoded = codecs.decode(
            owner if is_of_text else owner.encode('latin1'), encoding, errors)
        return decoded.decode('latin1') if isinstance(decoded, bytes) else decoded
    return decode


def _of_array(what, today):
    def find(owner):
        if type(owner).__module__ != 'array':
            return NotImplemented
        _report.adapted(what)
        return getattr(owner, today)
    return find


def install(patches):
    rules = sources.use(patches)
    rules.add_names({name: _meanings[name] for name in _NAMES
                     if not hasattr(builtins, name)})
    rules.add_attributes(_finders)
    # Programs for Python 3 use the same division and map with another meaning.
    rules.is_python_2 = 'python' in patches.named
    rules.has_lists = True


_meanings = {name: _meaning(name) for name in _NAMES}
_finders = {
    **{name: _attribute(*how) for name, how in _ATTRIBUTES.items()},
    **{'iter' + name: _iterator('dict.iter' + name, name)
       for name in ('items', 'keys', 'values')},
    'decode': _decode,
    'tostring': _of_array('array.array.tostring', 'tobytes'),
    'fromstring': _of_array('array.array.fromstring', 'frombytes'),
}

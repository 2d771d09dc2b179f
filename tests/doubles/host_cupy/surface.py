"""The names and parameters of CuPy: modules that have these and no others."""
import functools
import importlib
import pathlib
import types

import numpy

from tests.doubles.host_cupy import array, compiler, elementwise, registry, versions
from tests.doubles.host_cupy.ufuncs import ufunc

_WHERE = ['?%s%s->%s' % (t, t, t) for t in '?bBhHiIlLqQefdFD']
_CLIP = ['%s%s%s->%s' % (t, t, t, t) for t in '?bBhHiIlLqQefdFD']
NAMES = pathlib.Path(__file__).with_name('names.txt')
# Methods of a class that the stand-in has replaced, to be replaced anew.
_originals = {}


def read(version):
    """Return the names of a version of CuPy that ``names.txt`` lists.

    Returns
    -------
    dict
        For each module and class its members: the parameters of a function, ``'...'``
        if they are not known, or the types of a universal function as a list.
    """
    sections = {}
    for line in NAMES.read_text().replace('\n    ', ' ').splitlines():
        if line.startswith('['):
            members = sections[line.strip('[]')] = {}
        elif line and not line.startswith('#'):
            if line[0].isdigit():
                tag, _, line = line.partition(' ')
                if tag != version:
                    continue
            name, bracket, parameters = line.partition('(')
            types, colon, names = line.partition(': ')
            if bracket:
                members[name] = parameters.removesuffix(')')
            elif colon:
                members.update(dict.fromkeys(names.split(), types.split()))
            else:
                members.update(dict.fromkeys(line.split(), '...'))
    return sections


class Parameters:
    """Parameters of a function of CuPy, written like ``"a, axis=, *, dtype="``."""

    def __init__(self, name, text):
        self.name = name
        self.names, self.required = [], []
        self.positional = 0
        self.any_positional = self.any_keyword = False
        keyword_only = False
        for part in filter(None, text.split(', ')):
            if part.startswith('**'):
                self.any_keyword = True
            elif part.startswith('*'):
                self.any_positional = len(part) > 1
                keyword_only = True
            else:
                name = part.rstrip('=')
                self.names.append(name)
                self.positional += not keyword_only
                if not part.endswith('='):
                    self.required.append(name)

    def refusal(self, args, kwargs):
        """Return what is wrong with arguments, or None."""
        if len(args) > self.positional and not self.any_positional:
            return '%s() takes at most %d positional arguments, %d given' % (
                self.name, self.positional, len(args))
        for name in kwargs:
            if name not in self.names and not self.any_keyword:
                return '%s() got an unexpected keyword argument %r' % (self.name, name)
        given = self.names[:min(len(args), self.positional)]
        for name in self.required:
            if name not in given and name not in kwargs:
                return '%s() misses its argument %r' % (self.name, name)
        return None


def checked(f, name, text, other, method=False):
    """Return a function that first compares its arguments with CuPy's.

    Parameters
    ----------
    f : function
    name : str
    text, other : str or None
        Its parameters in the version and in the other one, None if it has none there.
    method : bool
        Whether the first argument is an object.
    """
    if text == '...' and text == other:
        return f
    parameters = text != '...' and Parameters(name, text)
    others = other and other not in ('...', text) and Parameters(name, other)

    @functools.wraps(f)
    def call(*args, **kwargs):
        given = args[1:] if method else args
        refusal = parameters and parameters.refusal(given, kwargs)
        if other is None or others and (
                bool(others.refusal(given, kwargs)) != bool(refusal)):
            versions.note()
        if refusal:
            raise TypeError(refusal)
        return f(*args, **kwargs)
    return call


def missing(name):
    """Return a function that tells that the stand-in lacks it."""
    def call(*args, **kwargs):
        raise NotImplementedError('the stand-in for CuPy has no %s' % name)
    call.__name__ = name.rpartition('.')[2]
    return call


def _special(name):
    """Return a function of SciPy, or None if it has none of this name.

    Without SciPy, which not every machine of tests has, it raises as an import does.
    """
    def call(*args, **kwargs):
        importlib.import_module('scipy.special')

    try:
        return getattr(importlib.import_module('scipy.special'), name, None)
    except ModuleNotFoundError:
        return call


def _ufunc(name, types, nep50, other, compute=None):
    compute = compute or getattr(numpy, name, None) or _special(name)
    if compute is None:
        return missing(name)
    compute = compiler.unary(name, compute)
    nin, nout = map(len, types[0].split('->'))
    return ufunc(name, compute, types, nin, nout, nep50, other)


def restrict(cls, listed, other):
    """Leave a class the methods of CuPy alone, and check their arguments.

    Parameters
    ----------
    cls : type
    listed, other : dict
        Its methods in the version and in the other one, as of :func:`read`.
    """
    originals = _originals.setdefault(cls, dict(vars(cls)))
    for name, value in originals.items():
        if name.startswith('_'):
            continue
        if name not in listed:
            if name in vars(cls):
                delattr(cls, name)
        elif isinstance(value, types.FunctionType) and listed[name]:
            setattr(cls, name, checked(
                value, '%s.%s' % (cls.__name__, name), listed[name], other.get(name),
                method=True))
        else:
            setattr(cls, name, value)
    for name in listed:
        if name not in originals and not name.startswith('_') and not hasattr(
                cls, name):
            setattr(cls, name, missing('%s.%s' % (cls.__name__, name)))


class _Module(types.ModuleType):
    """A module that knows the names which the other version has there."""

    _others = frozenset()

    def __getattr__(self, name):
        if name in self._others:
            versions.note()
        raise AttributeError('module %r has no attribute %r' % (self.__name__, name))


def build(sections, others, nep50):
    """Return the modules of a version, ``{name: module}``.

    Parameters
    ----------
    sections, others : dict
        What :func:`read` has returned for the version and for the other one.
    nep50 : bool
        See :class:`~tests.doubles.host_cupy.ufuncs.ufunc`.
    """
    array.routines['_where'] = _ufunc('where', _WHERE, nep50, _WHERE, numpy.where)
    array.routines['_clip'] = _ufunc('clip', _CLIP, nep50, _CLIP, numpy.clip)
    modules = {}
    for name, listed in sections.items():
        module = modules[name] = _Module(name)
        other = others.get(name, {})
        module._others = frozenset(other) - frozenset(listed)
        module.__path__ = []
        for item, entry in listed.items():
            value = module.__dict__[item] = _member(
                name, item, entry, other.get(item), nep50)
            if name == 'cupy' and isinstance(value, ufunc):
                array.routines[item] = value
    for name, module in modules.items():
        parent, _, child = name.rpartition('.')
        if parent in modules:
            setattr(modules[parent], child, module)
    return modules


def _member(module, name, entry, other, nep50):
    own = registry.exports[module].get(name)
    full = '%s.%s' % (module, name)
    if type(other) is not type(entry):
        other = None        # something else, if anything
    if own is not None:
        if isinstance(own, types.FunctionType) and isinstance(entry, str):
            return checked(own, full, entry, other)
        return own
    if isinstance(entry, list):
        return _ufunc(name, entry, nep50, other)
    if module == 'cupyx.scipy.special' and (function := _special(name)):
        return checked(elementwise.composition(name, function), full, entry, other)
    value = of_numpy(module, name)
    return missing(full) if value is None else value


def of_numpy(module, name):
    """Return a type, constant or error of NumPy that is CuPy's too, or None."""
    source = {'cupy': numpy, 'cupy.exceptions': numpy.exceptions,
              'cupy.linalg': numpy.linalg}.get(module)
    value = getattr(source, name, None)
    if isinstance(value, type):
        shared = issubclass(value, (numpy.generic, Exception, numpy.dtype, numpy.finfo,
                                    numpy.iinfo))
    else:
        shared = not callable(value) and not isinstance(value, types.ModuleType)
    return value if shared else None

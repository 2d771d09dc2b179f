"""Makes objects of the values of the language, with one library."""

import contextlib
import importlib
import inspect
import operator
import pkgutil
import warnings

import numpy as np

from compat.differential import arrays, places, things

_OPERATORS = {
    name: getattr(operator, name)
    for name in (
        '__add__',
        '__sub__',
        '__mul__',
        '__truediv__',
        '__floordiv__',
        '__pow__',
        '__matmul__',
        '__eq__',
        '__ne__',
        '__lt__',
        '__le__',
        '__gt__',
        '__ge__',
        '__neg__',
        '__abs__',
        '__pos__',
        '__getitem__',
        '__contains__',
        '__iadd__',
        '__setitem__',
        '__delitem__',
    )
}
_OPERATORS.update(
    __len__=len,
    __repr__=repr,
    __str__=str,
    __hash__=hash,
    __bool__=bool,
    __iter__=list,
    __reversed__=lambda x: list(reversed(x)),
    __call__=lambda f, *args: f(*args),
)


def _reflected(name):
    straight = _OPERATORS.get('__' + name[3:]) if name.startswith('__r') else None
    return straight and (lambda right, left: straight(left, right))


def _attribute(owner, name):
    """Return an attribute, which may be a module not imported yet; None if missing."""
    if not hasattr(owner, name) and inspect.ismodule(owner):
        with warnings.catch_warnings(), contextlib.suppress(ImportError):
            warnings.simplefilter('ignore')
            importlib.import_module('%s.%s' % (owner.__name__, name))
    return getattr(owner, name, None)


class Library:
    """Chainer or chainer_fast, whose modules are imported when a name needs them."""

    def __init__(self, name):
        self.chainer = importlib.import_module(name)
        self.name = name
        self._found = {}

    def find(self, name):
        """Return the public object of a name; a member becomes a function."""
        if name not in self._found:
            self._found[name] = self._look_up(name)
        return self._found[name]

    def _look_up(self, name):
        owner, found = None, self.chainer
        for part in name.split('.'):
            owner, found = found, _attribute(found, part)
            if found is None:
                break
        if not inspect.isclass(owner):
            if found is None:
                raise AttributeError(name)
            return found
        if isinstance(inspect.getattr_static(owner, part), (classmethod, staticmethod)):
            return found
        direct = _OPERATORS.get(part) or _reflected(part)
        return direct or (
            lambda self, *args, **kwargs: _member(self, part, args, kwargs)
        )

    def modules(self):
        """Return the names of the public modules."""
        return [
            module.name
            for module in pkgutil.walk_packages(
                self.chainer.__path__, self.name + '.', onerror=lambda name: None
            )
            if not any(part.startswith('_') for part in module.name.split('.'))
        ]


def _member(owner, name, args, kwargs):
    value = getattr(owner, name)
    return (
        value(*args, **kwargs)
        if callable(value)
        and not isinstance(value, np.ndarray)
        and inspect.isroutine(value)
        else value
    )


class Builder:
    """Makes the objects of one case, and remembers its arrays and variables."""

    def __init__(self, library):
        self.library = library
        self.arrays = []  # each array, in the order of the case
        self.objects = []  # what was given for it: a variable or the array
        self.links = []

    def build(self, node):
        if isinstance(node, list):
            return [self.build(each) for each in node]
        if isinstance(node, dict):
            return getattr(self, '_' + node['$'])(node)
        return node

    def _array(self, spec):
        values = arrays.make(spec)
        chainer = self.library.chainer
        kind = spec['as']
        if kind == 'variable':
            built = chainer.Variable(values)
        elif kind == 'parameter':
            built = chainer.Parameter(values)
        elif kind == 'constant':
            built = chainer.Variable(values, requires_grad=False)
        elif kind == 'list':
            built = values.tolist()
        else:
            built = values
        self.arrays.append(values)
        self.objects.append(built)
        return built

    def _same(self, node):
        return self.objects[node['index'] % len(self.objects)] if self.objects else None

    def _tuple(self, node):
        return tuple([self.build(each) for each in node['of']])

    def _dict(self, node):
        return {key: self.build(value) for key, value in node['of']}

    def _number(self, node):
        value, form = node['value'], node['form']
        if form == 'array':
            return np.array(value)
        if form == 'array of one':
            return np.array([value])
        return (
            {'float': float, 'bool': bool, 'str': str, 'int': int}[form](value)
            if form in ('float', 'bool', 'str', 'int')
            else np.dtype(form).type(value)
        )

    def _float(self, node):
        return float(node['value'])

    def _slice(self, node):
        return slice(*[self.build(each) for each in node['of']])

    def _ellipsis(self, node):
        return Ellipsis

    def _dtype(self, node):
        return np.dtype(node['value'])

    def _ndarray(self, node):
        return np.array(self.build(node['of']))

    def _get(self, node):
        return self.library.find(node['name'])

    def _thing(self, node):
        name = node['name']
        function = getattr(things, name, None) or getattr(places, name)
        return function(self.library.chainer, *self.build(node['args']))

    def _make(self, node):
        args = self.build(node['args'])
        kwargs = {key: self.build(value) for key, value in node['kwargs'].items()}
        made = self.library.find(node['name'])(*args, **kwargs)
        if isinstance(made, self.library.chainer.Link):
            self.links.append(made)
        return made

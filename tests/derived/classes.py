"""Classes derived from the public ones in the ways in which programs derive them.

The calls are the valid ones of `compat.differential`: each makes an object of a class,
and a scene uses it. Here the object is one of a derived class, or a copy.
"""
import contextlib
import copy
import inspect
import io
import json
import os
import pathlib
import pickle
import re
import tempfile
import warnings

from compat.differential import builder, compare, observe, specs

RECORDS = pathlib.Path(__file__).with_name('recorded.json')
_SPECIAL = {
    '__call__', '__next__', '__len__', '__getitem__', '__iter__', '__enter__',
    '__exit__'}
# What a distribution takes is a property of it; each form follows from another.
_PARAMETERS = {
    'loc', 'scale', 'log_scale', 'p', 'log_p', 'logit', 'a', 'b', 'k', 'theta',
    'alpha', 'lam', 'mu', 'sigma', 'low', 'high', 'scale_tril', 'distribution',
    'reinterpreted_batch_ndims'}
# Descriptors of compiled classes that are properties and methods.
_PROPERTIES = (
    property, type(type.__dict__['__abstractmethods__']), type(type.__basicsize__))


def recorded():
    """Return what is recorded of Chainer's classes, by their names.

    ``attributes`` are those that constructors set, ``called`` the methods and
    properties that are called, ``errors`` the uses of `cases` that Chainer cannot do,
    and ``changes`` those of the others whose outcome each of `WAYS` changes.
    """
    return json.loads(RECORDS.read_text(encoding='utf-8'))


def cases():
    """Return one call for each class and use, by the name of the class and the use."""
    found = {}
    for case in specs.all_cases():
        if not case['name'].startswith('functions.'):
            use = ' '.join(map(str, [case['scene'], *case['then'][:1]]))[:40]
            found.setdefault(case['name'], {}).setdefault(use, case)
    return found


def attributes(made):
    """Return the names of the attributes that an object has of its own."""
    slots = {
        name for cls in type(made).__mro__ for name in getattr(cls, '__slots__', ())
        if hasattr(made, name)}
    names = slots | set(getattr(made, '__dict__', ()))
    # Those with two underscores are of no use outside of their class.
    return {name for name in names if not re.match('_[A-Z][A-Za-z]*__', name)}


def without_constructor(cls, names):
    """Derive a class that only sets the attributes that Chainer's constructor sets."""
    class Derived(cls):
        def __init__(self, *args, **kwargs):
            made = cls(*args, **kwargs)
            for name in names & attributes(made):
                object.__setattr__(self, name, getattr(made, name))
    Derived.__name__ = cls.__name__
    return Derived


def with_own_parameters(cls, names=None):
    """Derive a distribution that has its parameters as properties, and no others."""
    class Derived(cls):
        def __init__(self, *args, **kwargs):
            vars(self)['made'] = cls(*args, **kwargs)
    for name in _PARAMETERS & set(dir(cls)):
        setattr(Derived, name, property(
            lambda self, name=name: getattr(self.made, name)))
    Derived.__name__ = cls.__name__
    return Derived


def overriding(cls, called=None):
    """Derive a class whose methods and properties note that they are used."""
    called = set() if called is None else called

    def noting(name, member):
        if isinstance(member, _PROPERTIES) or (
                hasattr(member, '__get__') and not callable(member)):
            def get(self):
                called.add(name)
                return member.__get__(self, cls)

            def set_(self, value):
                member.__set__(self, value)
            can_set = (
                hasattr(type(member), '__set__') and getattr(member, 'fset', True))
            return property(get, set_ if can_set else None)

        def method(self, *args, **kwargs):
            called.add(name)
            return member.__get__(self, type(self))(*args, **kwargs)
        return method

    members = {}
    for name in dir(cls):
        member = inspect.getattr_static(cls, name)
        if (name.startswith('_') and name not in _SPECIAL
                or isinstance(member, (classmethod, staticmethod, type))
                or not hasattr(type(member), '__get__')):
            continue
        with contextlib.suppress(TypeError):    # some methods are final
            _derived(cls, {name: noting(name, member)})
            members[name] = noting(name, member)
    return _derived(cls, members)


def _derived(cls, members):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', DeprecationWarning)
        return type(cls)(cls.__name__, (cls,), members)


def _copied(way):
    """Return what makes a class of a function that makes a copy of an object."""
    def derive(cls, names=None):
        return lambda *args, **kwargs: way(cls(*args, **kwargs))
    return derive


#: Classes and functions in the place of a class, by what is made of it.
WAYS = {
    'without constructor': without_constructor,
    'own parameters': with_own_parameters,
    'overriding': lambda cls, names: overriding(cls),
    'copy': _copied(copy.copy),
    'deep copy': _copied(copy.deepcopy),
    'pickle': _copied(lambda made: pickle.loads(pickle.dumps(made))),
}


class _Library(builder.Library):
    """A library with a class that is derived."""

    derived = None

    def find(self, name):
        return self.derived if name == 'derived' else super().find(name)


class Observer:
    """Makes calls of one library with other classes in the place of its own."""

    def __init__(self, library):
        self._library = _Library(library)
        self._observer, self._plain = observe.Observer(self._library), {}

    def find(self, name):
        """Return the public class of a name; None if it is none."""
        try:
            found = self._library.find(name)
        except AttributeError:
            return None
        is_own = inspect.isclass(found) and found.__module__.startswith('chainer')
        return found if is_own else None

    def outcome(self, case, cls):
        """Return the outcome of a call, with a class in the place of that named."""
        self._library.derived = cls
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder, \
                contextlib.redirect_stdout(io.StringIO()), \
                contextlib.redirect_stderr(io.StringIO()):
            os.chdir(folder)
            try:
                return self._observer.observe(dict(case, name='derived'))
            finally:
                os.chdir(before)

    def attributes(self, case, cls):
        """Return the names of attributes of the object that a call makes."""
        found = set()

        def make(*args, **kwargs):
            made = cls(*args, **kwargs)
            found.update(attributes(made))
            return made
        self.outcome(case, make)
        return found

    def called(self, case, cls):
        """Return the names of methods and properties that a call uses."""
        found = set()
        outcome = self.outcome(case, overriding(cls, found))
        return set() if 'error' in outcome else found

    def differences(self, case, cls, way, names):
        """Return how the outcome differs for what one of `WAYS` makes of a class."""
        if way == 'own parameters' and not case['name'].startswith('distributions.'):
            return ['it has no parameters']
        plain = self.plain(case, cls)
        return compare.differences(
            case, plain, self.outcome(case, WAYS[way](cls, names)))

    def plain(self, case, cls):
        """Return the outcome of a call of the class itself."""
        key = json.dumps(case)
        if key not in self._plain:
            self._plain[key] = self.outcome(case, cls)
        return self._plain[key]

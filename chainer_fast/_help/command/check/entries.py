"""The entries of ``chainer_fast._help.past.removed``, indexed by name."""
import functools
import re

from chainer_fast._help.command.check import packages
from chainer_fast._help.past import removed

# Names that NumPy 2 defines again, for suitable types.
_BACK = {'numpy.bool', 'numpy.long'}
_NAME = re.compile(r'([A-Za-z_]\w*(?:\.\w+)*)(?:\((\w+)=\))?$')


# Packages whose modules have several names each, and the packages then searched. Doing
# the same for others, such as SciPy, would import everything that the entries name.
_IDENTIFIED = {'chainer': (), 'chainermn': ('chainer',), 'onnx_chainer': ('chainer',),
               'numpy': ()}


def _root(name):
    return name.partition('.')[0]


def _key(name):
    """Return a key of a name that does not depend on its module's path."""
    owner, _, last = name.rpartition('.')
    return (id(packages.find(owner)), last) if _root(
        owner) in _IDENTIFIED and packages.is_there(owner) else name


class Entries:
    """All entries, with names and arguments apart."""

    def __init__(self):
        self._names = {}
        self._arguments = {}
        # {package: [(name, argument, entry)]} of entries that are not identified yet
        self._of_root = {}
        for entry in removed.entries().values():
            match = _NAME.match(entry.what)
            if match is None:
                continue
            name, argument = packages.usual(match[1]), match[2]
            if argument is not None:
                self._arguments.setdefault(name, {})[argument] = entry
            elif name not in _BACK and _root(name) != 'chainer':
                self._names[name] = entry
            if _root(name) in _IDENTIFIED:
                self._of_root.setdefault(_root(name), []).append(
                    (name, argument, entry))

    def _identify(self, name):
        """Look up the modules of the entries for the package of a name."""
        root = _root(name)
        for package in (root, *_IDENTIFIED.get(root, ())):
            for full, argument, entry in self._of_root.pop(package, ()):
                if argument is not None:
                    self._arguments.setdefault(
                        self._callable_key(full), {})[argument] = entry
                # The name still exists with another meaning, which idioms check.
                elif not ((package == 'chainer' or full in _BACK)
                          and packages.is_there(full)):
                    self._names[_key(full)] = self._names[full] = entry

    @staticmethod
    def _callable_key(name):
        """Return the key of a callable, since functions have several names."""
        owner = name.rpartition('.')[0].rpartition('.')[2]
        if _root(name) in _IDENTIFIED and packages.is_there(
                name) and not owner[:1].isupper():
            return id(packages.find(name))
        return _key(name)

    def name(self, name):
        """Return the entry of a full name, or None."""
        self._identify(name)
        return self._names.get(name) or self._names.get(_key(name))

    def arguments(self, name):
        """Return ``{argument: entry}`` of the callable of a full name."""
        self._identify(name)
        return (self._arguments.get(name)
                or self._arguments.get(self._callable_key(name), {}))

    def method(self, owner, name):
        """Return the entry of a member of a class, given the class's full name."""
        self._identify(owner)
        for key in self._keys(owner, name):
            if key in self._names:
                return self._names[key]
        return None

    def method_arguments(self, owner, name):
        """Return ``{argument: entry}`` of a method, given the class's full name."""
        self._identify(owner)
        for key in self._keys(owner, name):
            if key in self._arguments:
                return self._arguments[key]
        return {}

    @staticmethod
    def _keys(owner, name):
        yield '%s.%s' % (owner, name)
        found = packages.find(owner)
        if isinstance(found, type):
            for klass in found.__mro__:
                yield id(klass), name


@functools.cache
def entries():
    """Return the entries."""
    return Entries()


def idiom(words):
    """Return the entry of an idiom that has no name, or None."""
    return removed.entries().get(words)

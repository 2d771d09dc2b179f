"""The entries of ``chainer_fast._past.removed``, by the things that they name."""
import functools
import re

from chainer_fast._command.check import packages
from chainer_fast._past import removed

# Names that NumPy 2 has again, for types that serve.
_BACK = {'numpy.bool', 'numpy.long'}
_NAME = re.compile(r'([A-Za-z_]\w*(?:\.\w+)*)(?:\((\w+)=\))?$')


def _key(name):
    """Return what identifies a name, whichever of its module's paths is used."""
    owner, _, last = name.rpartition('.')
    return (id(packages.find(owner)), last) if packages.is_there(owner) else name


class Entries:
    """All entries, with names and arguments apart."""

    def __init__(self):
        self._names = {}
        self._arguments = {}
        for entry in removed.entries().values():
            match = _NAME.match(entry.what)
            if match is None:
                continue
            name, argument = packages.usual(match[1]), match[2]
            if argument is None:
                # What has its name still has another meaning: idioms look for it.
                if not ((name.startswith('chainer') or name in _BACK)
                        and packages.is_there(name)):
                    self._names[_key(name)] = self._names[name] = entry
            else:
                for key in (name, self._callable_key(name)):
                    self._arguments.setdefault(key, {})[argument] = entry

    @staticmethod
    def _callable_key(name):
        """Return the same for a callable: those of modules have several names."""
        owner = name.rpartition('.')[0].rpartition('.')[2]
        if packages.is_there(name) and not owner[:1].isupper():
            return id(packages.find(name))
        return _key(name)

    def name(self, name):
        """Return the entry of a full name, or None."""
        return self._names.get(name) or self._names.get(_key(name))

    def arguments(self, name):
        """Return ``{argument: entry}`` of the callable of a full name."""
        return (self._arguments.get(name)
                or self._arguments.get(self._callable_key(name), {}))

    def method(self, owner, name):
        """Return the entry of a member of a class, given the class's full name."""
        for key in self._keys(owner, name):
            if key in self._names:
                return self._names[key]
        return None

    def method_arguments(self, owner, name):
        """Return ``{argument: entry}`` of a method, given the class's full name."""
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
    """Return the entry of an idiom that has no name, or None while there is none."""
    return removed.entries().get(words)

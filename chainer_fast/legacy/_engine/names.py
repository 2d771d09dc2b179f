"""Names of parameters, persistent values and children: lists in version 1."""
import collections.abc

from chainer_fast.legacy import _frames, _report
from chainer_fast.link import Chain, Link

_METHODS = ('append', 'count', 'extend', 'index', 'insert', 'reverse', 'sort')


class Names(collections.abc.MutableSet):
    """A set of names that also has the methods of a list.

    Changes of it change the link; a copy of it is independent.

    Parameters
    ----------
    names : set of str
        The set to read and change.
    what : str
        Name of the entry under which uses as a list are counted.
    """

    def __init__(self, names, what):
        self._names, self._what = names, what

    @classmethod
    def _from_iterable(cls, names):
        return set(names)

    def __contains__(self, name):
        return name in self._names

    def __iter__(self):
        return iter(sorted(self._names))

    def __len__(self):
        return len(self._names)

    def __repr__(self):
        return repr(sorted(self._names))

    def __eq__(self, other):
        if isinstance(other, list):
            return sorted(self._names) == sorted(other)
        return self._names == other

    __hash__ = None

    def add(self, name):
        """Add a name."""
        self._names.add(name)

    def discard(self, name):
        """Remove a name if the set contains it."""
        self._names.discard(name)

    def __getitem__(self, index):
        _report.adapted(self._what)
        return sorted(self._names)[index]

    def __delitem__(self, index):
        names = self[index]
        for name in names if isinstance(names, list) else [names]:
            self._names.discard(name)

    def __add__(self, other):
        _report.adapted(self._what)
        return sorted(self._names) + list(other)

    def __iadd__(self, other):
        _report.adapted(self._what)
        self._names.update(other)
        return self

    def pop(self, *index):
        """Remove and return a name: the one at an index, if an index is given."""
        if not index:
            return self._names.pop()
        name = self[index[0]]
        self._names.discard(name)
        return name

    def copy(self):
        """Return the names as an independent set."""
        return Names(set(self._names), self._what)

    __copy__ = copy

    def __getattr__(self, name):
        if name not in _METHODS:
            # Unpickling accesses attributes before the set exists.
            if name.startswith('_'):
                raise AttributeError('names of a link have no attribute %r' % name)
            return getattr(self._names, name)
        _report.adapted(self._what)
        return getattr(self, '_list_' + name)

    def _list_append(self, name):
        self._names.add(name)

    def _list_extend(self, names):
        self._names.update(names)

    def _list_insert(self, index, name):
        self._names.add(name)

    def _list_count(self, name):
        return int(name in self._names)

    def _list_index(self, name):
        return sorted(self._names).index(name)

    def _list_sort(self, **options):
        """Do not change the order."""

    _list_reverse = _list_sort


def _view(attribute, what):
    """Return a property that shows a set of names to programs as a list, too."""

    def get(self):
        try:
            names = self.__dict__[attribute]
        except KeyError:
            raise AttributeError('%r object has no attribute %r' % (
                type(self).__name__, attribute)) from None
        return Names(names, what) if _frames.is_called_by_program() else names

    def put(self, names):
        if isinstance(names, Names):
            names = names._names
        self.__dict__[attribute] = names if isinstance(names, set) else set(names)

    return property(get, put)


def install(patches):
    """Let the sets of names of links be used as lists."""
    for cls, attribute in (
            (Link, '_params'), (Link, '_persistent'), (Chain, '_children')):
        patches.set(cls, attribute, _view(
            attribute, 'chainer.%s.%s as a list' % (cls.__name__, attribute)))

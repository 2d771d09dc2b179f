"""The public names of Chainer that cases have to be about, read off the package."""

import inspect

#: Modules whose callables are walked, and what to call them in a table.
MODULES = {
    'functions': 'functions',
    'links': 'links',
    'optimizers': 'optimizers',
    'optimizer_hooks': 'optimizer hooks',
    'link_hooks': 'link hooks',
    'function_hooks': 'function hooks',
    'distributions': 'distributions',
    'initializers': 'initializers',
    'iterators': 'iterators',
    'datasets': 'data sets',
    'dataset': 'data sets',
    'dataset.tabular': 'data sets',
    'dataset.convert': 'converters',
    'training': 'training',
    'training.triggers': 'triggers',
    'training.extensions': 'extensions',
    'training.updaters': 'training',
    'serializers': 'serializers',
}
#: Classes whose members are walked.
CLASSES = {
    'Variable': 'variables',
    'Parameter': 'variables',
    'Link': "links' members",
    'Chain': "links' members",
    'ChainList': "links' members",
    'Sequential': "links' members",
}
# What every object has, and what Python itself asks.
_OBJECT = {name for name in dir(object)} | {
    '__module__',
    '__dict__',
    '__weakref__',
    '__slots__',
    '__abstractmethods__',
    '__getstate__',
    '__class_getitem__',
    '__array_priority__',
    '__doc__',
}
_SPECIAL = {
    '__eq__',
    '__ne__',
    '__lt__',
    '__le__',
    '__gt__',
    '__ge__',
    '__hash__',
    '__repr__',
    '__str__',
}


def field(name):
    """Return the field of a name, for the table at the end."""
    first, _, rest = name.partition('.')
    if first in CLASSES:
        return CLASSES[first]
    module = name.rpartition('.')[0]
    return MODULES.get(module, 'utilities' if module else 'root')


def public(library):
    """Return the public callables, and the members of the classes that users derive."""
    found = []
    chainer = library.chainer
    for module in ('', *MODULES):
        owner = library.find(module) if module else chainer
        found += [
            '%s.%s' % (module, name) if module else name
            for name in dir(owner)
            if not name.startswith('_') and callable(getattr(owner, name))
        ]
    for name in CLASSES:
        cls = getattr(chainer, name)
        # A member that a base has as well is that base's.
        bases = [
            base
            for base in CLASSES
            if base != name and issubclass(cls, getattr(chainer, base))
        ]
        for member in dir(cls):
            if member in _OBJECT and member not in _SPECIAL:
                continue
            if member.startswith('_') and not member.startswith('__'):
                continue
            if any(_same(cls, getattr(chainer, base), member) for base in bases):
                continue
            found.append('%s.%s' % (name, member))
    return sorted(set(found))


def _same(cls, base, member):
    missing = object()
    return inspect.getattr_static(cls, member) is inspect.getattr_static(
        base, member, missing
    )


def without(names, cases):
    """Return the names that no case is about.

    A case that makes an object of a class, or hands a name to another, is about it.
    """
    about = set()

    def look(node):
        if isinstance(node, dict):
            if 'name' in node and node.get('$') in (None, 'make', 'get'):
                about.add(node['name'])
            for each in node.values():
                look(each)
        elif isinstance(node, list):
            for each in node:
                look(each)

    for each in cases:
        look(each)
        if each['then'] and isinstance(each['then'][0], str):
            about.add('%s.%s' % (each['name'], each['then'][0]))
    return sorted(set(names) - about)

"""Attributes of modules that are gone."""
import functools
import importlib
import re

from chainer_fast._help.past import removed
from chainer_fast.legacy import _attributes, _frames, _report
from chainer_fast.legacy._python import callers


@functools.cache
def today(what):
    """Return what the entry of an old name tells to write: a module, or its attribute.

    The entry has to say ``write NAME``, with a name that can be imported.
    """
    module, _, attribute = removed.entries()[what].instead.removeprefix(
        'write ').rpartition('.')
    if not module:
        try:
            return getattr(importlib.import_module('builtins'), attribute)
        except AttributeError:
            return importlib.import_module(attribute)
    try:
        return importlib.import_module('%s.%s' % (module, attribute))
    except ImportError:
        pass
    try:
        return getattr(importlib.import_module(module), attribute)
    except ImportError:     # a class, as in str.split
        return getattr(today_of(module), attribute)


def today_of(name):
    """Return a class by its full name; those of ``builtins`` have none."""
    module, _, attribute = name.rpartition('.')
    return getattr(importlib.import_module(module or 'builtins'), attribute)


def of(module, part):
    """Return the names that a module lacks and a part of legacy mode has."""
    pattern = re.compile(re.escape(module) + r'\.(\w+)')
    return [match[1] for what, entry in removed.entries().items()
            if entry.part == part and (match := pattern.fullmatch(what))]


def provide(patches, module, part, special=()):
    """Give a module the attributes that it had, and count their uses.

    They are those of the entries of a part of legacy mode, found when they are used.

    Parameters
    ----------
    patches : Patches
    module : module
    part : str
    special : dict
        Names, and functions without arguments that return their values, where the entry
        does not tell.
    """
    special = dict(special)
    names = {name for name in of(module.__name__, part) if name not in vars(module)}
    names.update(special)

    def find(name, is_use):
        if not callers.wants_old_names(_frames.caller()):
            return NotImplemented
        what = '%s.%s' % (module.__name__, name)
        value = special[name]() if name in special else today(what)
        if is_use and removed.entries()[what].part:
            _report.adapted(what)
        return value
    _attributes.look_up(patches, module, names, find)


def set_counted(patches, owner, name, what, function):
    """Give a class a method or a module a function that counts its calls."""
    def counted(*args, **kwargs):
        _report.adapted(what)
        return function(*args, **kwargs)
    counted.__name__ = name
    counted.__doc__ = function.__doc__
    patches.set(owner, name, counted)

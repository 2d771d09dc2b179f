"""Removed attributes of modules."""
import functools
import importlib
import re

from chainer_fast._help.past import removed
from chainer_fast.legacy import _attributes, _frames, _report
from chainer_fast.legacy._python import callers


@functools.cache
def today(what):
    """Return the replacement in the entry of an old name: a module or its attribute.

    The entry must contain ``write NAME``, with a name that can be imported.
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
    """Return a class by its full name; that of a built-in has no module."""
    module, _, attribute = name.rpartition('.')
    return getattr(importlib.import_module(module or 'builtins'), attribute)


def of(module, part):
    """Return the names that a module lacks and a part of legacy mode has."""
    pattern = re.compile(re.escape(module) + r'\.(\w+)')
    return [match[1] for what, entry in removed.entries().items()
            if entry.part == part and (match := pattern.fullmatch(what))]


def provide(patches, module, part, special=()):
    """Restore removed attributes of a module, and count their uses.

    The attributes are the entries of a part of legacy mode; they are looked up when
    they are used.

    Parameters
    ----------
    patches : Patches
    module : module
    part : str
    special : dict
        Functions without arguments that return values, by name, if the entry does not
        contain the value.
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
    """Set a method of a class, or a function of a module, that counts its calls."""
    def counted(*args, **kwargs):
        _report.adapted(what)
        return function(*args, **kwargs)
    counted.__name__ = name
    counted.__doc__ = function.__doc__
    patches.set(owner, name, counted)

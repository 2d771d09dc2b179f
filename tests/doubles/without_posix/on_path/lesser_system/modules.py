"""Modules of the standard library as code of chainer_fast sees them."""
import builtins
import enum
import signal
import sys
import types

from lesser_system import replacements

_modules = frozenset()
_names = {}
_replaced = {}
_originals = {}
_stand_ins = {}
_msvcrt = replacements.msvcrt()     # the standard library would use more of it
_import = builtins.__import__


def install(absent):
    """Replace what the import statements of the package return.

    Parameters
    ----------
    absent : dict
        What does not exist, as ``names.absent()`` returns it.
    """
    global _modules
    _modules = frozenset(absent['modules'])
    _names.update({module: frozenset(names)
                   for module, names in absent['names'].items()})
    lacking = set(absent['members']['signal.Signals'])
    _replaced.update({
        'os': {'name': 'nt', 'rename': replacements.rename, 'stat': replacements.stat,
               'fsync': replacements.fsync},
        'sys': {'platform': 'win32'},
        'signal': {
            'signal': replacements.signal_function(lacking),
            'Signals': enum.IntEnum('Signals', {
                each.name: each.value for each in signal.Signals
                if each.name not in lacking})},
    })
    _originals.update({
        (module, name): getattr(sys.modules[module], name)
        for module, names in _replaced.items() for name in names})
    builtins.__import__ = _import_statement


def is_of_package(scope):
    """Return whether a dict of globals is that of a module of chainer_fast."""
    return (scope.get('__package__') or '').partition('.')[0] == 'chainer_fast'


def _import_statement(name, globals=None, locals=None, fromlist=(), level=0):
    if level or not isinstance(globals, dict) or not is_of_package(globals):
        return _import(name, globals, locals, fromlist, level)
    if name == 'msvcrt':
        return _msvcrt
    if name in _modules or name.partition('.')[0] in _modules:
        raise ModuleNotFoundError('No module named %r' % name, name=name)
    return _seen(_import(name, globals, locals, fromlist, level))


# Warnings do not count the frames of such files, and so name the line of the import.
_import_statement.__code__ = _import_statement.__code__.replace(
    co_filename='<frozen importlib._bootstrap>')


def _seen(value):
    """Return a stand-in for a module, and any other value itself."""
    if not isinstance(value, types.ModuleType) or isinstance(value, _StandIn):
        return value
    name = value.__name__
    if name not in _stand_ins:
        inside = {*_names, *_replaced}
        changes = name in inside or any(
            module.startswith(name + '.') for module in inside)
        _stand_ins[name] = _StandIn(name) if changes else None
    return _stand_ins[name] or value


class _StandIn(types.ModuleType):
    """A module without some names; other accesses are passed to the module itself."""

    def __getattribute__(self, name):
        module = types.ModuleType.__getattribute__(self, '__name__')
        if name in _names.get(module, ()):
            raise AttributeError(
                'module %r has no attribute %r' % (module, name), name=name, obj=self)
        value = getattr(sys.modules[module], name)
        changed = _replaced.get(module, {})
        if name in changed and value is _originals[module, name]:
            return changed[name]
        return _seen(value)

    def __setattr__(self, name, value):
        setattr(sys.modules[types.ModuleType.__getattribute__(self, '__name__')],
                name, value)

    def __delattr__(self, name):
        delattr(sys.modules[types.ModuleType.__getattribute__(self, '__name__')], name)

    def __dir__(self):
        module = types.ModuleType.__getattribute__(self, '__name__')
        return [name for name in dir(sys.modules[module])
                if name not in _names.get(module, ())]

"""Attributes of modules that are gone, and modules that have moved."""
import importlib
import importlib.util
import sys

from chainer_fast.legacy import _report


def provide(patches, module, what, values):
    """Give a module further attributes, and count their uses.

    Parameters
    ----------
    patches : Patches
    module : module
    what : str
        Name of the entries, with ``%s`` for that of the attribute.
    values : dict
        Names and values.
    """
    def find(name, is_use):
        if is_use:
            _report.adapted(what % name)
        return values[name]
    look_up(patches, module, values, find)


def look_up(patches, module, names, find):
    """Have a function called for attributes that a module does not have.

    Parameters
    ----------
    patches : Patches
    module : module
    names : container of str
        The attributes.
    find : callable
        Takes a name, and whether it is used, or only asked for. Returns the value, or
        ``NotImplemented`` to have the attribute looked up as before.
    """
    outer = vars(module).get('__getattr__')

    def get(name):
        if name in names:
            # `from package import name` asks first whether the name is there.
            value = find(name, sys._getframe(1).f_code.co_name != '_handle_fromlist')
            if value is not NotImplemented:
                return value
        if outer is not None:
            return outer(name)
        raise AttributeError(
            'module %r has no attribute %r' % (module.__name__, name))
    patches.set(module, '__getattr__', get)


class Loader:
    """Hands out a module that has another name already, and leaves it as it is."""

    def __init__(self, module):
        self._module, self._spec = module, module.__spec__

    def create_module(self, spec):
        return self._module

    def exec_module(self, module):
        # The import system has written the old name into this.
        module.__spec__ = self._spec


class _Finder:
    """Importer of modules at their old places, which counts the imports."""

    def __init__(self, moved):
        self.moved = moved

    def find_spec(self, name, path=None, target=None):
        if name not in self.moved:
            return None
        module = self.moved[name]
        if isinstance(module, str):
            module = importlib.import_module(module)
        _report.adapted(name.replace('chainer_fast', 'chainer', 1))
        return importlib.util.spec_from_loader(
            name, Loader(module))  # type: ignore[arg-type]


def move(patches, moved):
    """Let modules be imported from where they were, and count the imports.

    Parameters
    ----------
    patches : Patches
    moved : dict
        Full names of old, with ``chainer_fast`` in front, to modules, or to their full
        names of today. The old name as Chainer's is that of the entry.
    """
    finder = _Finder(moved)
    sys.meta_path.insert(0, finder)

    def undo():
        sys.meta_path.remove(finder)
        for name in moved:
            for known in (name, name.replace('chainer_fast', 'chainer', 1)):
                sys.modules.pop(known, None)
            parent, _, last = name.rpartition('.')
            vars(sys.modules[parent]).pop(last, None)
    patches.call_at_end(undo)

    # Packages import their modules, so that programs read them as attributes.
    children = {}
    for name in moved:
        parent, _, last = name.rpartition('.')
        children.setdefault(parent, set()).add(last)
    for parent, names in children.items():
        def find(last, is_use, parent=parent):
            return importlib.import_module('%s.%s' % (parent, last))
        look_up(patches, importlib.import_module(parent), names, find)

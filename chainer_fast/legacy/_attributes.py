"""Removed attributes of modules, and modules that have moved."""
import importlib
import importlib.util
import sys

from chainer_fast.legacy import _report


def provide(patches, module, what, values):
    """Add attributes to a module, and count their uses.

    Parameters
    ----------
    patches : Patches
    module : module
    what : str
        Name of the entries, with ``%s`` for the name of the attribute.
    values : dict
        Values by name.
    """
    def find(name, is_use):
        if is_use:
            _report.adapted(what % name)
        return values[name]
    look_up(patches, module, values, find)


def look_up(patches, module, names, find):
    """Call a function for attributes that a module does not have.

    Parameters
    ----------
    patches : Patches
    module : module
    names : container of str
        Names of the attributes.
    find : callable
        Function of a name, and of whether the attribute is used or only tested for. It
        returns the value, or ``NotImplemented`` to look up the attribute as before.
    """
    outer = vars(module).get('__getattr__')

    def get(name):
        if name in names:
            # `from package import name` first checks whether the name exists.
            value = find(name, sys._getframe(1).f_code.co_name != '_handle_fromlist')
            if value is not NotImplemented:
                return value
        if outer is not None:
            return outer(name)
        raise AttributeError(
            'module %r has no attribute %r' % (module.__name__, name))
    patches.set(module, '__getattr__', get)


class Loader:
    """Returns a module that already has another name, unchanged."""

    def __init__(self, module):
        self._module, self._spec = module, module.__spec__

    def create_module(self, spec):
        return self._module

    def exec_module(self, module):
        # The import system has stored the old name in this attribute.
        module.__spec__ = self._spec


class _Finder:
    """Importer of modules under their old names, which counts the imports."""

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
    """Let modules be imported under their old names, and count the imports.

    Parameters
    ----------
    patches : Patches
    moved : dict
        Modules, or their current full names, by their old full names, which begin with
        ``chainer_fast``. The entry is the old name with ``chainer``.
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

    # Packages import their modules, so that programs access them as attributes.
    children = {}
    for name in moved:
        parent, _, last = name.rpartition('.')
        children.setdefault(parent, set()).add(last)
    for parent, names in children.items():
        def find(last, is_use, parent=parent):
            return importlib.import_module('%s.%s' % (parent, last))
        look_up(patches, importlib.import_module(parent), names, find)

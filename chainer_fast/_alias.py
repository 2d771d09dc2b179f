"""The names ``chainer`` and ``chainerx`` for the modules of this package.

An importer in front of all others answers for ``chainer`` and everything below it with
the module objects of ``chainer_fast``, so that no class exists twice.
"""
import importlib
import importlib.abc
import importlib.util
import os
import sys

_TARGETS = {'chainer': 'chainer_fast', 'chainerx': 'chainer_fast._chainerx'}

#: Folder with packages of these names, for processes started by this one.
SHIM = os.path.join(os.path.dirname(os.path.abspath(__file__)), '_shim')


def _target(name):
    """Return the name of the module behind an alias, or None."""
    top, _, rest = name.partition('.')
    if top not in _TARGETS:
        return None
    return _TARGETS[top] + ('.' + rest if rest else '')


class _Loader(importlib.abc.Loader):
    """Hands out a module that is loaded already, and leaves it as it is."""

    def __init__(self, module):
        self._module = module
        self._spec = module.__spec__
        self._loader = getattr(module, '__loader__', None)

    def create_module(self, spec):
        return self._module

    def exec_module(self, module):
        # The import system has written the alias into these.
        module.__spec__ = self._spec
        module.__loader__ = self._loader


class _Finder(importlib.abc.MetaPathFinder):

    def find_spec(self, name, path=None, target=None):
        real = _target(name)
        if real is None:
            return None
        try:
            module = importlib.import_module(real)
        except ModuleNotFoundError as error:
            if error.name == real or (error.name and real.startswith(error.name + '.')):
                return None
            raise
        spec = importlib.util.spec_from_loader(
            name, _Loader(module), is_package=hasattr(module, '__path__'))
        return spec


_finder = _Finder()


def install():
    """Make ``import chainer`` import this package, in this process.

    Raises
    ------
    RuntimeError
        If another ``chainer`` has been imported before.
    """
    import chainer_fast
    loaded = sys.modules.get('chainer')
    if loaded not in (None, chainer_fast) and not _is_shim(loaded):
        raise RuntimeError(
            'another chainer has been imported from %s: install the alias before the '
            'first import of chainer, in a new process' % loaded.__file__)
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
    for name in _TARGETS:
        if _is_shim(sys.modules.get(name)):
            del sys.modules[name]


def _is_shim(module):
    """Tell whether a module is a package that only leads here."""
    return getattr(module, '_leads_to_chainer_fast', False)


def uninstall():
    """Undo :func:`install`: the names are looked up as usual again."""
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)
    for name in [name for name in sys.modules if _target(name) is not None]:
        del sys.modules[name]

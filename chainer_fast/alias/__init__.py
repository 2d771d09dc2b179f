"""The names ``chainer``, ``chainermn``, ... for the modules of this package.

An importer before all others maps these names and everything below them to the module
objects of ``chainer_fast``, so that no class exists twice.
"""
from __future__ import annotations

import importlib
import importlib.util
import os
import sys

from chainer_fast._help.past import missing_names
from chainer_fast.alias import _shown

_TARGETS = {
    'chainer': 'chainer_fast', 'chainermn': 'chainer_fast.mn',
    'chainerx': 'chainer_fast.chainerx', 'onnx_chainer': 'chainer_fast.onnx'}

#: Folder with packages of these names, for processes started by this one.
SHIM = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'shim')


def _target(name):
    """Return the name of the module that an alias refers to, or None."""
    top, _, rest = name.partition('.')
    if top not in _TARGETS:
        return None
    return _TARGETS[top] + ('.' + rest if rest else '')


def _name_loaded_modules():
    """Register all loaded modules of the package under their aliases.

    After importing a submodule, Python assigns it to the attribute of that name in its
    package. A function of the same name may have replaced it there, as in
    ``chainer.utils.experimental``. A module that is already registered is not changed.
    """
    for name, module in list(sys.modules.items()):
        new = None
        for alias, real in _TARGETS.items():
            if name == real or name.startswith(real + '.'):
                other = alias + name[len(real):]
                if other not in sys.modules:
                    sys.modules[other], new = module, other
        if new is not None:
            # By the last alias: the others refer to parts of the first one's target.
            _shown.rename(name, new)


class _Loader:
    """Returns a module that is already loaded, unchanged."""

    def __init__(self, module) -> None:
        self._module = module
        self._spec = module.__spec__

    def create_module(self, spec):
        return self._module

    def exec_module(self, module) -> None:
        # The import system has stored the alias in this attribute.
        module.__spec__ = self._spec
        _name_loaded_modules()


class _Finder:

    def find_spec(self, name: str, path=None, target=None):
        real = _target(name)
        if real is None:
            return None
        try:
            module = importlib.import_module(real)
        except ModuleNotFoundError as error:
            if error.name == real:
                missing_names.check_module(name)
                return None
            raise
        # Typeshed requires a method that loaders have not needed since Python 3.4.
        return importlib.util.spec_from_loader(
            name, _Loader(module),  # type: ignore[arg-type]
            is_package=hasattr(module, '__path__'))


_finder = _Finder()


def install() -> None:
    """Make ``import chainer`` import this package, in this process.

    Raises
    ------
    RuntimeError
        If another ``chainer`` has been imported before.
    """
    # The others are imported when the program imports them.
    modules = {alias: importlib.import_module(real) for alias, real in _TARGETS.items()
               if alias == 'chainer' or alias in sys.modules}
    for alias, module in modules.items():
        loaded = sys.modules.get(alias, module)
        if loaded is not module and not hasattr(loaded, '_leads_to_chainer_fast'):
            raise RuntimeError(
                'another %s has been imported, %r: install the alias before the first '
                'import of it, in a new process' % (alias, loaded))
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
    sys.modules.update(modules)
    _name_loaded_modules()


def uninstall() -> None:
    """Undo :func:`install`, so that the names are looked up as usual again."""
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)
    for name in [name for name in sys.modules if _target(name) is not None]:
        del sys.modules[name]
    _shown.undo()

"""Removed modules."""
import importlib
import importlib.util
import sys

from chainer_fast.legacy import _attributes, _frames, _report
from chainer_fast.legacy._python import callers, names


class _Finder:
    """Importer of modules under their old names, which counts the first import."""

    def __init__(self, known):
        self.known = known
        self.loaded = {}

    def find_spec(self, name, path=None, target=None):
        if name not in self.known or not callers.wants_old_names(_frames.caller()):
            return None
        make, what = self.known[name]
        module = names.today(what) if make is None else make()
        self.loaded[name] = module
        _report.adapted(what)
        return importlib.util.spec_from_loader(
            name, _attributes.Loader(module),  # type: ignore[arg-type]
            is_package=hasattr(module, '__path__'))

    def forget(self):
        sys.meta_path.remove(self)
        for name, module in self.loaded.items():
            sys.modules.pop(name, None)
            parent, _, last = name.rpartition('.')
            owner = sys.modules.get(parent)     # None if it was also created here
            if owner is not None and vars(owner).get(last) is module:
                delattr(owner, last)


def provide(patches, known, is_first=False):
    """Let removed modules be imported.

    Parameters
    ----------
    patches : Patches
    known : dict
        Pairs by full name: a function that returns the module, or None if the entry
        names it; and the name of the entry.
    is_first : bool
        Whether they take precedence over installed modules.
    """
    finder = _Finder(known)
    sys.meta_path.insert(0 if is_first else len(sys.meta_path), finder)
    patches.call_at_end(finder.forget)

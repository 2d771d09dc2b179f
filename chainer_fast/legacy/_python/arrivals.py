"""Callbacks at the first import of a module, so that legacy mode imports none."""
import sys


class _Loader:
    """Loads a module by another loader, and calls functions with it."""

    def __init__(self, loader, functions):
        self._loader = loader
        self._functions = functions

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        # Code that looks up the loader expects the real one.
        module.__loader__ = module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        for function in self._functions:
            function(module)


class _Finder:

    def __init__(self):
        self.waiting = {}

    def find_spec(self, name, path=None, target=None):
        functions = self.waiting.pop(name, None)
        if functions is None:
            return None
        for finder in sys.meta_path:
            if finder is not self:
                spec = finder.find_spec(name, path, target)
                if spec is not None and spec.loader is not None:
                    spec.loader = _Loader(spec.loader, functions)
                    return spec
        self.waiting[name] = functions
        return None


_finders = {}


def when_imported(patches, name, function):
    """Call a function with a module, now or when it is imported."""
    if name in sys.modules:
        function(sys.modules[name])
        return
    finder = _finders.get(id(patches))
    if finder is None:
        finder = _finders[id(patches)] = _Finder()
        sys.meta_path.insert(0, finder)

        def undo():
            del _finders[id(patches)]
            sys.meta_path.remove(finder)
        patches.call_at_end(undo)
    finder.waiting.setdefault(name, []).append(function)

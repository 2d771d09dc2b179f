"""Names that the user of an unpickler allows."""
import importlib
import inspect
import pickle

from chainer_fast.serializers import _class_paths


class Allowed:
    """Names and objects that the user of an unpickler allows.

    Parameters
    ----------
    entries : sequence of str, type or function
        Full names, names of modules followed by ``.*``, or the objects themselves.

    Raises
    ------
    TypeError
        If an entry is something else.
    """

    def __init__(self, entries):
        if isinstance(entries, str) or callable(entries):
            entries = entries,
        self._objects, self._names, self._modules = {}, set(), []
        for entry in entries:
            if isinstance(entry, str):
                if entry.endswith('.*'):
                    self._modules.append(entry[:-2])
                else:
                    self._names.add(entry)
            elif inspect.isclass(entry) or inspect.isroutine(entry):
                self._objects[entry.__module__ + '.' + entry.__qualname__] = entry
            else:
                raise TypeError(
                    'allow accepts names such as "mymodule.MyModel" or "mypackage.*", '
                    'classes and functions, not %r' % (entry,))

    def find(self, module, name):
        """Return the object of a name in a pickle, and whether it may be called.

        Both are None if it is not allowed. If a whole module is allowed, its
        functions can only be used as values.
        """
        path = module + '.' + name
        real, real_name = _class_paths.today(module, name)
        for known in path, real + '.' + real_name:
            if known in self._objects:
                return self._objects[known], True
        is_named = path in self._names or real + '.' + real_name in self._names
        if not is_named and not any(
                (module + '.').startswith(allowed + '.') for allowed in self._modules):
            return None, None
        found = importlib.import_module(real)
        for part in real_name.split('.'):
            if not hasattr(found, part):
                raise pickle.UnpicklingError(
                    'the pickle names %s, but %s does not exist' % (path, part))
            found = getattr(found, part)
            # Allowing a module does not allow names that it imports.
            if not is_named and not (
                    inspect.isclass(found) or inspect.isfunction(found)) or (
                    not is_named and found.__module__ != real):
                raise pickle.UnpicklingError(
                    '%s is not a class or function of the module %s: if you trust it, '
                    'pass allow=(%r,) to load_pickle' % (path, module, path))
        return found, is_named or inspect.isclass(found)

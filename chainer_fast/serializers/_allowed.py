"""What the user of an unpickler admits."""
import importlib
import inspect
import pickle

from chainer_fast.serializers import _class_paths


class Allowed:
    """Names and objects that the user of an unpickler admits.

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
                    'allow takes names such as "mymodule.MyModel" or "mypackage.*", '
                    'classes and functions, not %r' % (entry,))

    def find(self, module, name):
        """Return what a name in a pickle stands for, and whether it may be called.

        Both are None if it is not admitted. Of a module that is named as a whole,
        functions are values only.
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
                    'the pickle names %s, but there is no %s' % (path, part))
            found = getattr(found, part)
            # The name of a module does not admit what it imports from others.
            if not is_named and not (
                    inspect.isclass(found) or inspect.isfunction(found)) or (
                    not is_named and found.__module__ != real):
                raise pickle.UnpicklingError(
                    '%s is no class or function of the module %s: if you trust it, '
                    'pass allow=(%r,) to load_pickle' % (path, module, path))
        return found, is_named or inspect.isclass(found)

"""How a source may spell the full name of an object."""
import builtins

from chainer_fast._help.command.check import packages

_ALIASES = {'chainer.links': 'L', 'chainer.functions': 'F', 'numpy': 'np'}
# Packages that import all their modules.
_WHOLE = ('chainer', 'numpy')


class Speller:
    """Finds names that a source already binds, and adds imports for others.

    Parameters
    ----------
    edits : Edits
        Receives the imports.
    """

    def __init__(self, edits):
        self._edits = edits

    def spell(self, name, scope):
        """Return code for a full name in a scope, or None."""
        parts = name.split('.')
        if hasattr(builtins, parts[0]) or len(parts) == 1:      # as in str.upper
            return name if hasattr(builtins, parts[0]) and scope.lookup(
                parts[0]) is None else None
        module = '.'.join(parts[:-1])
        for length in range(len(parts) - 1, 0, -1):
            bound = self._bound('.'.join(parts[:length]), scope)
            if length < len(parts) - 1 and module in _ALIASES and scope.lookup(
                    _ALIASES[module]) is None:
                break       # the usual import is better than a long name
            if bound is not None:
                if length < len(parts) - 1 and not module.startswith(_WHOLE):
                    self._edits.add_import('import ' + module)
                return '.'.join([bound, *parts[length:]])
        return self._imported(parts, scope)

    @staticmethod
    def _bound(name, scope):
        """Return a name that only imports bind to a module, or None."""
        start = scope
        while scope is not None:
            for local, values in scope.bindings.items():
                # A parameter, for example, may hide the import of a module.
                if start.lookup(local) is values and all(
                        isinstance(value, str) and packages.usual(value) == name
                        for value in values):
                    return local
            scope = scope.parent
        return None

    def _imported(self, parts, scope):
        module, last = '.'.join(parts[:-1]), parts[-1]
        alias = _ALIASES.get(module, '')
        real = module
        if parts[0] == 'chainer' and self._uses_own_name(scope):
            real = 'chainer_fast' + module.removeprefix('chainer')
        if alias and scope.lookup(alias) is None:
            self._edits.add_import('import %s as %s' % (real, alias))
            return '%s.%s' % (alias, last)
        if scope.lookup(parts[0]) is None:
            if real != module:
                self._edits.add_import('import chainer_fast as chainer')
            else:
                whole = module.startswith(_WHOLE)
                self._edits.add_import('import ' + (parts[0] if whole else module))
            return '.'.join(parts)
        return None

    @staticmethod
    def _uses_own_name(scope):
        """Return whether a source imports chainer_fast, and not chainer."""
        return any(isinstance(value, str) and value.startswith('chainer_fast')
                   for values in scope.module().bindings.values() for value in values)

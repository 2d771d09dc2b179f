"""What an expression may refer to, as far as the source shows."""
import ast
import builtins
from typing import Any, NamedTuple

from chainer_fast._help.command.check import packages
from chainer_fast._help.command.check.entries import entries
from chainer_fast._help.command.check.scopes import Builder, ClassInfo

NAME, OBJECT, CLASS, OWN = 'name', 'object', 'class', 'own'

VARIABLE = 'chainer.Variable'
ARRAY = 'numpy.ndarray'
_ARRAY_METHODS = {
    'astype', 'copy', 'reshape', 'transpose', 'ravel', 'flatten', 'sum', 'mean', 'dot',
    'max', 'min', 'argmax', 'argsort', 'clip', 'squeeze', 'repeat', 'take', 'cumsum'}
_NOT_ARRAYS = {
    'numpy.load', 'numpy.savez', 'numpy.dtype', 'numpy.shape', 'numpy.size',
    'numpy.ndim', 'numpy.save', 'numpy.seterr', 'numpy.errstate', 'numpy.vectorize',
    'numpy.iinfo', 'numpy.finfo', 'numpy.where', 'numpy.nonzero', 'numpy.ndenumerate',
    'numpy.ndindex', 'numpy.nditer', 'numpy.testing', 'numpy.lib', 'numpy.ma',
    'numpy.polynomial', 'numpy.random.seed', 'numpy.random.RandomState',
    'numpy.unique', 'numpy.meshgrid', 'numpy.histogram'}
_FRAMES = ('pandas.read_', 'pandas.concat', 'pandas.merge', 'pandas.pivot_table')
_FRAME_METHODS = {
    'append', 'assign', 'copy', 'drop', 'drop_duplicates', 'dropna', 'fillna', 'head',
    'merge', 'rename', 'replace', 'reset_index', 'set_index', 'sort_index',
    'sort_values', 'tail'}
_ITERATORS = {'builtins.iter', 'builtins.enumerate', 'builtins.reversed'}
_XP = {'chainer.cuda.get_array_module', 'chainer.backends.cuda.get_array_module',
       'chainer.backend.get_array_module', 'cupy.get_array_module'}


class Value(NamedTuple):
    """One object that an expression may refer to.

    ``name`` is the object with a full name, ``object`` an instance of such a
    class, ``class`` a class of the source, ``own`` an instance of one. ``call``
    is the expression and scope that made an object.
    """

    kind: str
    what: Any
    call: Any = None


class Inference:
    """Inference for the expressions of one module."""

    def __init__(self, tree):
        builder = Builder(tree)
        self.scopes = builder.scopes
        self._self_name = builder.self_name
        self._flow = builder.flow
        self._known = {}

    def values(self, node, scope):
        """Return what an expression may refer to: a tuple, empty if unknown."""
        key = id(node)
        if key not in self._known:
            self._known[key] = ()       # during the inference, against cycles
            found = self._infer(node, scope)
            self._known[key] = tuple(dict.fromkeys(found))
        return self._known[key]

    def scope_of(self, node, parents):
        """Return the scope of a node, given the parents of all nodes."""
        while parents[node] not in self.scopes:
            node = parents[node]
        return self.scopes[parents[node]]

    def names(self, node, scope):
        """Return the full names that an expression may refer to."""
        return [value.what for value in self.values(node, scope) if value.kind == NAME]

    @staticmethod
    def is_imported(node, scope):
        """Return whether the first name of a dotted one is bound by imports alone."""
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and all(
            isinstance(binding, str) for binding in scope.lookup(node.id) or ())

    def _infer(self, node, scope):
        if isinstance(node, ast.Name):
            return self._name(node, scope)
        if isinstance(node, ast.Attribute):
            return [found for value in self.values(node.value, scope)
                    for found in self.attribute(value, node.attr)] or (
                        [Value(NAME, 'numpy')] if node.attr == 'xp' else [])
        if isinstance(node, ast.Call):
            return self._call(node, scope)
        if isinstance(node, ast.BinOp):
            sides = (*self.values(node.left, scope), *self.values(node.right, scope))
            for kind in (VARIABLE, ARRAY):
                if Value(OBJECT, kind) in sides:
                    return [Value(OBJECT, kind)]
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return [Value(OBJECT, 'str')]
        if isinstance(node, (ast.Dict, ast.DictComp)):
            return [Value(OBJECT, 'dict')]
        if isinstance(node, ast.GeneratorExp):
            return [Value(OBJECT, 'iterator')]
        if isinstance(node, ast.Subscript) and any(
                value.kind == OBJECT and value.what in ('h5py.File', 'h5py.Group')
                for value in self.values(node.value, scope)):
            return [Value(OBJECT, 'h5py.Dataset')]
        if isinstance(node, ast.IfExp):
            return [*self.values(node.body, scope), *self.values(node.orelse, scope)]
        if isinstance(node, ast.BoolOp):
            return [found for value in node.values
                    for found in self.values(value, scope)]
        return []

    def _name(self, node, scope):
        owner, own_name = self._self_name(scope)
        if owner is not None and node.id == own_name:
            return [Value(OWN, owner)]
        bound = scope.lookup(node.id)
        if bound is not None:
            bound = self._flow.reaching(node, bound, scope)
            return [found for binding in bound for found in self._binding(binding)]
        starred = self._starred(node.id, scope)
        full = 'builtins.' + node.id
        if not starred and (hasattr(builtins, node.id) or (
                entries().name(full) and not scope.module().stars)):
            starred = [full]
        return [Value(NAME, name) for name in starred]

    def _starred(self, name, scope):
        """Return the full names that a name may have by ``from module import *``."""
        full = [packages.usual('%s.%s' % (module, name))
                for module in scope.module().stars]
        # Stars never imported names of built-ins, such as numpy.float.
        return [one for one in full if packages.is_there(one)
                or entries().name(one) and not hasattr(builtins, name)][-1:]

    def _binding(self, binding):
        if isinstance(binding, str):
            return [Value(NAME, packages.usual(binding))]
        if isinstance(binding, ClassInfo):
            return [Value(CLASS, binding)]
        if isinstance(binding, tuple):
            return self.values(*binding)
        return []

    def attribute(self, value, name):
        """Return what an attribute of a value may be, as a list."""
        if value.kind == NAME:
            return [Value(NAME, packages.usual('%s.%s' % (value.what, name)))]
        if value.kind == OBJECT:
            if value.what in (VARIABLE, 'chainer.Parameter') and name in (
                    'data', 'array', 'grad'):
                return [Value(OBJECT, ARRAY)]
            if value.call is not None:
                call, scope = value.call
                return [found for keyword in call.keywords if keyword.arg == name
                        for found in self.values(keyword.value, scope)]
            return []
        if value.kind == OWN:
            for klass in self.family(value.what):
                if isinstance(klass, ClassInfo) and name in klass.attributes:
                    return [found for binding in klass.attributes[name]
                            for found in self._binding(binding)]
        return []

    def family(self, info, _seen=()):
        """Return a class, its bases in the source, and full names of the others."""
        found = [info]
        for base, scope in info.bases:
            for value in self.values(base, scope):
                if value.kind == NAME:
                    found.append(value.what)
                elif value.kind == CLASS and value.what not in (info, *_seen):
                    found.extend(self.family(value.what, (info, *_seen)))
        return found

    def _call(self, node, scope):
        function = node.func
        if isinstance(function, ast.Name) and function.id == 'super':
            return self._super(scope)
        found = []
        for value in self.values(function, scope):
            if value.kind == CLASS:
                found.append(Value(OWN, value.what))
            elif value.kind == NAME:
                found.extend(self._result(value.what, node, scope))
            elif value.kind == OBJECT and self._is_link(value.what):
                found.append(Value(OBJECT, VARIABLE))
        if not found and isinstance(function, ast.Attribute):
            if function.attr == 'getvalue' and any(
                    str(value.what).endswith('StringIO')
                    for value in self.values(function.value, scope)):
                return [Value(OBJECT, 'str')]
            found.extend(value for value in self.values(function.value, scope)
                         if value in (Value(OBJECT, ARRAY), Value(OBJECT, VARIABLE))
                         and function.attr in _ARRAY_METHODS
                         or value.kind == OBJECT and function.attr in _FRAME_METHODS
                         and value.what in ('pandas.DataFrame', 'pandas.Series'))
        return found

    def _super(self, scope):
        """Return the bases of the enclosing class as objects, to look up methods."""
        owner, _ = self._self_name(scope)
        if owner is None:
            return []
        return [Value(OBJECT if value.kind == NAME else OWN, value.what)
                for base in owner.bases for value in self.values(*base)
                if value.kind in (NAME, CLASS) and value.what is not owner]

    @staticmethod
    def _is_link(name):
        return name.startswith(('chainer.links.', 'chainer.functions.'))

    def _result(self, name, node, scope):
        """Return what a call of a full name returns."""
        if name in _XP:
            return [Value(NAME, 'numpy')]
        if name in ('builtins.dict', 'builtins.str'):
            return [Value(OBJECT, name.removeprefix('builtins.'))]
        if name in _ITERATORS or name.startswith('itertools.'):
            return [Value(OBJECT, 'iterator')]
        if name.startswith(_FRAMES):
            return [Value(OBJECT, 'pandas.DataFrame')]
        thing = packages.find(name)
        if thing is packages.UNKNOWN and name.rpartition('.')[2][:1].isupper():
            return [Value(OBJECT, name)]
        if isinstance(thing, type) and not name.startswith('numpy.'):
            return [Value(OBJECT, name, (node, scope))]
        entry = entries().name(name)
        if entry is not None and name.startswith('chainer.'):
            last = name.rpartition('.')[2]
            if last[:1].isupper():
                # Links that were once exported among the functions are links.
                is_link = 'chainer.links.' in entry.instead
                return [Value(OBJECT, entry.instead.removeprefix('write ')
                              if is_link else name, (node, scope))]
        if name.startswith('chainer.functions.'):
            return [Value(OBJECT, VARIABLE)]
        if name.startswith('numpy.') and not any(
                name == other or name.startswith(other + '.')
                for other in _NOT_ARRAYS):
            return [Value(OBJECT, ARRAY)]
        return []

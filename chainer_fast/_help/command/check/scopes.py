"""Bindings of the names of a source, by scope."""
import ast
from typing import Any

from chainer_fast._help.command.check.flow import Flow

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
SCOPES = (*_FUNCTIONS, *_COMPREHENSIONS, ast.ClassDef, ast.Module)


class Scope:
    """The bindings of a module, a class, a function or a comprehension.

    Attributes
    ----------
    bindings : dict
        Lists by name. An item is a full name (a str, from an import), a ``ClassInfo``,
        a pair of an expression and its scope, or None for an unknown value.
    stars : list of str
        Modules of which all names are imported here.
    """

    def __init__(self, node, parent, owner=None):
        self.node = node
        self.parent = parent
        self.owner = owner      # the class of which this is a method
        self.bindings = {}
        self.stars = []
        self.elsewhere = {}     # names declared global or nonlocal here

    def bind(self, name, value):
        scope = self.elsewhere.get(name, self)
        scope.bindings.setdefault(name, []).append(value)

    def lookup(self, name):
        """Return the bindings of a name that is read here, as a list; None if none."""
        scope = self.elsewhere.get(name, self)
        start = scope
        while scope is not None:
            if name in scope.bindings and (
                    scope is start or not isinstance(scope.node, ast.ClassDef)):
                return scope.bindings[name]
            scope = scope.parent
        return None

    def module(self):
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope


class ClassInfo:
    """A class of the source: its bases, and the values of its attributes.

    Attributes
    ----------
    bases : list
        Pairs of an expression and its scope.
    attributes : dict
        Lists of such pairs, or of None, by the name of the attribute.
    """

    def __init__(self, node, scope):
        self.node = node
        self.bases = [(base, scope) for base in node.bases]
        self.attributes = {}

    def set(self, name, expression, scope):
        self.attributes.setdefault(name, []).append(
            None if expression is None else (expression, scope))


class Builder(ast.NodeVisitor):
    """Builds the scopes of a module; ``scopes`` maps nodes to them."""

    def __init__(self, tree):
        self.scopes = {}
        self.flow = Flow()
        self._scope: Any = None
        self._enter(tree, None)

    def _enter(self, node, owner):
        self._scope = self.scopes[node] = Scope(node, self._scope, owner)
        if isinstance(node, _FUNCTIONS):
            for argument in ast.walk(node.args):
                if isinstance(argument, ast.arg):
                    self._scope.bind(argument.arg, None)
            for statement in node.body if isinstance(node.body, list) else [node.body]:
                self.visit(statement)
        elif isinstance(node, _COMPREHENSIONS):
            for generator in node.generators:
                self._assign(generator.target, None)
            self.generic_visit(node)
        else:
            for statement in node.body:
                self.visit(statement)
        self._scope = self._scope.parent

    def _defaults(self, node):
        for default in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(default)

    def _function(self, node):
        for decorator in node.decorator_list:
            self.visit(decorator)
        self._defaults(node)
        self._scope.bind(node.name, None)
        self._enter(node, self._class())

    visit_FunctionDef = visit_AsyncFunctionDef = _function

    def visit_Lambda(self, node):
        self._defaults(node)
        self._enter(node, self._scope.owner)

    def visit_ListComp(self, node):
        self._enter(node, self._scope.owner)

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp

    def visit_ClassDef(self, node):
        for child in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(child)
        info = ClassInfo(node, self._scope)
        self._scope.bind(node.name, info)
        self._enter(node, info)
        for name, values in self.scopes[node].bindings.items():
            info.attributes.setdefault(name, []).extend(
                value if isinstance(value, tuple) else None for value in values)

    def _class(self):
        """Return the class whose body this is, or None."""
        node = self._scope.node
        return self._scope.owner if isinstance(node, ast.ClassDef) else None

    def self_name(self, scope):
        """Return the class of a method and the name of the method's ``self``."""
        while scope is not None:
            node = scope.node
            if isinstance(node, ast.FunctionDef) and scope.owner is not None:
                first = (*node.args.posonlyargs, *node.args.args)[:1]
                if any(isinstance(decorator, ast.Name)
                       and decorator.id == 'staticmethod'
                       for decorator in node.decorator_list):
                    first = ()
                return scope.owner, first[0].arg if first else None
            scope = scope.parent
        return None, None

    def visit_Name(self, node):
        self.flow.note(node)

    def _blocks(self, node):
        """Visit a statement whose blocks may run any number of times."""
        for field, value in ast.iter_fields(node):
            if isinstance(value, list):
                self.flow.enter(node, field)
                for part in value:
                    self.visit(part)
                self.flow.leave()
            elif isinstance(value, ast.AST):
                self.visit(value)

    visit_If = visit_While = visit_Try = _blocks

    def visit_Import(self, node):
        for alias in node.names:
            if alias.asname:
                self._scope.bind(alias.asname, alias.name)
            else:
                top = alias.name.partition('.')[0]
                self._scope.bind(top, top)

    def visit_ImportFrom(self, node):
        for alias in node.names:
            if alias.name == '*':
                if not node.level:
                    self._scope.stars.append(node.module)
            else:
                self._scope.bind(
                    alias.asname or alias.name,
                    None if node.level else '%s.%s' % (node.module, alias.name))

    def visit_Global(self, node):
        for name in node.names:
            self._scope.elsewhere[name] = self._scope.module()

    def visit_Nonlocal(self, node):
        for name in node.names:
            self._scope.elsewhere[name] = self._scope.parent

    def _assign(self, target, value):
        if isinstance(target, ast.Name):
            if value is not None:
                self.flow.note(value)
            self._scope.bind(
                target.id, None if value is None else (value, self._scope))
        elif isinstance(target, ast.Attribute):
            owner, name = self.self_name(self._scope)
            if owner is not None and isinstance(target.value, ast.Name) \
                    and target.value.id == name:
                owner.set(target.attr, value, self._scope)
            self.visit(target.value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            values = value.elts if isinstance(value, (ast.Tuple, ast.List)) and len(
                value.elts) == len(target.elts) else [None] * len(target.elts)
            for part, part_value in zip(target.elts, values, strict=True):
                self._assign(part, part_value)
        elif isinstance(target, ast.Starred):
            self._assign(target.value, None)
        else:
            self.visit(target)

    def visit_Assign(self, node):
        self.visit(node.value)
        for target in node.targets:
            self._assign(target, node.value)

    def visit_AugAssign(self, node):
        self.visit(node.value)
        self._assign(node.target, node.value)

    def visit_AnnAssign(self, node):
        if node.value is not None:
            self.visit(node.value)
            self._assign(node.target, node.value)

    def visit_NamedExpr(self, node):
        self.visit(node.value)
        self._assign(node.target, node.value)

    def _for(self, node):
        self._assign(node.target, None)
        self._blocks(node)

    visit_For = visit_AsyncFor = _for

    def visit_With(self, node):
        for item in node.items:
            if item.optional_vars is not None:
                # Most context managers return themselves.
                self._assign(item.optional_vars, item.context_expr)
        self.generic_visit(node)

    def visit_ExceptHandler(self, node):
        if node.name:
            self._scope.bind(node.name, None)
        self.generic_visit(node)

    def visit_Call(self, node):
        """Bind links passed to the constructor of a chain as its attributes."""
        function = node.func
        if isinstance(function, ast.Attribute):
            owner, name = self.self_name(self._scope)
            if owner is not None and function.attr == '__init__':
                for keyword in node.keywords:
                    if keyword.arg:
                        owner.set(keyword.arg, keyword.value, self._scope)
            elif owner is not None and function.attr == 'add_link' and len(
                    node.args) == 2 and isinstance(node.args[0], ast.Constant) \
                    and isinstance(function.value, ast.Name) \
                    and function.value.id == name:
                owner.set(node.args[0].value, node.args[1], self._scope)
        self.generic_visit(node)

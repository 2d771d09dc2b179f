"""List comprehensions as parts of the enclosing scope, as in Python 2.

There, comprehensions in the body of a class can access its names, and their variables
keep the last value after the loop.
"""
import ast

from chainer_fast.legacy._python import trees

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_PREFIX = '_each_'


def of_python_2(tree):
    """Move the list comprehensions of a module, in place, to the enclosing scope."""
    for scope in ast.walk(tree):
        if isinstance(scope, ast.ClassDef):
            _InClass(trees.bound_in(scope)).visit_body(scope)
    for scope in [tree, *ast.walk(tree)]:
        if isinstance(scope, (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef)):
            _keep_variables(scope)


def _names(nodes, kind):
    return {node.id for root in nodes for node in ast.walk(root)
            if isinstance(node, ast.Name) and isinstance(node.ctx, kind)}


def _targets(comprehension):
    return [generator.target for generator in comprehension.generators]


def _reported(comprehension):
    first = comprehension.generators[0]
    first.iter = trees.call(first.iter, 'in_scope_around', first.iter)


class _InClass(ast.NodeTransformer):
    """Pass the names of a class to the list comprehensions in its body."""

    def __init__(self, bound):
        self._bound = bound

    def visit_body(self, scope):
        scope.body = [self.visit(statement) for statement in scope.body]

    def visit(self, node):
        if isinstance(node, ast.ListComp):
            return self._with_names(node)
        # These have separate scopes.
        return node if isinstance(node, trees.SCOPES) else self.generic_visit(node)

    def _with_names(self, node):
        # The first iterable is in the enclosing scope in current Python, too.
        first, *others = node.generators
        inner = _names([node.elt, *first.ifs, *others], ast.Load)
        names = sorted(inner & self._bound - _names(_targets(node), ast.Store))
        if not names:
            return node
        _reported(node)
        arguments = ast.arguments([], [ast.arg(name) for name in names], None, [], [],
                                  None, [])
        call = ast.Call(ast.Lambda(arguments, node),
                        [ast.Name(name, ast.Load()) for name in names], [])
        return ast.fix_missing_locations(ast.copy_location(call, node))


class _Occurrences(ast.NodeVisitor):
    """The names in a scope, and its list comprehensions with the enclosing loops."""

    def __init__(self):
        self.names = []             # (position, name, whether it is read)
        self.comprehensions = []    # (comprehension, start of the outermost loop)
        self._loop = None
        self._inner = frozenset()

    def visit(self, node):
        if isinstance(node, ast.Name):
            if node.id not in self._inner:
                self.names.append((_start(node), node.id,
                                   isinstance(node.ctx, ast.Load)))
        elif isinstance(node, trees.COMPREHENSIONS):
            self._comprehension(node)
        elif isinstance(node, (ast.ClassDef, *_FUNCTIONS)):
            pass
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            self.visit(node.iter)
            # The target is assigned after that.
            start = _end(node.iter)
            self.names += [(start, name, False)
                           for name in _names([node.target], ast.Store)]
            self._visit_loop([*node.body, *node.orelse], start)
        elif isinstance(node, ast.While):
            self._visit_loop([node.test, *node.body, *node.orelse], _start(node))
        else:
            self.generic_visit(node)

    def _visit_loop(self, nodes, start):
        loop = self._loop
        self._loop = loop or start
        for node in nodes:
            self.visit(node)
        self._loop = loop

    def _comprehension(self, node):
        self.visit(node.generators[0].iter)
        if isinstance(node, ast.ListComp):
            self.comprehensions.append((node, self._loop))
        inner, self._inner = self._inner, self._inner | _names(
            _targets(node), ast.Store)
        comprehensions = list(self.comprehensions)
        self.generic_visit(node)
        # Inner ones belong to it.
        self.comprehensions = comprehensions
        self._inner = inner


def _start(node):
    return node.lineno, node.col_offset


def _end(node):
    return node.end_lineno, node.end_col_offset


def _is_read_next(names, name, begin, end):
    """Return whether a part of a source reads a name before it is reassigned."""
    found = min(((position, is_read) for position, other, is_read in names
                 if other == name and begin <= position < end), default=None)
    return found is not None and found[1]


class _Renamed(ast.NodeTransformer):
    def visit_Name(self, node):
        return ast.copy_location(ast.Name(_PREFIX + node.id, node.ctx), node)


def _keep_variables(scope):
    """Assign the variables of list comprehensions if they are read afterwards."""
    found = _Occurrences()
    for statement in scope.body:
        found.visit(statement)
    for node, loop in found.comprehensions:
        end = _end(node)
        variables = {target.id for target in _targets(node)
                     if isinstance(target, ast.Name)} | _names(
                         [target for target in _targets(node)
                          if isinstance(target, (ast.Tuple, ast.List))], ast.Store)
        if not any(_is_read_next(found.names, name, end, (float('inf'),))
                   or loop and _is_read_next(found.names, name, loop, _start(node))
                   for name in variables):
            continue
        _reported(node)
        for generator in node.generators:
            names = sorted(_names([generator.target], ast.Store))
            if names:
                generator.target = _Renamed().visit(generator.target)
                kept = ast.List([ast.NamedExpr(
                    ast.Name(name, ast.Store()), ast.Name(_PREFIX + name, ast.Load()))
                    for name in names], ast.Load())
                generator.ifs.insert(0, kept)
        ast.fix_missing_locations(node)

"""Syntax with another meaning in Python 3: lists, and renamed methods."""
import ast
import sys
from typing import Any

from chainer_fast._help.past.removed import _python2
from chainer_fast.legacy import _report
from chainer_fast.legacy._python import trees

# Methods that only need another name now.
_METHODS = ('__unicode__', '__nonzero__', 'next', '__div__')
_LISTS = {'map', 'filter', 'zip', 'range'}
_LISTS_OF_DICT = {'keys', 'values', 'items'}
# Methods that only lists have.
_OF_LISTS = {'append', 'count', 'extend', 'index', 'insert', 'pop', 'remove', 'reverse',
             'sort'}


class _Lists(ast.NodeTransformer):
    """Creates lists where an expression that is not a list now must be one.

    Parameters
    ----------
    bound : set of str
        Names that the module binds itself.
    """

    _is_reported = True

    def __init__(self, bound):
        self._names = _LISTS - bound

    def _gives_list(self, node):
        if not isinstance(node, ast.Call) or node.keywords:
            return False
        function = node.func
        if isinstance(function, ast.Attribute):
            return function.attr in _LISTS_OF_DICT and not node.args
        return isinstance(function, ast.Name) and function.id in self._names

    def _list(self, node):
        """Return a call that creates a list instead of one that does not do so now."""
        function, is_reported = node.func, ast.Constant(self._is_reported)
        name = getattr(function, 'id', None)
        is_open = any(isinstance(argument, ast.Starred) for argument in node.args)
        if name == 'filter' and len(node.args) == 2 and not is_open:
            return trees.call(node, 'filtered', is_reported, function, *node.args)
        if name == 'map':
            return trees.call(node, 'mapped', is_reported, function, *node.args)
        return trees.call(node, 'listed', is_reported, node)

    def visit_Subscript(self, node):
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load) and self._gives_list(node.value):
            node.value = self._list(node.value)
        return node

    def visit_Attribute(self, node):
        self.generic_visit(node)
        if node.attr in _OF_LISTS and self._gives_list(node.value):
            node.value = self._list(node.value)
        return node

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if isinstance(node.op, (ast.Add, ast.Mult)):
            node.left, node.right = [
                self._list(side) if self._gives_list(side) else side
                for side in (node.left, node.right)]
        return node

    def visit_Call(self, node):
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == 'len' and len(
                node.args) == 1 and self._gives_list(node.args[0]):
            node.args = [self._list(node.args[0])]
        return node


class _Meanings(_Lists):
    """Restores the meaning of calls that Python 3 interprets differently."""

    _is_reported = False

    def __init__(self, bound, report):
        super().__init__(bound)
        self._report = report
        self._looped = set()    # iterables of loops, which need not be lists

    # Every call returns a list, regardless of its context.
    visit_Subscript = visit_Attribute = visit_BinOp = ast.NodeTransformer.generic_visit

    def visit_For(self, node):
        self._looped.add(node.iter)
        return self.generic_visit(node)

    visit_comprehension = visit_For

    def visit_Call(self, node):
        self.generic_visit(node)
        function = node.func
        is_method = isinstance(function, ast.Attribute)
        name = function.attr if is_method else getattr(function, 'id', None)
        if name == ('sort' if is_method else 'sorted'):
            for keyword in node.keywords:
                if keyword.arg == 'cmp':
                    self._report('list.sort(cmp=)' if is_method else 'sorted(cmp=)',
                                 node.lineno)
                    keyword.arg = 'key'
                    keyword.value = trees.call(node, 'ordered', keyword.value)
        elif self._gives_list(node) and (name == 'map' or node not in self._looped):
            return self._list(node)
        return node


def _rename_methods(cls, report):
    """Rename methods to their current names unless the class defines these, too."""
    methods = {node.name: node for node in cls.body
               if isinstance(node, ast.FunctionDef)}
    for old in _METHODS:
        new, what = _python2.SPECIAL_METHODS[old]
        if old in methods and new not in methods:
            line = methods[old].lineno
            report(what, line)
            names: list[ast.expr] = [ast.Name(new, ast.Store())]
            alias = ast.Assign(names, ast.Name(old, ast.Load()), lineno=line,
                               end_lineno=line)
            cls.body.append(ast.fix_missing_locations(alias))


def of_python_2(tree, filename, bound, lines: Any = range(sys.maxsize)):
    """Restore the original meaning of the tree of a module, and return it.

    Parameters
    ----------
    tree : ast.Module
    filename : str
    bound : set of str
        Names that the module binds itself.
    lines : sequence of int
        The line of the source for each line of the tree.
    """
    def report(what, line):
        _report.adapted_at(what, filename, lines[line])

    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            _rename_methods(node, report)
    return _Meanings(bound, report).visit(tree)


def with_lists(tree, bound):
    """Create lists in a tree where anything else would fail, and return it."""
    return _Lists(bound).visit(tree)

"""Finds uses of removed APIs in the syntax tree of a source."""
import ast

from chainer_fast._help.command.check import guards, idioms
from chainer_fast._help.command.check.argument_checks import ArgumentChecks
from chainer_fast._help.command.check.finding import Finding
from chainer_fast._help.command.check.inference import Inference
from chainer_fast._help.command.check.name_checks import NameChecks
from chainer_fast._help.command.check.scopes import SCOPES


class Checker(NameChecks, ArgumentChecks):
    """Checks one module.

    Parameters
    ----------
    tree : ast.Module
    written_for : collection of str
        Versions of Chainer whose semantics the program relies on.
    is_python2 : bool
        Whether the program is one of Python 2.

    Attributes
    ----------
    found : list of tuple
        Findings, each with its node and its scope.
    imported : set of str
        Packages that the source imports, and names that it imports from others.
    """

    def __init__(self, tree, written_for=(), is_python2=False):
        self.written_for = written_for
        self.is_python2 = (is_python2 or 'python' in written_for) and not any(
            isinstance(node, ast.ImportFrom) and node.module == '__future__'
            and any(alias.name == 'division' for alias in node.names)
            for node in tree.body)
        self.inference = Inference(tree)
        self.scopes = self.inference.scopes
        self.found = []     # (finding, node, scope)
        self.given = set()  # entries that the program defines, as in `np.float = float`
        self.scope = None
        self._reported = set()
        self._guards = 0
        self.imported = {
            name.partition('.')[0] for node in ast.walk(tree)
            if isinstance(node, (ast.Import, ast.ImportFrom))
            for name in (getattr(node, 'module', None) or '',
                         *(alias.name for alias in node.names))}
        self.has_chainer = not self.imported.isdisjoint(('chainer', 'chainer_fast'))
        self._visit_all(tree.body, self.scopes[tree])

    def report(self, node, entry=None, what='', instead='', argument='', position=-1):
        """Add a finding at an expression, for an entry or for a name without one."""
        if self._guards:
            return
        what = entry.what if entry else what
        if what in self.given:
            return
        key = (node.lineno, node.col_offset, node.end_lineno, what)
        if key not in self._reported:
            self._reported.add(key)
            self.found.append((Finding(
                node.lineno, node.col_offset, node.end_lineno, node.end_col_offset,
                what, entry.instead if entry else instead,
                entry.last if entry else '', argument, position), node, self.scope))

    # Traversal of the tree.

    def _visit_all(self, nodes, scope):
        for node in nodes:
            self._visit(node, scope)

    def _visit(self, node, scope):
        self.scope = scope
        check = getattr(self, '_check_' + type(node).__name__, None)
        if check is not None:
            check(node, scope)
        idioms.check(self, node, scope)
        if isinstance(node, (ast.Try, ast.With, ast.If, ast.IfExp, ast.BoolOp)):
            self._visit_guarded(node, scope)
        elif isinstance(node, SCOPES):
            self._visit_scope(node, scope)
        else:
            self._visit_all(ast.iter_child_nodes(node), scope)

    def _visit_guarded(self, node, scope):
        outside: list[ast.AST]
        if isinstance(node, ast.Try):
            is_guard, inside = guards.catches(node), [*node.body, *node.handlers]
            outside = [*node.orelse, *node.finalbody]
        elif isinstance(node, ast.With):
            is_guard, inside = guards.expects_error(node), node.body
            outside = node.items
        else:
            is_guard = True
            outside, inside = guards.split(node, scope)
        self._visit_all(outside, scope)
        self._guards += is_guard
        self._visit_all(inside, scope)
        self._guards -= is_guard

    def _visit_scope(self, node, scope):
        inner = self.scopes[node]
        if isinstance(node, ast.ClassDef):
            self._visit_all((*node.decorator_list, *node.bases, *node.keywords), scope)
            self._visit_all(node.body, inner)
        elif isinstance(node, ast.Lambda):
            self._visit(node.args, scope)
            self._visit(node.body, inner)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self._visit_all((*node.decorator_list, node.args), scope)
            self._visit_all(node.body, inner)
        else:
            self._visit_all(ast.iter_child_nodes(node), inner)

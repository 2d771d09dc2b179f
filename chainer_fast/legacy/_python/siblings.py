"""Imports of modules beside a module, as Python 2 found them in a package."""
import ast
import importlib.util
import os

from chainer_fast.legacy import _report
from chainer_fast.legacy._python import calls

WHAT = 'import of a module beside it in the package'
_UNUSED = calls.NAME + '_sibling'


class _Finder:
    """Tells which names are modules beside a file and nowhere else."""

    def __init__(self, filename):
        self.folder = os.path.dirname(filename)
        self.is_in_package = os.path.isfile(os.path.join(self.folder, '__init__.py'))
        self.found = {}

    def is_sibling(self, name):
        first = name.partition('.')[0]
        if first not in self.found:
            self.found[first] = self.is_in_package and self._is_beside(first) and (
                importlib.util.find_spec(first) is None)
        return self.found[first]

    def _is_beside(self, name):
        path = os.path.join(self.folder, name)
        return os.path.isfile(path + '.py') or os.path.isfile(
            os.path.join(path, '__init__.py'))


class _Relative(ast.NodeTransformer):

    def __init__(self, filename):
        self._filename = filename
        self._finder = _Finder(filename)

    def _count(self, node):
        _report.adapted_at(WHAT, self._filename, node.lineno)

    def visit_ImportFrom(self, node):
        if node.level == 0 and self._finder.is_sibling(node.module):
            self._count(node)
            node.level = 1
        return node

    def visit_Import(self, node):
        if not any(self._finder.is_sibling(alias.name) for alias in node.names):
            return node
        self._count(node)
        made = []
        for alias in node.names:
            made += (self._imports(alias) if self._finder.is_sibling(alias.name)
                     else [ast.Import([alias])])
        return [ast.fix_missing_locations(ast.copy_location(statement, node))
                for statement in made]

    @staticmethod
    def _imports(alias):
        """Return the statements for ``import NAME`` of a module beside this one."""
        owner, _, last = alias.name.rpartition('.')
        if not owner or alias.asname:
            return [ast.ImportFrom(owner or None, [ast.alias(last, alias.asname)], 1)]
        first = alias.name.partition('.')[0]
        return [ast.ImportFrom(None, [ast.alias(first)], 1),
                ast.ImportFrom(owner, [ast.alias(last, _UNUSED)], 1)]


def make_relative(tree, filename):
    """Make imports relative that find nothing but a module beside a file.

    Parameters
    ----------
    tree : ast.Module
        Changed in place.
    filename : str
        The file; nothing changes if its folder is not a package.
    """
    relative = _Relative(filename)
    if relative._finder.is_in_package:
        relative.visit(tree)

"""Imports of sibling modules, as Python 2 resolved them in a package."""
import ast
import importlib.machinery
import importlib.util
import os

from chainer_fast.legacy import _report
from chainer_fast.legacy._python import calls, trees

WHAT = calls.BESIDE
_UNUSED = calls.NAME + '_sibling'


def is_member(name, filename):
    """Return whether a module is imported by its full name as part of a package.

    The same file in the folder of a package may also be a script, or be imported from
    there by its own name only.
    """
    return '.' in name or os.path.basename(filename) == '__init__.py'


class _Finder:
    """Determines which names are sibling modules of a file, with or without precedence.

    Parameters
    ----------
    filename : str
        The file.
    is_first : bool
        Whether sibling modules take precedence over others.
    """

    def __init__(self, filename, is_first):
        self.folder = os.path.dirname(filename)
        self.is_in_package = os.path.isfile(os.path.join(self.folder, '__init__.py'))
        self.is_first = is_first
        self.found = {}

    def is_sibling(self, name):
        first = name.partition('.')[0]
        if first not in self.found:
            self.found[first] = self.is_in_package and self._is_beside(first) and (
                self.is_first or importlib.util.find_spec(first) is None)
        return self.found[first]

    def is_named_as_package(self, name):
        """Return whether a sibling module has the name of the enclosing package."""
        return self.is_in_package and name == os.path.basename(
            os.path.abspath(self.folder)) and self._is_beside(name)

    def _is_beside(self, name):
        path = os.path.join(self.folder, name)
        return os.path.isfile(os.path.join(path, '__init__.py')) or any(
            os.path.isfile(path + suffix)
            for suffix in importlib.machinery.all_suffixes())


class _Relative(ast.NodeTransformer):

    def __init__(self, filename, is_first):
        self._filename = filename
        self._finder = _Finder(filename, is_first)

    def _count(self, node):
        _report.adapted_at(WHAT, self._filename, node.lineno)

    def visit_ImportFrom(self, node):
        if node.level:
            return node
        if self._finder.is_sibling(node.module):
            self._count(node)
            node.level = 1
        elif self._finder.is_named_as_package(node.module) and (
                node.names[0].name != '*'):
            return self._from_package_or_sibling(node)
        return node

    def _from_package_or_sibling(self, node):
        """Return a statement that searches the package first, then sibling modules."""
        beside = ast.ImportFrom(node.module, node.names, 1)
        count = ast.copy_location(ast.Expr(
            trees.call(node, 'found_beside')), node)
        handler = ast.ExceptHandler(
            ast.Name('ImportError', ast.Load()), None, [beside, count])
        return ast.fix_missing_locations(ast.copy_location(
            ast.Try([node], [handler], [], []), node))

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
        """Return the statements for ``import NAME`` of a sibling module."""
        owner, _, last = alias.name.rpartition('.')
        if not owner or alias.asname:
            return [ast.ImportFrom(owner or None, [ast.alias(last, alias.asname)], 1)]
        first = alias.name.partition('.')[0]
        return [ast.ImportFrom(None, [ast.alias(first)], 1),
                ast.ImportFrom(owner, [ast.alias(last, _UNUSED)], 1)]


def still_hold(filename, found):
    """Return whether other modules are found, or not, as at the time of rewriting."""
    finder = _Finder(filename, False)
    return all(finder.is_sibling(name) == is_sibling
               for name, is_sibling in found.items())


def make_relative(tree, filename, is_first=False):
    """Convert imports of sibling modules in a package to relative imports.

    Parameters
    ----------
    tree : ast.Module
        The tree, which is changed in place.
    filename : str
        The file; nothing changes if its folder is not a package.
    is_first : bool
        Whether sibling modules take precedence over others, as in Python 2 unless the
        file contains ``from __future__ import absolute_import``. Otherwise only
        siblings that do not exist elsewhere are used.

    Returns
    -------
    dict
        Names of sibling modules that were searched elsewhere, and whether they were not
        found.
    """
    is_absolute = any(
        isinstance(node, ast.ImportFrom) and node.module == '__future__'
        and any(name.name == 'absolute_import' for name in node.names)
        for node in tree.body)
    relative = _Relative(filename, is_first and not is_absolute)
    finder = relative._finder
    if finder.is_in_package:
        relative.visit(tree)
    return {} if finder.is_first else {
        name: is_sibling for name, is_sibling in finder.found.items()
        if finder._is_beside(name)}

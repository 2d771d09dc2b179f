"""Rewriting of the sources of the program at compilation.

``float(a)``, ``d.iteritems()`` and ``xrange`` cannot be patched, because they are built
into Python or belong to C types. Modules of the program, and of libraries that are not
known to be current, call helpers of :mod:`~chainer_fast.legacy._python.calls` instead.
Their compiled forms are stored in separate files (:mod:`cache`).
"""
import ast
import builtins
import functools
import importlib.machinery
import re
import sys
from typing import Any

from chainer_fast.legacy import _report
from chainer_fast.legacy._python import (
    binary,
    cache,
    callers,
    calls,
    comprehensions,
    meanings,
    siblings,
    trees,
)

_NUMBERS = {'float', 'int', 'complex'}
_ORDERS = {ast.Lt: 'lt', ast.LtE: 'le', ast.Gt: 'gt', ast.GtE: 'ge'}
# Functions that return no list.
_NO_LISTS = _NUMBERS | {'len', 'str', 'slice', 'tuple', 'abs', 'type', 'ord', 'id'}
_FORMATS = re.compile('%[^%s]*[diouxXeEfFgGcr]')


class Rules:
    """Rules of rewriting.

    Attributes
    ----------
    names : set of str
        Removed built-in names.
    attributes : set of str
        Removed attributes of objects.
    methods : set of tuple of str and int
        Removed methods that other objects still have: rewritten if they are called with
        the given number of arguments.
    are_arrays_numbers : bool
        Whether arrays of one element can be used as numbers.
    are_lists_tuples : bool
        Whether lists of lists are treated as tuples in indices of arrays, and arrays
        are compared with None as a whole, even if this has another meaning now.
    is_python_2 : bool
        Whether the program's own files have the meaning of Python 2: quotients of
        integers are integers, unless a file contains ``from __future__ import
        division``, and ``map``, ``d.keys()`` and similar functions return lists.
    has_lists : bool
        Whether these functions return lists in these files where anything else would
        fail.
    """

    def __init__(self):
        self.clear()

    def clear(self):
        """Rewrite nothing."""
        self.names = set()
        self.attributes = set()
        self.methods = set()
        self.are_arrays_numbers = False
        self.are_lists_tuples = False
        self.is_python_2 = False
        self.has_lists = False

    def add_names(self, meanings):
        """Add ``{name: function that returns its meaning}``."""
        self.names |= meanings.keys()
        calls.names.update(meanings)

    def add_attributes(self, meanings):
        """Add ``{attribute: function}``.

        The function takes an object that lacks it, and returns its meaning, or
        ``NotImplemented``.
        """
        self.attributes |= meanings.keys()
        calls.add(calls.attributes, meanings)

    def add_methods(self, meanings):
        """Add ``{(method, number of arguments): function}``."""
        self.methods |= meanings.keys()
        calls.add(calls.methods, meanings)


def _comes_first(statement):
    """Return whether a node is the docstring of a module or a ``__future__`` import."""
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    return isinstance(statement, ast.ImportFrom) and statement.module == '__future__'


def _may_be_list(index):
    """Return whether an index may be a list that NumPy treated as a tuple."""
    if isinstance(index, ast.List):
        return not all(isinstance(part, (ast.Constant, ast.UnaryOp)) and (
            getattr(part, 'value', 0) not in (None, Ellipsis)) for part in index.elts)
    if isinstance(index, ast.BinOp):
        if isinstance(index.op, ast.Mult):      # of a list and a number
            return _may_be_list(index.left) or _may_be_list(index.right)
        return (isinstance(index.op, ast.Add) and _may_be_list(index.left)
                and _may_be_list(index.right))
    if isinstance(index, ast.Call) and isinstance(index.func, ast.Name):
        return index.func.id not in _NO_LISTS
    return isinstance(index, (ast.Name, ast.Attribute, ast.Call, ast.Subscript,
                              ast.ListComp, ast.IfExp))


def _is_open(function):
    """Whether a call is one of ``open``, ``io.open`` or ``codecs.open``."""
    if isinstance(function, ast.Attribute):
        return function.attr == 'open' and getattr(function.value, 'id', None) in (
            'io', 'codecs')
    return isinstance(function, ast.Name) and function.id in ('open', 'file')


def _last_name(function):
    """Return the name of what is called, without its owner; or None."""
    return getattr(function, 'attr', None) or getattr(function, 'id', None)


class _Rewriter(ast.NodeTransformer):

    def __init__(self, rules, tree, is_python_2, is_division_whole, reading):
        self.rules = rules
        self.reading = reading      # of lists as indices
        self.opens_files = bool(rules.names)
        self.is_python_2 = is_python_2
        self.is_division_whole = is_division_whole
        self.caught = set()     # errors that the surrounding lines handle
        # A name that the module or an enclosing function binds is not a built-in name.
        self.bound = trees.bound_in(tree)

    def visit(self, node):
        if not isinstance(node, trees.SCOPES):
            return super().visit(node)
        outer = self.bound, self.caught
        # Methods cannot access the names of their class, but their defaults can.
        self.bound = self.bound | trees.bound_in(node)
        if not isinstance(node, trees.COMPREHENSIONS):
            self.caught = set()
        node = super().visit(node)
        self.bound, self.caught = outer
        return node

    def visit_Try(self, node):
        outer = self.caught
        if callers.finds_out(node):
            self.caught = outer | {'NameError', 'AttributeError'}
        elif not self.is_python_2:
            # In Python 2 the error was another one.
            self.caught = outer | callers.caught(node)
        node.body = [self.visit(statement) for statement in node.body]
        self.caught = outer
        for field in ('handlers', 'orelse', 'finalbody'):
            setattr(node, field, [self.visit(part) for part in getattr(node, field)])
        return node

    def visit_Module(self, node):
        self.generic_visit(node)
        start = next((i for i, statement in enumerate(node.body)
                      if not _comes_first(statement)), None)
        if start is not None:
            line = node.body[start].lineno
            helpers = ast.Import([ast.alias(calls.__name__, calls.NAME)], lineno=line,
                                 end_lineno=line, col_offset=0, end_col_offset=0)
            node.body.insert(start, ast.fix_missing_locations(helpers))
        return node

    def visit_Name(self, node):
        if (isinstance(node.ctx, ast.Load) and node.id in self.rules.names
                and node.id not in self.bound and 'NameError' not in self.caught):
            return trees.call(node, 'name', ast.Constant(node.id))
        return node

    def visit_match_case(self, node):
        # Its pattern must not contain calls.
        node.guard = node.guard and self.visit(node.guard)
        node.body = [self.visit(statement) for statement in node.body]
        return node

    def visit_Attribute(self, node):
        self.generic_visit(node)
        if (isinstance(node.ctx, ast.Load) and node.attr in self.rules.attributes
                and 'AttributeError' not in self.caught):
            return trees.call(node, 'attribute', node.value, ast.Constant(node.attr))
        return node

    def visit_Call(self, node):
        is_text = (isinstance(node.func, ast.Name) and node.func.id == 'unicode'
                   and 'unicode' in self.rules.names - self.bound
                   and 'NameError' not in self.caught)
        is_open = self.opens_files and _is_open(node.func)
        takes_bytes = (self.opens_files and _last_name(node.func) in binary.NAMES
                       and 'TypeError' not in self.caught)
        is_update = (self.opens_files and getattr(node.func, 'attr', None) == 'update'
                     and len(node.args) == 1 and not node.keywords)
        self.generic_visit(node)
        if is_text:
            return trees.with_first(node, 'decoded')
        if is_open:
            return trees.call_with(node, 'opened', node.func,
                                   ast.Constant(self.is_python_2))
        if takes_bytes and node.args:
            return trees.with_first(node, 'of_bytes')
        if is_update:
            node.func = trees.call(node.func, 'update_of', node.func.value)
            return node
        function, count = node.func, len(node.args)
        if any(isinstance(argument, ast.Starred) for argument in node.args):
            return node
        if isinstance(function, ast.Attribute):
            if ((function.attr, count) in self.rules.methods
                    and 'AttributeError' not in self.caught):
                node.func = trees.call(
                    function, 'method', function.value, ast.Constant(function.attr),
                    ast.Constant(count))
                return node
            # numpy.float is float.
            is_number = (isinstance(function.value, ast.Name)
                         and function.value.id == 'math'
                         or function.attr in _NUMBERS and count == 1)
        else:
            is_number = (isinstance(function, ast.Name) and function.id in _NUMBERS
                         and count == 1)
        if is_number and self.rules.are_arrays_numbers and not node.keywords:
            return trees.call(node, 'number', function, *node.args)
        return node

    def visit_Compare(self, node):
        self.generic_visit(node)
        if (self.rules.are_lists_tuples and len(node.ops) == 1
                and isinstance(node.ops[0], (ast.Eq, ast.NotEq))
                and isinstance(node.comparators[0], ast.Constant)
                and node.comparators[0].value is None):
            return trees.call(node, 'is_none', node.left,
                              ast.Constant(isinstance(node.ops[0], ast.Eq)))
        name = _ORDERS.get(type(node.ops[0]))
        if self.is_python_2 and name and len(node.ops) == 1:
            return trees.call(node, 'compared', ast.Constant(name), node.left,
                              node.comparators[0])
        return node

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if self.is_division_whole and isinstance(node.op, ast.Div):
            return trees.call(node, 'quotient', node.left, node.right)
        if (self.rules.are_arrays_numbers and isinstance(node.op, ast.Mod)
                and isinstance(node.left, ast.Constant)
                and isinstance(node.left.value, str)
                and _FORMATS.search(node.left.value)):
            return trees.call(node, 'formatted', node.left, node.right)
        return node

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        target = node.target
        # The owner of any other node would be evaluated twice.
        is_simple = isinstance(target, ast.Name) or (
            isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name))
        if not (self.is_division_whole and isinstance(node.op, ast.Div) and is_simple):
            return node
        value = ast.parse(ast.unparse(target), mode='eval').body
        for part in ast.walk(value):
            ast.copy_location(part, target)
        return ast.copy_location(ast.Assign(
            [target], trees.call(node, 'divided', value, node.value)), node)

    def visit_Subscript(self, node):
        may_be_list = _may_be_list(node.slice)
        self.generic_visit(node)
        if not self.rules.are_arrays_numbers:
            return node
        if isinstance(node.ctx, ast.Store):
            node.value = trees.call(
                node, 'target', node.value, ast.Constant(self.reading))
        elif isinstance(node.ctx, ast.Load) and may_be_list:
            return self._item(node)
        return node

    def _item(self, node):
        """Return a call instead of an item, for indices that may be lists."""
        call = trees.call(
            node, 'item', node.value, node.slice, ast.Constant(self.reading))
        if not isinstance(node.slice, ast.Name):
            return call
        # Most are numbers, and calls take time. A name can be read twice.
        kind = ast.Attribute(ast.Name(node.slice.id, ast.Load()), '__class__',
                             ast.Load())
        is_list = ast.Compare(kind, [ast.Is()], [
            ast.Attribute(ast.Name(calls.NAME, ast.Load()), 'LIST', ast.Load())])
        return ast.fix_missing_locations(ast.copy_location(
            ast.IfExp(is_list, call, node), node))


rules = Rules()


def rewrite(tree, filename='<string>', is_python2=False, found=None, is_member=False):
    """Rewrite the tree of a module, in place, and return it.

    Parameters
    ----------
    tree : ast.Module
    filename : str
    is_python2 : bool
        Whether the module is in the syntax of Python 2.
    found : dict, optional
        Receives facts about other modules.
    is_member : bool
        Whether the module is imported as part of a package, and may import sibling
        modules.
    """
    found = {} if found is None else found
    if rules.names and is_member:
        is_old = is_python2 or rules.is_python_2 and not callers.is_installed(filename)
        found.update(siblings.make_relative(tree, filename, is_first=is_old))
    if not is_python2 and not callers.is_installed(filename):
        if rules.is_python_2:
            is_python2 = True
            meanings.of_python_2(tree, filename, trees.bound_in(tree))
        elif rules.has_lists:
            meanings.with_lists(tree, trees.bound_in(tree))
    if is_python2:
        comprehensions.of_python_2(tree)
    if rules.names or rules.attributes or rules.methods or rules.are_arrays_numbers:
        is_division_whole = is_python2 and not _has_true_division(tree)
        reading = (calls.AS_THEN if rules.are_lists_tuples
                   else calls.BY_LIBRARY if callers.is_installed(filename)
                   else calls.BY_PROGRAM)
        _Rewriter(rules, tree, is_python2, is_division_whole, reading).visit(tree)
    return tree


def _has_true_division(tree):
    return any(isinstance(node, ast.ImportFrom) and node.module == '__future__'
               and any(name.name == 'division' for name in node.names)
               for node in tree.body)


def compile(source, filename, mode='exec', flags=0, dont_inherit=True, found=None,
            is_member=False):
    """Compile the source of a module, rewritten by the rules."""
    is_python2 = False
    try:
        tree = builtins.compile(source, filename, mode, flags | ast.PyCF_ONLY_AST,
                                dont_inherit)
    except SyntaxError as error:
        from chainer_fast.legacy._python import python2
        tree = python2.parse(source, str(filename), error)
        is_python2 = True
    tree = rewrite(tree, str(filename), is_python2, found, is_member)
    return builtins.compile(tree, filename, mode, flags, dont_inherit)


def _compiled(source, path, is_member):
    """Return the code of a module, cached by an earlier process or compiled now."""
    key = cache.key_of(source, path, rules, is_member)
    code = cache.load(path, key, functools.partial(siblings.still_hold, path))
    if code is None:
        found: dict[str, bool] = {}
        with _report.recorded() as adapted:
            code = compile(source, path, found=found, is_member=is_member)
        cache.save(path, key, code, adapted, found)
    return code


def use(patches):
    """Rewrite sources by :data:`rules` from now on, until the patches are undone."""
    loader = importlib.machinery.SourceFileLoader
    if 'get_code' not in vars(loader):
        original = loader.get_code

        def get_code(self, name):
            path = self.get_filename(name)
            if callers.is_of_today(name):
                return original(self, name)
            return _compiled(self.get_data(path), path,
                             siblings.is_member(name, path))
        patches.set(loader, 'get_code', get_code)
        patches.call_at_end(rules.clear)
        _use_in_notebook(patches)
        _use_in_tests(patches)
    return rules


class _Cells:
    """Transformer that IPython calls with the tree of each cell."""

    visit = staticmethod(rewrite)


def _use_in_notebook(patches):
    ipython = sys.modules.get('IPython')
    shell = ipython and ipython.get_ipython()
    if shell:
        cells = _Cells()
        shell.ast_transformers.append(cells)
        patches.call_at_end(lambda: shell.ast_transformers.remove(cells))


def _use_in_tests(patches):
    """Rewrite the modules of tests, too, which pytest compiles by itself."""
    asserts: Any = sys.modules.get('_pytest.assertion.rewrite')
    if not (hasattr(asserts, 'rewrite_asserts') and hasattr(asserts, 'PYC_TAIL')):
        return
    original = asserts.rewrite_asserts

    def rewrite_asserts(tree, source, module_path=None, config=None):
        original(tree, source, module_path, config)
        if not callers.is_installed_today(str(module_path)):
            # Pytest imports files in the folder of a package as part of the package.
            rewrite(tree, str(module_path), is_member=True)
    patches.set(asserts, 'rewrite_asserts', rewrite_asserts)
    patches.set(asserts, 'PYC_TAIL', '-legacy' + asserts.PYC_TAIL)

"""Modules in the syntax of Python 2, which fissix reads."""
import ast
import importlib.util
import typing as tp

from chainer_fast._check import idioms, python2
from chainer_fast.legacy import _report
from chainer_fast.legacy._python import trees

# Methods that need no more than another name today.
_METHODS = ('__unicode__', '__nonzero__', 'next', '__div__')
_LISTS = {'map', 'filter', 'zip', 'range'}
_LISTS_OF_DICT = {'keys', 'values', 'items'}


def parse(source, filename, error):
    """Return the tree of a module of Python 2; its lines are those of the source.

    Parameters
    ----------
    source : str or bytes
    filename : str
    error : SyntaxError
        What Python 3 says of the source.

    Raises
    ------
    SyntaxError
        The error, if the source is not in Python 2 either, or if fissix is missing.
    """
    if not python2.is_there():
        error.msg += ("; if this is Python 2, legacy mode reads it once fissix is "
                      "installed: pip install 'chainer-fast[check]'")
        raise error
    if isinstance(source, bytes):
        source = importlib.util.decode_source(source)
    try:
        text, lines, findings = python2.readable(source)
        tree = ast.parse(text, filename)
    except SyntaxError:
        raise error from None
    for finding in findings:
        _report.adapted_at(finding.what, filename, finding.line)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            _rename_methods(node, lines, filename)
    tree = _Meanings(lines, filename).visit(tree)
    _restore_lines(tree, lines)
    return tree


def _restore_lines(tree, lines):
    places: tp.Any = [node for node in ast.walk(tree) if hasattr(node, 'lineno')]
    for node in places:
        # Columns would be those of the text that fissix wrote.
        node.lineno = lines[node.lineno]
        node.end_lineno = max(node.lineno, lines[node.end_lineno])
        node.col_offset = node.end_col_offset = 0


class _Meanings(ast.NodeTransformer):
    """Makes calls that Python 3 understands in another way mean what they meant."""

    def __init__(self, lines, filename):
        self._lines, self._filename = lines, filename
        self._looped = set()    # nodes that a loop goes over, where a list is no use

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
                    _report.adapted_at(
                        'list.sort(cmp=)' if is_method else 'sorted(cmp=)',
                        self._filename, self._lines[node.lineno])
                    keyword.arg = 'key'
                    keyword.value = trees.call(node, 'ordered', keyword.value)
        elif node not in self._looped and (
                name in _LISTS_OF_DICT and not node.args if is_method
                else name in _LISTS):
            return trees.call(node, 'listed', node)
        return node


def _rename_methods(cls, lines, filename):
    """Give methods the names of today, where the class does not define these, too."""
    methods = {node.name: node for node in cls.body
               if isinstance(node, ast.FunctionDef)}
    for old in _METHODS:
        new, what = idioms.SPECIAL_METHODS[old]
        if old in methods and new not in methods:
            line = methods[old].lineno
            _report.adapted_at(what, filename, lines[line])
            names: list[ast.expr] = [ast.Name(new, ast.Store())]
            alias = ast.Assign(names, ast.Name(old, ast.Load()), lineno=line,
                               end_lineno=line)
            cls.body.append(ast.fix_missing_locations(alias))

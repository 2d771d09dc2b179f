"""Modules in the syntax of Python 2, which fissix parses."""
import ast
import importlib.util
from typing import Any

from chainer_fast._help import installation
from chainer_fast._help.past import python2
from chainer_fast.legacy import _report
from chainer_fast.legacy._python import meanings, trees


def parse(source, filename, error):
    """Return the tree of a module of Python 2; its lines are those of the source.

    Parameters
    ----------
    source : str or bytes
    filename : str
    error : SyntaxError
        Python 3's error for the source.

    Raises
    ------
    SyntaxError
        The error, if the source is not valid in Python 2, either, or if fissix is
        missing.
    """
    if not python2.is_there():
        error.msg += ('; if this is Python 2, legacy mode reads it once fissix is '
                      'installed: ' + installation.install('check'))
        raise error
    if isinstance(source, bytes):
        source = importlib.util.decode_source(source)
    try:
        text, lines, found = python2.readable(source)
        tree = ast.parse(text, filename)
    except SyntaxError:
        raise error from None
    for what, line in found:
        _report.adapted_at(what, filename, line)
    tree = meanings.of_python_2(tree, filename, trees.bound_in(tree), lines)
    _restore_lines(tree, lines)
    return tree


def _restore_lines(tree, lines):
    places: Any = [node for node in ast.walk(tree) if hasattr(node, 'lineno')]
    for node in places:
        # Columns would be those of the text that fissix wrote.
        node.lineno = lines[node.lineno]
        node.end_lineno = max(node.lineno, lines[node.end_lineno])
        node.col_offset = node.end_col_offset = 0

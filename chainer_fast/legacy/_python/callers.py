"""Whether an old program or a current library looks up a name."""
import ast
import linecache
import os

from chainer_fast.legacy import _frames
from chainer_fast.legacy._of_today import is_of_today

_CATCHING = {'ImportError', 'ModuleNotFoundError', 'AttributeError', 'NameError',
             'Exception', 'BaseException'}


def is_installed(path):
    """Return whether a file belongs to an installed library, not to the program."""
    return _frames.package_of(path) is not None


def is_installed_today(path):
    """Return whether a file belongs to a current installed library."""
    _, installed, inside = path.rpartition('site-packages' + os.sep)
    return bool(installed) and is_of_today(
        inside.partition(os.sep)[0].removesuffix('.py').removeprefix('_'))


def wants_old_names(frame):
    """Return whether code is old, and has no alternative to old names."""
    return not is_of_today(frame.f_globals.get('__name__')) and not _is_caught(frame)


def _is_caught(frame):
    """Return whether a line is inside a ``try`` that tests whether a name exists.

    Such a program uses the current name in its ``except``.
    """
    name = frame.f_code.co_filename
    if name not in _tries:
        _tries[name] = _read_tries(
            ''.join(linecache.getlines(name, frame.f_globals)))
    return any(first <= frame.f_lineno <= last for first, last in _tries[name])


_tries = {}     # {file: [(first line, last line)]}


def _read_tries(source):
    """Return where bodies of ``try`` only import modules or refer to names."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return []
    return [(node.body[0].lineno, node.body[-1].end_lineno) for node in ast.walk(tree)
            if isinstance(node, ast.Try) and finds_out(node)]


def finds_out(node):
    """Return whether a ``try`` only tests whether names or modules exist."""
    return bool(caught(node) & _CATCHING) and all(map(_names_things, node.body))


def _names_things(statement):
    return isinstance(statement, (ast.Import, ast.ImportFrom)) or (
        isinstance(statement, (ast.Expr, ast.Assign))
        and isinstance(statement.value, (ast.Name, ast.Attribute)))


def caught(node):
    """Return the names of the errors that a ``try`` catches; by default the base."""
    types = [type_ for handler in node.handlers for type_ in (
        handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type])]
    return {'BaseException' if type_ is None else getattr(type_, 'id', None)
            for type_ in types}

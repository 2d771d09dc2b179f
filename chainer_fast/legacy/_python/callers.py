"""Who looks a name up: the program of earlier years, or a library of today."""
import ast
import linecache
import os
import sys

# Libraries whose releases of today know today's names: where they look for an old one,
# they want to know whether it is there.
_OF_TODAY = sys.stdlib_module_names | {
    'chainer', 'chainer_fast', 'chainermn', 'onnx_chainer', 'numpy', 'scipy', 'sklearn',
    'joblib', 'threadpoolctl', 'matplotlib', 'mpl_toolkits', 'PIL', 'h5py', 'yaml',
    'pandas', 'cupy', 'cupyx', 'cupy_backends', 'six', 'google', 'onnx', 'onnxruntime',
    'mpi4py', 'torch', 'tensorflow', 'numba', 'IPython', 'traitlets', 'ipykernel',
    'jedi', 'pytest', '_pytest', 'pluggy', 'hypothesis', 'xdist', 'execnet',
    'setuptools', 'pkg_resources', 'pip', 'packaging', 'dateutil', 'tqdm', 'Cython',
    'cycler', 'kiwisolver', 'pyparsing', 'contourpy', 'fontTools', 'libcst', 'fissix'}

_CATCHING = {'ImportError', 'ModuleNotFoundError', 'AttributeError', 'NameError',
             'Exception', 'BaseException'}


def is_of_today(module):
    """Whether a module, by its full name, belongs to a library of today."""
    return str(module).partition('.')[0] in _OF_TODAY


def is_installed(path):
    """Whether a file belongs to an installed library, not to the program."""
    return any(folder + os.sep in path for folder in ('site-packages', 'dist-packages'))


def is_installed_today(path):
    """Whether a file belongs to an installed library of today."""
    _, installed, inside = path.rpartition('site-packages' + os.sep)
    return bool(installed) and is_of_today(
        inside.partition(os.sep)[0].removesuffix('.py').removeprefix('_'))


def wants_old_names(frame):
    """Whether code is of earlier years, and has no way of its own without old names."""
    return not is_of_today(frame.f_globals.get('__name__')) and not _is_caught(frame)


def _is_caught(frame):
    """Whether a line stands in a ``try`` that finds out whether a name is there.

    Such a program has today's name in its ``except``.
    """
    name = frame.f_code.co_filename
    if name not in _tries:
        _tries[name] = _read_tries(
            ''.join(linecache.getlines(name, frame.f_globals)))
    return any(first <= frame.f_lineno <= last for first, last in _tries[name])


_tries = {}     # {file: [(first line, last line)]}


def _read_tries(source):
    """Return where bodies of ``try`` import or name things, and do nothing else."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return []
    return [(node.body[0].lineno, node.body[-1].end_lineno) for node in ast.walk(tree)
            if isinstance(node, ast.Try) and any(map(_catches, node.handlers))
            and all(map(_names_things, node.body))]


def _names_things(statement):
    return isinstance(statement, (ast.Import, ast.ImportFrom)) or (
        isinstance(statement, (ast.Expr, ast.Assign))
        and isinstance(statement.value, (ast.Name, ast.Attribute)))


def _catches(handler):
    if handler.type is None:
        return True
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(getattr(type_, 'id', None) in _CATCHING for type_ in types)

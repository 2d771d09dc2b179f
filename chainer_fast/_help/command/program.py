"""A program of the user in this process: its names, its main module, its errors."""
import builtins
import importlib.machinery
import io
import os
import sys
import types

from chainer_fast import alias


def alias_here_and_in_children():
    """Install the alias, and make it available to processes that the program starts.

    Some of them take the path from the environment, some from this process. The first
    entry remains the first: it is the program's own folder.
    """
    alias.install()
    sys.path.insert(1, alias.SHIM)
    inherited = os.environ.get('PYTHONPATH')
    os.environ['PYTHONPATH'] = os.pathsep.join(
        [alias.SHIM] + ([inherited] if inherited else []))


def enable_legacy(parts):
    """Enable legacy mode here and in processes that the program starts.

    Parameters
    ----------
    parts : str
        Names of parts with commas between them, or ``'1'`` for the usual ones.
    """
    from chainer_fast import legacy
    legacy.disable()        # what the environment asked for: the command line wins
    os.environ['CHAINER_FAST_LEGACY'] = parts
    legacy.enable(*([] if parts == '1' else parts.split(',')))


def run_script(script):
    """Execute a script in a main module like Python's own.

    ``runpy`` would remove the module at the end of the script, before its threads and
    exit handlers are done.
    """
    if not getattr(sys.flags, 'safe_path', False):
        sys.path[0] = os.path.dirname(os.path.realpath(script))
    path = os.path.abspath(script)
    main_module = types.ModuleType('__main__')
    legacy = sys.modules.get('chainer_fast.legacy')
    main_module.__file__ = script if legacy and legacy.is_path_as_given() else path
    main_module.__loader__ = importlib.machinery.SourceFileLoader('__main__', path)
    vars(main_module)['__builtins__'] = sys.modules['builtins']
    sys.modules['__main__'] = main_module
    # Legacy mode rewrites what no shim reaches.
    compiler = sys.modules.get('chainer_fast.legacy._python.sources', builtins)
    with io.open_code(path) as f:
        code = compiler.compile(f.read(), path, 'exec', dont_inherit=True)
    exec(code, vars(main_module))


def add_way_out(error):
    """Add to an error of Python itself what to do about a habit of earlier years."""
    from chainer_fast._help.past.removed import messages
    if isinstance(error, SyntaxError):
        # Legacy mode, if it is on, has tried to read it.
        words = None if 'chainer_fast.legacy._python.sources' in sys.modules else (
            'If this is Python 2, --legacy runs it as it is, and chainer-fast '
            'check --fix rewrites it.')
    else:
        words = messages.of_error(error)
    if words is not None and hasattr(error, 'add_note'):     # since Python 3.11
        error.add_note(words)

"""Runs the user's program in this process: its names, main module and errors."""
import builtins
import importlib.machinery
import io
import os
import sys
import types

from chainer_fast import alias


def alias_here_and_in_children():
    """Install the alias here, and in processes that the program starts.

    Some processes read the path from the environment, others inherit it from this
    process. The first entry stays first: it is the program's own folder.
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
        Comma-separated names of parts, or ``'1'`` for the default ones.
    """
    from chainer_fast import legacy
    legacy.disable()        # the command line overrides the environment
    os.environ['CHAINER_FAST_LEGACY'] = parts
    legacy.enable(*([] if parts == '1' else parts.split(',')))


def run_script(script):
    """Execute a script in a main module like Python's own.

    ``runpy`` would remove the module at the end of the script, before its threads and
    exit handlers have finished.
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
    # Legacy mode rewrites sources that no shim can adapt.
    compiler = sys.modules.get('chainer_fast.legacy._python.sources', builtins)
    with io.open_code(path) as f:
        code = compiler.compile(f.read(), path, 'exec', dont_inherit=True)
    exec(code, vars(main_module))


def add_way_out(error):
    """Add advice to an error of Python that an obsolete idiom causes."""
    from chainer_fast._help.past.removed import messages
    if isinstance(error, SyntaxError):
        # Legacy mode, if on, has already tried to read the source.
        words = None if 'chainer_fast.legacy._python.sources' in sys.modules else (
            'If this is Python 2, --legacy runs it unchanged, and chainer-fast check '
            '--fix rewrites it.')
    else:
        words = messages.of_error(error)
    if words is not None and hasattr(error, 'add_note'):     # since Python 3.11
        error.add_note(words)

"""Run a program written for Chainer, unedited: ``python -m chainer_fast SCRIPT``."""
import builtins
import importlib.machinery
import io
import os
import re
import runpy
import sys
import types

from chainer_fast import _doctor, alias

USAGE = '''\
usage: chainer-fast [--profile] [--legacy[=PARTS]] SCRIPT [ARGUMENT ...]
       chainer-fast [--profile] [--legacy[=PARTS]] -m MODULE [ARGUMENT ...]
       chainer-fast check PATH ...
       chainer-fast --doctor

Run a Python program in which "import chainer" means chainer_fast. Nothing has to be
installed under that name; if the real Chainer is, this one wins, in the program and in
the processes that it starts. "python -m chainer_fast" is the same command; options of
Python itself stand before its -m.

--profile prints two tables to standard error when the program has ended, by itself, by
an exception or by Ctrl-C: how often each function and each link was called, the time
it took forward and backward, the size of its results, which path it took (a shortcut,
a compiled kernel, oneDNN, CUDA, or general: plain NumPy or CuPy), and what kept it
from a faster one. docs/performance.md tells how to read them.

--legacy runs a program of Chainer 1 to 6, and of the Python and NumPy of its time, as
it is, and reports to standard error what was adapted, where, and what to write
instead. PARTS, with commas between them, are some of v1 to v6, python (or python3, if
it is a program of Python 3), numpy, libraries, and cpu, which has to be asked for and
runs on the processor what asks for a GPU. docs/legacy.md lists what is adapted.

check reads sources without running them and tells what no longer works; "chainer-fast
check --help" tells more.

--doctor prints which of NumPy, CuPy, the CUDA driver, cuDNN and others work on this
machine, and how to mend what does not; the exit status is 1 if something that is
installed is broken.'''

# Python's own options that take a value apart from themselves, and those that do not.
_OF_PYTHON = re.compile('-[WX]|-[bBdEIiOPqRsSuvx]+$')


def _refuse(problem):
    print('%s\n\nchainer-fast: %s' % (USAGE, problem), file=sys.stderr)
    sys.exit(2)


def _alias_here_and_in_children():
    """Install the alias, and make it available to processes that the program starts.

    Some of them take the path from the environment, some from this process. The first
    entry remains the first: it is the program's own folder.
    """
    alias.install()
    sys.path.insert(1, alias.SHIM)
    inherited = os.environ.get('PYTHONPATH')
    os.environ['PYTHONPATH'] = os.pathsep.join(
        [alias.SHIM] + ([inherited] if inherited else []))


def _run_script(script):
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


def _take_options(arguments):
    """Remove the options from the front; return whether to profile, and legacy's parts.

    The parts are None without ``--legacy``.
    """
    is_profiled, parts = False, None
    while arguments:
        if arguments[0] == '--profile':
            is_profiled = True
        elif arguments[0] == '--legacy':
            parts = '1'
        elif arguments[0].startswith('--legacy='):
            parts = arguments[0].partition('=')[2]
        else:
            break
        del arguments[0]
    return is_profiled, parts


def _enable_legacy(parts):
    """Enable legacy mode here and in processes that the program starts."""
    from chainer_fast import legacy
    legacy.disable()        # what the environment asked for: the command line wins
    os.environ['CHAINER_FAST_LEGACY'] = parts
    try:
        legacy.enable(*([] if parts == '1' else parts.split(',')))
    except ValueError as error:
        _refuse('--legacy=%s: %s' % (parts, error))


def _add_way_out(error):
    """Add to an error of Python itself what to do about a habit of earlier years."""
    from chainer_fast._past.removed import messages
    if isinstance(error, SyntaxError):
        # Legacy mode, if it is on, has tried to read it.
        words = None if 'chainer_fast.legacy._python.sources' in sys.modules else (
            'If this is Python 2, --legacy runs it as it is, and chainer-fast '
            'check --fix rewrites it.')
    else:
        words = messages.of_error(error)
    if words is not None and hasattr(error, 'add_note'):     # since Python 3.11
        error.add_note(words)


def main() -> None:
    """Run the program or the command named by the arguments of the process."""
    arguments = sys.argv[1:]
    if arguments[:1] in (['-h'], ['--help']):
        print(USAGE)
        return
    if arguments[:1] == ['--doctor']:
        if arguments[1:]:
            _refuse('--doctor takes no arguments')
        sys.exit(_doctor.main())
    if arguments[:1] == ['check']:
        from chainer_fast import _check
        sys.exit(_check.main(arguments[1:]))
    is_profiled, parts = _take_options(arguments)
    # As with Python itself, the name may follow -m with or without a space, and
    # everything after it belongs to the program.
    is_module = bool(arguments) and arguments[0].startswith('-m')
    if is_module:
        arguments[:1] = [arguments[0][2:]] if len(arguments[0]) > 2 else []
    if not arguments:
        _refuse('name a module' if is_module else 'name a script, or a module with -m')
    program = arguments[0]
    if not is_module and program.startswith('-'):
        if _OF_PYTHON.match(program):
            _refuse("%s is an option of Python's: it stands before -m, as in "
                    'python %s -m chainer_fast SCRIPT' % (
                        program, '-W ignore' if program == '-W' else program))
        _refuse('there is no option %s' % program)
    if not is_module and not os.path.isfile(program):
        _refuse('there is no script %r' % program)

    sys.argv = arguments
    _alias_here_and_in_children()
    if is_profiled:
        from chainer_fast import _profile
        _profile.print_at_exit()
    if parts is not None:
        _enable_legacy(parts)
    try:
        if is_module:
            runpy.run_module(program, run_name='__main__', alter_sys=True)
        else:
            _run_script(program)
    except (SyntaxError, TypeError) as error:
        _add_way_out(error)
        raise


if __name__ == '__main__':
    main()

"""Run a program written for Chainer, unedited: ``python -m chainer_fast SCRIPT``."""
import importlib.machinery
import io
import os
import runpy
import sys
import types

from chainer_fast import _doctor, alias

USAGE = '''\
usage: python -m chainer_fast [--profile] SCRIPT [ARGUMENT ...]
       python -m chainer_fast [--profile] -m MODULE [ARGUMENT ...]
       python -m chainer_fast --doctor

Run a Python program in which "import chainer" means chainer_fast. Nothing has to be
installed under that name; if the real Chainer is, this one wins, in the program and in
the processes that it starts.

--profile prints two tables to standard error when the program has ended, by itself, by
an exception or by Ctrl-C: how often each function and each link was called, the time
it took forward and backward, the size of its results, which path it took (a shortcut,
a compiled kernel, oneDNN, CUDA, or general: plain NumPy or CuPy), and what kept it
from a faster one. docs/performance.md tells how to read them.

--doctor prints which of NumPy, CuPy, the CUDA driver, cuDNN and others work on this
machine, and how to mend what does not; the exit status is 1 if something that is
installed is broken.'''


def _refuse(problem):
    print('%s\n\npython -m chainer_fast: %s' % (USAGE, problem), file=sys.stderr)
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
    main_module.__file__ = path
    main_module.__loader__ = importlib.machinery.SourceFileLoader('__main__', path)
    vars(main_module)['__builtins__'] = sys.modules['builtins']
    sys.modules['__main__'] = main_module
    with io.open_code(path) as f:
        code = compile(f.read(), path, 'exec', dont_inherit=True)
    exec(code, vars(main_module))


def main():
    """Run the program named by the arguments of the process."""
    arguments = sys.argv[1:]
    if arguments[:1] in (['-h'], ['--help']):
        print(USAGE)
        return
    if arguments[:1] == ['--doctor']:
        if arguments[1:]:
            _refuse('--doctor takes no arguments')
        sys.exit(_doctor.main())
    profile = arguments[:1] == ['--profile']
    if profile:
        del arguments[0]
    # As with Python itself, the name may follow -m with or without a space, and
    # everything after it belongs to the program.
    is_module = bool(arguments) and arguments[0].startswith('-m')
    if is_module:
        arguments[:1] = [arguments[0][2:]] if len(arguments[0]) > 2 else []
    if not arguments:
        _refuse('name a module' if is_module else 'name a script, or a module with -m')
    program = arguments[0]
    if not is_module and program.startswith('-'):
        _refuse('there is no option %s' % program)
    if not is_module and not os.path.isfile(program):
        _refuse('there is no script %r' % program)

    sys.argv = arguments
    _alias_here_and_in_children()
    if profile:
        from chainer_fast import _profile
        _profile.print_at_exit()
    if is_module:
        runpy.run_module(program, run_name='__main__', alter_sys=True)
    else:
        _run_script(program)


if __name__ == '__main__':
    main()

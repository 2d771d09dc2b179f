"""The arguments of ``chainer-fast``; ``check`` has a parser of its own."""
import argparse
import os
import re

_USAGE = '''\
%(prog)s [--profile[=TRACE]] [--legacy[=PARTS]] SCRIPT [ARGUMENT ...]
       %(prog)s [--profile[=TRACE]] [--legacy[=PARTS]] -m MODULE [ARGUMENT ...]
       %(prog)s check PATH ...
       %(prog)s --doctor'''

_DESCRIPTION = '''\
Run a Python program in which "import chainer" means chainer_fast. Nothing has to be
installed under that name; if the real Chainer is, this one wins, in the program and in
the processes that it starts. "python -m chainer_fast" is the same command; options of
Python itself stand before its -m.'''

_PROFILE = '''\
print tables to standard error when the program has ended, by itself, by an exception or
by Ctrl-C: the time of imports, data, forward and backward computations, updates and
each extension; how often each function and each link was called, the time it took
forward and backward, the size of its results, which path it took (a shortcut, a
compiled kernel, oneDNN, CUDA, or general: plain NumPy or CuPy), and what kept it from a
faster one. TRACE is a file, such as trace.json, for a trace that ui.perfetto.dev opens.
docs/performance.md tells how to read them.'''

_LEGACY = '''\
run a program of Chainer 1 to 6, and of the Python and NumPy of its time, as it is, and
report to standard error what was adapted, where, and what to write instead. PARTS, with
commas between them, are some of v1 to v6, python (or python3, if it is a program of
Python 3), numpy, libraries, and cpu, which has to be asked for and runs on the
processor what asks for a GPU. docs/legacy.md lists what is adapted.'''

_DOCTOR = '''\
print which of NumPy, CuPy, the CUDA driver, cuDNN and others work on this machine, and
how to mend what does not; the exit status is 1 if something that is installed is
broken'''

_EPILOG = '''\
check reads sources without running them and tells what no longer works;
"%(prog)s check --help" tells more.'''

# Python's own options that take a value apart from themselves, and those that do not.
_OF_PYTHON = re.compile('-[WX]|-[bBdEIiOPqRsSuvx]+$')

_parser = argparse.ArgumentParser(
    prog='chainer-fast', usage=_USAGE, description=_DESCRIPTION, epilog=_EPILOG,
    formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
_parser.add_argument('--profile', nargs='?', const='', metavar='=TRACE', help=_PROFILE)
_parser.add_argument('--legacy', nargs='?', const='1', metavar='=PARTS', help=_LEGACY)
_parser.add_argument('--doctor', action='store_true', help=_DOCTOR)


def refuse(problem):
    """End the process with the usage and what is wrong with the arguments."""
    _parser.error(problem)


def _unknown(option):
    if _OF_PYTHON.match(option):
        return ("%s is an option of Python's: it stands before -m, as in "
                'python %s -m chainer_fast SCRIPT' % (
                    option, '-W ignore' if option == '-W' else option))
    return 'there is no option %s' % option


def parse(arguments):
    """Return the options and the program, and end the process if there is none.

    Parameters
    ----------
    arguments : list of str

    Returns
    -------
    argparse.Namespace
        ``profile`` is a file for a trace, or ``''`` if there is to be none, or None if
        no profile is asked for; ``doctor`` is bool; ``legacy`` is the text of its
        parts, or ``'1'`` where they are left out, or None; ``program`` is a list of the
        script or module and its arguments, and ``is_module`` tells which it is.
    """
    # As with Python itself, the name may follow -m with or without a space, and
    # everything after it belongs to the program.
    end = next((k for k, argument in enumerate(arguments)
                if argument.startswith('-m') or not argument.startswith('-')),
               len(arguments))
    given, unknown = _parser.parse_known_args(arguments[:end])
    if unknown:
        refuse(_unknown(unknown[0]))
    if given.doctor:
        if len(arguments) > 1:
            refuse('--doctor takes no arguments')
        return given
    program = arguments[end:]
    is_module = bool(program) and program[0].startswith('-m')
    if is_module:
        program[:1] = [program[0][2:]] if len(program[0]) > 2 else []
    if not program:
        refuse('name a module' if is_module else 'name a script, or a module with -m')
    if not is_module and not os.path.isfile(program[0]):
        refuse('there is no script %r' % program[0])
    given.program, given.is_module = program, is_module
    return given

"""The arguments of ``chainer-fast`` and its commands; ``check`` declares its own."""
import os
import re
import sys

from chainer_fast._help.command.parser import Parser, did_you_mean

_USAGE = '''\
%(prog)s [--profile[=TRACE]] [--legacy[=PARTS]] SCRIPT [ARGUMENT ...]
       %(prog)s [--profile[=TRACE]] [--legacy[=PARTS]] -m MODULE [ARGUMENT ...]
       %(prog)s COMMAND ...
       %(prog)s --doctor | --version | --print-completion SHELL'''

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
Python 3), numpy and libraries. Two more have to be asked for: cpu, which runs on the
processor what asks for a GPU, and chainerx, which runs on plain arrays what asks for
ChainerX. docs/legacy.md lists what is adapted.'''

_DOCTOR = '''\
print which of NumPy, CuPy, the CUDA driver, cuDNN and others work on this machine, and
how to mend what does not; the exit status is 1 if something that is installed is
broken'''

_COMPLETION = '''\
print a script that completes the arguments of this command; docs/start.md tells where
to put it'''

_EPILOG = '''\
"%(prog)s COMMAND --help" tells more about a command. A script of the name of a command
is run as ./NAME.'''

# Python's own options that take a value apart from themselves, and those that do not.
_OF_PYTHON = re.compile('-[WX]|-[bBdEIiOPqRsSuvx]+$')

# Options of this command whose value is the next argument.
_WITH_VALUE = '--parts', '--trace', '--print-completion'


def _add_options(parser, *without):
    """Add the options with which a program can be run."""
    if 'profile' not in without:
        parser.add_argument(
            '--profile', nargs='?', const='', metavar='=TRACE', help=_PROFILE)
    if 'legacy' not in without:
        parser.add_argument(
            '--legacy', nargs='?', const='1', metavar='=PARTS', help=_LEGACY)


def _add_program(commands, name, summary, description, *without, **defaults):
    """Add a command that runs a program."""
    added = commands.add_parser(
        name, help=summary, description=description, allow_abbrev=False,
        usage='%(prog)s [OPTION ...] {SCRIPT | -m MODULE} [ARGUMENT ...]')
    added.add_argument('program', nargs='*', metavar='SCRIPT', help='the program')
    added.add_argument('-m', metavar='MODULE', help='run a module as a program')
    _add_options(added, *without)
    added.set_defaults(**{
        'profile': None, 'legacy': None, 'doctor': False, 'version': False,
        'print_completion': None, **defaults})
    return added


def tree():
    """Return the parser of the whole command, and what adds its commands.

    Returns
    -------
    Parser
    argparse._SubParsersAction
        Its ``choices`` are the parsers of the commands, by their names.
    """
    parser = Parser(prog='chainer-fast', usage=_USAGE, description=_DESCRIPTION,
                    epilog=_EPILOG, allow_abbrev=False)
    _add_options(parser)
    parser.add_argument('--doctor', action='store_true', help=_DOCTOR)
    parser.add_argument('--version', action='store_true',
                        help='print the versions of this package and of Chainer')
    parser.add_argument('--print-completion', choices=['bash', 'zsh'], metavar='SHELL',
                        help=_COMPLETION)
    commands = parser.add_subparsers(
        title='commands', metavar='COMMAND', prog='chainer-fast')
    _add_program(commands, 'run', 'run a program', _DESCRIPTION)
    profile = _add_program(
        commands, 'profile', 'run a program, and tell what takes its time',
        'Run a program, and tell what takes its time.\n\n'
        + _PROFILE[0].upper() + _PROFILE[1:], 'profile', profile='')
    profile.add_argument('--trace', dest='profile', metavar='FILE', default='',
                         help='file for a trace, as after --profile=')
    legacy = _add_program(
        commands, 'legacy', 'run a program of Chainer 1 to 6 as it is',
        _LEGACY[0].upper() + _LEGACY[1:], 'legacy', legacy='1')
    legacy.add_argument('--parts', dest='legacy', metavar='PARTS', default='1',
                        help='which parts, with commas between them')
    commands.add_parser('check', help='tell what no longer works in sources',
                        add_help=False)
    doctor = commands.add_parser('doctor', help='tell what works on this machine',
                                 description=_DOCTOR[0].upper() + _DOCTOR[1:] + '.')
    doctor.set_defaults(doctor=True)
    return parser, commands


def refuse(problem):
    """End the process because of something that is wrong with the arguments."""
    tree()[0].error(problem)


def _end_of_options(arguments):
    """Return the place of the script, or of ``-m``, in the arguments.

    As with Python itself, the name of a module may follow -m with or without a space,
    and everything after it belongs to the program.
    """
    place = 0
    while place < len(arguments):
        argument = arguments[place]
        if argument.startswith('-m') or not argument.startswith('-'):
            break
        # No script has the name of a trace.
        has_trace = argument == '--profile' and ''.join(
            arguments[place + 1:place + 2]).endswith('.json')
        place += 2 if has_trace or argument in _WITH_VALUE else 1
    return min(place, len(arguments))


def _scripts(folder):
    """Return the names of the scripts in a folder; none if there is no such folder."""
    try:
        return [name for name in os.listdir(folder or os.curdir)
                if name.endswith('.py')]
    except OSError:
        return []


def _parsed(parser, options):
    given, unknown = parser.parse_known_args(options)
    if unknown and _OF_PYTHON.match(unknown[0]):
        option = '-W ignore' if unknown[0] == '-W' else unknown[0]
        parser.error("%s is an option of Python's: it stands before -m, as in python "
                     '%s -m chainer_fast SCRIPT' % (option, option))
    if unknown:
        parser.refuse(unknown[0])
    return given


def parse(arguments):
    """Return the options and the program, and end the process if there is none.

    Parameters
    ----------
    arguments : list of str
        Those of any command but ``check``.

    Returns
    -------
    argparse.Namespace
        ``profile`` is a file for a trace, or ``''`` if there is to be none, or None if
        no profile is asked for; ``doctor`` is bool; ``legacy`` is the text of its
        parts, or ``'1'`` where they are left out, or None; ``version`` is bool, and
        ``print_completion`` the name of a shell, or None. ``program`` is a list of the
        script or module and its arguments, and ``is_module`` tells which it is; there
        is none with ``doctor``, ``version`` and ``print_completion``.
    """
    parser, commands = tree()
    whole, names = parser, commands.choices
    if not arguments:
        parser.print_usage(sys.stderr)
    if arguments and arguments[0] in names:
        parser, arguments = names[arguments[0]], arguments[1:]
    end = _end_of_options(arguments)
    given = _parsed(parser, arguments[:end])
    if given.doctor:
        if len(arguments) > (parser is whole):
            parser.error('%s takes no arguments' % (
                '--doctor' if parser is whole else 'it'))
        return given
    if given.version or given.print_completion:
        return given
    program = arguments[end:]
    is_module = bool(program) and program[0].startswith('-m')
    if is_module:
        program[:1] = [program[0][2:]] if len(program[0]) > 2 else []
    if not program:
        parser.error('name a module' if is_module
                     else 'name a script, or a module with -m')
    if not is_module and not os.path.isfile(program[0]):
        if arguments[end - 1:end] == ['--legacy']:
            meant = '; did you mean --legacy=%s?' % program[0]
        else:
            # The name of a file is no misspelt command, but perhaps that of a file.
            folder, name = os.path.split(program[0])
            if '.' in name or folder:
                names = _scripts(folder)
            elif parser is not whole:
                names = ()
            meant = did_you_mean(name if folder else program[0], names)
        parser.error('there is no script %r%s' % (program[0], meant))
    given.program, given.is_module = program, is_module
    return given

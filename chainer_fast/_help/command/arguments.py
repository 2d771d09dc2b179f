"""The arguments of ``chainer-fast`` and of its commands except ``check``."""
import argparse
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
Run a Python program in which "import chainer" imports chainer_fast. No package of that
name is needed; if Chainer itself is installed, chainer_fast replaces it in the program
and in the processes that it starts. "python -m chainer_fast" is the same command;
options of Python itself precede its -m.'''

_PROFILE = '''\
print tables to standard error when the program ends, also after an exception or Ctrl-C:
the time of imports, data, forward and backward computations, updates and each
extension; how often each function and each link was called, its forward and backward
time, the size of its results, which path it took (a shortcut, a compiled kernel,
oneDNN, CUDA, or general: plain NumPy or CuPy), and why it took no faster one. TRACE is
a file, such as trace.json, for a trace that ui.perfetto.dev opens. docs/performance.md
explains how to read them.'''

_STATIC = '''\
report whether static_graph pays, instead of the tables: updates take turns with it and
without. The report has the methods of chains that the program decorates, or else those
for which the decorator was tried, from the outermost chain inwards; how many of their
calls were planned, and why others were not; and the time of updates with each method
static, and without. docs/benchmark.md explains how to read it.'''

_LEGACY = '''\
run a program written for Chainer 1 to 6, and for the Python and NumPy of that time,
without changes to its sources; report to standard error what was adapted, where, and
what to write instead. PARTS is a comma-separated list of v1 to v6, python (or python3,
for a program of Python 3), numpy and libraries. Two more parts are off by default:
cpu, which runs code for a GPU on the processor, and chainerx, which runs code for
ChainerX on plain arrays. docs/legacy.md lists the adaptations.'''

_DOCTOR = '''\
report which of NumPy, CuPy, the CUDA driver, cuDNN and others work on this machine,
and how to fix what does not; the exit status is 1 if an installed part is broken'''

_COMPLETION = '''\
print a shell script that completes the arguments of this command; docs/start.md
explains where to put it'''

_EPILOG = '''\
"%(prog)s COMMAND --help" describes a command. To run a script that has the name of a
command, write ./NAME.'''

# Python's own options that take a separate value, and those that take none.
_OF_PYTHON = re.compile('-[WX]|-[bBdEIiOPqRsSuvx]+$')

# Options of this command whose value is the next argument.
_WITH_VALUE = '--parts', '--trace', '--updates', '--print-completion'


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
        'print_completion': None, 'static': False, 'updates': None, **defaults})
    return added


def _number(text):
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(
            '%r is not a number of updates: write 200, for example' % text)
    return int(text)


def tree():
    """Return the parser of the whole command, and the action that adds commands to it.

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
    parser.set_defaults(static=False, updates=None)
    commands = parser.add_subparsers(
        title='commands', metavar='COMMAND', prog='chainer-fast')
    _add_program(commands, 'run', 'run a program', _DESCRIPTION)
    profile = _add_program(
        commands, 'profile', 'run a program, and report where its time is spent',
        'Run a program, and report where its time is spent.\n\n'
        + _PROFILE[0].upper() + _PROFILE[1:], 'profile', profile='')
    profile.add_argument('--trace', dest='profile', metavar='FILE', default='',
                         help='file for a trace, as with --profile=')
    profile.add_argument('--static', action='store_true', help=_STATIC)
    profile.add_argument(
        '--updates', type=_number, metavar='N',
        help='with --static: end the program after N updates of its parameters')
    legacy = _add_program(
        commands, 'legacy', 'run a program written for Chainer 1 to 6',
        _LEGACY[0].upper() + _LEGACY[1:], 'legacy', legacy='1')
    legacy.add_argument('--parts', dest='legacy', metavar='PARTS', default='1',
                        help='comma-separated list of parts')
    commands.add_parser('check', help='report what no longer works in sources',
                        add_help=False)
    doctor = commands.add_parser('doctor', help='report what works on this machine',
                                 description=_DOCTOR[0].upper() + _DOCTOR[1:] + '.')
    doctor.set_defaults(doctor=True)
    return parser, commands


def refuse(problem):
    """End the process because the arguments are wrong."""
    tree()[0].error(problem)


def _end_of_options(arguments):
    """Return the position of the script, or of ``-m``, among the arguments.

    As with Python itself, the name of a module may follow -m with or without a space,
    and everything after it belongs to the program.
    """
    place = 0
    while place < len(arguments):
        argument = arguments[place]
        if argument.startswith('-m') or not argument.startswith('-'):
            break
        # A script does not have the name of a trace.
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
        parser.error("%s is an option of Python: put it before -m, as in python "
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
        ``profile`` is a file for a trace, ``''`` for a profile without a trace, or
        None for no profile; ``doctor`` is bool; ``legacy`` is the text of its parts,
        ``'1'`` if they are omitted, or None; ``version`` is bool, and
        ``print_completion`` the name of a shell, or None. ``program`` is a list of the
        script or module and its arguments, and ``is_module`` is True for a module;
        neither is set with ``doctor``, ``version`` and ``print_completion``. ``static``
        is bool, and ``updates`` a number or None.
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
            parser.error('%s accepts no arguments' % (
                '--doctor' if parser is whole else 'it'))
        return given
    if given.version or given.print_completion:
        return given
    if given.static and given.profile:
        parser.error('--static writes no trace: omit --static or --trace')
    if given.updates and not given.static:
        parser.error('--updates needs --static')
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
            # A name with the suffix of a file is a misspelt file, not a misspelt
            # command.
            folder, name = os.path.split(program[0])
            if '.' in name or folder:
                names = _scripts(folder)
            elif parser is not whole:
                names = ()
            meant = did_you_mean(name if folder else program[0], names)
        parser.error('there is no script %r%s' % (program[0], meant))
    given.program, given.is_module = program, is_module
    return given

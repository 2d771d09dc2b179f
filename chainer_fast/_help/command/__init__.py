"""The command ``chainer-fast``, which is ``python -m chainer_fast`` as well.

It runs programs written for Chainer, profiles them, checks their sources, and
examines the machine.
"""
import runpy
import sys

from chainer_fast._help import installation
from chainer_fast._help.command import arguments, program


def main() -> None:
    """Run the program or the command named by the arguments of the process."""
    if sys.argv[1:2] == ['check']:
        from chainer_fast._help.command import check
        sys.exit(check.main(sys.argv[2:]))
    given = arguments.parse(sys.argv[1:])
    if given.doctor:
        from chainer_fast._help.command import doctor
        sys.exit(doctor.main())
    if given.version:
        print('chainer_fast ' + installation.versions())
        return
    if given.print_completion:
        _print_completion(given.print_completion)
        return
    sys.argv = given.program
    program.alias_here_and_in_children()
    if given.static:
        from chainer_fast._help.command.profile import static
        static.print_at_exit(given.updates)
    elif given.profile is not None:
        from chainer_fast._help.command import profile
        try:
            profile.print_at_exit(given.profile)
        except ValueError as error:
            arguments.refuse('--profile=%s: %s' % (given.profile, error))
    if given.legacy is not None:
        try:
            program.enable_legacy(given.legacy)
        except ValueError as error:
            arguments.refuse('--legacy=%s: %s' % (given.legacy, error))
    try:
        if given.is_module:
            runpy.run_module(sys.argv[0], run_name='__main__', alter_sys=True)
        else:
            program.run_script(sys.argv[0])
    except (SyntaxError, TypeError) as error:
        program.add_way_out(error)
        raise


def _print_completion(shell):
    from chainer_fast._help.command import completion
    try:
        print(completion.script(shell))
    except ImportError as error:
        arguments.refuse(error)

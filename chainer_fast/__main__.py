"""Run a program written for Chainer, unedited: ``python -m chainer_fast SCRIPT``."""
import argparse
import os
import runpy
import sys

from chainer_fast import _alias

_DESCRIPTION = '''\
Run a Python program in which "import chainer" means chainer_fast. Nothing has to be
installed under that name; if the real Chainer is, this one wins, in the program and in
the processes that it starts.'''


def _parser():
    parser = argparse.ArgumentParser(
        prog='python -m chainer_fast', description=_DESCRIPTION,
        usage='%(prog)s [-h] (SCRIPT | -m MODULE) [ARGUMENT ...]')
    parser.add_argument(
        '-m', dest='module', metavar='MODULE', help='run a module, as python -m does')
    parser.add_argument(
        'program', nargs=argparse.REMAINDER, metavar='ARGUMENT',
        help='the script (without -m), and what it is given')
    return parser


def main(argv=None):
    """Run the program that the arguments name.

    Parameters
    ----------
    argv : list of str, optional
        Arguments; those of the process by default.
    """
    parser = _parser()
    args = parser.parse_args(argv)
    rest = args.program
    if args.module is None and not rest:
        parser.error('name a script, or a module with -m')
    if args.module is None and not os.path.exists(rest[0]):
        parser.error('there is no script %r' % rest[0])

    _alias.install()
    # Processes that the program starts find the alias on their path, which some take
    # from the environment and some from this process.
    sys.path.insert(0, _alias.SHIM)
    inherited = os.environ.get('PYTHONPATH')
    os.environ['PYTHONPATH'] = os.pathsep.join(
        [_alias.SHIM] + ([inherited] if inherited else []))

    if args.module is not None:
        sys.argv = [args.module, *rest]
        sys.path.insert(0, os.getcwd())
        runpy.run_module(args.module, run_name='__main__', alter_sys=True)
    else:
        sys.argv = list(rest)
        sys.path.insert(0, os.path.dirname(os.path.abspath(rest[0])))
        runpy.run_path(rest[0], run_name='__main__')


if __name__ == '__main__':
    main()

"""Find differences from the released Chainer, by calls that a seed chooses.

Valid calls of every public name of Chainer 7.8.1 are varied as programs vary them:
types, layouts, sizes and values of arrays, forms of numbers and sequences, the
configuration, missing and additional arguments, gradients of gradients. Chainer and
chainer_fast perform each call in separate processes, and the outcomes are compared:
exceptions, types, shapes, numbers, gradients, memory that is shared or changed,
warnings, and the random numbers that are drawn next.

Differences are reduced to the smallest change of a call that shows them. Differences
that explained.tsv lists are accepted; any other difference makes the exit status 1, and
so does a public name without a call.
"""

import argparse
import pathlib
import sys

from compat.differential import run


def parse_args(argv):
    parser = argparse.ArgumentParser(
        prog='python -m compat.differential',
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        '--cases',
        type=int,
        default=20000,
        metavar='N',
        help='number of cases, beginning with the valid calls (%(default)s)',
    )
    parser.add_argument(
        '--seed', type=int, default=0, metavar='S', help='seed of the changes'
    )
    parser.add_argument(
        '--first',
        type=int,
        default=0,
        metavar='N',
        help='number of the first case, to divide a long run into pieces',
    )
    parser.add_argument(
        '--only',
        default='*',
        metavar='PATTERN',
        help="names, such as 'functions.*' or 'links.Linear'; all by default",
    )
    parser.add_argument(
        '--jobs',
        type=int,
        default=1,
        metavar='N',
        help='cases that run at the same time, each in two processes (%(default)s)',
    )
    parser.add_argument(
        '--python',
        default='.peers/differential/bin/python',
        metavar='PATH',
        help='an interpreter that has Chainer 7.8.1 (%(default)s)',
    )
    parser.add_argument(
        '--record',
        metavar='FILE',
        type=pathlib.Path,
        help="write cases with Chainer's outcomes to a file, except for those that "
        'differ without explanation',
    )
    parser.add_argument(
        '--against',
        metavar='FILE',
        type=pathlib.Path,
        help='compare with the outcomes recorded in a file; needs no Chainer',
    )
    parser.add_argument(
        '--least',
        type=int,
        default=200,
        metavar='N',
        help='differences that are reduced to their causes (%(default)s)',
    )
    parser.add_argument(
        '--explained', action='store_true', help='also list explained causes'
    )
    parser.add_argument(
        '--list', action='store_true', help='list the names and their valid calls'
    )
    args = parser.parse_args(argv)
    if args.against and args.record:
        parser.error('--record needs Chainer, and --against is without it')
    return args


if __name__ == '__main__':
    sys.exit(run.main(parse_args(sys.argv[1:])))

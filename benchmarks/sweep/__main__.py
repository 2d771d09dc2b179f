"""Compare functions and links with PyTorch eager, by sizes, dtypes and layouts.

All sides run in turns within one run, and their results have to agree. The times are
the least of the rounds, on one thread unless --threads specifies others; ratios are
those of PyTorch's least time to ours. The command writes a table with
a line for each row, and prints a summary by kind, with the worst rows.
"""
import argparse
import contextlib
import os
import re
import statistics
import sys

import compare
import sides
from sides import Side, Worker, log
from sweep import cases, report

OWN = 'chainer_fast'
# Seconds between turns on several threads: those of OpenMP wait actively for some
# milliseconds, and would occupy the processors of the other side.
REST = .02


def parse_args(arguments=None):
    parser = argparse.ArgumentParser(
        prog='python -m benchmarks.sweep', description=__doc__)
    parser.add_argument('rows', nargs='*', metavar='REGEX',
                        help='rows whose titles match one of these (default: all)')
    parser.add_argument('--list', action='store_true', help='print titles alone')
    parser.add_argument('--peer', choices=['torch', 'general', 'chainer'],
                        default='torch',
                        help='compare with PyTorch, our general way, or Chainer 7.8.1 '
                             '(default: %(default)s)')
    parser.add_argument('--threads', nargs='+', type=int, default=[1], metavar='N',
                        help='numbers of threads (default: 1)')
    parser.add_argument('--avx2', action='store_true',
                        help='as on a processor without AVX-512, for all sides')
    parser.add_argument('--rounds', type=int, default=cases.ROUNDS,
                        help='default: %(default)s')
    parser.add_argument('--seconds', type=float, default=.01,
                        help='length of one measurement (default: %(default)s)')
    parser.add_argument('--median', action='store_true',
                        help='take the median of the rounds in place of the least')
    parser.add_argument('--out', default=os.path.join('build', 'sweep.tsv'),
                        help='file of all rows (default: %(default)s)')
    parser.add_argument('--peer-python', default='python3.11',
                        help='interpreter of an environment that has to be made '
                             '(default: %(default)s)')
    parser.add_argument('--torch', default='torch==2.13.0',
                        help='what to install as PyTorch (default: %(default)s)')
    args = parser.parse_args(arguments)
    args.keys = [key for key, title in cases.TITLES.items() if not args.rows or any(
        re.search(pattern, title) for pattern in args.rows)]
    if not args.keys:
        parser.error('no row matches %s' % ' '.join(args.rows))
    return args


def run(args, interpreters):
    """Return the ratios that ``report.write`` expects, and messages of errors."""
    ratios, errors = {}, []
    best = statistics.median if args.median else min
    with contextlib.ExitStack() as stack:
        workers = {count: [
            stack.enter_context(Worker(Side(name, interpreters[name], count)))
            for name in (OWN, args.peer)] for count in args.threads}
        for at, key in enumerate(args.keys):
            title = cases.TITLES[key]
            log('%d of %d: %s' % (at + 1, len(args.keys), title))
            for count in args.threads:
                try:
                    times, _ = compare.measure(
                        key, workers[count], args.rounds, args.seconds,
                        REST if count > 1 else 0)
                except compare.Disagreement as error:
                    errors.append(str(error))
                    continue
                ours, *theirs = [best(values) for values in times.values()]
                ratios[title, count] = ours, theirs[0] / ours if theirs else None
    return ratios, errors


def main():
    args = parse_args()
    if args.list:
        print('\n'.join(cases.TITLES[key] for key in args.keys))
        return
    if args.avx2:
        os.environ.update(sides.AVX2)       # of the processes of all sides
    interpreters = sides.interpreters(
        [args.peer], args.peer_python, args.torch, '', False)
    ratios, errors = run(args, interpreters)
    os.makedirs(os.path.dirname(os.path.abspath(args.out)), exist_ok=True)
    with open(args.out, 'w') as file:
        report.write(file, ratios, args.threads)
    kinds = {row.title: row.about for row in cases.ROWS.values()}
    for count in args.threads:
        print(report.summary(ratios, kinds, count))
    print('\n'.join(errors), file=sys.stderr)
    sys.exit(bool(errors))


if __name__ == '__main__':
    main()

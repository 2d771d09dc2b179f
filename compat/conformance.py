#!/usr/bin/env python3
"""Run Chainer's own test suites against chainer_fast and count the tests that pass.

The suites are in the ``tests`` folder of a checkout of Chainer v7.8.1, which you
clone yourself. Its tests are the specification of a drop-in; ``reference.tsv`` in
this folder has the number of tests of each file that pass on the released Chainer
(Python 3.11, NumPy 1.23.5, processor only). Remaining failures are listed and
explained in ``explained.tsv``.

``--mpi N`` runs the tests of chainermn in N processes (``reference_mpi1.tsv`` to
``reference_mpi3.tsv``: the released one on mpi4py 4.1 and Open MPI 5), and ``--onnx``
those of onnx_chainer (``reference_onnx.tsv``: the released one on Python 3.7, onnx 1.6
and onnxruntime 1.2).

``--chainerx`` runs the tests of ChainerX, and ``--on-chainerx`` those of Chainer that
use it. The released ChainerX can no longer be built: the references are the total
numbers of tests for processors.

``--gpu`` runs its tests of GPUs, and with the last two options those of ChainerX on
GPUs. The released Chainer does not run with current versions of CuPy, so
``reference_gpu.tsv`` counts the tests that passed with chainer_fast on the stand-in
for CuPy 14.2; ``explained_gpu.tsv`` explains the other tests.
"""
import argparse
import collections
import csv
import fnmatch
import json
import os
import sys

import suites

COLUMNS = ('passed', 'failed', 'error', 'skipped')


def parse_args(argv):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog='Arguments after -- go to pytest.')
    parser.add_argument('checkout', help='folder of the clone (it holds tests/)')
    parser.add_argument(
        'selection', nargs='*',
        help='files or folders below the folder of the suite; all by default')
    parser.add_argument(
        '-n', '--processes', type=int, default=1, metavar='N',
        help='number of processes; each runs different files')
    parser.add_argument(
        '--gpu', action='store_true',
        help='run the tests of GPUs instead: on the GPU, or without one on a stand-in '
        'for CuPy; HOST_CUPY=13.6 in the environment selects its version')
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        '--mpi', type=int, metavar='N',
        help='run the tests of chainermn instead, in N processes under mpiexec')
    which.add_argument(
        '--onnx', action='store_true', help='run the tests of onnx_chainer instead')
    which.add_argument(
        '--chainerx', action='store_const', const='arrays',
        help='run the tests of ChainerX instead')
    which.add_argument(
        '--on-chainerx', action='store_const', const='chainer', dest='chainerx',
        help='run the tests of Chainer that use ChainerX instead')
    parser.add_argument(
        '--markers', help='default: %s; with --gpu, gpu instead of not gpu'
        % suites.MARKERS)
    parser.add_argument(
        '--out', metavar='FILE', help='write the outcome of every test, as JSON')
    parser.add_argument(
        '--compare', metavar='FILE',
        help='outcomes of an earlier run: list the tests that differ')
    parser.add_argument(
        '--failures', action='store_true', help='list every failure, explained or not')
    if '--' in argv:
        cut = argv.index('--')
        argv, extra = argv[:cut], argv[cut + 1:]
    else:
        extra = []
    args = parser.parse_intermixed_args(argv)
    if args.gpu and (args.mpi or args.onnx):
        parser.error('--gpu goes with --chainerx and --on-chainerx alone')
    args.pytest = extra
    args.suite = suites.suite(args.gpu, args.onnx, args.mpi, args.chainerx)
    if args.markers is None:
        args.markers = args.suite.markers
    args.tests = os.path.join(os.path.abspath(args.checkout), 'tests')
    if not os.path.isdir(os.path.join(args.tests, args.suite.folder)):
        parser.error('%s has no tests/%s: clone Chainer and check out v7.8.1'
                     % (args.checkout, args.suite.folder))
    return args


def by_file(outcomes):
    counts = collections.defaultdict(collections.Counter)
    for test, outcome in outcomes.items():
        counts[test.split('::')[0]][outcome] += 1
    return counts


def read_table(name):
    with open(os.path.join(suites.HERE, name), newline='') as f:
        return list(csv.DictReader(f, delimiter='\t'))


def folder(path):
    """Return the row in which a file is counted: its folder, or itself at the top."""
    parts = path.split('/')
    return parts[1] if len(parts) > 2 else parts[-1]


def selected(path, selection):
    inside = path.split('/', 1)[1]
    return not selection or any(
        inside == s.rstrip('/') or inside.startswith(s.rstrip('/') + '/')
        for s in selection)


def report(outcomes, selection, table):
    """Print the table with a line for each folder."""
    counts = by_file(outcomes)
    reference = {row['file']: int(row['passed'])
                 for row in read_table(table)
                 if selected(row['file'], selection)}
    rows = collections.defaultdict(collections.Counter)
    for path in {**reference, **counts}:
        rows[folder(path)].update(counts.get(path, {}))
        rows[folder(path)]['reference'] += reference.get(path, 0)
    total = collections.Counter()
    for row in rows.values():
        total.update(row)
    rows = dict(sorted(rows.items()))
    rows['all'] = total
    width = max(len(name) for name in rows)
    print('%-*s %s %s %s' % (width, '', ' '.join('%8s' % o for o in COLUMNS),
                             'reference', '   share'))
    for name, row in rows.items():
        share = ('%7.2f%%' % (100 * row['passed'] / row['reference'])
                 if row['reference'] else '       -')
        print('%-*s %s %9d %s' % (
            width, name, ' '.join('%8d' % row[o] for o in COLUMNS),
            row['reference'], share))


def explain(outcomes, everything, tables):
    """Print the failures, and which of them have an explanation."""
    explanations = {row['test']: row['explanation']
                    for table in tables for row in read_table(table)}

    def explanation_of(test):
        # The brackets in the name of a single test are not a pattern.
        if test in explanations:
            return explanations[test]
        return next((text for pattern, text in explanations.items()
                     if fnmatch.fnmatchcase(test, pattern)), None)

    bad = {test: explanation_of(test) for test, outcome in sorted(outcomes.items())
           if outcome in ('failed', 'error')}
    unexplained = [test for test, text in bad.items() if text is None]
    if everything:
        for test, text in bad.items():
            if text is not None:
                print('%s\n    %s' % (test, text))
    print('%d failures, %d of them explained in %s'
          % (len(bad), len(bad) - len(unexplained), ' and '.join(tables)))
    for test in unexplained:
        print('  unexplained: ' + test)
    for test in explanations:
        if outcomes.get(test) == 'passed':
            print('  explained, but passes: ' + test)
    return not unexplained


def compare(outcomes, earlier, selection):
    """Print the selected tests whose outcome differs from an earlier run."""
    earlier = {test: outcome for test, outcome in earlier.items()
               if selected(test.split('::')[0], selection)}
    differing = sorted(
        t for t in {**earlier, **outcomes} if earlier.get(t) != outcomes.get(t))
    print('%d tests differ from the earlier run' % len(differing))
    for test in differing:
        print('  %s: %s -> %s' % (test, earlier.get(test), outcomes.get(test)))


def main(argv=None):
    args = parse_args(sys.argv[1:] if argv is None else argv)
    outcomes = suites.run(args)
    if args.out:
        with open(args.out, 'w') as f:
            json.dump(outcomes, f, indent=0, sort_keys=True)
    print()
    report(outcomes, args.selection, args.suite.reference)
    fine = explain(outcomes, args.failures, args.suite.explained)
    if args.compare:
        compare(outcomes, suites.load(args.compare), args.selection)
    return 0 if fine else 1


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/env python3
"""Run Chainer's own test suite against chainer_fast and count what passes.

The suite is the ``tests`` folder of a checkout of Chainer v7.8.1, which you clone
yourself. Its tests are the specification of a drop-in; ``reference.tsv`` beside this
file has the number of tests of each file that pass on the released Chainer (Python
3.11, NumPy 1.23.5, processor only). Remaining failures are listed and explained in
``explained.tsv``.

With ``--gpu`` its tests of GPUs run. Current versions of CuPy cannot serve the released
Chainer, so that ``reference_gpu.tsv`` counts what has passed with chainer_fast on the
stand-in for CuPy 14.2; ``explained_gpu.tsv`` explains the rest.
"""
import argparse
import collections
import csv
import fnmatch
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MARKERS = ('not gpu and not cudnn and not ideep and not chainerx and not slow and '
           'not multi_gpu and not theano')
GPU_MARKERS = MARKERS.replace('not gpu', 'gpu', 1)
# Later warnings of test runners, which upstream turns into errors.
RUNNER_CHANGES = (
    '-W', 'ignore:It is deprecated to return:DeprecationWarning',
    '-W', 'ignore::pytest.PytestUnraisableExceptionWarning')
# Already pytest's settings name a category of warnings, for which it imports Chainer.
GPU_START = '''
import sys
from tests import host_cupy
host_cupy.install_unless_gpu()
import pytest
sys.exit(pytest.main())
'''
OUTCOMES = ('passed', 'failed', 'error', 'skipped')
PYTEST_RAN = (0, 1, 5)      # all passed, some failed, none was selected


def parse_args(argv):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog='Arguments after -- go to pytest.')
    parser.add_argument('checkout', help='folder of the clone (it holds tests/)')
    parser.add_argument(
        'selection', nargs='*',
        help='files or folders below tests/chainer_tests; all by default')
    parser.add_argument(
        '-n', '--processes', type=int, default=1, metavar='N',
        help='number of processes, each with files of its own')
    parser.add_argument(
        '--gpu', action='store_true',
        help='run the tests of GPUs instead: on the GPU, or without one on a stand-in '
        'for CuPy; HOST_CUPY=13.6 in the environment chooses its version')
    parser.add_argument(
        '--markers', help='default: %s; with --gpu: %s' % (MARKERS, GPU_MARKERS))
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
    args.pytest = extra
    args.tables = '_gpu.tsv' if args.gpu else '.tsv'
    if args.markers is None:
        args.markers = GPU_MARKERS if args.gpu else MARKERS
    args.tests = os.path.join(os.path.abspath(args.checkout), 'tests')
    if not os.path.isdir(os.path.join(args.tests, 'chainer_tests')):
        parser.error(
            '%s has no tests/chainer_tests: clone Chainer and check out v7.8.1'
            % args.checkout)
    return args


def test_files(args):
    """Return the selected test files."""
    files = []
    for part in args.selection or ['']:
        root = os.path.join(args.tests, 'chainer_tests', part)
        if os.path.isfile(root):
            files.append(root)
        elif not os.path.isdir(root):
            sys.exit('there is no %s' % root)
        for folder, _, names in sorted(os.walk(root)):
            files += [os.path.join(folder, name) for name in sorted(names)
                      if name.startswith('test_') and name.endswith('.py')]
    return files


def run(args, out):
    """Run pytest, in several processes if wanted; write the outcomes to ``out``.

    Each process has its own files: some of upstream's test names contain addresses, so
    that processes sharing single tests would not agree on the names.
    """
    root = os.path.dirname(args.tests)
    command = [
        sys.executable, *(['-c', GPU_START] if args.gpu else ['-m', 'pytest']), '-q',
        '-p', 'conformance_plugin',
        '-p', 'no:cacheprovider', '--rootdir', root,
        '-c', os.path.join(root, 'setup.cfg'),
        '-o', 'addopts=', '-m', args.markers, '--tb=short',
        '--continue-on-collection-errors', *RUNNER_CHANGES, *args.pytest]
    paths = [HERE] + [p for p in [os.environ.get('PYTHONPATH')] if p]
    if args.gpu:
        paths.append(os.path.dirname(HERE))
    files = test_files(args)
    parts = [files[i::args.processes] for i in range(args.processes)]
    running = []
    for i, part in enumerate(parts):
        if not part:
            continue
        env = dict(
            os.environ, PYTHONPATH=os.pathsep.join(paths),
            CONFORMANCE_OUT='%s.%d' % (out, i),
            OMP_NUM_THREADS='1', OPENBLAS_NUM_THREADS='1')
        running.append((env['CONFORMANCE_OUT'], part, subprocess.Popen(
            command + part, env=env, cwd=tempfile.gettempdir())))
    outcomes = {}
    for part_out, part, process in running:
        status = process.wait()
        if status >= 0 and status not in PYTEST_RAN:
            sys.exit('pytest did not run to its end: see its messages above')
        if os.path.exists(part_out):
            outcomes.update(load(part_out))
            os.remove(part_out)
        else:
            # The process was killed, e.g. by a fault: none of its files has passed.
            outcomes.update(
                {os.path.relpath(path, args.tests): 'error' for path in part})
    with open(out, 'w') as f:
        json.dump(outcomes, f, indent=0, sort_keys=True)


def load(path):
    with open(path) as f:
        return json.load(f)


def by_file(outcomes):
    counts = collections.defaultdict(collections.Counter)
    for test, outcome in outcomes.items():
        counts[test.split('::')[0]][outcome] += 1
    return counts


def read_table(name):
    with open(os.path.join(HERE, name), newline='') as f:
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


def report(outcomes, selection, tables):
    """Print the table with a line for each folder."""
    counts = by_file(outcomes)
    reference = {row['file']: int(row['passed'])
                 for row in read_table('reference' + tables)
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
    print('%-*s %s %s %s' % (width, '', ' '.join('%8s' % o for o in OUTCOMES),
                             'reference', '   share'))
    for name, row in rows.items():
        share = ('%7.2f%%' % (100 * row['passed'] / row['reference'])
                 if row['reference'] else '       -')
        print('%-*s %s %9d %s' % (
            width, name, ' '.join('%8d' % row[o] for o in OUTCOMES),
            row['reference'], share))


def explain(outcomes, everything, tables):
    """Print the failures, and which of them have an explanation."""
    explanations = {row['test']: row['explanation']
                    for row in read_table('explained' + tables)}

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
    print('%d failures, %d of them explained in explained%s'
          % (len(bad), len(bad) - len(unexplained), tables))
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
    with tempfile.TemporaryDirectory() as work:
        out = os.path.abspath(args.out or os.path.join(work, 'outcomes.json'))
        run(args, out)
        outcomes = load(out)
    print()
    report(outcomes, args.selection, args.tables)
    fine = explain(outcomes, args.failures, args.tables)
    if args.compare:
        compare(outcomes, load(args.compare), args.selection)
    return 0 if fine else 1


if __name__ == '__main__':
    sys.exit(main())

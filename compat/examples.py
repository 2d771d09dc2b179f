#!/usr/bin/env python3
"""Run upstream's examples, unedited, with chainer_fast on small stand-in data.

The scripts are those of a checkout of Chainer v7.8.1, which you clone yourself. Each
runs in a copy of its folder as ``python -m chainer_fast SCRIPT ARGUMENTS``, without
network and without GPU. The data that it reads is made up by the modules of
``stand_ins/`` beside this file, in the formats that the script or Chainer's cache of
data sets has. A run passes when the script ends well and has left the files that it
should have written. It is excused where a package is missing, and where a download or a
device is needed for which there is no stand-in; the table names it.
"""
import argparse
import collections
import importlib
import pathlib
import pkgutil
import re
import sys
import tempfile

import stand_ins
from stand_ins import runner
from stand_ins.run import Run

OUT_OF_SCOPE = {
    'chainermn': 'runs under MPI',
    'optuna': 'shows the package optuna, with Chainer as one of the libraries it tunes',
    'tests': "are upstream's own tests of examples, on edited copies of them",
    'test_utils.py': "is a helper of upstream's own tests of examples",
}


def parse_args(argv):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog='The exit status is 1 if a run has failed, or if there is a script that '
        'no run calls.')
    parser.add_argument('checkout', type=pathlib.Path,
                        help='folder of the clone (it holds examples/)')
    parser.add_argument(
        '--only', nargs='+', default=[], metavar='NAME',
        help='run these examples, or scripts: cifar, mnist/inference.py, train_ptb.py')
    parser.add_argument('--list', action='store_true',
                        help='say what would run, and what is out of scope')
    parser.add_argument(
        '--keep', type=pathlib.Path, metavar='FOLDER',
        help='keep the folders of the runs there, with data, results and logs')
    parser.add_argument('--timeout', type=float, default=300, metavar='SECONDS',
                        help='for one script; default: %(default)s')
    parser.add_argument('--jobs', '-j', type=int, default=1, metavar='N',
                        help='runs at the same time')
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        '--python', default=sys.executable,
        help='interpreter that has chainer_fast; the one of this program by default')
    which.add_argument(
        '--with-chainer', metavar='PYTHON',
        help='interpreter that has Chainer itself: run its scripts with that, which '
        'shows whether the stand-in data is right')
    args = parser.parse_args(argv)
    args.checkout = args.checkout.resolve()
    if not (args.checkout / 'examples').is_dir():
        parser.error('%s has no examples/: clone Chainer and check out v7.8.1'
                     % args.checkout)
    if args.keep and args.keep.exists() and any(args.keep.iterdir()):
        parser.error('%s is not empty' % args.keep)
    if args.jobs < 1:
        parser.error('--jobs has to be at least 1')
    return args


def known_runs():
    """Return the runs of all modules of stand-ins, sorted by their scripts."""
    runs = []
    for info in pkgutil.iter_modules(stand_ins.__path__):
        if not info.ispkg:
            module = importlib.import_module('stand_ins.' + info.name)
            runs += getattr(module, 'RUNS', [])
    return sorted(runs, key=lambda run: run.script)


def select(runs, names):
    """Return the runs that one of the names is of; exit if a name has none."""
    def is_of(name, run):
        name = name.strip('/')
        return ('/%s/' % run.script).startswith('/%s/' % name) or any(
            r.script.rsplit('/', 1)[-1] in (name, name + '.py') for r in run.chain())

    chosen = []
    for name in names:
        found = [run for run in runs if is_of(name, run)]
        if not found:
            sys.exit('no run is of %r; --list shows them' % name)
        chosen += [run for run in found if run not in chosen]
    return chosen if names else runs


def without_run(examples, runs):
    """Return the scripts below ``examples/`` that no run calls.

    A file counts as a script if it has a main section, or if no file of its example
    imports it.
    """
    called = {r.script for run in runs for r in run.chain()}
    files = collections.defaultdict(dict)
    for path in sorted(examples.rglob('*.py')):
        parts = path.relative_to(examples).parts
        if (parts[0] not in OUT_OF_SCOPE and path.name != '__init__.py'
                and not any(part.startswith('.') for part in parts)):
            files[parts[0]]['/'.join(parts)] = path.read_text(encoding='utf-8')
    missing = []
    for example in files.values():
        imports = '\n'.join(
            line for text in example.values() for line in text.splitlines()
            if line.lstrip().startswith(('import ', 'from ')))
        missing += [
            name for name, text in example.items() if name not in called
            and ("__name__ == '__main__'" in text or not re.search(
                r'\b%s\b' % re.escape(pathlib.PurePosixPath(name).stem), imports))]
    return missing


def call(run):
    return ' '.join([run.script.rsplit('/', 1)[-1], *run.arguments])


def example(run):
    return run.script.rpartition('/')[0]


def show_list(runs, unknown):
    for run in runs:
        for r in run.chain():
            print('%s: %s' % (example(r), call(r)))
            for text in (r.needs and 'needs ' + ', '.join(r.needs), r.note,
                         r.excused and 'not run: ' + r.excused):
                if text:
                    print('    ' + text)
    print('\nOut of scope:')
    for name, reason in OUT_OF_SCOPE.items():
        print('    %s: %s' % (name, reason))
    for script in unknown:
        print('no run: ' + script)


def show_table(results):
    """Print a line for each run, and a second one where there is something to say."""
    width = max([len(example(r.run)) for r in results] + [len('example')])
    line = '%-*s %8s  %-8s %s'
    print(line % (width, 'example', 'seconds', 'result', 'script and arguments'))
    for result in results:
        took = '-' if result.log is None else '%.1f' % result.seconds
        print(line % (
            width, example(result.run), took, result.outcome, call(result.run)))
        if result.reason:
            print(' ' * (width + 20) + result.reason)
    counts = collections.Counter(r.outcome for r in results)
    print('\n%d runs of %d examples: %s in %.0f s' % (
        len(results), len({r.run.script.split('/')[0] for r in results}),
        ', '.join('%d %s' % (counts[o], o)
                  for o in (runner.PASSED, runner.FAILED, runner.EXCUSED)),
        sum(r.seconds for r in results)))


def show_failures(results, lines=25):
    """Print how the logs of failed runs end."""
    for result in results:
        if result.outcome == runner.FAILED and result.log is not None:
            print('\n--- %s %s' % (example(result.run), call(result.run)))
            print('\n'.join(runner.read_log(result.log).splitlines()[-lines:]))


def progress(what):
    """Say on standard error that a run starts, or how it ended."""
    if isinstance(what, Run):
        text = 'runs: %s: %s' % (example(what), call(what))
    else:
        text = '%s after %.1f s: %s: %s' % (
            what.outcome, what.seconds, example(what.run), call(what.run))
    print(text, file=sys.stderr, flush=True)


def main(argv=None, runs=None):
    """Make the runs, by default all that there is a stand-in for; return the status."""
    args = parse_args(argv)
    known = known_runs() if runs is None else runs
    chosen = select(known, args.only)
    unknown = [] if args.only else without_run(args.checkout / 'examples', known)
    if args.list:
        show_list(chosen, unknown)
        return 0
    command = ([args.with_chainer] if args.with_chainer
               else [args.python, '-m', 'chainer_fast'])
    with tempfile.TemporaryDirectory(prefix='examples-') as temporary:
        work = args.keep or pathlib.Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        results = runner.Runner(
            args.checkout, work.resolve(), command, args.timeout, progress,
        ).all(chosen, args.jobs)
        results += [runner.Result(Run(script), runner.FAILED,
                                  reason='nothing runs this script')
                    for script in unknown]
        show_table(results)
        show_failures(results)
    return int(any(r.outcome == runner.FAILED for r in results))


if __name__ == '__main__':
    sys.exit(main())

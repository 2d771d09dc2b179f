#!/usr/bin/env python3
"""Measure steps with several threads and with one thread while processes are busy.

Both alternate within a run, so that they have the same load: Python loops that never
sleep, on processors that the system chooses. A row has the median of one thread's
times, and the minimum, median and maximum of the ratios of several threads' times to
it. For some periods the system divides processors unevenly, so one thread is measured
twice: the last column has the maximum ratio of the two measurements, which is a lower
limit of any such comparison.
"""
import argparse
import statistics
import subprocess
import sys

import sides
import table
from groups import group_of
from sides import Side, Worker, log

WORKLOADS = 'M.lstm_cells', 'M.perceptron', 'M.cnn', 'M.transformer'
BAR = 1.3


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('workloads', nargs='*', default=list(WORKLOADS),
                        help='as of compare.py (default: %s)' % ' '.join(WORKLOADS))
    parser.add_argument('--busy', type=int, nargs='+', default=[0, 1, 2], metavar='N',
                        help='numbers of busy processes (default: 0 1 2)')
    parser.add_argument('--threads', type=int, default=2,
                        help='how many, beside one (default: %(default)s)')
    parser.add_argument('--runs', type=int, default=10, help='default: %(default)s')
    parser.add_argument('--seconds', type=float, default=0.3,
                        help='length of one measurement (default: %(default)s)')
    parser.add_argument('--peers', nargs='*', default=[], choices=['torch'],
                        help='time these, too')
    parser.add_argument('--peer-python', default='python3.11',
                        help='interpreter of the peers (default: %(default)s)')
    parser.add_argument('--torch', default='torch==2.13.0',
                        help='what to install as PyTorch (default: %(default)s)')
    args = parser.parse_args()
    for name in args.workloads:
        if group_of(name) is None:
            parser.error('no workload %r' % name)
    return args


class Load:
    """Processes that are busy as long as the context lasts."""

    def __init__(self, count):
        self._count = count

    def __enter__(self):
        self._processes = [
            subprocess.Popen([sys.executable, '-c', 'while True: pass'])
            for _ in range(self._count)]

    def __exit__(self, *_):
        for process in self._processes:
            process.kill()
            process.wait()


def measure(pairs, workload, counts, runs):
    """Return seconds of a step with one thread, again, and with several, by side."""
    times = {name: ([], [], []) for name in pairs}
    for _ in range(runs):
        for name, workers in pairs.items():
            for worker, found in zip(workers, times[name], strict=True):
                found.append(worker.ask('time', workload, counts[name], wait=0.05))
    return times


def row(title, busy, name, one, again, several):
    """Return the cells of a row."""
    ratios = [b / a for a, b in zip(one, several, strict=True)]
    same = [b / a for a, b in zip(one, again, strict=True)]
    return [title, str(busy), sides.NAMES[name],
            *['%.2f' % value for value in (
                1e3 * statistics.median(one), min(ratios), statistics.median(ratios),
                max(ratios))],
            'yes' if max(ratios) <= BAR else 'no', '%.2f' % max(same)]


def main():
    args = parse_args()
    interpreters = sides.interpreters(
        args.peers, args.peer_python, args.torch, '', False)
    lines = []
    for workload in args.workloads:
        title = group_of(workload).TITLES[workload]
        pairs = {
            name: [Worker(Side(name, interpreter, n), pinned=False)
                   for n in (1, 1, args.threads)]
            for name, interpreter in interpreters.items()}
        counts = {}
        for name, workers in pairs.items():
            for worker in workers:
                worker.ask('exists', workload)
                worker.ask('check', workload)
            once = min(workers[0].ask('time', workload, 1) for _ in range(3))
            counts[name] = max(1, int(args.seconds / once))
        for busy in args.busy:
            log('timing %s beside %d busy processes ...' % (title, busy))
            with Load(busy):
                found = measure(pairs, workload, counts, args.runs)
            lines += [row(title, busy, name, *found[name]) for name in found]
        for workers in pairs.values():
            for worker in workers:
                worker.__exit__()
    print(table.markdown(
        ['workload', 'busy', 'side', 'one thread, ms', 'least', 'median', 'most',
         'at most %.1f' % BAR, 'one thread again, most'], lines), end='')


if __name__ == '__main__':
    main()

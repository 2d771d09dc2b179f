#!/usr/bin/env python3
"""Compare whole steps with what the processor allows.

The bound of a step is a sum over its functions, forward and backward. One that
multiplies matrices takes its operations at the speed of a large product in float32. Any
other, and the optimizer, takes the bytes of the arrays that it reads and writes, at the
speed of a copy of arrays of that size. The speeds are measured in turns with the step.
Functions that are computed together can pass the bound, as what is between them is not
written.
"""
import argparse
import statistics
import sys

import table
from models import cases
from sides import Side, Worker, log
from work import SIZES

# Inference has no graph to count by, and negative samples are hardly work.
WORKLOADS = [key for key in cases.TITLES if key not in (
    'M.resnet50_predict', 'M.skip_gram')]


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('workloads', nargs='*', default=WORKLOADS,
                        help='default: %s' % ' '.join(WORKLOADS))
    parser.add_argument('--threads', type=int, nargs='+', default=[1, 2], metavar='N',
                        help='numbers of threads (default: 1 2)')
    parser.add_argument('--rounds', type=int, default=7, help='default: %(default)s')
    parser.add_argument('--seconds', type=float, default=0.15,
                        help='length of one measurement (default: %(default)s)')
    args = parser.parse_args()
    for name in args.workloads:
        if name not in WORKLOADS:
            parser.error(
                'no workload %r: choose from %s' % (name, ', '.join(WORKLOADS)))
    return args


def bound_of(work, speeds):
    """Return seconds of products, and seconds of reading and writing."""
    read = sum(size / speeds['copies'][place_of(largest)]
               for size, largest in work['traffic'])
    return work['operations'] / speeds['product'], read


def place_of(size):
    """Return the place in ``SIZES`` of an array of so many bytes."""
    return next((i for i, each in enumerate(SIZES) if each >= size), -1)


def measure(worker, workload, rounds, duration):
    """Return the cells of a row."""
    worker.ask('exists', workload)
    worker.ask('check', workload)
    work = worker.ask('work', workload)
    once = min(worker.ask('time', workload, 1) for _ in range(3))
    count = max(1, int(duration / once))
    times, bounds = [], []
    for _ in range(rounds):
        times.append(worker.ask('time', workload, count))
        speeds = worker.ask('speeds', workload, worker.side.threads)
        bounds.append(bound_of(work, speeds))
    shares = [sum(bound) / taken for bound, taken in zip(bounds, times, strict=True)]
    products, traffic = [statistics.median(part) for part in zip(*bounds, strict=True)]
    return [cases.TITLES[workload], str(worker.side.threads),
            '%.2f' % (work['operations'] / 1e9), *['%.2f' % (1e3 * part) for part in (
                products, traffic, statistics.median(times))],
            '%.0f %%' % (100 * statistics.median(shares))]


def main():
    args = parse_args()
    lines = []
    for threads in args.threads:
        with Worker(Side('chainer_fast', sys.executable, threads)) as worker:
            for workload in args.workloads:
                log('timing %s with %d threads ...' % (cases.TITLES[workload], threads))
                lines.append(measure(worker, workload, args.rounds, args.seconds))
            speeds = worker.ask('speeds', '', threads)
        log('%d threads: products %.0f GFLOP/s; copies, GB/s: %s' % (
            threads, speeds['product'] / 1e9, ', '.join(
                '%.0f (%d KiB)' % (speed / 1e9, size // 1024)
                for size, speed in zip(SIZES, speeds['copies'], strict=True))))
    print(table.markdown(
        ['workload', 'threads', 'GFLOP', 'products, ms', 'arrays, ms', 'measured, ms',
         'share of the bound'], lines), end='')


if __name__ == '__main__':
    main()

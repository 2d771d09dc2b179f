#!/usr/bin/env python3
"""Compare the times of chainer_fast, the released Chainer, PyTorch and plain NumPy.

The peers have their own environments under .peers/. All sides run alternately within
one run, with one thread unless --threads sets another number, and the table has the
medians of their ratios: absolute times depend on the machine and its load.
"""
import argparse
import contextlib
import os
import statistics
import subprocess
import sys
import time

import numpy as np
import sides
import table
from groups import GROUPS, group_of
from sides import Side, Worker, log

WORKLOADS = {
    'add': '8x8 addition with a graph',
    'small_forward': '750 small functions, forward',
    'small': '750 small functions, forward and backward',
    'fan_out': '200-way fan-out, forward and backward',
    'perceptron_sgd': 'perceptron 64, batch 32, SGD step',
    'perceptron_adam': 'perceptron 64, batch 32, Adam step',
    'gradient_penalty': 'gradient penalty step',
    'predict': 'prediction of batch 1, no_backprop_mode',
}
# Required ratios of a peer's time or memory to that of chainer_fast.
BARS = {
    'small': {'chainer': 30, 'torch': 2.5},
    'fan_out': {'chainer': 15, 'torch': 1.5},
    'perceptron_sgd': {'chainer': 6, 'torch': 1.5},
    'perceptron_adam': {'chainer': 6, 'torch': 2},
    'gradient_penalty': {'chainer': 8, 'torch': 1.1},
    'bytes': {'chainer': 1 / 0.7, 'torch': 1 / 0.5},
    'import': {'chainer': 1, 'torch': 2},
}
ONEDNN_BARS = {}
STATIC_BARS = {}
ALL = dict(WORKLOADS)
for _group in GROUPS.values():
    ALL.update(_group.TITLES)
    BARS.update(getattr(_group, 'BARS', {}))
    ONEDNN_BARS.update(getattr(_group, 'ONEDNN_BARS', {}))
    STATIC_BARS.update(getattr(_group, 'STATIC_BARS', {}))
ROUNDS = 15
PEERS = 'chainer', 'torch', 'numpy'
# Groups that run only if they are asked for: they take long.
BY_NAME = 'compiled', 'large', 'sweep'


class Disagreement(Exception):
    """Two sides compute different results."""


def agree(a, b, rtol=1e-3, atol=1e-5):
    """Return whether two lists of arrays are close; None matches anything."""
    for x, y in zip(a, b, strict=True):
        if x is not None and y is not None:
            sizes = np.abs(np.asarray(y))
            size = max(1, sizes[np.isfinite(sizes)].max(initial=0))
            if not np.allclose(x, y, rtol=rtol, atol=atol * size, equal_nan=True):
                return False
    return True


def measure(workload, workers, rounds, seconds, wait=0):
    """Return the times of each side, measured in turns.

    Return what compilers say of their first calls, too. ``wait`` is how long all rest
    before each measurement.

    Raises
    ------
    Disagreement
        If the results of the sides differ.
    """
    workers = [w for w in workers if w.ask('exists', workload)]
    results = {w.side: w.ask('check', workload) for w in workers}
    expected = results[workers[0].side]['arrays']
    tolerance = getattr(group_of(workload), 'tolerance', None)
    differences = () if tolerance is None else tolerance(workload)
    for side, found in results.items():
        if not agree(found['arrays'], expected, *differences):
            raise Disagreement('%s computes something else in %s, with %d threads'
                               % (sides.NAMES[side.name], workload, side.threads))
    counts = {}
    for worker in workers:
        once = min(worker.ask('time', workload, 1) for _ in range(3))
        counts[worker.side] = max(1, int(seconds / once))
    times = {w.side: [] for w in workers}
    for _ in range(rounds):
        for worker in workers:
            times[worker.side].append(
                worker.ask('time', workload, counts[worker.side], wait))
    for worker in workers:
        worker.ask('forget', workload)
    return times, {side: found for side, found in results.items()
                   if side.name in sides.COMPILERS}


def measure_peaks(workload, found):
    """Return the most memory of a step on each side, in a fresh process."""
    peaks = {}
    for side in found:
        with Worker(side) as worker:
            if worker.ask('exists', workload):
                peaks[side] = worker.ask('peak', workload)
    return peaks


def measure_imports(interpreters, rounds):
    times = {name: [] for name in interpreters}
    for _ in range(rounds):
        for name, interpreter in interpreters.items():
            begin = time.perf_counter()
            subprocess.run([interpreter, '-c', 'import ' + name], check=True, cwd='/',
                           env=dict(os.environ, PYTHONWARNINGS='ignore'))
            times[name].append(time.perf_counter() - begin)
    return times


def rows_of(workload, times, peaks, starts):
    """Return the rows of a workload, by our side: one for each number of threads."""
    title, rows = ALL[workload], {own: [] for own in sides.OWN}
    large = statistics.median(times[next(iter(times))]) > 0.01
    scale, unit = (1e3, '%.1f ms') if large else (1e6, '%.1f us')
    for threads in dict.fromkeys(side.threads for side in times):
        values = {side.name: [scale * t for t in ts]
                  for side, ts in times.items() if side.threads == threads}
        memory = {side.name: peak
                  for side, peak in peaks.items() if side.threads == threads}
        begun = {side.name: start
                 for side, start in starts.items() if side.threads == threads}
        for own, bars in zip(
                sides.OWN, (BARS, ONEDNN_BARS, STATIC_BARS), strict=True):
            if own not in values:
                continue
            cells = table.row(title, values, bars.get(workload, {}), unit, own)
            cells['threads'] = str(threads)
            cells.update(table.memory(memory, own))
            cells.update(table.compiling(begun, own))
            rows[own].append(cells)
    return rows


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        'workloads', nargs='*',
        help='such as small, bytes, import, F.relu:small; or a group: %s '
             '(default: everything but %s)' % (
                 ', '.join(GROUPS), ' and '.join(BY_NAME)))
    parser.add_argument('--peers', nargs='+',
                        choices=[*PEERS, 'static', 'general', 'torch_compile', 'jax',
                                 'chainerx'],
                        help='static is chainer_fast by static_graph, chainerx over '
                             'arrays of ChainerX (default: %s; for compiled, %s)' % (
                                 ', '.join(PEERS),
                                 ', '.join(GROUPS['compiled'].PEERS)))
    parser.add_argument('--rounds', type=int,
                        help='default: %d, fewer for workloads that take long' % ROUNDS)
    parser.add_argument('--seconds', type=float, default=0.15,
                        help='length of one measurement (default: %(default)s)')
    parser.add_argument('--threads', nargs='+', type=int, metavar='N',
                        help='numbers of threads (default: 1, and 1 2 for models)')
    parser.add_argument('--memory', action='store_true',
                        help='measure the most memory of a step, too')
    parser.add_argument('--onednn', action='store_true',
                        help='add chainer_fast with oneDNN, from the extra "onednn"')
    parser.add_argument('--peer-python', default='python3.11',
                        help='interpreter of the peers; Chainer 7.8.1 needs 3.11 or '
                             'older (default: %(default)s)')
    parser.add_argument('--torch', default='torch==2.13.0',
                        help='what to install as PyTorch (default: %(default)s)')
    parser.add_argument('--jax', default='jax==0.10.2',
                        help='what to install as JAX (default: %(default)s)')
    args = parser.parse_args()
    known = list(dict.fromkeys([*WORKLOADS, 'bytes', 'import', *ALL]))
    names = []
    for name in args.workloads:
        if name not in known and name not in GROUPS:
            parser.error('no workload %r: choose from %s, %s'
                         % (name, ', '.join(GROUPS), ', '.join(known)))
        names += GROUPS[name].TITLES if name in GROUPS else [name]
    args.workloads = names or [
        name for name in known
        if not any(name in GROUPS[group].TITLES for group in BY_NAME)]
    return args


def peers_of(workload, peers):
    """Return the sides that a workload is compared with."""
    return peers or getattr(group_of(workload), 'PEERS', PEERS)


def timed_rows(args, interpreters):
    """Return the rows of all workloads with a step, by our side."""
    rows = {own: [] for own in sides.OWN}
    with contextlib.ExitStack() as stack:
        workers = {}
        for name in args.workloads:
            if name not in ALL:
                continue
            log('timing %s ...' % ALL[name])
            group = group_of(name)
            threads = args.threads or getattr(group, 'THREADS', (1,))
            names = [*sides.OWN[:2], *peers_of(name, args.peers)]
            found = [Side(side, interpreters[side], n) for n in threads
                     for side in interpreters if side in names]
            for side in found:
                if side not in workers:
                    workers[side] = stack.enter_context(Worker(side))
            rounds = args.rounds or getattr(group, 'ROUNDS', ROUNDS)
            try:
                times, starts = measure(
                    name, [workers[side] for side in found], rounds, args.seconds,
                    getattr(group, 'WAIT', 0))
            except Disagreement as error:
                sys.exit(str(error))
            peaks = measure_peaks(name, times) if args.memory else {}
            for own, more in rows_of(name, times, peaks, starts).items():
                rows[own] += more
    return rows


def bytes_row(interpreters):
    log('measuring memory ...')
    memory = {}
    for item in interpreters.items():
        values = []
        for _ in range(3):
            with Worker(Side(*item, 1)) as worker:
                values.append(worker.ask('memory', ''))
        memory[item[0]] = values
    return table.row(
        'bytes per function of the graph', memory, BARS['bytes'], '%.0f B')


def import_row(interpreters, rounds):
    log('timing imports ...')
    times = measure_imports(interpreters, rounds)
    milli = {name: [1e3 * t for t in ts] for name, ts in times.items()}
    return table.row('import', milli, BARS['import'], '%.0f ms')


def main():
    args = parse_args()
    peers = {peer for name in args.workloads for peer in peers_of(name, args.peers)}
    interpreters = sides.interpreters(
        peers, args.peer_python, args.torch, args.jax, args.onednn)
    rows = timed_rows(args, interpreters)
    plain = {name: interpreters[name] for name in interpreters
             if name in ('chainer_fast', 'chainer', 'torch')}
    if 'bytes' in args.workloads:
        rows['chainer_fast'].append(bytes_row(plain))
    if 'import' in args.workloads:
        rows['chainer_fast'].append(import_row(plain, args.rounds or ROUNDS))
    table.show(rows['chainer_fast'])
    for own, title in ('onednn', 'with oneDNN'), ('static', 'by static_graph'):
        if rows[own]:
            print('\nThe same %s:\n' % title)
            table.show(rows[own], own)
    print('\nRatios: how many times the time (or memory) of chainer_fast the other '
          'takes; the required ratios are in brackets.')


if __name__ == '__main__':
    main()

#!/usr/bin/env python3
"""Time chainer_fast beside the released Chainer, PyTorch and plain NumPy.

The peers get their own environments under .peers/. All sides run with one thread, in
turns within one run, and the table gives the medians of their ratios: absolute times
depend on the machine and its load.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

import numpy as np
from groups import GROUPS

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
PEERS = os.path.join(ROOT, '.peers')

WORKLOADS = {
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
ALL = dict(WORKLOADS)
for group in GROUPS.values():
    ALL.update(group.TITLES)
    BARS.update(getattr(group, 'BARS', {}))
THREADS = {name: '1' for name in (
    'OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS')}


def log(text):
    print(text, file=sys.stderr, flush=True)


def peer(name, python, *steps):
    """Return the interpreter of a peer's environment, made on first use."""
    folder = os.path.join(PEERS, name)
    interpreter = os.path.join(folder, 'bin', 'python')
    ready = os.path.join(folder, '.ready')
    if not os.path.exists(ready):
        log('making the environment of %s ...' % name)
        subprocess.run([python, '-m', 'venv', '--clear', folder], check=True)
        for step in steps:
            subprocess.run([interpreter, '-m', 'pip', 'install', '--quiet', *step],
                           check=True)
        open(ready, 'w').close()
    return interpreter


def interpreters(args):
    python = args.peer_python
    sides = {'chainer_fast': sys.executable}
    if 'chainer' in args.peers:
        sides['chainer'] = peer(
            'chainer', python,
            ['setuptools<70', 'wheel', 'numpy==1.23.5', 'protobuf==3.20.3'],
            ['--no-build-isolation', 'chainer==7.8.1'])
    if 'torch' in args.peers:
        sides['torch'] = peer('torch', python, ['numpy', args.torch])
    if 'numpy' in args.peers:
        sides['numpy'] = sys.executable
    return sides


class Worker:
    """A process that runs the workloads of one side."""

    def __init__(self, name, interpreter):
        self.name = name
        self.process = subprocess.Popen(
            [interpreter, os.path.join(HERE, 'worker.py'), name],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=dict(os.environ, PYTHONWARNINGS='ignore', **THREADS))

    def ask(self, do, workload, count=0):
        task = {'do': do, 'workload': workload, 'count': count}
        print(json.dumps(task), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            sys.exit('the process of %s ended: see its message above' % self.name)
        return json.loads(line)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def agree(a, b):
    """Return whether two lists of arrays are close; None matches anything."""
    for x, y in zip(a, b, strict=True):
        if x is not None and y is not None:
            size = max(1, np.abs(y).max(initial=0))
            if not np.allclose(x, y, rtol=1e-3, atol=1e-5 * size):
                return False
    return True


def measure(workload, workers, rounds, seconds):
    """Return the times of each side, measured in turns; the results must agree."""
    sides = [w for w in workers if w.ask('exists', workload)]
    results = {w.name: w.ask('check', workload) for w in sides}
    for name, arrays in results.items():
        if not agree(arrays, results['chainer_fast']):
            sys.exit('%s computes something else in %s' % (name, workload))
    counts = {}
    for worker in sides:
        once = min(worker.ask('time', workload, 1) for _ in range(3))
        counts[worker.name] = max(1, int(seconds / once))
    times = {w.name: [] for w in sides}
    for _ in range(rounds):
        for worker in sides:
            times[worker.name].append(
                worker.ask('time', workload, counts[worker.name]))
    return times


def measure_imports(sides, rounds):
    times = {name: [] for name in sides}
    for _ in range(rounds):
        for name, interpreter in sides.items():
            begin = time.perf_counter()
            subprocess.run([interpreter, '-c', 'import ' + name], check=True, cwd='/',
                           env=dict(os.environ, PYTHONWARNINGS='ignore'))
            times[name].append(time.perf_counter() - begin)
    return times


def row(title, key, values, unit):
    """Return a line of the table: our figure, and each peer's ratio and bar."""
    own = values['chainer_fast']
    cells = [title, unit % statistics.median(own)]
    met = True
    for name in ('chainer', 'torch', 'numpy'):
        if name not in values:
            cells.append('')
            continue
        ratio = statistics.median(
            [theirs / ours for theirs, ours in zip(values[name], own, strict=True)])
        bar = BARS.get(key, {}).get(name)
        if bar is None:
            cells.append('%.2f' % ratio)
        else:
            met = met and ratio >= bar
            cells.append('%.2f (%.4g)' % (ratio, bar))
    cells.append('yes' if met and key in BARS else 'no' if not met else '')
    return cells


def show(rows):
    heads = ['workload', 'chainer_fast', 'Chainer 7.8.1', 'PyTorch', 'NumPy', 'met']
    widths = [max(len(str(r[i])) for r in [heads] + rows) for i in range(len(heads))]
    for cells in [heads, ['-' * w for w in widths]] + rows:
        print('| ' + ' | '.join(
            str(c).ljust(w) for c, w in zip(cells, widths, strict=True)) + ' |')
    print('\nRatios: how many times the time (or memory) of chainer_fast the other '
          'takes; the required ratios are in brackets.')


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        'workloads', nargs='*',
        help='such as small, bytes, import, F.relu:small; or a group: %s '
             '(default: everything)' % ', '.join(GROUPS))
    parser.add_argument('--peers', nargs='+', default=['chainer', 'torch', 'numpy'],
                        choices=['chainer', 'torch', 'numpy'])
    parser.add_argument('--rounds', type=int, default=15, help='default: %(default)s')
    parser.add_argument('--seconds', type=float, default=0.15,
                        help='length of one measurement (default: %(default)s)')
    parser.add_argument('--peer-python', default='python3.11',
                        help='interpreter of the peers; Chainer 7.8.1 needs 3.11 or '
                             'older (default: %(default)s)')
    parser.add_argument('--torch', default='torch==2.13.0',
                        help='what to install as PyTorch (default: %(default)s)')
    args = parser.parse_args()
    known = list(dict.fromkeys([*WORKLOADS, 'bytes', 'import', *ALL]))
    names = []
    for name in args.workloads:
        if name not in known and name not in GROUPS:
            parser.error('no workload %r: choose from %s, %s'
                         % (name, ', '.join(GROUPS), ', '.join(known)))
        names += GROUPS[name].TITLES if name in GROUPS else [name]
    args.workloads = names
    args.workloads = args.workloads or known
    return args


def main():
    args = parse_args()
    sides = interpreters(args)
    rows = []
    timed = [name for name in args.workloads if name in ALL]
    if timed:
        workers = [Worker(name, interpreter) for name, interpreter in sides.items()]
        for name in timed:
            log('timing %s ...' % ALL[name])
            times = measure(name, workers, args.rounds, args.seconds)
            micro = {side: [1e6 * t for t in ts] for side, ts in times.items()}
            rows.append(row(ALL[name], name, micro, '%.1f us'))
        for worker in workers:
            worker.close()
    without_floor = {n: i for n, i in sides.items() if n != 'numpy'}
    if 'bytes' in args.workloads:
        log('measuring memory ...')
        memory = {}
        for name, interpreter in without_floor.items():
            values = []
            for _ in range(3):
                worker = Worker(name, interpreter)
                values.append(worker.ask('memory', ''))
                worker.close()
            memory[name] = values
        rows.append(row('bytes per function of the graph', 'bytes', memory, '%.0f B'))
    if 'import' in args.workloads:
        log('timing imports ...')
        times = measure_imports(without_floor, args.rounds)
        milli = {side: [1e3 * t for t in ts] for side, ts in times.items()}
        rows.append(row('import', 'import', milli, '%.0f ms'))
    show(rows)


if __name__ == '__main__':
    main()

"""Compare training steps on a GPU with PyTorch eager, and print a table.

Both sides run alternately on the same GPU. Times are those of the GPU, between events,
after warm-up; the table has medians. "host" is the processor's time to queue a function
of Chainer's graph, with its share of the update. "peak" is the memory that each side
allocated on the device.
"""
import argparse
import datetime
import json
import os
import statistics
import sys

from benchmarks.gpu import check, rows
from benchmarks.process import ROOT, Process
from benchmarks.table import markdown

HEADS = ['step', 'size', 'numbers', 'chainer_fast', 'PyTorch', 'ratio (bar)', 'met',
         'host us/function', 'PyTorch', 'peak MiB', 'PyTorch', 'PyTorch graph', 'ratio']
# A side whose failure leaves the others as they are: PyTorch may refuse to record.
OPTIONAL = 'torch_graph'


def log(text):
    print(text, file=sys.stderr, flush=True)


def start(name, interpreter, mode):
    """Return a worker of one side, in one type of numbers."""
    return Process(name, [interpreter, '-m', 'benchmarks.gpu.worker', name, mode],
                   {'CUPY_TF32': str(int(mode == 'tf32'))})


def measure(row, size, processes, rounds, seconds):
    """Return the measurements of a step, by side.

    Parameters
    ----------
    row, size : str
    processes : list of Process
        One of `OPTIONAL` that ends leaves the list.
    rounds : int
    seconds : float
        Length of one measurement.

    Returns
    -------
    dict of str to dict
    """
    found, counts = {}, {}
    for process in list(processes):
        try:
            losses = process.ask('make', row, size)
        except SystemExit:
            if process.name != OPTIONAL:
                raise
            processes.remove(process)
            continue
        once = min(process.ask('time', 3) for _ in range(3))
        counts[process.name] = max(1, int(seconds / once))
        found[process.name] = {'losses': losses, 'times': [], 'host': []}
    for _ in range(rounds):
        for process in processes:
            side = found[process.name]
            side['times'].append(process.ask('time', counts[process.name]))
            side['host'].append(process.ask('host'))
    for process in processes:
        found[process.name]['peak'] = process.ask('peak')
        found[process.name]['functions'] = process.ask('functions')
    return found


def agree(row, found):
    """Return whether the first losses of the sides are close."""
    first = [side['losses'][0] for side in found.values()]
    return not rows.ROWS[row].comparable or all(
        abs(loss - first[0]) <= .02 * max(1, abs(first[0])) for loss in first)


def line(row, size, mode, found):
    """Return the cells of a step in the table."""
    ours, theirs, graph = [
        found.get(name) for name in ('chainer_fast', 'torch', OPTIONAL)]
    functions = ours['functions']

    def milliseconds(side):
        return '%.3f ms' % (1e3 * statistics.median(side['times'])) if side else ''

    def host(side):
        return ('%.2f' % (1e6 * statistics.median(side['host']) / functions)
                if side else '')

    def peak(side):
        return '%.0f' % (side['peak'] / 2 ** 20) if side else ''

    def quotient_of(side):
        return statistics.median(
            [b / a for a, b in zip(ours['times'], side['times'], strict=True)])

    ratio = met = ''
    if theirs:
        quotient = quotient_of(theirs)
        bar = rows.ROWS[row].bar
        ratio = '%.2f (%g)' % (quotient, bar)
        met = 'yes' if quotient >= bar else 'no'
        if not agree(row, found):
            met = 'other results'
    return [rows.ROWS[row].title, size, mode, milliseconds(ours), milliseconds(theirs),
            ratio, met, host(ours), host(theirs), peak(ours), peak(theirs),
            milliseconds(graph), '%.2f' % quotient_of(graph) if graph else '']


def torch_interpreter(args):
    """Return an interpreter that has PyTorch, made on first use; or None."""
    if args.alone:
        return None
    if args.torch_python:
        return args.torch_python
    sys.path.insert(0, os.path.join(ROOT, 'benchmarks'))
    import compare
    return compare.peer('torch-gpu', sys.executable, ['numpy', args.torch])


def parse_args():
    parser = argparse.ArgumentParser(
        prog='python -m benchmarks.gpu', description=__doc__)
    parser.add_argument('rows', nargs='*', help='of %s' % ', '.join(rows.ROWS))
    parser.add_argument('--modes', nargs='+', choices=['float32', 'tf32', 'float16'],
                        default=['float32', 'tf32', 'float16'])
    parser.add_argument('--rounds', type=int, default=11, help='default: %(default)s')
    parser.add_argument('--seconds', type=float, default=.2,
                        help='length of one measurement (default: %(default)s)')
    parser.add_argument('--alone', action='store_true', help='without PyTorch')
    parser.add_argument('--graphs', action='store_true',
                        help="PyTorch's steps as CUDA graphs, too")
    parser.add_argument('--torch', default='torch',
                        help='what to install as PyTorch (default: %(default)s)')
    parser.add_argument('--torch-python', help='an interpreter that has PyTorch')
    parser.add_argument('--out', default='bench-gpu.json', help='default: %(default)s')
    parser.add_argument('--check', action='store_true',
                        help='only run all steps at a tiny size, without PyTorch, and '
                             'on a stand-in for CuPy where there is no GPU')
    args = parser.parse_args()
    for row in args.rows:
        if row not in rows.ROWS:
            parser.error('no step %r: choose from %s' % (row, ', '.join(rows.ROWS)))
    args.rows = args.rows or list(rows.ROWS)
    return args


def main():
    args = parse_args()
    if args.check:
        check.main(args.rows)
        return
    interpreters = {'chainer_fast': sys.executable, 'torch': torch_interpreter(args)}
    if args.graphs:
        interpreters[OPTIONAL] = interpreters['torch']
    report = {'date': datetime.date.today().isoformat(), 'rows': []}
    lines = []
    for mode in args.modes:
        chosen = [row for row in args.rows if mode in rows.ROWS[row].modes]
        processes = [start(name, interpreter, mode)
                     for name, interpreter in interpreters.items() if interpreter]
        report['versions'] = {p.name: p.ask('versions') for p in processes}
        for row in chosen:
            for size in rows.ROWS[row].sizes:
                log('timing %s, %s, %s ...' % (rows.ROWS[row].title, size, mode))
                found = measure(row, size, processes, args.rounds, args.seconds)
                report['rows'].append(
                    {'row': row, 'size': size, 'mode': mode, **found})
                lines.append(line(row, size, mode, found))
                # What has been measured stays, whatever happens to the rest.
                with open(args.out, 'w') as f:
                    json.dump(report, f, indent=1)
        for process in processes:
            process.close()
    print(markdown(HEADS, lines))
    for name, versions in report['versions'].items():
        print('%s: %s' % (name, ', '.join('%s %s' % v for v in versions.items())))


if __name__ == '__main__':
    main()

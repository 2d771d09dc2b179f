"""Measure the host time of training steps on a GPU, and print a table.

chainer_fast runs on a null device, a CuPy that does nothing. Alternately with it,
each on one thread, the same steps run on the processor, including arithmetic, with
chainer_fast, and with PyTorch eager if it is installed. Times are processor times,
which other programs disturb less; the table has medians. The time of CuPy, cuDNN's
frontend and the driver is not included: the launches and calls of a step are counted,
to be multiplied by their cost.
"""
import argparse
import importlib.util
import json
import os
import statistics
import sys

from benchmarks.host import rows
from benchmarks.process import ROOT, Process
from benchmarks.table import markdown

HEADS = ['step', 'null device', 'processor', 'ratio (bar)', 'PyTorch', 'ratio (bar)',
         'launches', 'by cuDNN', 'not by CuPy', 'calls of CuPy']
_PEER = os.path.join(ROOT, '.peers', 'torch')


def log(text):
    print(text, file=sys.stderr, flush=True)


def start(name, interpreter):
    """Return a worker of a side, with one thread."""
    return Process(
        name, [interpreter, '-m', 'benchmarks.host.worker', name],
        {variable: '1' for variable in (
            'OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS')})


def measure(row, processes, rounds, seconds):
    """Return the measurements of a step.

    Parameters
    ----------
    row : str
    processes : list of Process
        The first is that of the null device.
    rounds : int
    seconds : float
        Length of one measurement.

    Returns
    -------
    dict
        ``'times'`` by side and ``'counts'``, or ``'refusal'`` of a static chain that
        was not recorded.
    """
    null = processes[0]
    answer = null.ask('make', row)
    if isinstance(answer, str):
        return {'refusal': answer}
    processes = [null, *[p for p in processes[1:] if p.name in rows.ROWS[row].bars]]
    counts, times = {}, {}
    for process in processes:
        if process is not null:
            process.ask('make', row)
        once = min(process.ask('time', 1) for _ in range(3))
        counts[process.name] = max(1, int(seconds / once))
        times[process.name] = []
    for _ in range(rounds):
        for process in processes:
            times[process.name].append(process.ask('time', counts[process.name]))
    return {'times': times, 'counts': null.ask('counts')}


def line(row, found):
    """Return the cells of a step in the table."""
    title = rows.ROWS[row].title
    if 'refusal' in found:
        return [title, 'not recorded', *[''] * (len(HEADS) - 2)]
    cells, times = [title, _milliseconds(found['times']['null'])], found['times']
    for name in 'processor', 'torch':
        if name not in times:
            cells += ['', '']
            continue
        ratio = '%.2f' % statistics.median(
            [a / b for a, b in zip(times['null'], times[name], strict=True)])
        bar = rows.ROWS[row].bars[name]
        cells += [_milliseconds(times[name]), ratio + (' (%g)' % bar if bar else '')]
    launches, calls, by_driver = found['counts']
    by_cudnn = sum(n for name, n in launches.items() if name.startswith('cudnn'))
    return [*cells, *map(str, (
        sum(launches.values()) + by_driver, by_cudnn, by_driver, sum(calls.values())))]


def _milliseconds(seconds):
    return '%.3f ms' % (1e3 * statistics.median(seconds))


def names(row, counts):
    """Return lines of a table with launches and calls by name, the most first."""
    return [[rows.ROWS[row].title, kind, name, str(n)]
            for kind, each in zip(('launch', 'call'), counts, strict=False)
            for name, n in sorted(each.items(), key=lambda item: -item[1])]


def torch_interpreter(args):
    """Return an interpreter that has PyTorch, or None; nothing is installed."""
    if args.alone:
        return None
    if args.torch_python:
        return args.torch_python
    if os.path.exists(os.path.join(_PEER, '.ready')):
        return os.path.join(_PEER, 'bin', 'python')
    if importlib.util.find_spec('torch'):
        return sys.executable
    log('without PyTorch: `make bench` installs one, --torch-python names another')
    return None


def parse_args():
    parser = argparse.ArgumentParser(
        prog='python -m benchmarks.host', description=__doc__)
    parser.add_argument('rows', nargs='*', help='of %s' % ', '.join(rows.ROWS))
    parser.add_argument('--rounds', type=int, default=15, help='default: %(default)s')
    parser.add_argument('--seconds', type=float, default=.2,
                        help='length of one measurement (default: %(default)s)')
    parser.add_argument('--alone', action='store_true', help='without PyTorch')
    parser.add_argument('--torch-python', help='an interpreter that has PyTorch')
    parser.add_argument('--names', action='store_true',
                        help='print launches and calls by name, too')
    parser.add_argument('--profile', action='store_true',
                        help='print the profiles of the steps on the null device, too')
    parser.add_argument('--out', help='write all measurements to this file, as JSON')
    args = parser.parse_args()
    for row in args.rows:
        if row not in rows.ROWS:
            parser.error('no step %r: choose from %s' % (row, ', '.join(rows.ROWS)))
    args.rows = args.rows or list(rows.ROWS)
    return args


def main():
    args = parse_args()
    interpreters = {'null': sys.executable, 'processor': sys.executable,
                    'torch': torch_interpreter(args)}
    processes = [start(name, interpreter)
                 for name, interpreter in interpreters.items() if interpreter]
    report, profiles = {}, {}
    for row in args.rows:
        log('timing %s ...' % rows.ROWS[row].title)
        report[row] = measure(row, processes, args.rounds, args.seconds)
        if args.profile:
            profiles[row] = processes[0].ask('profile')
    for process in processes:
        process.close()
    print(markdown(HEADS, [line(row, found) for row, found in report.items()]))
    for row, found in report.items():
        if 'refusal' in found:
            print('%s: %s.' % (rows.ROWS[row].title, found['refusal']))
    if args.names:
        print(markdown(['step', 'what', 'name', 'times'], [
            cells for row, found in report.items() if 'counts' in found
            for cells in names(row, found['counts'])]))
    for row, text in profiles.items():
        print('%s\n%s' % (rows.ROWS[row].title, text))
    if args.out:
        with open(args.out, 'w') as f:
            json.dump(report, f, indent=1)


if __name__ == '__main__':
    main()

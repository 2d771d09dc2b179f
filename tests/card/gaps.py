"""How long the card waits between kernels: steps of ResNet-50 under Nsight Systems.

    python -m tests.card.gaps MODE FILE [--batch 32]

profiles this module with ``--steps``, and prints a line of JSON. Nsight Systems shows
the recording, ``FILE.nsys-rep``, as well.
"""
import argparse
import csv
import io
import json
import os
import subprocess
import sys

STEPS = 5


def steps(mode, batch):
    """Run steps, the last of which are recorded."""
    from benchmarks.gpu import worker
    from benchmarks.gpu.sides import chainer_side
    side = chainer_side.Side(mode)
    side.use()
    at_work = worker.Worker(side)
    at_work.make('resnet50', batch)
    runtime = chainer_side.cuda.cupy.cuda.runtime
    runtime.profilerStart()
    at_work.time(STEPS)
    runtime.profilerStop()


def summarize(table, count=STEPS):
    """Return what a trace of the card says, in milliseconds for a step.

    Parameters
    ----------
    table : str
        ``cuda_gpu_trace`` of Nsight Systems, as CSV; times are in nanoseconds.
    count : int
        Number of steps in it.
    """
    # Messages come before the table.
    lines = table.splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith('Start'))
    spans = sorted(
        (float(row['Start (ns)']), float(row['Duration (ns)']))
        for row in csv.DictReader(io.StringIO('\n'.join(lines[head:])))
        if row['Start (ns)'])
    busy, gaps, longest, end = 0., 0., 0., spans[0][0]
    for start, duration in spans:
        gap = max(start - end, 0)
        gaps, longest = gaps + gap, max(longest, gap)
        busy += max(start + duration - max(start, end), 0)
        end = max(end, start + duration)
    return {
        'busy ms': round(busy / 1e6 / count, 3),
        'waiting ms': round(gaps / 1e6 / count, 3),
        'waiting share': round(gaps / (gaps + busy), 3),
        'longest gap ms': round(longest / 1e6, 3), 'launches': len(spans) / count}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('mode')
    parser.add_argument('file')
    parser.add_argument('--batch', type=int, default=32)
    parser.add_argument('--steps', action='store_true')
    args = parser.parse_args()
    size = 'batch %d' % args.batch
    if args.steps:
        steps(args.mode, size)
        return
    variables = {**os.environ, 'CUPY_TF32': str(int(args.mode == 'tf32'))}
    subprocess.run([
        'nsys', 'profile', '--trace', 'cuda', '--sample', 'none', '--cpuctxsw', 'none',
        '--capture-range', 'cudaProfilerApi', '--capture-range-end', 'stop',
        '--force-overwrite', 'true',
        '--output', args.file, sys.executable, '-m', 'tests.card.gaps', args.mode,
        args.file, '--batch', str(args.batch), '--steps'], env=variables, check=True)
    trace = subprocess.run([
        'nsys', 'stats', '--report', 'cuda_gpu_trace', '--format', 'csv',
        '--force-export', 'true', args.file + '.nsys-rep'],
        text=True, check=True, stdout=subprocess.PIPE).stdout
    print(json.dumps({'case': 'ResNet-50, %s, %s' % (size, args.mode),
                      'state': 'passed', **summarize(trace)}))


if __name__ == '__main__':
    main()

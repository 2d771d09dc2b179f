#!/usr/bin/env python3
"""Estimate how training steps would scale on a processor with many cores.

This is a simulation, for machines with fewer cores. The calling thread executes every
loop alone, and records its time and the number of pieces into which it would have
been divided. With ``n`` threads a loop then takes as long as the threads with most
pieces, plus a fixed time for the start; all other code takes its measured time.
Shared caches and memory are not modelled, so the result is an upper bound.
"""
import argparse
import collections
import contextlib
import statistics
import time

import groups
import table
from models import cases
from sides import log

import chainer_fast as chainer
from chainer_fast import optimizer
from chainer_fast._core.graphs import graph
from chainer_fast._cpu import shared as process
from chainer_fast.backends import kernels

WORKLOADS = [key for key in cases.TITLES if key != 'M.skip_gram']


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('workloads', nargs='*', default=WORKLOADS,
                        help='as of compare.py (default: %s)' % ' '.join(WORKLOADS))
    parser.add_argument('--threads', type=int, nargs='+', default=[2, 4, 8, 16],
                        metavar='N', help='numbers of threads (default: 2 4 8 16)')
    parser.add_argument('--start', type=float, default=5, metavar='MICROSECONDS',
                        help='what it takes to share a loop (default: %(default)s)')
    parser.add_argument('--rounds', type=int, default=5, help='default: %(default)s')
    parser.add_argument('--names', action='store_true',
                        help='list what takes longest with the most threads')
    args = parser.parse_args()
    for name in args.workloads:
        if groups.group_of(name) is None:
            parser.error('no workload %r' % name)
    return args


def shared(loops, start):
    """Return seconds of loops, if their pieces are shared."""
    total = 0.
    for threads, pieces, took in loops:
        rounds = -(-pieces // threads)
        total += min(took, took * rounds / pieces + start)
    return total / 1e9


class Parts:
    """Counts how long the parts of a step take, and what of that would be shared.

    Parts are functions with compiled shortcuts, kernels that others call, and updates.

    Attributes
    ----------
    took : Counter
        Nanoseconds by name.
    loops : dict
        Those of :func:`process.noted_loops`, by name.
    """

    def __init__(self):
        self.took = collections.Counter()
        self.loops = collections.defaultdict(list)
        self._pending = []      # loops of no part yet
        self._inner = []        # when parts began, which may be within others, and took

    def flush(self):
        """Record that the loops since the last part belong to no part."""
        self.loops['all else'] += self._pending + process.noted_loops()
        self._pending = []
        self._inner = []

    def _own(self, begin):
        """Return how long a part took that ends now, without those inside."""
        took = time.perf_counter_ns() - begin
        inside = sum(each for at, each in self._inner if at >= begin)
        self._inner = [each for each in self._inner if each[0] < begin]
        self._inner.append((begin, took))
        return took - inside

    def _of_shortcut(self, direction):
        def note(function, _, elapsed):
            begin = time.perf_counter_ns() - elapsed
            name = '%s, %s' % (type(function).__name__, direction)
            self.loops[name] += self._pending + process.noted_loops()
            self._pending = []
            self.took[name] += self._own(begin)
        return note

    def _of_call(self, call, name):
        def noted(own, *args):
            self._pending += process.noted_loops()
            begin = time.perf_counter_ns()
            result = call(own, *args)
            self.took[name(own)] += self._own(begin)
            self.loops[name(own)] += process.noted_loops()
            return result
        return noted

    @contextlib.contextmanager
    def observing(self):
        """See all functions that have shortcuts, and all kernels."""
        plain = {cls: graph.registered(cls)[0]
                 for cls in graph.classes_with_shortcuts()}
        calls = [(kernels.Kernel, '__call__', lambda own: 'the kernel ' + own.__name__),
                 (optimizer.GradientMethod, 'update', lambda own: 'the update')]
        methods = [vars(cls)[method] for cls, method, _ in calls]
        for cls, shortcut in plain.items():
            graph.declare(cls, graph.ObservedShortcut(
                shortcut, self._of_shortcut('forward'), self._of_shortcut('backward')))
        for (cls, method, name), call in zip(calls, methods, strict=True):
            setattr(cls, method, self._of_call(call, name))
        try:
            yield
        finally:
            for (cls, method, _), call in zip(calls, methods, strict=True):
                setattr(cls, method, call)
            for cls, shortcut in plain.items():
                graph.declare(cls, shortcut)


def measure(step, threads, start, rounds):
    """Return seconds of a step alone, those of its loops, and all with threads."""
    found = []
    with chainer.using_config('num_threads', threads):
        for _ in range(rounds):
            process.noted_loops()
            begin = time.perf_counter()
            step()
            alone = time.perf_counter() - begin
            loops = process.noted_loops()
            inside = sum(took for _, _, took in loops) / 1e9
            found.append((alone, inside, alone - inside + shared(loops, start)))
    return sorted(found)[rounds // 2]


def slowest_parts(step, threads, start, rounds):
    """Return rows of what takes longest with threads."""
    parts = Parts()
    elapsed = 0
    with chainer.using_config('num_threads', threads), parts.observing():
        for _ in range(rounds):
            begin = time.perf_counter_ns()
            step()
            elapsed += time.perf_counter_ns() - begin
            parts.flush()
    parts.took['all else'] = elapsed - sum(parts.took.values())
    found = collections.Counter()
    for name, took in parts.took.items():
        loops = parts.loops[name]
        found[name] = took / 1e9 - sum(
            each for _, _, each in loops) / 1e9 + shared(loops, start)
    total = sum(found.values())
    return [[name, '%.3f' % (parts.took[name] / rounds / 1e6),
             '%.3f' % (1e3 * then / rounds), '%.0f %%' % (100 * then / total)]
            for name, then in found.most_common(8)]


def main():
    args = parse_args()
    lines, names = [], []
    process.note_loops(True)
    for workload in args.workloads:
        title = groups.group_of(workload).TITLES[workload]
        log('running %s ...' % title)
        step = groups.make_step(workload, 'chainer', chainer)
        for _ in range(3):
            step()
        found = [measure(step, threads, 1e3 * args.start, args.rounds)
                 for threads in args.threads]
        alone = statistics.median([each[0] for each in found])
        inside = statistics.median([each[1] / each[0] for each in found])
        lines.append([title, '%.2f' % (1e3 * alone), '%.1f %%' % (100 * inside), *[
            '%.1f' % (each[0] / each[2]) for each in found]])
        if args.names:
            names.append((title, slowest_parts(
                step, args.threads[-1], 1e3 * args.start, args.rounds)))
    print(table.markdown(
        ['workload', 'one thread, ms', 'shared', *[
            '%d threads' % threads for threads in args.threads]], lines), end='')
    for title, rows in names:
        print('\n%s:\n' % title)
        print(table.markdown(['part', 'one thread, ms', '%d threads' % args.threads[-1],
                              'of the step then'], rows), end='')


if __name__ == '__main__':
    main()

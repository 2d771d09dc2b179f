"""Base of hooks that measure times."""
import sys
import time

import numpy

from chainer_fast.backends import cuda
from chainer_fast.function_hooks import _report

_get_time = time.perf_counter


class Timings:
    """Times of computations, which may be nested.

    Attributes
    ----------
    call_history : list of (str, float)
        Names of computations and the seconds they took, in the order in which they
        ended.
    xp : module
        Array module of the computation that began last.
    """

    table = {'sec': 1, 'ms': 10 ** 3, 'us': 10 ** 6, 'ns': 10 ** 9}

    # Title of the column of names.
    _title = None

    def __init__(self):
        self.call_history = []
        self._total_time = 0
        # Starts of the running computations: seconds, or events on a GPU.
        self._running_stack = []

    def _start(self, xp):
        """Note that a computation begins."""
        self.xp = xp
        self._running_stack.append(
            _get_time() if xp is numpy else self._record())

    def _stop(self, name):
        """Note that the computation that began last has ended."""
        start = self._running_stack.pop()
        if isinstance(start, float):
            elapsed = _get_time() - start
        else:
            stop = self._record()
            stop.synchronize()
            elapsed = cuda.cupy.cuda.get_elapsed_time(start, stop) / 1000
        if not self._running_stack:
            self._total_time += elapsed
        self.call_history.append((name, elapsed))

    @staticmethod
    def _record():
        event = cuda.Event()
        event.record()
        return event

    def total_time(self):
        """Return the seconds that all computations took; nested ones count once."""
        return self._total_time

    def summary(self):
        """Return the measurements by name.

        Returns
        -------
        dict of str to dict
            For each name, ``elapsed_time`` in seconds, and ``occurrence``, the number
            of calls.
        """
        summary = {}
        for name, elapsed in self.call_history:
            entry = summary.setdefault(name, {'elapsed_time': 0, 'occurrence': 0})
            entry['elapsed_time'] += elapsed
            entry['occurrence'] += 1
        return summary

    def _choose_unit(self, second):
        return _report.largest_unit(second, self.table, 'ns')

    def print_report(self, unit='auto', file=sys.stdout):
        """Print a table of names and the times they took.

        Parameters
        ----------
        unit : {'auto', 'auto_foreach', 'sec', 'ms', 'us', 'ns'}
            Unit of the times; ``'auto'`` suits the longest, ``'auto_foreach'`` each.
        file : file-like
            Where to print.
        """
        _report.print_report(
            self.summary(), {'ElapsedTime': 'elapsed_time'}, unit, self._choose_unit,
            self.table, file, self._title)

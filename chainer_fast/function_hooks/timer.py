"""How long functions take."""
import sys
import time

import numpy

from chainer_fast import backend
from chainer_fast.backends import cuda
from chainer_fast.function_hooks import _report, _span

_get_time = time.perf_counter


class TimerHook(_span.SpanHook):
    """Function hook that measures the time functions take.

    >>> hook = TimerHook()
    >>> with hook:
    ...     trainer.run()
    >>> hook.print_report()

    On a GPU times are measured by events in the stream, and each function is waited
    for.

    Attributes
    ----------
    call_history : list of (str, float)
        Names of functions and the seconds they took, in the order in which they ended.
        The time of a backward computation includes that of the functions it applies,
        which are listed, too.
    """

    name = 'TimerHook'
    table = {'sec': 1, 'ms': 10 ** 3, 'us': 10 ** 6, 'ns': 10 ** 9}

    def __init__(self):
        self.call_history = []
        self._total_time = 0
        # When the functions that are under way began: seconds, or events on a GPU.
        self._running_stack = []

    def _begin(self, function, arrays, direction):
        self.xp = backend.get_array_module(*arrays)
        if self.xp is numpy:
            self._running_stack.append(_get_time())
        else:
            self._running_stack.append(self._record())

    def _end(self, function, arrays):
        start = self._running_stack.pop()
        if isinstance(start, float):
            elapsed = _get_time() - start
        else:
            stop = self._record()
            stop.synchronize()
            elapsed = cuda.cupy.cuda.get_elapsed_time(start, stop) / 1000
        if not self._running_stack:
            self._total_time += elapsed
        self.call_history.append((function._impl_name, elapsed))

    @staticmethod
    def _record():
        event = cuda.Event()
        event.record()
        return event

    def total_time(self):
        """Return the seconds that all functions took; nested ones count once."""
        return self._total_time

    def summary(self):
        """Return what is known of each function.

        Returns
        -------
        dict of str to dict
            Names of functions to entries ``elapsed_time``, in seconds, and
            ``occurrence``, the number of calls.
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
        """Print a table of the functions and the times they took.

        Parameters
        ----------
        unit : {'auto', 'auto_foreach', 'sec', 'ms', 'us', 'ns'}
            Unit of the times: one that suits the longest, one that suits each, or the
            one that is given.
        file : file-like
            Where to print.
        """
        _report.print_report(
            self.summary(), {'ElapsedTime': 'elapsed_time'}, unit, self._choose_unit,
            self.table, file)

"""Base of hooks that measure times."""
from __future__ import annotations

import sys
import time
from typing import IO, Any

import numpy

from chainer_fast.backends import cuda
from chainer_fast.function_hooks import _report
from chainer_fast.types import Xp

_get_time = time.perf_counter
# Maximum number of computations on a GPU whose events are kept.
_MOST_PENDING = 10000


class Timings:
    """Times of computations, which may be nested.

    On a GPU, events are recorded in the stream, and the host waits for them when times
    are read. Waiting after each computation would slow down all of them.

    Attributes
    ----------
    xp : module
        Array module of the computation that started last.
    """

    xp: Xp

    table: dict[str, int] = {'sec': 1, 'ms': 10 ** 3, 'us': 10 ** 6, 'ns': 10 ** 9}

    # Title of the column of names.
    _title = None

    def __init__(self) -> None:
        self.call_history = []
        self._total_time = 0
        # Computations whose events have not been read: position in the history, both
        # events, and whether the computation is part of another one.
        self._pending = []
        # Starts of the running computations: seconds, or events on a GPU.
        self._running_stack = []

    def __getstate__(self) -> dict[str, Any]:
        # A copy does not include running computations; modules and events cannot be
        # copied.
        self._read_events()
        state = {**vars(self), '_running_stack': []}
        state.pop('xp', None)
        return state

    def _start(self, xp):
        """Record the start of a computation."""
        self.xp = xp
        self._running_stack.append(
            _get_time() if xp is numpy else self._record())

    def _stop(self, name):
        """Record the end of the computation that started last."""
        start = self._running_stack.pop()
        nested = bool(self._running_stack)
        if isinstance(start, float):
            elapsed = _get_time() - start
            self._history().append((name, elapsed))
            self._total_time += 0 if nested else elapsed
            return
        history = self._history()
        self._pending.append((len(history), start, self._record(), nested))
        history.append((name, None))
        if len(self._pending) >= _MOST_PENDING:
            self._read_events()

    def _read_events(self):
        pending, self._pending = self._pending, []
        for index, start, stop, nested in pending:
            stop.synchronize()
            elapsed = cuda.cupy.cuda.get_elapsed_time(start, stop) / 1000
            history = self._history()
            history[index] = history[index][0], elapsed
            self._total_time += 0 if nested else elapsed

    @property
    def call_history(self) -> list[tuple[str, float]]:
        """Names of computations and their times in seconds, a list of (str, float).

        The computations are in the order in which they ended.
        """
        self._read_events()
        return self._history()

    # The list is stored where `vars` shows it.
    @call_history.setter
    def call_history(self, history: Any) -> None:
        self._pending = []
        vars(self)['call_history'] = history

    @call_history.deleter
    def call_history(self) -> None:
        self._history()
        self._pending = []
        del vars(self)['call_history']

    def _history(self):
        if 'call_history' not in vars(self):
            raise AttributeError('call_history of the hook was deleted')
        return vars(self)['call_history']

    @staticmethod
    def _record():
        event = cuda.Event()
        event.record()
        return event

    def total_time(self) -> float:
        """Return the time of all computations in seconds; nested ones count once."""
        self._read_events()
        return self._total_time

    def summary(self) -> dict[str, dict[Any, Any]]:
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

    def print_report(
            self, unit: str = 'auto', file: IO[Any] = sys.stdout) -> None:
        """Print a table of names and times.

        Parameters
        ----------
        unit : {'auto', 'auto_foreach', 'sec', 'ms', 'us', 'ns'}
            Unit of the times; ``'auto'`` selects a unit for the longest time,
            ``'auto_foreach'`` one for each time.
        file : file-like
            Stream to print to.
        """
        _report.print_report(
            self.summary(), {'ElapsedTime': 'elapsed_time'}, unit, self._choose_unit,
            self.table, file, self._title)

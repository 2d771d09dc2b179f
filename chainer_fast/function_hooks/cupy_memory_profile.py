"""Function hook that measures the GPU memory that functions allocate."""
from __future__ import annotations

import collections
import sys
from typing import IO, TYPE_CHECKING, Any

from chainer_fast.backends import cuda
from chainer_fast.function_hooks import _report, _span

if TYPE_CHECKING:
    from chainer_fast.function_node import FunctionNode

if cuda.available:
    from cupy.cuda import MemoryHook
else:
    MemoryHook = object


class CupyMemoryProfileHook(_span.SpanHook):
    """Function hook that measures how much GPU memory functions allocate.

    >>> hook = chainer.function_hooks.CupyMemoryProfileHook()  # doctest: +SKIP
    >>> with hook:  # doctest: +SKIP
    ...     trainer.run()
    >>> hook.print_report()  # doctest: +SKIP

    *Used* bytes are allocated from CuPy's memory pool; *acquired* bytes are allocated
    by the pool from the device for that purpose.

    Attributes
    ----------
    call_history : list of (str, int, int, int)
        Names of functions, the bytes that they used and acquired, and their depth, in
        the order in which they ended. A backward computation includes the functions
        that it applies, which are also listed, at a greater depth.

    Raises
    ------
    RuntimeError
        If CuPy is not available.
    """

    name = 'CupyMemoryProfileHook'
    _units = ['B', 'KB', 'MB', 'GB', 'TB', 'PB', 'EB', 'ZB']
    _table = {unit: 1024.0 ** i for i, unit in enumerate(_units)}

    def __init__(self) -> None:
        cuda.check_cuda_available()
        self._memory_hook = CupyMemoryCumulativeHook()
        self._total_used_bytes = self._total_acquired_bytes = 0
        self.call_history: list[tuple[str, int, int, int]] = []
        self._running_stack = []

    def added(self, function: FunctionNode | None = None) -> None:
        self._memory_hook.__enter__()

    def deleted(self, function: FunctionNode | None = None) -> None:
        self._memory_hook.__exit__()

    def _begin(self, function, arrays, direction):
        self._running_stack.append(self._memory_hook.totals())

    def _end(self, function, arrays):
        used, acquired = [
            now - before for now, before in zip(
                self._memory_hook.totals(), self._running_stack.pop(), strict=True)]
        depth = len(self._running_stack)
        if depth == 0:
            self._total_used_bytes += used
            self._total_acquired_bytes += acquired
        self.call_history.append((function._impl_name, used, acquired, depth))

    def total_used_bytes(self) -> int:
        """Return the bytes that all functions used; nested ones are counted once."""
        return self._total_used_bytes

    def total_acquired_bytes(self) -> int:
        """Return the bytes that all functions acquired; nested ones count once."""
        return self._total_acquired_bytes

    def summary(self) -> dict[str, Any]:
        """Return the measurements of each function.

        Returns
        -------
        collections.OrderedDict of str to dict
            For each name, ``used_bytes``, ``acquired_bytes`` and ``occurrence``, the
            number of calls.
        """
        summary = collections.OrderedDict()
        for name, *numbers, _ in self.call_history:
            entry = summary.setdefault(
                name, {'used_bytes': 0, 'acquired_bytes': 0, 'occurrence': 0})
            for key, number in zip(entry, [*numbers, 1], strict=True):
                entry[key] += number
        return summary

    def _choose_unit(self, size):
        factor, unit = _report.largest_unit(
            size, {unit: 1 / self._table[unit] for unit in reversed(self._units)}, 'B')
        return 1 / factor, unit

    def print_report(
            self, unit: str = 'auto', file: IO[Any] = sys.stdout) -> None:
        """Print a table of the functions and the memory that they allocated.

        Parameters
        ----------
        unit : {'auto', 'auto_foreach', 'B', 'KB', 'MB', 'GB', 'TB', 'PB', 'EB', 'ZB'}
            Unit of the sizes; ``'auto'`` selects a unit for the largest size in a
            column, ``'auto_foreach'`` one for each size.
        file : file-like
            Stream to print to.
        """
        def choose(size):
            divisor, unit = self._choose_unit(size)
            return 1 / divisor, unit

        _report.print_report(
            self.summary(),
            {'UsedBytes': 'used_bytes', 'AcquiredBytes': 'acquired_bytes'}, unit,
            choose, {unit: 1 / size for unit, size in self._table.items()}, file)


class CupyMemoryCumulativeHook(MemoryHook):
    """CuPy memory hook that sums allocations.

    Attributes
    ----------
    used_bytes : int
        Bytes allocated from the memory pool.
    acquired_bytes : int
        Bytes that the memory pool has allocated from the device.
    """

    used_bytes: int
    acquired_bytes: int

    name = 'CupyMemoryCumulativeHook'

    def __init__(self) -> None:
        self.used_bytes, self.acquired_bytes = 0, 0

    def totals(self) -> tuple[int, int]:
        """Return the bytes used and acquired."""
        return self.used_bytes, self.acquired_bytes

    def malloc_preprocess(self, **kwargs: Any) -> None:
        """Called by CuPy before memory is allocated from the pool."""
        self.used_bytes += kwargs['mem_size']

    def alloc_preprocess(self, **kwargs: Any) -> None:
        """Called by CuPy before memory is allocated from the device."""
        self.acquired_bytes += kwargs['mem_size']

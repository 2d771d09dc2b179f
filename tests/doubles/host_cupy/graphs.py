"""Graphs of the stand-in: what a stream captured, to be launched.

A graph has addresses and keeps no memory, as on a GPU. A launch raises where one of
them is not the graph's any more: its block has been given back to the card, it was an
array's that is gone, or what was made during a capture and freed is now in use by
arrays that were made outside of one. It raises as well if a plan of cuDNN is gone.
"""
import weakref

import numpy

from tests.doubles.host_cupy import ledger, memory
from tests.doubles.host_cupy.array import around, ndarray


class CaptureError(RuntimeError):
    """An error of CUDA about a capture."""


def arrays_in(value):
    """Yield the arrays in arguments or results."""
    if isinstance(value, ndarray):
        yield value
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from arrays_in(each)
    elif isinstance(value, dict):
        yield from arrays_in(list(value.values()))


def without_memory(value, known):
    """Return arguments whose arrays have the addresses, and do not keep the memory."""
    if isinstance(value, ndarray):
        if id(value) not in known:
            known[id(value)] = around(value._host)
            known[id(value)]._device = value._device
        return known[id(value)]
    if type(value) in (list, tuple):
        return type(value)([without_memory(each, known) for each in value])
    if type(value) is dict:
        return {key: without_memory(each, known) for key, each in value.items()}
    return value


class _Use:
    """Memory that a graph uses."""

    def __init__(self, used):
        self._memory, self._block = weakref.ref(used), used.block
        self._place, self._size = used.place, used.size
        self._is_captured = used.is_captured

    def fault(self):
        """Return why the memory is not the graph's any more, or None."""
        if self._block is not None and self._block.is_gone:
            return 'was given back to the card'
        if self._memory() is not None:
            return None
        if not self._is_captured:
            return 'was that of an array that is gone'
        if any([not part.is_captured and part.overlaps(self._place, self._size)
                for part in list(self._block.parts)]):
            return 'is in use by others'
        return None


class Graph:
    """What a stream captured."""

    def __init__(self):
        self._calls = []
        self._memory = []
        self._uses = {}
        self._plans = []

    def uses(self, used):
        """Note that the graph uses memory, which may be None."""
        if used is not None and weakref.ref(used) not in self._uses:
            self._uses[weakref.ref(used)] = _Use(used)
            # The bytes of the stand-in remain, so that a launch can say what is wrong.
            self._memory.append(used.bytes_of_host())

    def needs(self, plan):
        """Note that the graph launches kernels that belong to a plan."""
        self._plans.append(weakref.ref(plan))

    def _check(self):
        for use in self._uses.values():
            fault = use.fault()
            if fault is not None:
                raise CaptureError(
                    'cudaErrorIllegalAddress: memory that a graph uses ' + fault)
        if None in [plan() for plan in self._plans]:
            raise CaptureError(
                'cudaErrorInvalidResourceHandle: a plan of cuDNN whose kernels a graph '
                'launches is gone')

    def launch(self, stream=None):
        self._check()
        ledger.launch('Graph.launch')
        with ledger.paused(), memory.without_pools():
            for function, args, kwargs, results in self._calls:
                made = list(arrays_in(function(*args, **kwargs)))
                for new, old in zip(made, results, strict=True):
                    if not numpy.shares_memory(new._host, old._host):
                        old._host[...] = new._host

    def upload(self, stream=None):
        pass

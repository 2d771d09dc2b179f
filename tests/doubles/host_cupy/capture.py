"""CUDA graphs: operations of a capturing stream are noted, and repeated by a launch.

While a stream captures, nothing is carried out, as on a GPU: the arrays that an
operation writes to keep their values, and its results are undefined (all bits are
ones). A launch repeats the operations on the same arrays, and counts as one launch.

It is as strict as CuPy and CUDA: to wait for the device, to copy from or to host
memory, and to call cuBLAS, cuSOLVER or cuRAND raises while the current stream captures,
and after an error of CUDA the capture is void.

What a launch checks, :mod:`~.graphs` has.

It cannot know whether work on other streams is awaited, nor which functions of CUDA's
libraries a graph can have.
"""
import functools
import sys
import types

import numpy

from tests.doubles.host_cupy import blocks, ledger, memory
from tests.doubles.host_cupy.array import ndarray, of_graphs
from tests.doubles.host_cupy.graphs import (
    CaptureError,
    Graph,
    arrays_in,
    without_memory,
)

# Modules whose functions call a library, and launches of others that do.
_LIBRARIES = {'cupy.random': 'cuRAND', 'cupy.linalg': 'cuSOLVER',
              'cupy.cuda.cublas': 'cuBLAS', 'cupy.cublas': 'cuBLAS'}
_CUBLAS = frozenset(['gemm', 'gemv'])
# Functions of these modules that call nothing.
_HARMLESS = frozenset(['get_random_state', 'set_random_state'])
# Methods of arrays that never compute.
_LEFT = frozenset(['__init__', '__hash__', '__len__', '__repr__', '__getattr__',
                   '__setattr__', '__getattribute__'])


class _Capture:
    """A capture that is going on."""

    def __init__(self, stream):
        self.stream = stream
        self.graph = Graph()
        self.void = False
        self._inside = False
        self._undo = []     # bytes, and what was in them, None for results
        of_graphs.append(self.graph._memory)
        _replace_operations(self)

    def is_current(self):
        from tests.doubles.host_cupy.cuda import get_current_stream
        return not self._inside and get_current_stream() == self.stream

    def call(self, function, args, kwargs):
        """Call a function of CuPy, and note it if it launches anything."""
        arrays = list(arrays_in([args, kwargs]))
        before = [(each._host, each._host.copy()) for each in arrays]
        self._inside = True
        try:
            with ledger.fusing() as counts:
                result = function(*args, **kwargs)
        finally:
            self._inside = False
            self._keep(before)
        if counts.synchronisations or counts.to_host or counts.to_device:
            self.void = True
            raise CaptureError('cudaErrorStreamCaptureUnsupported: operation not '
                               'permitted when stream is capturing')
        if not _CUBLAS.isdisjoint(counts.launches):
            _refuse('cuBLAS')
        if counts.launches:
            made = list(arrays_in(result))
            for each in (*arrays, *made):
                if each.size:
                    self.graph.uses(each.data.mem)
            known = {}
            args, kwargs, results = [
                without_memory(each, known) for each in (args, kwargs, made)]
            self.graph._calls.append((function, args, kwargs, results))
            for each in made:
                if not any(numpy.shares_memory(each._host, host) for host, _ in before):
                    self._undo.append((each._host, None))
        return result

    def _keep(self, before):
        for host, values in before:
            if not numpy.array_equal(
                    host, values, equal_nan=values.dtype.kind in 'fc'):
                self._undo.append((host, values))

    def note(self, function, args, addresses, plan=None):
        """Note a launch by a library, with all that may be an address."""
        self.graph._calls.append((function, args, {}, []))
        for address in addresses:
            self.graph.uses(memory.containing(address))
        if plan is not None:
            self.graph.needs(plan)

    def end(self):
        _restore_operations()
        of_graphs.clear()
        # Backwards, so that the oldest contents remain.
        for host, values in reversed(self._undo):
            if values is not None:
                host[...] = values
            elif host.size:
                _make_undefined(host)
        if self.void:
            raise CaptureError('cudaErrorStreamCaptureInvalidated: operation failed '
                               'due to a previous error during capture')
        return self.graph


def _refuse(library):
    raise NotImplementedError(
        'calling %s API during stream capture is currently unsupported' % library)


def _make_undefined(host):
    if host.dtype.kind == 'b':
        host[...] = True
    else:
        host[...] = numpy.frombuffer(b'\xff' * host.itemsize, host.dtype)[0]


_captures = {}
_replaced = []


def begin(stream):
    """Begin a capture, as ``Stream.begin_capture``."""
    if stream.ptr == 0:
        raise RuntimeError('cannot capture on the default (legacy) stream')
    if _captures:
        raise NotImplementedError('the stand-in captures one stream at a time')
    _captures[stream.ptr] = _Capture(stream)


def end(stream):
    """End a capture, as ``Stream.end_capture``."""
    capture = _captures.pop(stream.ptr, None)
    if capture is None:
        raise CaptureError('cudaErrorIllegalState: the stream is not capturing')
    return capture.end()


def is_capturing(stream):
    return stream.ptr in _captures


def _captures_now():
    from tests.doubles.host_cupy.cuda import get_current_stream
    return get_current_stream().ptr in _captures


blocks.is_capturing[:] = [_captures_now]


def current():
    """Return the capture that notes what is launched now, or None."""
    return next((each for each in _captures.values() if each.is_current()), None)


def _replace_operations(capture):
    """Let all functions, methods and kernels of the stand-in go through a capture."""
    cupy = sys.modules['cupy']
    for name, module in list(sys.modules.items()):
        if name.partition('.')[0] in ('cupy', 'cupyx') and module is not None:
            for key, value in list(vars(module).items()):
                if isinstance(value, types.FunctionType) and not key.startswith('_'):
                    library = None if key in _HARMLESS else _LIBRARIES.get(name)
                    _replace(capture, module, key, value, library)
    for cls in (ndarray, cupy.ufunc, cupy.ElementwiseKernel, cupy.ReductionKernel,
                cupy.RawKernel):
        for key, value in list(vars(cls).items()):
            if isinstance(value, types.FunctionType) and (
                    key == '__call__' or cls is ndarray and key not in _LEFT):
                _replace(capture, cls, key, value)
    for cls in {type(each) for each in vars(cupy).values()
                if callable(each) and type(each).__module__.startswith('tests.')}:
        if '__call__' in vars(cls) and cls is not cupy.ufunc:
            _replace(capture, cls, '__call__', vars(cls)['__call__'])
    for key, value in list(vars(cupy.random.RandomState).items()):
        if isinstance(value, types.FunctionType) and not key.startswith('__'):
            _replace(capture, cupy.random.RandomState, key, value, 'cuRAND')
    stream = type(capture.stream)
    _replace(capture, stream, 'synchronize', stream.synchronize)


def _replace(capture, owner, name, function, library=None):
    @functools.wraps(function)
    def call(*args, **kwargs):
        if not capture.is_current():
            return function(*args, **kwargs)
        if library is not None:
            _refuse(library)
        return capture.call(function, args, kwargs)

    _replaced.append((owner, name, vars(owner).get(name, _replaced)))
    setattr(owner, name, call)


def _restore_operations():
    for owner, name, original in reversed(_replaced):
        if original is _replaced:
            delattr(owner, name)
        else:
            setattr(owner, name, original)
    _replaced.clear()

"""Streams, events, memory and the runtime of the null device."""
import contextlib
import types

from benchmarks.host.ledger import Capture, call, launch, refuse_capture
from benchmarks.host.null_arrays import Device, alloc


class Graph:
    """What a stream recorded: its launch is one."""

    def launch(self, stream=None):
        launch('Graph.launch')


class Stream:
    """A stream; as a context it is the current one."""

    _current = []

    def __init__(self, null=False, non_blocking=False, ptds=False, priority=None):
        self.ptr = 0 if null else id(self)

    def __enter__(self):
        call('Stream.__enter__')
        Stream._current.append(self)
        return self

    def __exit__(self, *exc_info):
        Stream._current.pop()

    def use(self):
        Stream._current[:] = [self]
        return self

    def synchronize(self):
        call('Stream.synchronize')
        refuse_capture('synchronize()')

    def record(self, event=None):
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event):
        call('Stream.wait_event')

    def begin_capture(self, mode=None):
        Capture.going_on = True

    def end_capture(self):
        Capture.going_on = False
        return Graph()

    def is_capturing(self):
        return Capture.going_on


Stream.null = Stream(null=True)


class Event:
    """A moment of a stream."""

    def __init__(self, block=False, disable_timing=False, interprocess=False):
        self.ptr = id(self)

    def record(self, stream=None):
        call('Event.record')

    def synchronize(self):
        call('Event.synchronize')
        refuse_capture('synchronize()')


class MemoryPool:
    """A pool whose memory does not end."""

    def __init__(self, allocator=None):
        pass

    def malloc(self, size):
        return alloc(size)

    def set_limit(self, size=None, fraction=None):
        pass

    def free_all_blocks(self, stream=None):
        pass

    def total_bytes(self):
        return 0

    used_bytes = free_bytes = total_bytes


class MemoryHook:
    """The class of hooks of allocations, which the null device does not call."""


def get_current_stream(device_id=-1):
    call('get_current_stream')
    return Stream._current[-1] if Stream._current else Stream.null


def get_elapsed_time(start_event, end_event):
    return 0.


@contextlib.contextmanager
def using_allocator(allocator=None):
    yield


def _get_device():
    call('getDevice')
    return 0


def _gemm(*args):
    refuse_capture('cuBLAS')
    launch('gemmStridedBatchedEx')


def _module(name, **names):
    module = types.ModuleType(name)
    vars(module).update(names)
    return module


MODULES = {
    'cupy.cuda.runtime': _module(
        'cupy.cuda.runtime', is_hip=False, getDevice=_get_device,
        setDevice=lambda device: None,
        getDeviceCount=lambda: 1, CUDA_R_32F=0, CUDA_R_64F=1, CUDA_R_16F=2,
        runtimeGetVersion=lambda: 12090, driverGetVersion=lambda: 12090,
        getDeviceProperties=lambda device: {'name': b'null device'}),
    'cupy.cuda.nvrtc': _module('cupy.cuda.nvrtc', getVersion=lambda: (12, 9)),
    # Numbers as in CuPy's enumerations.
    'cupy.cuda.cublas': _module(
        'cupy.cuda.cublas', gemmStridedBatchedEx=_gemm, CUBLASError=RuntimeError,
        CUBLAS_GEMM_DEFAULT=-1,
        CUBLAS_COMPUTE_32F=68, CUBLAS_COMPUTE_32F_FAST_TF32=77, CUBLAS_COMPUTE_64F=70),
}
EXPORTS = {
    'get_cublas_handle': lambda: 1, 'get_device_id': _get_device,
    'is_available': lambda: True,
    **{f.__name__: f for f in (
        Device, Stream, Event, Graph, MemoryPool, MemoryHook, alloc, get_current_stream,
        get_elapsed_time, using_allocator)}}

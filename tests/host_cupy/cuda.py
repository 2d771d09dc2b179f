"""Streams, events, memory pools and the runtime, as far as a program can see them."""
import contextlib
import ctypes
import functools
import time
import warnings

from tests.host_cupy import device, ledger
from tests.host_cupy.array import MemoryPointer, allocation_hooks
from tests.host_cupy.registry import exports, routine

in_cuda = functools.partial(routine, module='cupy.cuda')
in_cuda(device.Device)
in_cuda(MemoryPointer)


class _Stream:

    _current = []

    def __init__(self, null=False, non_blocking=False, ptds=False, priority=None):
        self.null = null
        self.ptr = 0 if null else id(self)
        self.device_id = device.current()
        self.done = True

    def __enter__(self):
        Stream._current.append(self)
        return self

    def __exit__(self, *exc_info):
        Stream._current.pop()

    def __eq__(self, other):
        return isinstance(other, _Stream) and self.ptr == other.ptr

    def __hash__(self):
        return hash(self.ptr)

    def use(self):
        Stream._current[:] = [self]
        return self

    def synchronize(self):
        ledger.synchronise('Stream.synchronize')

    def record(self, event=None):
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event):
        pass

    def add_callback(self, callback, arg):
        callback(self, 0, arg)

    def launch_host_func(self, callback, arg):
        callback(arg)

    def begin_capture(self, mode=None):
        from tests.host_cupy import capture
        capture.begin(self)

    def end_capture(self):
        from tests.host_cupy import capture
        return capture.end(self)

    def is_capturing(self):
        from tests.host_cupy import capture
        return capture.is_capturing(self)


@in_cuda
class Stream(_Stream):
    """A stream. Everything is done at once."""


Stream.null = Stream(null=True)
Stream.ptds = Stream(null=True)


@in_cuda
class ExternalStream(_Stream):

    def __init__(self, ptr, device_id=-1):
        super().__init__()
        self.ptr = ptr


@in_cuda
def get_current_stream(device_id=-1):
    return Stream._current[-1] if Stream._current else Stream.null


@in_cuda
class Event:
    """A moment of a stream; times are those of the host."""

    def __init__(self, block=False, disable_timing=False, interprocess=False):
        self.disable_timing = disable_timing
        self._time = None
        self.done = True
        self.ptr = id(self)

    def record(self, stream=None):
        self._time = time.perf_counter()

    def synchronize(self):
        ledger.synchronise('Event.synchronize')


@in_cuda
def get_elapsed_time(start_event, end_event):
    for event in (start_event, end_event):
        if event.disable_timing or event._time is None:
            raise RuntimeError('cudaErrorInvalidResourceHandle: invalid handle')
    return (end_event._time - start_event._time) * 1000


@in_cuda
class Graph:
    """The type of what a stream captures; see :mod:`tests.host_cupy.capture`."""

    def __new__(cls):
        raise TypeError('currently not designed for public use')


@in_cuda
def get_device_id():
    return device.current()


@in_cuda
def is_available():
    return True


@in_cuda
def get_cublas_handle():
    return 1


@in_cuda
def get_local_runtime_version():
    return 12090


@in_cuda
class MemoryPool:
    """A memory pool that holds nothing."""

    def __init__(self, allocator=None):
        self._limit = 0

    def malloc(self, size):
        return alloc(size)

    def free_all_blocks(self, stream=None):
        pass

    def n_free_blocks(self):
        return 0

    def used_bytes(self):
        return 0

    def free_bytes(self):
        return 0

    def total_bytes(self):
        return 0

    def set_limit(self, size=None, fraction=None):
        self._limit = size or 0

    def get_limit(self):
        return self._limit


@in_cuda
class PinnedMemoryPool:

    def __init__(self, allocator=None):
        pass

    def malloc(self, size):
        return alloc_pinned_memory(size)

    def free_all_blocks(self):
        pass

    def n_free_blocks(self):
        return 0


_pool, _pinned_pool = MemoryPool(), PinnedMemoryPool()
_allocator = [_pool.malloc]


@routine
def get_default_memory_pool():
    return _pool


@routine
def get_default_pinned_memory_pool():
    return _pinned_pool


@in_cuda
def alloc(size):
    from tests.host_cupy.creation import empty
    return empty(size, 'B').data


@in_cuda
def set_allocator(allocator=None):
    _allocator[:] = [allocator or _pool.malloc]


@in_cuda
def get_allocator():
    return _allocator[0]


@in_cuda
@contextlib.contextmanager
def using_allocator(allocator=None):
    previous = get_allocator()
    set_allocator(allocator)
    try:
        yield
    finally:
        set_allocator(previous)


@in_cuda
def set_pinned_memory_allocator(allocator=None):
    pass


@in_cuda
def alloc_pinned_memory(size):
    memory = ctypes.c_ubyte * size
    return type('PinnedMemoryPointer', (memory,), {'size': lambda self: size})()


@in_cuda
class MemoryHook:
    """A hook of allocations. Pools are empty: the device gives all memory."""

    name = 'MemoryHook'
    _active = {}

    def __enter__(self):
        if self.name in MemoryHook._active:
            raise KeyError(f'memory hook {self.name} already exists')
        MemoryHook._active[self.name] = self
        allocation_hooks.append(self._allocated)
        return self

    def __exit__(self, *exc_info):
        del MemoryHook._active[self.name]
        allocation_hooks.remove(self._allocated)

    def _allocated(self, size):
        if size:
            common = {'device_id': device.current(), 'mem_size': -(-size // 512) * 512}
            self.malloc_preprocess(size=size, **common)
            self.alloc_preprocess(**common)
            self.alloc_postprocess(mem_ptr=0, **common)
            self.malloc_postprocess(size=size, mem_ptr=0, pmem_id=0, **common)

    def alloc_preprocess(self, **kwargs):
        pass

    def alloc_postprocess(self, **kwargs):
        pass

    def malloc_preprocess(self, **kwargs):
        pass

    def malloc_postprocess(self, **kwargs):
        pass

    def free_preprocess(self, **kwargs):
        pass

    def free_postprocess(self, **kwargs):
        pass


@in_cuda
@contextlib.contextmanager
def profile():
    yield


class UnownedMemory:

    def __init__(self, ptr, size, owner, device_id=-1):
        self.ptr, self.size, self.device_id = ptr, size, device_id


in_cuda(UnownedMemory)


def deprecated(name):
    """Return an attribute of ``cupy.cuda`` that CuPy keeps for Chainer."""
    if name == 'nvtx_enabled':
        warnings.warn('cupy.cuda.nvtx_enabled has been deprecated in CuPy v8',
                      DeprecationWarning)
        return True
    raise AttributeError('module %r has no attribute %r' % ('cupy.cuda', name))


# Ranges of the profiler
#

ranges = []


@routine(module='cupy.cuda.nvtx')
def RangePush(message, id_color=-1):
    ranges.append(message)


@routine(module='cupy.cuda.nvtx')
def RangePushC(message, color=0):
    ranges.append(message)


@routine(module='cupy.cuda.nvtx')
def RangePop():
    ranges.pop()


@routine(module='cupy.cuda.nvtx')
def Mark(message, id_color=-1):
    pass


@routine(module='cupy.cuda.profiler')
def start():
    pass


@routine(module='cupy.cuda.profiler')
def stop():
    pass


@routine(module='cupy.cuda.profiler')
def initialize(config_file, output_file, output_mode):
    pass


# The runtime
#

class CUDARuntimeError(RuntimeError):
    """An error of the runtime."""


in_runtime = functools.partial(routine, module='cupy.cuda.runtime')
exports['cupy.cuda.runtime'].update(CUDA_R_32F=0, CUDA_R_64F=1, CUDA_R_16F=2)
in_runtime(CUDARuntimeError)


@in_runtime
def getDeviceCount():
    return device.COUNT


@in_runtime
def getDevice():
    return device.current()


@in_runtime
def setDevice(device_id):
    device.Device(device_id).use()


@in_runtime
def runtimeGetVersion():
    return 12090


@in_runtime
def driverGetVersion():
    return 12090


@in_runtime
def deviceSynchronize():
    ledger.synchronise('runtime.deviceSynchronize')


@in_runtime
def streamSynchronize(stream):
    ledger.synchronise('runtime.streamSynchronize')


@in_runtime
def deviceCanAccessPeer(device, peerDevice):
    return 0


@in_runtime
def memGetInfo():
    return device.Device.mem_info


@in_runtime
def getDeviceProperties(device):
    return {'name': b'stand-in on NumPy', 'totalGlobalMem': 80 << 30, 'major': 9,
            'minor': 0, 'multiProcessorCount': 132, 'warpSize': 32}


@routine(module='cupy.cuda.driver')
def get_build_version():
    return 12090

"""Pools of memory, allocators and their hooks."""
import contextlib
import ctypes
import functools

from tests.doubles.host_cupy import device
from tests.doubles.host_cupy.array import allocation_hooks
from tests.doubles.host_cupy.memory import UnownedMemory
from tests.doubles.host_cupy.registry import routine

in_cuda = functools.partial(routine, module='cupy.cuda')


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


# Of memory that the pool of CuPy hands out.
_ALIGNMENT = 512


@in_cuda
def alloc(size):
    from tests.doubles.host_cupy.creation import empty
    memory = empty(size + _ALIGNMENT, 'B').data
    return memory + -memory.ptr % _ALIGNMENT


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


in_cuda(UnownedMemory)

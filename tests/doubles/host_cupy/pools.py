"""Pools of memory, allocators and their hooks."""
import contextlib
import ctypes
import functools
import threading

from tests.doubles.host_cupy import blocks, card, device, memory
from tests.doubles.host_cupy.memory import Memory, MemoryPointer, UnownedMemory
from tests.doubles.host_cupy.registry import routine

in_cuda = functools.partial(routine, module='cupy.cuda')


def _malloc(size):
    """Return memory of the card, without a pool."""
    return MemoryPointer(Memory(size), 0)


@in_cuda
class MemoryPool:
    """A pool for each device; see :mod:`~.blocks`."""

    def __init__(self, allocator=None):
        self._allocator = allocator or _malloc
        self._pools = {}
        self._lock = threading.Lock()

    def _pool(self):
        with self._lock:
            number = device.current()
            if number not in self._pools:
                self._pools[number] = blocks.SingleDeviceMemoryPool(self._allocator)
            return self._pools[number]

    def malloc(self, size):
        return self._pool().malloc(size)

    def free_all_blocks(self, stream=None):
        self._pool().free_all_blocks(stream)

    def n_free_blocks(self):
        return self._pool().counts()[0]

    def used_bytes(self):
        return self._pool().counts()[1]

    def free_bytes(self):
        _, used, total = self._pool().counts()
        return total - used

    def total_bytes(self):
        return self._pool().counts()[2]

    def set_limit(self, size=None, fraction=None):
        if size is not None and fraction is not None:
            raise ValueError('size and fraction cannot be specified at one time')
        if fraction is not None:
            if not 0 <= fraction <= 1:
                raise ValueError(
                    f'memory limit fraction out of range: {fraction}')
            size = int(fraction * card.TOTAL)
        if size is not None and size < 0:
            raise ValueError(f'memory limit size out of range: {size}')
        self._pool().limit = size or 0

    def get_limit(self):
        return self._pool().limit


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


_default, _pinned_pool = MemoryPool(), PinnedMemoryPool()


class _Allocators(threading.local):
    """That of the thread in the place of the program's, if it has one."""

    own = None


_program, _thread = [_default.malloc], _Allocators()


@routine
def get_default_memory_pool():
    return _default


@routine
def get_default_pinned_memory_pool():
    return _pinned_pool


@in_cuda
def alloc(size):
    return get_allocator()(size)


memory.allocator.append(alloc)


@in_cuda
def set_allocator(allocator=None):
    if _thread.own is not None:
        raise ValueError("Can't change the global allocator inside `using_allocator` "
                         'context manager')
    _program[:] = [allocator or _malloc]


@in_cuda
def get_allocator():
    return _thread.own or _program[0]


@in_cuda
@contextlib.contextmanager
def using_allocator(allocator=None):
    before, _thread.own = _thread.own, allocator or _malloc
    try:
        yield
    finally:
        _thread.own = before


@in_cuda
def set_pinned_memory_allocator(allocator=None):
    pass


@in_cuda
def alloc_pinned_memory(size):
    memory = ctypes.c_ubyte * size
    return type('PinnedMemoryPointer', (memory,), {'size': lambda self: size})()


@in_cuda
class MemoryHook:
    """A hook of allocations: by pools, and of pools."""

    name = 'MemoryHook'

    def __enter__(self):
        if self.name in blocks.hooks:
            raise KeyError(f'memory hook {self.name} already exists')
        blocks.hooks[self.name] = self
        return self

    def __exit__(self, *exc_info):
        del blocks.hooks[self.name]

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


in_cuda(Memory)
in_cuda(UnownedMemory)

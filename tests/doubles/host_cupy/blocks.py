"""The pool of a device, by CuPy's rules: what it keeps, splits, joins and gives back.

- A part of a block that is free serves the next array on the same stream, the smallest
  one that is large enough; what is left of it is a free part of its own.
- Where the card has no memory, or the pool has come to its limit, the pool gives back
  all blocks that are free as a whole, and asks again, the third time after a garbage
  collection. Other errors of the allocator than "out of memory" pass.
- What becomes of a pool's memory when nobody has the pool any more depends on the
  version: CuPy 13 gives all of it back, even that of arrays; CuPy 14 leaves what is
  free on the card for good.
"""
import bisect
import collections
import gc
import os
import sys
import threading
import weakref

from tests.doubles.host_cupy import card, cuda, device, versions
from tests.doubles.host_cupy.memory import BaseMemory, Memory, MemoryPointer

UNIT = 512

#: Whether pools are those of CuPy 14.
is_new = [True]
#: Hooks of the thread's allocations, in order.
hooks = {}
# Blocks that nobody can give back.
_lost = []


class OutOfMemoryError(MemoryError):
    """There is no memory, or no more by the limit of a pool."""

    def __init__(self, size, total, limit=0):
        super().__init__(
            'Out of memory allocating {:,} bytes (allocated so far: {:,} bytes{}).'
            .format(size, total, f', limit set to: {limit:,} bytes'
                    if limit else ''))


class _Part:
    """A part of a block, in use or free; its neighbours are parts of the same block."""

    def __init__(self, mem, place, size, stream):
        self.mem, self.place, self.size, self.stream = mem, place, size, stream
        self.before = self.behind = None
        self.is_free = False

    def is_whole(self):
        return self.before is None and self.behind is None

    def key(self):
        return self.size, id(self)


class PooledMemory(BaseMemory):
    """Memory that goes back to a pool when nobody has it any more."""

    def __init__(self, part, size, pool):
        super().__init__(size, part.mem.device_id)
        self.pool, self._part, self._is_new = pool, part, is_new[0]
        self.block, self.place = part.mem.block, part.mem.place + part.place
        self.block.parts.add(self)
        self.is_captured = part.mem.is_captured or is_capturing[0]()

    def free(self):
        part, self._part = self._part, None
        if part is None or sys.is_finalizing():
            return
        self.block.parts.discard(self)
        pool = self.pool()
        if pool is not None:
            pool.free(part)
            return
        versions.note()
        if self._is_new and part.is_whole():
            part.mem.free()

    def __del__(self):
        self.free()


#: Tells whether the thread's stream captures; set by :mod:`~.capture`.
is_capturing = [lambda: False]


def _end(blocks, new):
    """Do what becomes of the blocks of a pool that is gone."""
    if blocks:
        versions.note()
    for memory in blocks:
        if not new:
            memory.free()
        elif all([part._part is None for part in list(memory.block.parts)]):
            _lost.append(memory)


def _limit_of_environment():
    text = os.environ.get('CUPY_GPU_MEMORY_LIMIT')
    if text is None:
        return 0
    if text.endswith('%'):
        return int(float(text[:-1]) / 100 * card.TOTAL)
    return int(text)


class SingleDeviceMemoryPool:
    """The memory that a pool has of a device."""

    def __init__(self, allocator):
        self._allocator = allocator
        self._free = collections.defaultdict(list)      # parts by streams and sizes
        self._returned = collections.deque()
        self._blocks = set()
        self._lock = threading.RLock()
        self.total = self.used = 0
        self.limit = _limit_of_environment()
        # A collection of garbage clears references that are garbage themselves.
        self._reference = weakref.ref(self)
        end = weakref.finalize(self, _end, self._blocks, is_new[0])
        end.atexit = False

    def malloc(self, size):
        rounded = -(-size // UNIT) * UNIT
        if not hooks:
            return self._malloc(size, rounded)
        common = {'device_id': device.current(), 'mem_size': rounded}
        for hook in hooks.values():
            hook.malloc_preprocess(size=size, **common)
        pointer = None
        try:
            pointer = self._malloc(size, rounded)
        finally:
            for hook in hooks.values():
                hook.malloc_postprocess(
                    size=size, mem_ptr=0, pmem_id=id(pointer), **common)
        return pointer

    def _malloc(self, size, rounded):
        if rounded == 0:
            return MemoryPointer(Memory(0), 0)
        stream = cuda.get_current_stream().ptr
        with self._lock:
            part = self._smallest(stream, rounded)
            if part is None:
                memory = self._new(rounded)
                self._blocks.add(memory)
                part = _Part(memory, 0, rounded, stream)
            self.used += part.size
        return MemoryPointer(PooledMemory(part, size, self._reference), 0)

    def _smallest(self, stream, size):
        """Take a free part from its list, and leave in it what is too much."""
        self._sort()
        free = self._free[stream]
        at = bisect.bisect_left(free, (size,))
        if at == len(free):
            return None
        *_, part = free.pop(at)
        part.is_free = False
        if part.size > size:
            rest = _Part(part.mem, part.place + size, part.size - size, stream)
            rest.before, rest.behind = part, part.behind
            if rest.behind is not None:
                rest.behind.before = rest
            part.behind, part.size = rest, size
            self._keep(rest)
        return part

    def _keep(self, part):
        part.is_free = True
        bisect.insort(self._free[part.stream], (*part.key(), part))

    def _take(self, part):
        free = self._free[part.stream]
        del free[bisect.bisect_left(free, part.key())]
        part.is_free = False

    def free(self, part):
        # A part may come back at any time, in the middle of what is done here as well.
        self._returned.append(part)

    def _sort(self):
        while self._returned:
            part = self._returned.popleft()
            self.used -= part.size
            while part.behind is not None and part.behind.is_free:
                self._take(part.behind)
                self._join(part)
            while part.before is not None and part.before.is_free:
                part = part.before
                self._take(part)
                self._join(part)
            self._keep(part)

    def _join(self, part):
        part.size += part.behind.size
        part.behind = part.behind.behind
        if part.behind is not None:
            part.behind.before = part

    def free_all_blocks(self, stream=None):
        with self._lock:
            self._sort()
            for key in list(self._free) if stream is None else [stream.ptr]:
                whole = [each for each in self._free[key] if each[-1].is_whole()]
                for *_, part in whole:
                    self._take(part)
                    self._blocks.discard(part.mem)
                    self.total -= part.size
                    part.mem.free()

    def counts(self):
        """Return the number of free parts, and bytes in use and in all."""
        with self._lock:
            self._sort()
            return sum(map(len, self._free.values())), self.used, self.total

    def _new(self, size):
        """Return memory of the card, as CuPy's ``_try_malloc``."""
        for collects in (False, True):
            if self.limit and self.total + size > self.limit:
                if collects:
                    gc.collect()
                self.free_all_blocks()
        if self.limit and self.total + size > self.limit:
            raise OutOfMemoryError(size, self.total, self.limit)
        for is_last, collects in ((False, False), (False, True), (True, True)):
            try:
                memory = self._alloc(size).mem
            except card.CUDARuntimeError as e:
                if e.status != card.OUT_OF_MEMORY:
                    raise
                if is_last:
                    raise OutOfMemoryError(size, self.total, self.limit) from None
                if collects:
                    gc.collect()
                self.free_all_blocks()
                continue
            self.total += size
            return memory

    def _alloc(self, size):
        common = {'device_id': device.current(), 'mem_size': size}
        for hook in hooks.values():
            hook.alloc_preprocess(**common)
        try:
            return self._allocator(size)
        finally:
            for hook in hooks.values():
                hook.alloc_postprocess(mem_ptr=0, **common)

"""Memory whose addresses recorded CUDA graphs contain."""
from __future__ import annotations

import contextlib
from typing import Any

from chainer_fast.backends._cupy import cupy

# Status of CUDA's runtime.
_OUT_OF_MEMORY = 2

# Pools that are no longer used for recording, and their devices. A program may still
# have arrays in them.
_ended: list[tuple[int, Any]] = []


def new_pool() -> Any:
    """Return a pool that never releases its memory.

    Memory that is free in a pool may still be used by graphs, which write to it at each
    launch. CuPy's pools release free memory and try again if the card has no more, or
    their limit is reached.
    """
    pool = cupy.cuda.MemoryPool(_allocate)
    pool.set_limit(size=0)      # CUPY_GPU_MEMORY_LIMIT applies to each pool
    return pool


def _allocate(size):
    """Return new memory of the card, after the default pool released some if needed.

    Pools pass on a ``MemoryError``. They handle CUDA's own error themselves.
    """
    try:
        return _malloc(size)
    except MemoryError:
        cupy.get_default_memory_pool().free_all_blocks()
        return _malloc(size)


def _malloc(size):
    try:
        return cupy.cuda.MemoryPointer(cupy.cuda.Memory(size), 0)
    except cupy.cuda.runtime.CUDARuntimeError as e:
        if e.status != _OUT_OF_MEMORY:
            raise
    raise MemoryError(
        'out of memory: the card has no %d free bytes for a recorded call' % size)


def end(device: int, pool: Any, others: list[Any]) -> None:
    """Release the memory of a pool after its arrays have been deleted.

    CuPy 13 releases the memory of arrays after their pool was deleted, while CuPy 14
    never releases the free memory of a deleted pool.

    Parameters
    ----------
    device : int
    pool : cupy.cuda.MemoryPool
    others : list
        Memory of the pool that ends now.
    """
    others.clear()
    _ended.append((device, pool))
    give_back()


def give_back() -> None:
    """Release the memory of ended pools that are no longer in use."""
    for each in _ended[:]:
        device, pool = each
        with cupy.cuda.Device(device):
            pool.free_all_blocks()
            if not pool.used_bytes():
                with contextlib.suppress(ValueError):   # another thread was first
                    _ended.remove(each)

"""Memory that recorded CUDA graphs have the addresses of."""
from __future__ import annotations

import contextlib
import typing as tp

from chainer_fast.backends._cupy import cupy

# Status of CUDA's runtime.
_OUT_OF_MEMORY = 2

# Pools that nobody records with any more, and their devices. A program may still have
# arrays of them.
_ended: list[tuple[int, tp.Any]] = []


def new_pool() -> tp.Any:
    """Return a pool that gives nothing back of what it has.

    Whether memory of a pool is free says nothing about graphs: they write to it at each
    launch. CuPy's pools give back what is free where the card has no more, or their
    limit is reached, and ask again.
    """
    pool = cupy.cuda.MemoryPool(_allocate)
    pool.set_limit(size=0)      # CUPY_GPU_MEMORY_LIMIT is one for each pool
    return pool


def _allocate(size):
    """Return new memory of the card, if need be after the default pool gave some back.

    Pools pass a ``MemoryError`` on. To CUDA's own they respond by themselves.
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
        'out of memory: the card has no %d bytes for a recorded call' % size)


def end(device: int, pool: tp.Any, others: list[tp.Any]) -> None:
    """Give back the memory of a pool, once its arrays are gone.

    CuPy 13 gives back the memory of arrays when their pool is gone, and CuPy 14 leaves
    what is free in a pool that is gone on the card for good.

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
    """Give back the memory of ended pools that nobody uses any more."""
    for each in _ended[:]:
        device, pool = each
        with cupy.cuda.Device(device):
            pool.free_all_blocks()
            if not pool.used_bytes():
                with contextlib.suppress(ValueError):   # another thread was first
                    _ended.remove(each)

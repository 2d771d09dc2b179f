"""Pools of memory: what they keep, split, join and give back, as CuPy's do."""
import gc
import threading

import numpy as np
import pytest

from tests.doubles.host_cupy import card

KIB = 1 << 10


@pytest.fixture
def pool(cupy):
    gc.collect()        # what other tests have left
    return cupy.cuda.MemoryPool()


def used():
    return card.current().used


def state(pool):
    return pool.n_free_blocks(), pool.used_bytes(), pool.total_bytes()


def test_sizes_are_rounded(pool):
    memory = pool.malloc(1), pool.malloc(513)
    assert state(pool) == (0, 512 + 1024, 512 + 1024)
    del memory
    assert state(pool) == (2, 0, 1536)
    assert pool.free_bytes() == 1536


def test_the_smallest_part_that_fits_is_split_and_joined(pool):
    large, small = pool.malloc(8 * KIB), pool.malloc(4 * KIB)
    before = used()
    del large, small
    first = pool.malloc(KIB)
    assert state(pool) == (2, KIB, 12 * KIB)
    second = pool.malloc(8 * KIB)
    assert used() == before
    # A block of which a part is in use cannot be given back, nor what is free of it.
    pool.free_all_blocks()
    assert state(pool) == (1, 9 * KIB, 12 * KIB)
    del first
    assert state(pool) == (1, 8 * KIB, 12 * KIB)
    del second
    pool.free_all_blocks()
    assert state(pool) == (0, 0, 0)
    assert used() == before - 12 * KIB


def test_streams_have_parts_of_their_own(cupy, pool):
    stream = cupy.cuda.Stream()
    with stream:
        memory = pool.malloc(KIB)
    del memory
    memory = pool.malloc(KIB)
    assert state(pool) == (1, KIB, 2 * KIB)
    pool.free_all_blocks(stream=cupy.cuda.Stream.null)
    assert state(pool) == (1, KIB, 2 * KIB)
    pool.free_all_blocks(stream=stream)
    assert state(pool) == (0, KIB, KIB)
    del memory


def test_a_full_card_gets_back_what_is_free(pool):
    kept, memory = pool.malloc(KIB), pool.malloc(2 * KIB)
    del memory
    with card.current().full_after(0):
        memory = pool.malloc(3 * KIB - 512 * 2)
        assert state(pool) == (0, 3 * KIB, 3 * KIB)
        with pytest.raises(MemoryError, match='Out of memory allocating 512 bytes'):
            pool.malloc(512)
        assert state(pool) == (0, 3 * KIB, 3 * KIB)
        del memory
        memory = pool.malloc(KIB)       # a part of it
    del kept, memory


def test_garbage_is_collected_before_it_fails(pool):
    cycle = [pool.malloc(2 * KIB)]
    cycle.append(cycle)
    gc.disable()
    try:
        del cycle
        with card.current().full_after(0):
            assert int(pool.malloc(2 * KIB))
    finally:
        gc.enable()


def test_limits(cupy, pool, monkeypatch):
    pool.set_limit(size=4 * KIB)
    memory = pool.malloc(3 * KIB)
    with pytest.raises(cupy.cuda.memory.OutOfMemoryError, match='limit set to: 4,096'):
        pool.malloc(2 * KIB)
    del memory
    memory = pool.malloc(4 * KIB)       # in the place of what was free
    assert pool.total_bytes() == 4 * KIB
    del memory
    monkeypatch.setenv('CUPY_GPU_MEMORY_LIMIT', '1024')
    assert cupy.cuda.MemoryPool().get_limit() == 1024
    monkeypatch.setenv('CUPY_GPU_MEMORY_LIMIT', '50%')
    assert cupy.cuda.MemoryPool().get_limit() == card.TOTAL // 2
    pool.set_limit(fraction=.25)
    assert pool.get_limit() == card.TOTAL // 4
    with pytest.raises(ValueError):
        pool.set_limit(size=-1)


def test_other_errors_of_the_allocator_pass(cupy):
    asked = []

    def allocate(size):
        asked.append(size)
        if len(asked) > 1:
            raise MemoryError('none')
        return cupy.cuda.MemoryPointer(cupy.cuda.Memory(size), 0)
    pool = cupy.cuda.MemoryPool(allocate)
    pool.malloc(KIB)
    with pytest.raises(MemoryError, match='none'):
        pool.malloc(2 * KIB)
    # It has been asked once, and has kept what it had.
    assert asked == [KIB, 2 * KIB]
    assert state(pool) == (1, 0, KIB)


def test_a_pool_that_is_gone(cupy):
    gc.collect()
    before, pool = used(), cupy.cuda.MemoryPool()
    with cupy.cuda.using_allocator(pool.malloc):
        x, other = cupy.ones(KIB, 'B'), cupy.ones(KIB, 'B')
    del other, pool
    if cupy.__version__ < '14':
        # Others have the memory by now.
        assert used() == before
        assert (x.get() == 255).all()
    else:
        assert used() == before + 2 * KIB
        assert (x.get() == 1).all()
        del x
        assert used() == before + KIB       # for good


def test_an_emptied_pool_that_is_gone(cupy):
    gc.collect()
    before, pool = used(), cupy.cuda.MemoryPool()
    memory = pool.malloc(KIB)
    del memory
    pool.free_all_blocks()
    del pool
    assert used() == before


def test_arrays_are_in_memory_of_the_allocator(cupy, pool):
    with cupy.cuda.using_allocator(pool.malloc):
        x = cupy.ones(300, 'f')
        y = x + 1
        part = y[10:]
    assert state(pool) == (0, 2 * 1536, 2 * 1536)
    del x, y
    assert state(pool) == (1, 1536, 2 * 1536)
    memory = part.data.mem
    del part
    assert pool.used_bytes() == 1536
    del memory
    assert pool.used_bytes() == 0


def test_allocators_with_memory_of_their_own(cupy):
    place = cupy.zeros(16, 'f')
    previous = cupy.cuda.get_allocator()
    cupy.cuda.set_allocator(lambda size: place.data + 16)
    try:
        cupy.full(4, 3, 'f')
    finally:
        cupy.cuda.set_allocator(previous)
    np.testing.assert_array_equal(place.get(), [0] * 4 + [3] * 4 + [0] * 8)


def test_allocators_of_threads(cupy, pool):
    seen = []
    with cupy.cuda.using_allocator(pool.malloc):
        thread = threading.Thread(
            target=lambda: seen.append(cupy.cuda.get_allocator()))
        thread.start()
        thread.join()
        assert cupy.cuda.get_allocator() == pool.malloc
        with pytest.raises(ValueError, match='using_allocator'):
            cupy.cuda.set_allocator(pool.malloc)
    assert seen == [cupy.cuda.get_allocator()] != [pool.malloc]


def test_hooks_see_what_pools_ask_for(cupy, pool):
    class Hook(cupy.cuda.MemoryHook):
        calls = []

        def malloc_preprocess(self, **kwargs):
            self.calls.append(('of a pool', kwargs['size'], kwargs['mem_size']))

        def alloc_preprocess(self, **kwargs):
            self.calls.append(('by a pool', kwargs['mem_size']))

    with Hook():
        memory = pool.malloc(3)
        del memory
        pool.malloc(4)
    assert Hook.calls == [('of a pool', 3, 512), ('by a pool', 512), (
        'of a pool', 4, 512)]


def test_devices_have_pools_of_their_own(cupy, pool):
    memory = pool.malloc(KIB)
    with cupy.cuda.Device(1):
        assert pool.total_bytes() == 0
        before = card.of(1).used
        other = pool.malloc(KIB)
        assert card.of(1).used == before + KIB
        pool.free_all_blocks()
    assert pool.total_bytes() == KIB
    del memory, other

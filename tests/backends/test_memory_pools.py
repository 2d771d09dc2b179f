"""Memory pools of the GPU, as programs reach them."""
import numpy
import pytest

from chainer_fast.backends import cuda

pytestmark = pytest.mark.gpu


def test_pools_are_those_of_cupy():
    assert cuda.memory_pool is cuda.cupy.get_default_memory_pool()
    assert cuda.pinned_memory_pool is cuda.cupy.get_default_pinned_memory_pool()
    cuda.memory_pool.set_limit(size=1 << 30)
    assert cuda.memory_pool.get_limit() == 1 << 30
    cuda.memory_pool.set_limit(size=0)
    cuda.memory_pool.free_all_blocks()
    cuda.pinned_memory_pool.free_all_blocks()


def test_allocators_can_be_chosen():
    pool = cuda.cupy.cuda.MemoryPool()
    previous = cuda.cupy.cuda.get_allocator()
    cuda.cuda.set_allocator(pool.malloc)
    try:
        x = cuda.to_gpu(numpy.arange(3))
        numpy.testing.assert_array_equal((x + 1).get(), [1, 2, 3])
        assert cuda.cupy.cuda.get_allocator() == pool.malloc
    finally:
        cuda.cuda.set_allocator(previous)

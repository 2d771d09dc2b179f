"""Launches of graphs whose memory is not theirs any more."""
import gc

import numpy as np
import pytest

from tests.doubles.host_cupy import capture


def record(cupy, pool, function):
    """Return a graph, and what the function returned."""
    with cupy.cuda.using_allocator(pool.malloc), (
            cupy.cuda.Stream(non_blocking=True)) as stream:
        stream.begin_capture()
        returned = function()
        return stream.end_capture(), returned


@pytest.fixture
def pool(cupy):
    return cupy.cuda.MemoryPool()


def test_an_operand_that_is_gone(cupy, pool):
    operands = [cupy.ones(4, 'f')]
    graph, b = record(cupy, pool, lambda: operands[0] + 1)
    graph.launch()
    np.testing.assert_array_equal(b.get(), 2)
    operands.clear()
    with pytest.raises(capture.CaptureError, match='of an array that is gone'):
        graph.launch()


def test_memory_that_was_given_back(cupy, pool):
    a = cupy.ones(4, 'f')
    graph, b = record(cupy, pool, lambda: (a + 1) * 3)     # The sum is freed at once.
    pool.free_all_blocks()
    with pytest.raises(capture.CaptureError, match='was given back to the card'):
        graph.launch()


def test_memory_that_others_use(cupy, pool):
    a = cupy.ones(4, 'f')
    stream = cupy.cuda.Stream(non_blocking=True)
    with cupy.cuda.using_allocator(pool.malloc), stream:
        stream.begin_capture()
        b = (a + 1) * 3
        graph = stream.end_capture()
        graph.launch()
        other = cupy.empty(4, 'f')
        with pytest.raises(capture.CaptureError, match='in use by others'):
            graph.launch()
        del other
        graph.launch()
    np.testing.assert_array_equal(b.get(), 6)


def test_scratch_memory_serves_several_graphs(cupy, pool):
    a = cupy.ones(4, 'f')
    stream = cupy.cuda.Stream(non_blocking=True)
    graphs = []
    with cupy.cuda.using_allocator(pool.malloc), stream:
        for k in range(2):
            stream.begin_capture()
            b = (a + 1) * (k + 3)
            graphs.append((stream.end_capture(), b))
    for graph, _ in graphs * 2:
        graph.launch()
    assert [float(b.sum()) for _, b in graphs] == [24, 32]


def test_a_launch_takes_no_memory(cupy, pool):
    a = cupy.ones(1000, 'f')
    graph, _ = record(cupy, pool, lambda: (a + 1) * 3)
    before = pool.total_bytes(), cupy.get_default_memory_pool().total_bytes()
    gc.collect()
    graph.launch()
    assert (pool.total_bytes(), cupy.get_default_memory_pool().total_bytes()) == before

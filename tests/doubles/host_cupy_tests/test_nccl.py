"""The stand-in for NCCL: what it computes, and what it refuses."""
import threading

import numpy as np
import pytest

from tests.doubles import host_cupy
from tests.doubles.host_cupy import nccl as stand_in

SIZE = 3


@pytest.fixture(params=host_cupy.VERSIONS)
def nccl(request):
    return stand_in.make(request.param)


@pytest.fixture
def ranks(nccl):
    """Call a function in a thread for each rank, with its communicator."""
    def run(call, size=SIZE):
        group = nccl.get_unique_id()
        results = [None] * size

        def rank_thread(rank):
            stand_in.device.Device(rank).use()
            try:
                comm = nccl.NcclCommunicator(size, group, rank)
                results[rank] = call(comm, rank)
                finished.wait(10)
                comm.destroy()
            except Exception as error:
                results[rank] = error
                finished.abort()

        finished = threading.Barrier(size)
        threads = [threading.Thread(target=rank_thread, args=[rank])
                   for rank in range(size)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
        return results
    return run


def test_unique_ids(nccl):
    first, second = nccl.get_unique_id(), nccl.get_unique_id()
    assert type(first) is nccl.NcclCommunicator._id_type
    assert len(first) == 128
    assert first != second
    if type(first) is tuple:
        assert min(first) >= -128 and max(first) <= 127


@pytest.mark.parametrize('op,expected', [
    ('SUM', [3, 6]), ('PROD', [0, 6]), ('MAX', [2, 3]), ('MIN', [0, 1]),
    ('AVG', [1, 2])])
@pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64', 'int32'])
def test_sums(nccl, ranks, op, expected, dtype):
    def call(comm, rank):
        x = np.array([rank, rank + 1], dtype)
        y = np.zeros(2, dtype)
        comm.allReduce(x.ctypes.data, y.ctypes.data, 2,
                       getattr(nccl, 'NCCL_' + dtype.upper()),
                       getattr(nccl, 'NCCL_' + op), 0)
        return x.tolist(), y.tolist()
    for rank, (x, y) in enumerate(ranks(call)):
        assert x == [rank, rank + 1]
        assert y == expected


def test_roots(nccl, ranks):
    def call(comm, rank):
        x = np.full(2, rank + 1, 'f')
        y, z = x.copy(), x.copy()
        comm.reduce(
            x.ctypes.data, x.ctypes.data, 2, nccl.NCCL_FLOAT, nccl.NCCL_SUM, 1, 0)
        nccl.groupStart()
        comm.bcast(y.ctypes.data, 2, nccl.NCCL_FLOAT, 2, 0)
        unchanged = y[0] == rank + 1
        comm.broadcast(y.ctypes.data, z.ctypes.data, 1, nccl.NCCL_FLOAT, 0, 0)
        nccl.groupEnd()
        return x[0], y[0], z.tolist(), unchanged, comm.size(), comm.rank_id()
    assert ranks(call) == [
        (6 if rank == 1 else rank + 1, 3, [1, rank + 1], True, SIZE, rank)
        for rank in range(SIZE)]


def test_ranks_that_call_different_things(nccl, ranks):
    def call(comm, rank):
        x = np.ones(4, 'f')
        comm.allReduce(x.ctypes.data, x.ctypes.data, 4 - rank, nccl.NCCL_FLOAT, 0, 0)
    assert all([isinstance(result, AssertionError) for result in ranks(call)])


def test_a_rank_that_has_ended(nccl, ranks):
    def call(comm, rank):
        if rank == 0:
            comm.destroy()
            return
        x = np.ones(4, 'f')
        comm.allReduce(x.ctypes.data, x.ctypes.data, 4, nccl.NCCL_FLOAT, 0, 0)
    first, *others = ranks(call)
    assert first is None or isinstance(first, threading.BrokenBarrierError)
    assert [str(error) for error in others] == [
        'a rank of the NCCL communicator has ended'] * (SIZE - 1)


def test_ranks_on_one_device(nccl):
    group, results = nccl.get_unique_id(), []

    def join(rank):
        try:
            nccl.NcclCommunicator(2, group, rank)
        except nccl.NcclError as error:
            results.append(error.status)

    threads = [threading.Thread(target=join, args=[rank]) for rank in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert results == [5, 5]


def refused(nccl, *changes):
    """What the communicator of a single rank raises for other arguments."""
    comm = nccl.NcclCommunicator(1, nccl.get_unique_id(), 0)
    x = np.ones(4, 'f')
    arguments = [x.ctypes.data, x.ctypes.data, 4, nccl.NCCL_FLOAT, nccl.NCCL_SUM, 0]
    comm.allReduce(*arguments)
    for place, value in changes:
        arguments[place] = value(x) if callable(value) else value
    try:
        comm.allReduce(*arguments)
    except Exception as error:
        return type(error)
    finally:
        comm.destroy()


@pytest.mark.parametrize('place,value,error', [
    (0, 0, 'NcclError'), (0, 1., TypeError), (0, lambda x: x, TypeError),
    (0, lambda x: x.ctypes.data + 4, AssertionError), (2, -1, OverflowError),
    (2, 4., TypeError), (3, 'f', TypeError), (3, 99, 'NcclError'), (3, 9, 'NcclError'),
    (4, 7, 'NcclError'), (5, None, TypeError), (5, 12345, 'NcclError')])
def test_arguments(nccl, place, value, error):
    expected = stand_in.NcclError if error == 'NcclError' else error
    assert refused(nccl, (place, value)) is expected


def test_ids_and_ranks(nccl):
    group = nccl.get_unique_id()
    for wrong in (list(group), 'x' * 128, bytearray(128)):
        with pytest.raises(TypeError, match='commId'):
            nccl.NcclCommunicator(1, wrong, 0)
    with pytest.raises(ValueError, match='length 127'):
        nccl.NcclCommunicator(1, group[:127], 0)
    for size, rank in (1, 1), (0, 0), (2, -1):
        with pytest.raises(nccl.NcclError):
            nccl.NcclCommunicator(size, group, rank)
    comm = nccl.NcclCommunicator(1, group, 0)
    comm.destroy()
    comm.destroy()
    with pytest.raises(nccl.NcclError, match='INVALID_ARGUMENT'):
        comm.size()
    with pytest.raises(nccl.NcclError, match='INVALID_USAGE'):
        nccl.groupEnd()
    with pytest.raises(NotImplementedError):
        comm.send(0, 0, 0, 0, 0)

import gc
import time

import numpy
import pytest

import chainer_fast
from chainer_fast.configuration import using_config
from chainer_fast.mn import create_communicator
from chainer_fast.mn.communicators import _exchange

pytestmark = pytest.mark.mpi


@pytest.fixture
def small(monkeypatch):
    """Messages and windows that are full soon."""
    monkeypatch.setattr(_exchange, 'MESSAGE', 7)
    monkeypatch.setattr(_exchange, 'WINDOW', 3)


@pytest.mark.parametrize('dtype', ['float32', 'float64'])
def test_sums(comm, small, dtype):
    exchange = _exchange.Exchange(comm.mpi_comm)
    sizes = [1, 50, 0, 2, 7 * comm.size, 200]
    asked = []

    def buffers():
        for number, size in enumerate(sizes):
            asked.append(number)
            yield numpy.arange(size, dtype=dtype) * (comm.rank + 1), number

    found = []
    for data, number in exchange.sums(buffers()):
        # Not all of them are made before the first one is there.
        assert number or len(asked) < len(sizes)
        total = comm.size * (comm.size + 1) // 2
        numpy.testing.assert_array_equal(data, numpy.arange(sizes[number]) * total)
        found.append(number)
    assert found == list(range(len(sizes)))


def test_all_have_the_same_bits(comm, small):
    data = numpy.random.RandomState(comm.rank).randn(300).astype('f')
    expected = sum(numpy.random.RandomState(rank).randn(300).astype('f')
                   for rank in range(comm.size))
    (data, _), = _exchange.Exchange(comm.mpi_comm).sums([(data, None)])
    numpy.testing.assert_allclose(data, expected, rtol=1e-5, atol=1e-6)
    assert len({each.tobytes() for each in comm.mpi_comm.allgather(data)}) == 1


class Model(chainer_fast.Link):
    def __init__(self, rank):
        super().__init__()
        draw = numpy.random.RandomState(rank)
        for number, size in enumerate((3, 1000, 200_000)):
            with self.init_scope():
                param = chainer_fast.Parameter(numpy.zeros(size, 'f'))
                setattr(self, 'p%d' % number, param)
            param.grad = draw.randn(size).astype('f')


def mean_grads(comm, name):
    flat, model = create_communicator('flat', comm.mpi_comm), Model(comm.rank)
    with using_config('mn_exchange', name):
        flat.multi_node_mean_grad(model)
        flat.multi_node_mean_grad(model)
    assert isinstance(flat._exchange, _exchange.Exchange) == (
        name == 'pipelined' and comm.size > 1)
    return [param.grad for param in model.params()]


def test_same_means_as_of_mpi(comm):
    for here, there in zip(
            mean_grads(comm, 'pipelined'), mean_grads(comm, 'mpi'), strict=True):
        numpy.testing.assert_allclose(here, there, rtol=1e-4, atol=1e-6)
    if comm.size <= 2:      # there is one order of adding up
        assert all(map(numpy.array_equal, mean_grads(comm, 'auto'),
                       mean_grads(comm, 'pipelined')))


def test_messages_of_others_are_left_alone(comm, small):
    """Who receives anything from anybody does not get a piece of a gradient."""
    if comm.size == 1:
        return
    from mpi4py import MPI
    exchange = _exchange.Exchange(comm.mpi_comm)
    data = numpy.full(100, 1., 'f')
    if comm.rank == 1:
        # Rank 2 exchanges by now, if there is one.
        time.sleep(.3)
        assert comm.recv_obj(MPI.ANY_SOURCE) == 'for you'
    elif comm.rank == 0:
        time.sleep(.6)
        comm.send_obj('for you', 1)
    for total, _ in exchange.sums([(data, None)]):
        assert (total == comm.size).all()


def test_wrong_choices(comm):
    with using_config('mn_exchange', 'best'), pytest.raises(
            ValueError, match=r"mn_exchange \(CHAINERMN_EXCHANGE\) is 'best', but"):
        _exchange.choose(create_communicator('flat', comm.mpi_comm))
    if comm.size > 1:
        with using_config('mn_exchange', 'auto' if comm.rank else 'mpi'), pytest.raises(
                ValueError, match="it is 'mpi' on rank 0, 'auto' on rank 1"):
            _exchange.choose(create_communicator('flat', comm.mpi_comm))


def test_memory_is_kept_after_an_interrupt(comm, monkeypatch, small):
    """MPI may write into it, whatever has become of the caller."""
    if comm.size == 1:
        return
    monkeypatch.setattr(_exchange, '_abandoned', [])
    exchange = _exchange.Exchange(comm.mpi_comm)
    sums = exchange.sums([(numpy.ones(5, 'f'), 0), (numpy.ones(500, 'f'), 1)])
    next(sums)
    sums.close()
    (flying, begun), = _exchange._abandoned
    for requests, _, _ in flying:
        _exchange.wait_patiently(requests)
    gc.collect()
    assert begun[0][1][0].size == 500
    comm.mpi_comm.Barrier()


def test_a_patient_communicator(comm):
    made = _exchange.patient(comm.mpi_comm.Dup())
    everyone = numpy.zeros(comm.size, 'i')
    made.Allgather(numpy.array([comm.rank], 'i'), everyone)
    assert list(everyone) == list(range(comm.size))

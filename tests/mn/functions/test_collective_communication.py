import numpy
import pytest

import chainer_fast
from chainer_fast import functions as F
from chainer_fast import testing
from chainer_fast.mn import functions as mn
from tests.mn.functions.recorder import Recorder

pytestmark = pytest.mark.filterwarnings('ignore:.* is experimental:FutureWarning')

half = numpy.float16


def _values(seed, shape, dtype):
    """Numbers that halves have exactly, and their sums as well."""
    values = numpy.random.RandomState(seed).randint(-8, 9, shape)
    return values.astype(half if dtype == chainer_fast.mixed16 else dtype)


def _shape(rank):
    return rank + 1, 2


def _weighted(ys, seeds):
    """Return the sum of variables times numbers that every process knows."""
    return sum([F.sum(y * _values(seed, y.shape, y.dtype))
                for y, seed in zip(ys, seeds, strict=True)])


def _equal(found, expected):
    assert found.dtype == expected.dtype
    testing.assert_allclose(found, expected, atol=0, rtol=0)


@pytest.fixture(params=[
    numpy.float16, numpy.float32, numpy.float64, chainer_fast.mixed16])
def dtype(request):
    """A dtype, which is that of the configuration, too."""
    with chainer_fast.using_config('dtype', request.param):
        yield request.param


@pytest.mark.mpi
def test_allgather(comm, dtype):
    ranks = range(comm.size)
    x = chainer_fast.Variable(_values(comm.rank, _shape(comm.rank), dtype))
    ys = mn.allgather(comm, x)
    assert isinstance(ys, tuple)
    for rank in ranks:
        _equal(ys[rank].array, _values(rank, _shape(rank), dtype))
    _weighted(ys, [100 * comm.rank + rank for rank in ranks]).backward()
    _equal(x.grad, sum([
        _values(100 * rank + comm.rank, x.shape, dtype) for rank in ranks]))


@pytest.mark.mpi
def test_allgather_of_which_one_output_is_used(comm, dtype):
    x = chainer_fast.Variable(_values(comm.rank, _shape(comm.rank), dtype))
    F.sum(mn.allgather(comm, x)[0]).backward()
    _equal(x.grad, numpy.full_like(x.array, 0 if comm.rank else comm.size))


@pytest.mark.mpi
def test_alltoall(comm, dtype):
    ranks = range(comm.size)
    xs = [chainer_fast.Variable(
        _values(10 * comm.rank + rank, (comm.rank, rank + 1), dtype)) for rank in ranks]
    ys = mn.alltoall(comm, xs)
    assert isinstance(ys, tuple)
    for rank in ranks:
        _equal(ys[rank].array,
               _values(10 * rank + comm.rank, (rank, comm.rank + 1), dtype))
    _weighted(ys, [100 * comm.rank + rank for rank in ranks]).backward()
    for rank in ranks:
        _equal(xs[rank].grad,
               _values(100 * rank + comm.rank, (comm.rank, rank + 1), dtype))


@pytest.mark.mpi
@pytest.mark.parametrize('requires_grad', [True, False])
def test_bcast(comm, dtype, requires_grad):
    root = comm.size - 1
    x = chainer_fast.Variable(_values(0, (2, 3), dtype), requires_grad=requires_grad)
    y = mn.bcast(comm, x if comm.rank == root else None, root)
    _equal(y.array, x.array)
    _weighted([y], [comm.rank]).backward()
    if comm.rank == root and requires_grad:
        _equal(x.grad, sum([
            _values(rank, (2, 3), dtype) for rank in range(comm.size)]))
    else:
        assert x.grad is None


@pytest.mark.mpi
def test_gather(comm, dtype):
    root = comm.size - 1
    x = chainer_fast.Variable(_values(comm.rank, _shape(comm.rank), dtype))
    ys = mn.gather(comm, x, root)
    if comm.rank == root:
        assert isinstance(ys, tuple)
        for rank, y in enumerate(ys):
            _equal(y.array, _values(rank, _shape(rank), dtype))
        _weighted(ys, range(comm.size)).backward()
    else:
        assert ys.shape == (0,) and ys.dtype == x.dtype
        ys.backward()
    _equal(x.grad, _values(comm.rank, x.shape, dtype))


@pytest.mark.mpi
@pytest.mark.parametrize('requires_grad', [True, False])
def test_scatter(comm, dtype, requires_grad):
    root = comm.size - 1
    ranks = range(comm.size)
    xs = [chainer_fast.Variable(
        _values(rank, _shape(rank), dtype), requires_grad=requires_grad)
        for rank in ranks]
    y = mn.scatter(comm, xs if comm.rank == root else None, root)
    _equal(y.array, xs[comm.rank].array)
    _weighted([y], [100 + comm.rank]).backward()
    for rank in ranks:
        if comm.rank == root and requires_grad:
            _equal(xs[rank].grad, _values(100 + rank, _shape(rank), dtype))
        else:
            assert xs[rank].grad is None


@pytest.mark.mpi
def test_one_variable_for_each_process(comm):
    x = numpy.ones(2, 'f')
    for call in (mn.alltoall, lambda comm, xs: mn.scatter(comm, xs, comm.rank)):
        with pytest.raises(ValueError, match='%d variables were passed for %d '
                                             'processes' % (
                comm.size + 1, comm.size)):
            call(comm, [x] * (comm.size + 1))


@pytest.mark.parametrize('config', [numpy.float16, chainer_fast.mixed16, numpy.float32])
@pytest.mark.parametrize('sent', [numpy.float32, numpy.float64])
@pytest.mark.parametrize('name', ['bcast', 'scatter'])
def test_dtype_away_from_the_root(config, sent, name):
    comm = Recorder(rank=1)
    comm.answer(numpy.ones(2, sent))
    with chainer_fast.using_config('dtype', config):
        y = getattr(mn, name)(comm, None)
    expected = half if sent == numpy.float32 != config else sent
    assert y.dtype == expected
    comm.answer(None)
    y.grad = numpy.ones(2, y.dtype)
    y.backward()
    (name, data, root), = comm.asked
    assert (name, data.dtype, root) == ('gather', sent, 0)


@pytest.mark.parametrize('name, answer', [
    ('allgather', numpy.zeros((2, 1), 'f')), ('alltoall', numpy.zeros((2, 1), 'f')),
    ('bcast', numpy.zeros(1, 'f')), ('gather', numpy.zeros((2, 1), 'f')),
    ('scatter', numpy.zeros(1, 'f'))])
def test_halves_travel_as_singles(name, answer):
    comm = Recorder()
    comm.answer(tuple(answer) if answer.ndim == 2 else answer)
    x = chainer_fast.Variable(numpy.ones(1, half))
    ys = getattr(mn, name)(comm, [x, x] if name in ('alltoall', 'scatter') else x)
    (_, data, *_), = comm.asked
    for each in data if isinstance(data, tuple) else [data]:
        assert each.dtype == numpy.float32
    for y in ys if isinstance(ys, tuple) else [ys]:
        assert y.dtype == half
    creator = (ys[0] if isinstance(ys, tuple) else ys).creator
    assert isinstance(creator, chainer_fast.Function)
    assert creator.label.lower() == name and creator.comm is comm


@pytest.mark.parametrize('name, warned', [
    ('allgather', ['all_gather', 'AllGather']),
    ('alltoall', ['all_to_all', 'AllToAll']),
    ('bcast', ['bcast', 'Bcast']), ('gather', ['gather', 'Gather']),
    ('scatter', ['scatter', 'Scatter'])])
def test_they_are_experimental(name, warned):
    comm = Recorder()
    x = numpy.ones(2, 'f')
    comm.answer(x if name in ('bcast', 'scatter') else (x, x))
    with pytest.warns(FutureWarning) as found:
        getattr(mn, name)(comm, [x, x] if name in ('alltoall', 'scatter') else x)
    assert [str(w.message).split()[0] for w in found] == [
        'chainermn.functions.' + each for each in warned]

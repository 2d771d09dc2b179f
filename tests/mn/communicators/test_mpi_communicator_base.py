import numpy as np
import pytest

from chainer_fast.backends import cuda
from chainer_fast.mn.communicators import _transfer, create_communicator
from tests.mn.communicators.cases import (
    DTYPES,
    SHAPES,
    Model,
    numbers,
    raises_if,
    strided,
)

pytestmark = [
    pytest.mark.mpi, pytest.mark.filterwarnings('ignore:.* is experimental')]


@pytest.fixture(params=['whole', 'pieces'])
def pieces(request, monkeypatch):
    """Operations in one call of MPI, and in many."""
    if request.param == 'whole':
        return

    def waiting(name, peer, call, *args):
        if hasattr(call.__self__, 'rank'):  # No message that has come already.
            for arg in args:
                data = arg[0] if isinstance(arg, tuple) else arg
                assert not isinstance(data, np.ndarray) or data.nbytes <= 496
        return real(name, peer, call, *args)

    real = _transfer.waiting
    monkeypatch.setattr(_transfer, 'waiting', waiting)
    monkeypatch.setattr(_transfer, 'limit', lambda: 496)


def check(x, expected):
    assert type(x) is np.ndarray
    assert x.dtype == expected.dtype
    np.testing.assert_array_equal(x, expected, strict=True)
    x[...] = 0  # It is memory of its own.


def around(comm, send, recv):
    """Have each rank send to the next one; the last one receives first."""
    if comm.rank == comm.size - 1:
        y = recv((comm.rank - 1) % comm.size)
        send((comm.rank + 1) % comm.size)
    else:
        send((comm.rank + 1) % comm.size)
        y = recv((comm.rank - 1) % comm.size)
    return y


# -- arrays


@pytest.mark.parametrize('dtype', DTYPES)
def test_dtypes(comm, dtype):
    xs = [strided(numbers(rank, (3, 5), dtype)) for rank in range(comm.size)]
    check(comm.bcast(xs[0].copy() if comm.rank == 0 else None), xs[0])
    for y, x in zip(comm.allgather(xs[comm.rank]), xs, strict=True):
        check(y, x)
    check(comm.scatter(xs if comm.rank == 0 else None), xs[comm.rank])
    if dtype != '?':
        check(comm.allreduce(xs[comm.rank]), sum(xs[1:], xs[0]))


@pytest.mark.parametrize('shape', SHAPES)
def test_shapes(comm, pieces, shape):
    xs = [numbers(rank, shape, 'f') for rank in range(comm.size)]
    mine = xs[comm.rank]
    root = comm.size - 1
    check(comm.bcast(mine.copy(), root=root), xs[root])
    check(comm.allreduce(mine), sum(xs[1:], xs[0]))
    for y, x in zip(comm.allgather(mine), xs, strict=True):
        check(y, x)
    ys = comm.gather(mine, root=root)
    assert (ys is None) == (comm.rank != root)
    for y, x in zip(ys or (), xs, strict=ys is not None):
        check(y, x)
    check(comm.scatter(xs if comm.rank == root else None, root=root), mine)
    for y, x in zip(comm.alltoall([mine] * comm.size), xs, strict=True):
        check(y, x)


def test_shapes_of_each_rank(comm, pieces):
    shapes = [SHAPES[rank % len(SHAPES)] for rank in range(comm.size)]
    xs = [numbers(rank, shape, 'd') for rank, shape in enumerate(shapes)]
    mine = xs[comm.rank]
    for y, x in zip(comm.allgather(mine), xs, strict=True):
        check(y, x)
    check(comm.scatter(tuple(xs)), mine)
    for y in comm.alltoall(xs):
        check(y, mine)
    ys = comm.alltoall([np.full(5 * comm.rank, comm.rank)] * comm.size)
    for rank, y in enumerate(ys):
        check(y, np.full(5 * rank, rank))
    ys = comm.gather(mine)
    if comm.rank == 0:
        for y, x in zip(ys, xs, strict=True):
            check(y, x)


def test_sums_of_float16_are_rounded_once(comm):
    y = comm.allreduce(np.array(2048 if comm.rank == 0 else 1, 'e'))
    assert y == np.float16(2048 + comm.size - 1)


def test_send_and_recv(comm, pieces):
    if comm.size == 1:
        return
    for sent in [
            *[numbers(0, shape, 'f') for shape in SHAPES],
            *[strided(numbers(0, (7, 3), dtype)) for dtype in DTYPES],
            (), (numbers(1, (3,), 'f'),),
            (numbers(1, (3,), 'e'), numbers(2, (40, 50), 'd'), np.array(3)),
            [numbers(1, (3,), 'f')] * 200]:
        y = around(
            comm, lambda dest, x=sent: comm.send(x, dest, 3),
            lambda source: comm.recv(source, 3))
        if isinstance(sent, (tuple, list)):
            assert isinstance(y, tuple)
            for each, x in zip(y, sent, strict=True):
                check(each, x)
        else:
            check(y, sent)


def test_recv_of_any_rank_and_tag(comm):
    from mpi4py import MPI
    x = np.full(3000, comm.rank)
    if comm.rank == 0:
        ys = [comm.recv(MPI.ANY_SOURCE, MPI.ANY_TAG) for _ in range(comm.size - 1)]
        assert sorted(y[0] for y in ys) == list(range(1, comm.size))
        assert all((y == y[0]).all() for y in ys)
    else:
        comm.send(x, 0, comm.rank)


def test_recv_of_an_object(comm):
    if comm.rank == 0:
        for dest in range(1, comm.size):
            comm.send_obj({'not': 'an array'}, dest)
    with raises_if(comm.rank > 0, RuntimeError, match='rank 0 .*recv_obj'):
        if comm.rank > 0:
            comm.recv(0, 0)


def test_recv_obj_of_an_array(comm):
    if comm.rank == 0:
        for dest in range(1, comm.size):
            comm.send(np.zeros(3), dest, 0)
    with raises_if(comm.rank > 0, RuntimeError, match='arrays of rank 0. Use recv'):
        if comm.rank > 0:
            comm.recv_obj(0)


def test_messages_of_mpi4py(comm):
    if comm.size > 1:
        y = around(
            comm, lambda dest: comm.mpi_comm.send({'a': 1}, dest),
            lambda source: comm.recv_obj(source))
        assert y == {'a': 1}
        y = around(
            comm, lambda dest: comm.send_obj({'a': 1}, dest),
            lambda source: comm.mpi_comm.recv(source=source))
        assert y == {'a': 1}


def test_bcast_returns_the_array_of_root(comm):
    x = np.arange(3)
    assert (comm.bcast(x) is x) == (comm.rank == 0)


@pytest.mark.parametrize('x', [None, 3., np.float32(3), {}, 'text'])
def test_no_arrays(comm, x):
    for call in comm.allgather, comm.gather, comm.allreduce, comm.alltoall:
        with pytest.raises(TypeError):
            call(x)
    for call in comm.bcast, comm.scatter:
        with pytest.raises(TypeError if comm.rank == 0 else RuntimeError):
            call(x)
    with pytest.raises(TypeError):
        comm.send(x, comm.rank, 0)


@pytest.mark.parametrize('error', [TypeError, ValueError])
def test_lists_of_numbers(comm, error):
    """Some callers of ChainerMN know the one error, some the other."""
    for call in comm.allgather, comm.allreduce:
        with pytest.raises(error, match='pass one array'):
            call([1, 2])
    with pytest.raises(error, match='needs arrays of NumPy or CuPy, but got int'):
        comm.alltoall([1] * comm.size)


@pytest.mark.parametrize('x', [
    np.array([None]), np.array(['a']), np.zeros(2, '>f4'), np.zeros(2, 'f,i'),
    np.zeros(2, 'M8[s]')])
def test_no_numbers(comm, x):
    for call in comm.allgather, comm.gather, comm.allreduce:
        with pytest.raises(TypeError, match='does not support dtype'):
            call(x)
    with pytest.raises(TypeError, match='does not support dtype'):
        comm.send(x, comm.rank, 0)


def test_no_sum_of_bools(comm):
    with pytest.raises(TypeError, match='does not support dtype bool'):
        comm.allreduce(np.array([True]))


def test_no_tuples(comm):
    x = np.zeros(3)
    for call in comm.allgather, comm.gather, comm.allreduce:
        with pytest.raises(TypeError, match='tuple'):
            call((x, x))


def test_numbers_of_arrays(comm):
    xs = [np.zeros(3)] * (comm.size + 1)
    with pytest.raises(ValueError, match='each of %d ranks, but got' % comm.size):
        comm.alltoall(xs)
    with pytest.raises(
            ValueError if comm.rank == 0 else RuntimeError, match='got|rank 0'):
        comm.scatter(xs)


def test_dtypes_of_several_arrays(comm):
    xs = [np.zeros(3, 'fd'[i % 2]) for i in range(comm.size)]
    with raises_if(comm.size > 1, TypeError, match='float32, float64'):
        comm.alltoall(xs)


def test_processes_with_other_arrays(comm):
    """All processes get the error, and can go on."""
    x = np.zeros((comm.rank + 1, 2), 'f')
    for call in comm.allreduce, comm.allgather, comm.gather:
        with raises_if(comm.size > 1, TypeError, match='rank 1 has int64') as error:
            call(x.astype('l') if comm.rank == 1 else x)
        assert error is None or 'rank 0 has float32 (1, 2)' in str(error.value)
    with raises_if(comm.size > 1, ValueError, match=r'rank 1 has float32 \(2, 2\)'):
        comm.allreduce(x)
    assert comm.allreduce(np.ones(1)) == comm.size


def test_shapes_of_many_dimensions_differ(comm):
    shape = (1,) * 7 + (comm.rank + 1,)
    with raises_if(comm.size > 1, ValueError, match='rank 0 has'):
        comm.allreduce(np.zeros(shape))


def test_processes_with_other_calls(comm):
    x = np.zeros(3)
    with raises_if(comm.size > 1, RuntimeError, match='bcast.*root=0.*rank 1.*allgat'):
        comm.allgather(x) if comm.rank == 1 else comm.bcast(x)
    with raises_if(comm.size > 1, RuntimeError, match='root=1'):
        comm.gather(x, root=comm.rank if comm.rank < 2 else 0)


def test_one_process_fails(comm):
    for call in comm.allreduce, comm.allgather, comm.gather:
        mine = comm.size > 1 and comm.rank == comm.size - 1
        with raises_if(
                comm.size > 1, TypeError if mine else RuntimeError,
                match='got str' if mine else 'failed on rank %d' % (comm.size - 1)):
            call('text' if mine else np.zeros(2))


# -- objects


def test_objects(comm, pieces):
    obj = {'rank': comm.rank, 'array': np.arange(5)}
    y = comm.bcast_obj(obj)
    assert y['rank'] == 0
    assert (y is obj) == (comm.rank == 0)
    y = comm.gather_obj([comm.rank] * 300 * comm.rank)
    assert y == ([[rank] * 300 * rank for rank in range(comm.size)]
                 if comm.rank == 0 else None)
    assert comm.allreduce_obj([comm.rank]) == list(range(comm.size))
    assert comm.bcast_obj('text', max_buf_len=1, root=comm.size - 1) == 'text'
    if comm.size > 1:
        y = around(
            comm, lambda dest: comm.send_obj(comm.rank, dest, tag=5),
            lambda source: comm.recv_obj(source))
        assert y == (comm.rank - 1) % comm.size
        y = around(
            comm, lambda dest: comm.send_obj(list(range(1000)), dest),
            lambda source: comm.recv_obj(source))
        assert y == list(range(1000))


def test_status_of_a_received_object(comm):
    from mpi4py import MPI
    if comm.size == 1:
        return
    status = MPI.Status()
    around(
        comm, lambda dest: comm.send_obj(0, dest, tag=7),
        lambda source: comm.recv_obj(source, status=status, tag=7))
    assert (status.source, status.tag) == ((comm.rank - 1) % comm.size, 7)


def test_objects_that_cannot_be_pickled(comm):
    with pytest.raises(
            Exception if comm.rank == 0 else RuntimeError,
            match='pickle|failed on rank 0'):
        comm.bcast_obj(lambda: None)
    mine = comm.rank == comm.size - 1
    with pytest.raises(
            Exception if mine else RuntimeError,
            match='pickle|failed on rank %d' % (comm.size - 1)):
        comm.gather_obj((lambda: None) if mine else 0)


# -- parts


def test_split(comm):
    part = comm.split(comm.rank % 2, -comm.rank)
    assert type(part) is type(comm)
    assert part.size == len(range(comm.rank % 2, comm.size, 2))
    assert part.rank == part.size - 1 - comm.rank // 2
    assert part.allreduce_obj(1) == part.size
    alone = comm.split(comm.rank, 0)
    assert (alone.rank, alone.size, alone.intra_size, alone.inter_size) == (0, 1, 1, 1)


def test_ranks(comm):
    assert (comm.rank, comm.size) == (comm.mpi_comm.rank, comm.mpi_comm.size)
    places = comm.mpi_comm.allgather((comm.inter_rank, comm.intra_rank))
    assert len(set(places)) == comm.size
    assert comm.intra_size == sum(node == comm.inter_rank for node, _ in places)
    assert comm.inter_size == len({node for node, _ in places})


def test_settings(comm):
    comm.set_config('batched_copy', False)
    assert comm.get_config('batched_copy') is comm.batched_copy is False
    comm.set_config('batched_copy')
    assert comm.batched_copy is True
    with pytest.raises(ValueError, match='Unknown config: speed'):
        comm.set_config('speed', 3)
    with pytest.raises(KeyError):
        comm.get_config('speed')


# -- models


def test_bcast_data(comm, pieces):
    model = Model(lazy=(30, 4))
    arrays = {}
    for i, (path, param) in enumerate(sorted(model.namedparams())):
        param.array[...] = comm.rank + i
        arrays[path] = param.array
    model.W.array = arrays['/W'] = strided(model.W.array)
    comm.bcast_data(model)
    for i, (path, param) in enumerate(sorted(model.namedparams())):
        assert param.array is arrays[path]
        np.testing.assert_array_equal(param.array, np.full(param.shape, i))


def test_bcast_data_leaves_out_what_is_not_there(comm):
    model = Model()
    model.add_persistent('number', comm.rank)
    comm.bcast_data(model)
    assert model.lazy.array is None
    assert model.number == comm.rank


@pytest.mark.parametrize('make, difference', [
    (lambda rank: Model(shape=(3, 2 + rank)),
     r'/W: rank 0 has float32 \(3, 2\), rank 1'),
    (lambda rank: Model(dtype='fd'[rank > 0]),
     r'/W: .* float64 \(3, 2\)'),
    (lambda rank: Model(lazy=(2,) if rank == 1 else None),
     '/lazy: .*no data yet(.|\n)*forward'),
    (lambda rank: Model() if rank else Model().child,
     'no such parameter(.|\n)*and 1 more'),
])
def test_bcast_data_of_other_models(comm, make, difference):
    model = make(comm.rank)
    params = [param for _, param in sorted(model.namedparams()) if param.is_initialized]
    before = [param.array.copy() for param in params]
    with raises_if(comm.size > 1, ValueError, match=difference):
        comm.bcast_data(model)
    for param, array in zip(params, before, strict=True):
        np.testing.assert_array_equal(param.array, array)


# -- arrays on a GPU


@pytest.mark.gpu
def test_arrays_of_gpus(comm):
    cuda.get_device_from_id(comm.intra_rank).use()
    xs = [cuda.to_gpu(numbers(rank, (3, 5), 'e')).T for rank in range(comm.size)]
    mine = xs[comm.rank]

    def check_gpu(y, x):
        assert isinstance(y, cuda.ndarray)
        check(cuda.to_cpu(y), cuda.to_cpu(x))

    check_gpu(comm.bcast(mine), xs[0])
    check_gpu(comm.allreduce(mine), sum(xs[1:], xs[0]))
    check_gpu(comm.scatter(xs), mine)
    for y, x in zip(comm.allgather(mine), xs, strict=True):
        check_gpu(y, x)
    for y, x in zip(comm.alltoall([mine] * comm.size), xs, strict=True):
        check_gpu(y, x)
    comm.send((mine, cuda.to_cpu(mine)), comm.rank, 0)
    y, on_host = comm.recv(comm.rank, 0)
    check_gpu(y, mine)
    check(on_host, cuda.to_cpu(mine))


@pytest.mark.gpu
@pytest.mark.parametrize('name', ['naive', 'flat'])
def test_models_on_gpus(name):
    comm = create_communicator(name)
    device = cuda.get_device_from_id(comm.intra_rank)
    device.use()
    model = Model(lazy=(30, 4))
    model.to_device('@cupy:%d' % device.id)
    for i, (_, param) in enumerate(sorted(model.namedparams())):
        param.array[...] = comm.rank + i
        param.grad = cuda.cupy.full(param.shape, comm.rank + i, param.dtype)
    model.W.array = cuda.cupy.asfortranarray(model.W.array)
    comm.bcast_data(model)
    comm.multi_node_mean_grad(model)
    for i, (_, param) in enumerate(sorted(model.namedparams())):
        np.testing.assert_array_equal(
            cuda.to_cpu(param.array), np.full(param.shape, i))
        np.testing.assert_allclose(
            cuda.to_cpu(param.grad), np.full(param.shape, i + (comm.size - 1) / 2))

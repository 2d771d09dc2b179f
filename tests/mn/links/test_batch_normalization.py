import copy

import numpy
import pytest

import chainer_fast
from chainer_fast import functions as F
from chainer_fast import links as L
from chainer_fast import serializers, testing
from chainer_fast.backends import cuda
from chainer_fast.functions.normalization import batch_normalization
from chainer_fast.mn import create_communicator
from chainer_fast.mn.functions.batch_normalization import (
    MultiNodeBNImplSelector,
    get_communication_backend,
)
from chainer_fast.mn.links import MultiNodeBatchNormalization
from tests.mn.functions.recorder import Recorder

pytestmark = pytest.mark.filterwarnings('ignore:.* is experimental:FutureWarning')
half = numpy.float16


def _tolerance(dtype):
    return {'atol': 2e-2, 'rtol': 2e-2} if dtype == half else (
        {'atol': 1e-12, 'rtol': 1e-10} if dtype == numpy.float64
        else {'atol': 1e-5, 'rtol': 1e-4})


def _batches(sizes, shape, dtype, seed=0):
    random = numpy.random.RandomState(seed)
    return [random.normal(3, 2, (n, *shape)).astype(dtype) for n in sizes]


def _configured(dtype):
    return chainer_fast.using_config('dtype', dtype)


@pytest.mark.mpi
@pytest.mark.parametrize('dtype', [
    numpy.float16, numpy.float32, numpy.float64, chainer_fast.mixed16])
@pytest.mark.parametrize('shape', [(3,), (3, 4, 2)])
@pytest.mark.parametrize('equal', [True, False])
def test_it_is_batch_normalization_of_the_joined_batch(comm, dtype, shape, equal):
    x_dtype = half if dtype == chainer_fast.mixed16 else dtype
    sizes = [4 if equal else 3 + 2 * rank for rank in range(comm.size)]
    xs, gys = [_batches(sizes, shape, x_dtype, seed) for seed in (0, 1)]
    with _configured(dtype):
        link = MultiNodeBatchNormalization(3, comm, eps=1e-3)
        joined = L.BatchNormalization(3, eps=1e-3)
    for each in (link, joined):
        each.cleargrads()
        each.gamma.array[:] = [1, 2, .5]
        each.beta.array[:] = [0, -1, 1]

    x = chainer_fast.Variable(xs[comm.rank])
    y = link(x)
    y.grad = gys[comm.rank]
    y.backward()
    whole = chainer_fast.Variable(numpy.concatenate(xs))
    expected = joined(whole)
    expected.grad = numpy.concatenate(gys)
    expected.backward()

    start = sum(sizes[:comm.rank])
    mine = slice(start, start + sizes[comm.rank])
    tolerance = _tolerance(x_dtype)
    assert y.dtype == x.grad.dtype == x_dtype
    testing.assert_allclose(y.array, expected.array[mine], **tolerance)
    testing.assert_allclose(x.grad, whole.grad[mine], **tolerance)
    for name in ('gamma', 'beta'):
        # The gradients are means over the processes.
        found, total = getattr(link, name), getattr(joined, name)
        assert found.dtype == total.dtype == found.grad.dtype
        testing.assert_allclose(found.grad * comm.size, total.grad, **tolerance)
    testing.assert_allclose(link.avg_mean, joined.avg_mean, **tolerance)


@pytest.mark.mpi
@pytest.mark.parametrize('size, shape', [((3, 2), (3, 2)), ((3,), (3,)), (1, (1, 5))])
@pytest.mark.parametrize('given', ['both', 'gamma', 'beta', 'none'])
def test_parameters(comm, size, shape, given):
    use = {'use_' + name: given in ('both', name) for name in ('gamma', 'beta')}
    link = MultiNodeBatchNormalization(
        size, comm, dtype='d', initial_gamma=2, initial_beta=3, **use)
    x = numpy.random.RandomState(comm.rank).normal(5, 2, (8, *shape))
    y = link(x).array
    scale, shift = 2 if use['use_gamma'] else 1, 3 if use['use_beta'] else 0
    parts = comm.allgather(y)
    axes = (0, *range(1 + len(link.avg_mean.shape), y.ndim))
    y = numpy.concatenate(parts)
    testing.assert_allclose(y.mean(axes), link.avg_mean * 0 + shift, atol=1e-9)
    testing.assert_allclose(y.std(axes), link.avg_mean * 0 + scale, atol=1e-3)
    assert sorted(link._params) == sorted(
        name[4:] for name, used in use.items() if used)


@pytest.mark.mpi
def test_moments_of_large_values(comm):
    """The square of the mean takes most digits of the second moment in float32."""
    random = numpy.random.RandomState(0)
    xs = [(1000 + random.normal(0, .1, (64, 1))).astype('f') for _ in range(comm.size)]
    link = MultiNodeBatchNormalization(1, comm, eps=1e-10)
    x = numpy.concatenate(xs).astype('d')
    expected = (x - x.mean()) / x.std()
    start = 64 * comm.rank
    testing.assert_allclose(
        link(xs[comm.rank]).array, expected[start:start + 64], atol=5e-3)


@pytest.mark.mpi
def test_new_memory_is_not_read(comm, monkeypatch):
    """It may hold anything: a product with the largest numbers warns."""
    empty = numpy.empty

    def full(*args, **kwargs):
        array = empty(*args, **kwargs)
        if array.dtype.kind == 'f':
            array.fill(numpy.finfo(array.dtype).max)
        return array
    monkeypatch.setattr(numpy, 'empty', full)
    link = MultiNodeBatchNormalization(1, comm)
    assert abs(link(numpy.array([[1], [3]], 'f')).array.ravel() - [-1, 1]).max() < 1e-4


@pytest.mark.mpi
def test_values_that_are_all_the_same(comm):
    link = MultiNodeBatchNormalization(1, comm, eps=1e-20)
    y = link(numpy.full((8, 1), .1, 'f'))
    assert (abs(y.array) < 1).all()


@pytest.mark.mpi
def test_one_process_without_samples(comm):
    x = numpy.arange(4 if comm.rank == 0 else 0, dtype='f')[:, None]
    link = MultiNodeBatchNormalization(1, comm)
    link.cleargrads()
    y = link(x)
    F.sum(y).backward()
    if comm.rank == 0:
        expected = L.BatchNormalization(1)(x)
        testing.assert_allclose(y.array, expected.array)
    assert y.shape == x.shape
    assert numpy.isfinite(link.avg_var).all()


@pytest.mark.mpi
def test_averages_as_chainer_has_them(comm):
    """They begin at zero; the samples of one process correct the variance."""
    link = MultiNodeBatchNormalization(1, comm, decay=.75, dtype='d')
    assert link.avg_mean.tolist() == link.avg_var.tolist() == [0]
    link(numpy.array([[1.], [3.], [5.], [7.]]))
    testing.assert_allclose(link.avg_mean, [1], rtol=1e-12)
    testing.assert_allclose(link.avg_var, [5 * 4 / 3 / 4], rtol=1e-12)


@pytest.mark.mpi
def test_finetuning_and_evaluation(comm):
    link = MultiNodeBatchNormalization(1, comm, dtype='d')
    link.start_finetuning()
    for mean in (2., 4.):
        link(numpy.array([[mean - 1], [mean + 1]]), finetune=True)
    assert link.N == 2
    testing.assert_allclose(link.avg_mean, [3], rtol=1e-12)
    with chainer_fast.using_config('train', False):
        if comm.rank == 0:  # alone
            y = link(numpy.array([[3.], [4.]]))
            expected = numpy.array(
                [[0], [1 / numpy.sqrt(link.avg_var[0] + link.eps)]])
            testing.assert_allclose(y.array, expected, rtol=1e-12)
    assert link.N == 2


@pytest.mark.mpi
def test_forgotten_batches_count_once(comm):
    link = MultiNodeBatchNormalization(2, comm)
    link.cleargrads()
    x = chainer_fast.Variable(numpy.random.RandomState(comm.rank).normal(
        size=(4, 2)).astype('f'))
    y = F.forget(link, x)
    before = link.avg_mean.copy()
    F.sum(y * y).backward()
    assert link.avg_mean.tolist() == before.tolist()


@pytest.mark.mpi
def test_one_reduction_a_pass(comm, monkeypatch):
    calls = []
    allreduce = comm.allreduce

    def recorded(x):
        calls.append((x.shape, x.dtype))
        return allreduce(x)
    monkeypatch.setattr(comm, 'allreduce', recorded)
    link = MultiNodeBatchNormalization(3, comm)
    link.cleargrads()
    y = link(chainer_fast.Variable(numpy.ones((4, 3), 'f')))
    assert calls == [((7,), 'd')]
    F.sum(y).backward()
    assert calls[1:] == [((2, 3), 'f')]


@pytest.mark.mpi
def test_names_in_files(comm, tmp_path):
    link = MultiNodeBatchNormalization(2, comm)
    link(numpy.random.RandomState(comm.rank).normal(size=(4, 2)).astype('f'))
    serializers.save_npz(str(tmp_path / 'file'), link)
    plain = L.BatchNormalization(2)
    serializers.load_npz(str(tmp_path / 'file'), plain)
    testing.assert_allclose(plain.avg_var, link.avg_var, atol=0, rtol=0)
    with numpy.load(str(tmp_path / 'file')) as file:
        assert sorted(file) == ['N', 'avg_mean', 'avg_var', 'beta', 'gamma']


@pytest.mark.mpi
@pytest.mark.parametrize('copied', [
    copy.deepcopy, lambda link: link.copy('copy'), lambda link: link.copy('init')])
def test_copies_have_the_same_processes(comm, copied):
    link = MultiNodeBatchNormalization(2, comm)
    chain = chainer_fast.Chain(bn=link)
    other = copied(chain).bn
    assert other.comm is comm
    other.avg_mean[:] = 5
    other.gamma.array[:] = 7
    assert link.avg_mean.tolist() == [0, 0] and link.gamma.array.tolist() == [1, 1]
    assert [each.name for each in (link, other)] == ['bn', 'bn']


@pytest.mark.mpi
def test_backends_of_a_communicator(comm):
    for name in ('auto', 'mpi'):
        assert get_communication_backend(comm, name) == 'mpi'
    assert get_communication_backend(comm) == 'mpi'
    for name, message in (('nccl', 'NaiveCommunicator'), ('dummy', "'dummy'")):
        for call in (lambda n: get_communication_backend(comm, n),
                     lambda n: MultiNodeBatchNormalization(
                         2, comm, communication_backend=n)):
            with pytest.raises(ValueError, match=message):
                call(name)


def test_node_in_the_graph():
    """Chainer has its class of functions there, and this implementation in it."""
    comm = create_communicator('naive')
    node = MultiNodeBatchNormalization(2, comm)(numpy.eye(2, dtype='f')).creator
    assert type(node) is batch_normalization.BatchNormalization
    assert isinstance(node._impl_selector, MultiNodeBNImplSelector)
    assert node._impl.comm is comm


def test_it_is_experimental():
    with pytest.warns(FutureWarning, match='links.MultiNodeBatchNormalization is'):
        MultiNodeBatchNormalization(2, Recorder())


@pytest.mark.gpu
@pytest.mark.mpi
@pytest.mark.parametrize('backend', ['auto', 'nccl', 'mpi'])
@pytest.mark.parametrize('dtype', [numpy.float16, numpy.float32])
def test_gpus_add_through_nccl_or_mpi(backend, dtype):
    comm = create_communicator('pure_nccl')
    cuda.get_device_from_id(comm.intra_rank).use()
    try:
        link = MultiNodeBatchNormalization(
            3, comm, dtype='f', communication_backend=backend)
        link.to_device('@cupy:%d' % comm.intra_rank)
        link.cleargrads()
        xs, gys = [_batches([4] * comm.size, (3, 2), dtype, seed) for seed in (0, 1)]
        x = chainer_fast.Variable(cuda.to_gpu(xs[comm.rank]))
        y = link(x)
        y.grad = cuda.to_gpu(gys[comm.rank])
        y.backward()
        assert (comm.nccl_comm is None) == (backend == 'mpi')

        joined = L.BatchNormalization(3, dtype='f')
        joined.cleargrads()
        whole = chainer_fast.Variable(numpy.concatenate(xs))
        expected = joined(whole)
        expected.grad = numpy.concatenate(gys)
        expected.backward()
        mine = slice(4 * comm.rank, 4 * comm.rank + 4)
        tolerance = _tolerance(dtype)
        testing.assert_allclose(y.array, expected.array[mine], **tolerance)
        testing.assert_allclose(x.grad, whole.grad[mine], **tolerance)
        testing.assert_allclose(
            link.gamma.grad * comm.size, joined.gamma.grad, **tolerance)
    finally:
        comm.finalize()
        cuda.Device(0).use()

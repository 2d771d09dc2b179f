"""MultiprocessParallelUpdater, with real processes, CPUs, and shared memory as NCCL."""
import multiprocessing
import os
import signal
import types

import numpy
import pytest

import chainer_fast
from chainer_fast import functions, iterators, links, optimizers, testing, training
from chainer_fast.training import updaters
from chainer_fast.training.updaters import multiprocess_parallel_updater as mpu
from tests.doubles.host_cupy import ledger


class Group:
    """Stand-in for NCCL, through memory shared by forked processes."""

    def __init__(self, n_processes, n_elements=100):
        context = multiprocessing.get_context('fork')
        self.shared = [context.Array('d', n_elements) for _ in range(n_processes)]
        self.barrier = context.Barrier(n_processes, timeout=20)

    def join(self, size, group, rank):
        assert (size, group) == (len(self.shared), 'group')
        return rank

    def sum(self, rank, array):
        self.shared[rank][:array.size] = array
        self.barrier.wait()
        if rank == 0:
            array[...] = sum(numpy.array(part[:array.size]) for part in self.shared)
        self.barrier.wait()

    def broadcast(self, rank, array):
        if rank == 0:
            self.shared[0][:array.size] = array
        self.barrier.wait()
        array[...] = self.shared[0][:array.size]
        self.barrier.wait()


@pytest.fixture
def fork(monkeypatch):
    """Return a function that provides a group of so many processes."""
    before = multiprocessing.get_start_method(allow_none=True)
    multiprocessing.set_start_method('fork', force=True)
    monkeypatch.setattr(mpu, '_available', True)
    monkeypatch.setattr(mpu, '_check_fork', lambda: None)

    def provide(n_processes):
        group = Group(n_processes)
        monkeypatch.setattr(mpu, '_make_group_id', lambda: 'group')
        monkeypatch.setattr(mpu, '_join_group', group.join)
        monkeypatch.setattr(mpu, '_sum_in_group', group.sum)
        monkeypatch.setattr(mpu, '_broadcast_in_group', group.broadcast)

    yield provide
    multiprocessing.set_start_method(before, force=True)
    assert not multiprocessing.active_children()


class Model(chainer_fast.Chain):
    """A model that fails at data of a certain kind, in a worker or at home."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.linear = links.Linear(2, 1)
            self.unused = links.Linear(1, 1)
            self.home = os.getpid()

    def forward(self, x, t):
        at_home = os.getpid() == self.home
        if (x == 13).any() and not at_home:
            raise ArithmeticError('an unlucky number')
        if (x == 14).any() and not at_home:
            os.kill(os.getpid(), signal.SIGKILL)
        if (x == 15).any() and at_home:
            raise ArithmeticError('only here')
        loss = functions.sum((self.linear(x) - t) ** 2) / 2
        chainer_fast.report({'loss': loss}, self)
        return loss


def data_of(numbers):
    return [(numpy.full(2, i, 'f'), numpy.ones(1, 'f')) for i in numbers]


def make(n, rule=optimizers.SGD, numbers=range(6)):
    numpy.random.seed(0)
    optimizer = rule().setup(Model())
    its = [iterators.SerialIterator(data_of(numbers), 2, shuffle=False)
           for _ in range(n)]
    return its, optimizer


ignore_changes = pytest.mark.filterwarnings(
    'ignore:optimizer:UserWarning', 'ignore:.*fork:DeprecationWarning')


@ignore_changes
@pytest.mark.parametrize('loss_scale', [None, 4.])
@pytest.mark.posix('the stand-in for NCCL reaches forked processes')
def test_update_is_that_of_the_mean_gradient(fork, loss_scale, tmp_path):
    fork(3)
    its, optimizer = make(3)
    if loss_scale:
        optimizer.set_loss_scale(loss_scale)
    updater = updaters.MultiprocessParallelUpdater(
        its, optimizer, devices=[-1, '@numpy', -1])
    trainer = training.Trainer(updater, (4, 'iteration'), str(tmp_path))
    trainer.run()
    assert set(trainer.observation) == {'main/loss'}
    assert (updater.epoch, optimizer.epoch, optimizer.t) == (1, 1, 4)

    # All processes have the same data, so the mean is what one of them has.
    single, expected = make(1)
    single = updaters.StandardUpdater(single[0], expected)
    for _ in range(4):
        single.update()
    numpy.testing.assert_allclose(
        optimizer.target.linear.W.array, expected.target.linear.W.array, rtol=1e-4)


@ignore_changes
@pytest.mark.posix('the stand-in for NCCL reaches forked processes')
def test_one_device_needs_no_process(fork):
    its, optimizer = make(1)
    updater = updaters.MultiprocessParallelUpdater(its, optimizer, devices={'main': -1})
    updater.update()
    assert updater.comm is None and not multiprocessing.active_children()
    updater.finalize()


@ignore_changes
@pytest.mark.parametrize('number, message', [
    (13, r'(?s)worker 1 .* @numpy, has failed:.*forward.*ArithmeticError: an unlucky'),
    (14, r'has ended unexpectedly \(exit code -9\)')])
@pytest.mark.posix('the stand-in for NCCL reaches forked processes')
def test_error_in_a_worker_ends_the_update(fork, number, message):
    fork(3)
    its, optimizer = make(3, numbers=[1, 2, number, 4])
    updater = updaters.MultiprocessParallelUpdater(its, optimizer, devices=[-1] * 3)
    updater.update()
    before = optimizer.target.linear.W.array.copy()
    with pytest.raises(RuntimeError, match=message):
        updater.update()
    assert (optimizer.target.linear.W.array == before).all()
    assert not multiprocessing.active_children()
    with pytest.raises(RuntimeError, match='have ended'):
        updater.update()
    updater.finalize()


@ignore_changes
@pytest.mark.posix('the stand-in for NCCL reaches forked processes')
def test_error_at_home_skips_the_step(fork):
    fork(2)
    its, optimizer = make(2, numbers=[1, 2, 15, 4, 3, 3])
    updater = updaters.MultiprocessParallelUpdater(its, optimizer, devices=[-1, -1])
    updater.update()
    with pytest.raises(ArithmeticError, match='only here'):
        updater.update()
    updater.update()
    assert optimizer.t == 2
    updater.finalize()


@ignore_changes
@pytest.mark.posix('the stand-in for NCCL reaches forked processes')
def test_processes_end_with_the_updater(fork):
    fork(2)
    its, optimizer = make(2)
    updater = updaters.MultiprocessParallelUpdater(its, optimizer, devices=[-1, -1])
    updater.update()
    worker, = updater._workers
    del updater
    assert not worker.is_alive()


@pytest.mark.parametrize('rule, name, factor', [
    (optimizers.SGD, 'lr', 1 / 2), (optimizers.SMORMS3, 'lr', 1 / 2),
    (optimizers.Adam, 'eps', 2), (optimizers.RMSprop, 'eps', 2),
    (optimizers.RMSpropGraves, 'eps', 4), (optimizers.AdaDelta, 'eps', 4)])
@pytest.mark.posix('the stand-in for NCCL reaches forked processes')
def test_optimizer_makes_up_for_the_sum(fork, rule, name, factor):
    its, optimizer = make(2, rule)
    before = getattr(optimizer, name)
    with pytest.warns(UserWarning, match='optimizer.%s is changed to' % name):
        updaters.MultiprocessParallelUpdater(its, optimizer, devices=[-1, -1])
    assert getattr(optimizer, name) == pytest.approx(before * factor)


@pytest.mark.posix('the stand-in for NCCL reaches forked processes')
def test_arguments(fork):
    its, optimizer = make(2)
    with pytest.raises(AssertionError, match='2 for 3'):
        updaters.MultiprocessParallelUpdater(its, optimizer, devices=[-1] * 3)
    its[1] = iterators.SerialIterator(data_of(range(7)), 2)
    with pytest.raises(AssertionError, match=r'not \[6, 7\]'):
        updaters.MultiprocessParallelUpdater(its, optimizer, devices=[-1] * 2)


def test_not_available(monkeypatch):
    monkeypatch.setattr(mpu, '_available', False)
    assert not updaters.MultiprocessParallelUpdater.available()
    its, optimizer = make(1)
    with pytest.raises(Exception, match='needs NCCL'):
        updaters.MultiprocessParallelUpdater(its, optimizer, devices=[-1])


@pytest.mark.posix('the stand-in for NCCL reaches forked processes')
def test_fork_after_cuda(monkeypatch):
    class CUDADriverError(Exception):
        pass

    def not_initialized():
        raise CUDADriverError

    driver = types.SimpleNamespace(
        ctxGetCurrent=lambda: 0, CUDADriverError=CUDADriverError)
    monkeypatch.setattr(mpu.cuda, 'cupy', types.SimpleNamespace(
        cuda=types.SimpleNamespace(driver=driver)))
    monkeypatch.setattr(multiprocessing, 'get_start_method', lambda: 'fork')
    with pytest.raises(RuntimeError, match='CUDA context'):
        mpu._check_fork()
    driver.ctxGetCurrent = not_initialized
    mpu._check_fork()
    monkeypatch.setattr(multiprocessing, 'get_start_method', lambda: 'spawn')
    driver.ctxGetCurrent = lambda: 0
    mpu._check_fork()


def test_flat_arrays():
    model = links.Linear(3, 2)
    model.cleargrads()
    numpy.testing.assert_array_equal(mpu._gather(model, 'grad'), numpy.zeros(8))
    model.W.grad = numpy.arange(6, dtype='f').reshape(2, 3)
    assert mpu.size_num_grads(model) == (8, 2)
    numpy.testing.assert_array_equal(mpu._gather(model, 'grad'), [*range(6), 0, 0])
    mpu.scatter_grads(model, numpy.arange(8, dtype='d'))
    mpu.scatter_params(model, numpy.arange(8, 0, -1, dtype='d'))
    numpy.testing.assert_array_equal(model.b.grad, [6, 7])
    numpy.testing.assert_array_equal(model.W.data, [[8, 7, 6], [5, 4, 3]])
    assert model.b.grad.dtype == model.W.data.dtype == 'f'
    for function in mpu.gather_grads, mpu.gather_params:
        with pytest.raises(RuntimeError, match='on the CPU'):
            function(model)


@pytest.mark.gpu
@pytest.mark.parametrize('dtypes', ['ff', 'ef', 'ee', 'dd'])
def test_flat_arrays_on_a_gpu(dtypes):
    model = chainer_fast.Link().to_device('@cupy:0')
    rng = numpy.random.RandomState(0)
    values = [numpy.asarray(rng.rand(*shape), dtypes[i % 2])
              for i, shape in enumerate([(2, 3), (0,), (5000,), ()] + [(3,)] * 200)]
    with model.init_scope():
        for i, value in enumerate(values):
            setattr(model, 'p%03d' % i, chainer_fast.Parameter(value))
    model.to_device('@cupy:0')
    params = list(model.params())
    for param in params[1:]:
        param.grad = param.array * 2
    params[4].array = params[4].xp.ones((3, 2), dtypes[0])[:, 0]
    with ledger.record() as counts:
        flat, grads = mpu.gather_params(model), mpu.gather_grads(model)
    launches = 4 if dtypes[0] == dtypes[1] else 6
    assert len(counts.launches) <= launches + 3     # zeros, and an array with strides
    assert flat.dtype == grads.dtype == numpy.result_type(*dtypes)
    values[4] = numpy.ones(3, dtypes[0])
    expected = numpy.concatenate([value.ravel() for value in values])
    testing.assert_allclose(flat, expected)
    testing.assert_allclose(grads[:6], numpy.zeros(6))
    grads += 1
    with ledger.record() as counts:
        mpu.scatter_params(model, grads)
        mpu.scatter_grads(model, flat)
    assert len(counts.launches) <= launches + 2
    assert not counts.synchronisations
    assert not counts.to_device
    testing.assert_allclose(params[0].array, numpy.ones((2, 3)))
    for param, value in zip(params, values, strict=True):
        assert param.grad.dtype == param.dtype == value.dtype
        testing.assert_allclose(param.grad, value)


def test_calls_of_nccl(monkeypatch):
    """NCCL itself is asked for what its interface provides."""
    calls = []
    comm = types.SimpleNamespace(
        reduce=lambda *args: calls.append(args), bcast=lambda *args: calls.append(args))
    array = types.SimpleNamespace(
        data=types.SimpleNamespace(ptr=100), size=5, dtype=numpy.dtype('e'))
    monkeypatch.setattr(mpu, 'nccl', types.SimpleNamespace(
        NCCL_FLOAT16=6, NCCL_SUM=0), raising=False)
    stream = types.SimpleNamespace(ptr=7)
    monkeypatch.setattr(mpu.cuda, 'cupy', types.SimpleNamespace(
        cuda=types.SimpleNamespace(get_current_stream=lambda: stream)))
    mpu._sum_in_group(comm, array)
    mpu._broadcast_in_group(comm, array)
    assert calls == [(100, 100, 5, 6, 0, 0, 7), (100, 5, 6, 0, 7)]
    with pytest.raises(RuntimeError, match='int32'):
        mpu._get_nccl_data_type('i')


@pytest.mark.parametrize('batch, arguments', [
    ((1, 2), ((1, 2), {})), ([1, 2], (([1, 2],), {})), ({'a': 1}, ((), {'a': 1})),
    (5, ((5,), {}))])
def test_loss_of_a_batch(batch, arguments):
    assert mpu._calc_loss(lambda *args, **kwargs: (args, kwargs), batch) == arguments

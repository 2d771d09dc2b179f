import threading

import numpy
import pytest

import chainer_fast as chainer
from chainer_fast import optimizers
from chainer_fast.mn import communicators
from chainer_fast.mn.communicators.naive_communicator import NaiveCommunicator
from chainer_fast.mn.optimizers import create_multi_node_optimizer
from tests.mn.optimizers.shared import Model, Recorder, fill, on_all, parameters

pytestmark = pytest.mark.mpi


@pytest.fixture(scope='module', params=['naive', 'flat'])
def comm(request):
    return communicators.create_communicator(request.param)


@pytest.fixture
def optimizer(comm):
    return create_multi_node_optimizer(Recorder(), comm, double_buffering=True)


def test_updates_use_the_means_of_the_call_before(comm, optimizer):
    model = Model()
    first = on_all(comm, parameters(model))[0]
    assert optimizer.setup(model) is optimizer
    used = optimizer.actual_optimizer.used
    fill(model, 1000)
    optimizer.update()          # parameters
    assert parameters(model) == first
    mean = (comm.size - 1) / 2
    expected = []
    for i in range(4):
        fill(model, 10 * i + comm.rank)
        optimizer.update()
        assert used == expected and optimizer.t == len(expected)
        expected.append(10 * i + mean)
        optimizer.wait()
        numpy.testing.assert_allclose(
            optimizer.communicated_target.a.W.grad, 10 * i + mean)
    assert on_all(comm, parameters(model)) == [parameters(model)] * comm.size


def test_gradients_that_are_written_in_place(comm, optimizer):
    # The second buffer must not be the first one, not even in the beginning.
    model = Model()
    optimizer.setup(model)
    fill(model, 0)
    optimizer.update()
    for i in range(4):
        for param in model.params():
            param.grad[...] = 10 * i + comm.rank
        optimizer.update()
    mean = (comm.size - 1) / 2
    assert optimizer.actual_optimizer.used == [mean, 10 + mean, 20 + mean]


def test_parameters_are_not_copied(comm, optimizer):
    model = Model()
    optimizer.setup(model).update()
    assert optimizer.communicated_target.a.W.array is model.a.W.array
    assert optimizer.communicated_target.a.W is not model.a.W


def test_losses(comm):
    def train(double_buffering, steps):
        model = Model()
        for path, param in sorted(model.namedparams()):
            param.array[...] = len(path)
        optimizer = create_multi_node_optimizer(
            Recorder(1e-4), comm, double_buffering).setup(model)
        for i in range(steps):
            x = numpy.full((2, 2), 1 + i + comm.rank, 'f')
            optimizer.update(model, x)
        if double_buffering:
            optimizer.wait()
        return optimizer.actual_optimizer.used

    # The first gradients are of equal parameters; then one step behind.
    usual, stale = train(False, 3), train(True, 5)
    assert stale[0] == pytest.approx(usual[0])
    assert len(usual) == 2 and len(stale) == 3


def test_new_parameters_are_broadcast(comm, optimizer):
    model = Model()
    optimizer.setup(model)
    for i in range(3):
        fill(model, i)
        optimizer.update()
    assert optimizer.t == 1
    with model.init_scope():
        model.c = chainer.links.Linear(4, 4)
    first = on_all(comm, parameters(model))[0]
    optimizer.setup(model)
    fill(model, 50)
    optimizer.update()
    assert parameters(model) == first and optimizer.t == 0
    assert not optimizer.needs_update
    for i in range(2):
        fill(model, 60 + i + comm.rank)
        optimizer.update()
    assert optimizer.t == 1
    assert optimizer.actual_optimizer.used[-1] == 60 + (comm.size - 1) / 2


def test_gradients_that_some_have(comm, optimizer):
    model = Model()
    optimizer.setup(model)
    optimizer.update()
    for _ in range(2):
        fill(model, 6)
        if comm.rank:
            model.a.W.cleargrad()
        optimizer.update()
    assert optimizer.actual_optimizer.used == [6 / comm.size]


def test_loss_scale_goes_with_the_gradients(comm):
    model = Model()
    optimizer = create_multi_node_optimizer(
        optimizers.SGD(), comm, double_buffering=True).setup(model)

    def loss(x):
        return chainer.functions.sum(model.b(model.a(x)))

    x = numpy.ones((1, 2), 'f')
    for scale in 2., 4., 8., 16.:
        optimizer.set_loss_scale(scale)
        optimizer.update(loss, x)
    assert optimizer.t == 2
    numpy.testing.assert_array_equal(model.b.b.grad, 1)


class Held(NaiveCommunicator):
    """Communicator that averages when it is told to."""

    gate = None

    def multi_node_mean_grad(self, model, zero_fill=False):
        assert self.gate.wait(60)
        super().multi_node_mean_grad(model, zero_fill)

    def split(self, color, key):
        own = super().split(color, key)
        own.gate = self.gate
        return own


def test_other_work_goes_on_in_the_meantime():
    comm = Held(communicators.create_communicator('naive').mpi_comm)
    comm.gate = threading.Event()
    model = Model()
    optimizer = create_multi_node_optimizer(
        Recorder(), comm, double_buffering=True).setup(model)
    optimizer.update()
    fill(model, comm.rank)
    optimizer.update()
    # Messages of the program do not meet those of the thread.
    assert comm.allreduce_obj(1) == comm.size
    comm.gate.set()
    optimizer.wait()
    mean = (comm.size - 1) / 2
    numpy.testing.assert_allclose(optimizer.communicated_target.a.W.grad, mean)


class Failing(NaiveCommunicator):
    def multi_node_mean_grad(self, model, zero_fill=False):
        raise FloatingPointError('cannot')


def test_errors_are_raised_by_wait():
    comm = Failing(communicators.create_communicator('naive').mpi_comm)
    model = Model()
    optimizer = create_multi_node_optimizer(
        Recorder(), comm, double_buffering=True).setup(model)
    optimizer.update()
    fill(model, 1)
    optimizer.update()
    with pytest.raises(FloatingPointError, match='cannot'):
        optimizer.wait()
    optimizer.wait()


def test_debug_mode_finds_infinite_means(comm, optimizer):
    model = Model()
    optimizer.setup(model)
    optimizer.update()
    fill(model, numpy.inf)
    with chainer.using_config('debug', True):
        optimizer.update()
        with pytest.raises(ValueError, match='/a/W.* are not finite'):
            optimizer.wait()


def test_communicators_that_cannot():
    with pytest.raises(ValueError, match='does not support double buffering: object'):
        create_multi_node_optimizer(Recorder(), object(), double_buffering=True)


def test_mpi_without_threads(comm, monkeypatch):
    from mpi4py import MPI
    monkeypatch.setattr(MPI, 'Query_thread', lambda: MPI.THREAD_SERIALIZED)
    with pytest.raises(ValueError, match='MPI_THREAD_MULTIPLE'):
        create_multi_node_optimizer(Recorder(), comm, double_buffering=True)


@pytest.mark.gpu
def test_model_on_a_gpu(comm, optimizer):
    model = Model()
    model.to_device('@cupy:0')
    optimizer.setup(model)
    before = parameters(model)
    with pytest.raises(ValueError, match=r'/a/W is on .*cupy.*use pure_nccl'):
        optimizer.update()
    assert parameters(model) == before

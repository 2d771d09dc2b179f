import copy

import numpy
import pytest

import chainer_fast as chainer
from chainer_fast import optimizers
from chainer_fast.mn.optimizers import create_multi_node_optimizer
from chainer_fast.serializers import DictionarySerializer
from tests.mn.optimizers.shared import Model, Recorder, fill, on_all, parameters

pytestmark = pytest.mark.mpi


def test_first_update_broadcasts_parameters(comm):
    model = Model()
    first = on_all(comm, parameters(model))[0]
    optimizer = create_multi_node_optimizer(Recorder(), comm)
    assert optimizer.setup(model) is optimizer
    fill(model, 1)
    optimizer.update()
    assert optimizer.t == 0 and optimizer.actual_optimizer.used == []
    assert parameters(model) == first


def test_updates_use_the_means(comm):
    model = Model()
    optimizer = create_multi_node_optimizer(Recorder(), comm).setup(model)
    optimizer.update()
    for i in range(3):
        fill(model, 10 * i + comm.rank)
        optimizer.update()
    mean = (comm.size - 1) / 2
    assert optimizer.actual_optimizer.used == [mean, 10 + mean, 20 + mean]
    assert optimizer.t == 3
    assert on_all(comm, parameters(model)) == [parameters(model)] * comm.size


@pytest.mark.parametrize('double_buffering', [False, True])
def test_hooks_see_no_loss_scale(comm, double_buffering):
    results = []
    for scale in (None, 8.):
        model = Model()
        for i, (_, param) in enumerate(sorted(model.namedparams())):
            param.array[...] = 1 + i
        optimizer = create_multi_node_optimizer(
            optimizers.MomentumSGD(.01), comm, double_buffering).setup(model)
        optimizer.add_hook(chainer.optimizer_hooks.GradientClipping(.5))
        optimizer.add_hook(chainer.optimizer_hooks.Lasso(.5))
        if scale is not None:
            optimizer.set_loss_scale(scale)
        for i in range(5):
            optimizer.update(model, numpy.full((2, 2), i, 'f'))
        results.append(model.a.W.array)
    numpy.testing.assert_allclose(*results, rtol=1e-5)


def test_training_on_parts_is_training_on_all(comm):
    whole = numpy.random.RandomState(3).randn(6 * comm.size, 2).astype('f')
    part = whole[6 * comm.rank:6 * (comm.rank + 1)]

    def loss(model, x):
        return model(x) / len(x)

    model = Model()
    optimizer = create_multi_node_optimizer(optimizers.MomentumSGD(.01), comm)
    optimizer.setup(model).add_hook(chainer.optimizer_hooks.WeightDecay(1e-2))
    optimizer.update(loss, model, part)
    alone = copy.deepcopy(model)
    reference = optimizers.MomentumSGD(.01).setup(alone)
    reference.add_hook(chainer.optimizer_hooks.WeightDecay(1e-2))
    for _ in range(5):
        optimizer.update(loss, model, part)
        reference.update(loss, alone, whole)
    for (_, one), (_, other) in zip(
            sorted(model.namedparams()), sorted(alone.namedparams()), strict=True):
        numpy.testing.assert_allclose(one.array, other.array, rtol=1e-4, atol=1e-6)


@pytest.mark.filterwarnings('ignore::DeprecationWarning')
@pytest.mark.parametrize('use', [True, False])
def test_order_of_the_steps(comm, use):
    steps = []

    class Logged(Model):
        def forward(self, x):
            steps.append('forward')
            return super().forward(x)

        def cleargrads(self):
            steps.append('cleargrads')
            super().cleargrads()

        def zerograds(self):
            steps.append('zerograds')
            super().zerograds()

    class Communicator(type(comm)):
        def bcast_data(self, model):
            steps.append('bcast_data')
            super().bcast_data(model)

        def multi_node_mean_grad(self, model, zero_fill=False):
            steps.append('multi_node_mean_grad')
            super().multi_node_mean_grad(model, zero_fill)

    model = Logged()
    optimizer = create_multi_node_optimizer(
        optimizers.SGD(), Communicator(comm.mpi_comm)).setup(model)
    optimizer.use_cleargrads(use)

    def pre(optimizer):
        steps.append('pre')

    def post(optimizer):
        steps.append('post')

    optimizer.add_hook(pre, timing='pre')
    optimizer.add_hook(post, timing='post')
    x = numpy.ones((1, 2), 'f')
    clear = 'cleargrads' if use else 'zerograds'
    optimizer.update(model, x)
    assert steps == ['forward', clear, 'bcast_data']
    steps.clear()
    optimizer.update(model, x)
    assert steps == ['forward', clear, 'multi_node_mean_grad', 'pre', 'post']


def test_new_parameters_are_broadcast(comm):
    model = Model()
    optimizer = create_multi_node_optimizer(Recorder(), comm).setup(model)
    optimizer.update()
    fill(model, 1)
    optimizer.update()
    with model.init_scope():
        model.c = chainer.links.Linear(4, 4)
    first = on_all(comm, parameters(model))[0]
    optimizer.setup(model)
    optimizer.update()
    assert optimizer.t == 0 and parameters(model) == first
    fill(model, comm.rank)
    optimizer.update()
    assert optimizer.t == 1
    assert optimizer.actual_optimizer.used[-1] == (comm.size - 1) / 2


def test_parameters_that_get_initialized_are_broadcast(comm):
    model = Model(None)
    optimizer = create_multi_node_optimizer(Recorder(), comm).setup(model)
    x = numpy.ones((1, 2), 'f')
    model.cleargrads()
    assert optimizer.is_changed(model) and not optimizer.is_changed(model)
    optimizer.update(model, x)      # which initializes
    assert on_all(comm, parameters(model)) == [parameters(model)] * comm.size
    assert optimizer.t == 0
    optimizer.update(model, x)
    assert optimizer.t == 1


def test_another_model_is_broadcast(comm):
    optimizer = create_multi_node_optimizer(Recorder(), comm)
    for _ in range(2):
        model = Model()
        first = on_all(comm, parameters(model))[0]
        optimizer.setup(model)
        fill(model, 0)
        optimizer.update()
        assert parameters(model) == first
        optimizer.setup(model)      # the same one again
        fill(model, 1)
        optimizer.update()
        assert parameters(model) != first


@pytest.mark.parametrize('zero_fill', [True, False])
def test_gradients_that_nobody_has(comm, zero_fill):
    model = Model()
    optimizer = create_multi_node_optimizer(
        optimizers.SGD(), comm, zero_fill=zero_fill).setup(model)
    seen = []
    optimizer.add_hook(
        lambda optimizer: seen.append(model.b.W.grad is None), name='look')
    optimizer.update()
    fill(model, 1)
    model.b.W.cleargrad()
    optimizer.update()
    assert optimizer.zero_fill is zero_fill and seen == [False]
    numpy.testing.assert_array_equal(model.b.W.grad, 0)


def test_gradients_that_some_have(comm):
    model = Model()
    optimizer = create_multi_node_optimizer(Recorder(), comm).setup(model)
    optimizer.update()
    fill(model, 6)
    if comm.rank:
        model.a.W.cleargrad()
    optimizer.update()
    assert optimizer.actual_optimizer.used == [6 / comm.size]


def test_loss_scale(comm):
    model = Model()
    optimizer = create_multi_node_optimizer(optimizers.SGD(), comm).setup(model)
    optimizer.set_loss_scale(4.)
    seen = []
    optimizer.add_hook(lambda _: seen.append(float(model.b.b.grad[0])), name='look')

    def loss(x):
        return chainer.functions.sum(model.b(model.a(x)))

    for _ in range(2):
        optimizer.update(loss, numpy.ones((1, 2), 'f'))
    assert seen == [1.] and model.b.b.grad[0] == 1


@pytest.mark.parametrize('double_buffering', [False, True])
def test_attributes(comm, double_buffering):
    actual = optimizers.SGD(lr=.5)
    optimizer = create_multi_node_optimizer(actual, comm, double_buffering)
    assert optimizer.actual_optimizer is actual and optimizer.communicator is comm
    assert optimizer.lr == .5 and optimizer.target is None
    optimizer.lr = .25
    optimizer.something = 3
    assert actual.lr == .25 and actual.something == 3
    assert 'something' not in vars(optimizer)
    with pytest.raises(AttributeError, match='nonsense'):
        optimizer.nonsense      # noqa: B018
    optimizer.setup(Model())
    optimizer.new_epoch()
    assert optimizer.epoch == actual.epoch == 1
    optimizer.use_auto_new_epoch = True
    optimizer.new_epoch(auto=True)
    assert actual.epoch == 2


def test_copies(comm):
    optimizer = create_multi_node_optimizer(optimizers.SGD(lr=.5), comm)
    assert copy.copy(optimizer).lr == .5


@pytest.mark.parametrize('double_buffering', [False, True])
def test_snapshots_are_those_of_the_actual_optimizer(comm, double_buffering):
    model = Model()
    optimizer = create_multi_node_optimizer(
        optimizers.Adam(), comm, double_buffering).setup(model)
    for _ in range(3):
        fill(model, 1)
        optimizer.update()
    one, other = DictionarySerializer(), DictionarySerializer()
    one.save(optimizer)
    other.save(optimizer.actual_optimizer)
    assert sorted(one.target) == sorted(other.target)


@pytest.mark.parametrize('double_buffering', [False, True])
def test_in_a_trainer(comm, double_buffering):
    model = Model()
    optimizer = create_multi_node_optimizer(
        optimizers.SGD(1e-4), comm, double_buffering).setup(model)
    data = numpy.random.RandomState(comm.rank).randn(12, 2).astype('f')
    updater = chainer.training.StandardUpdater(
        chainer.iterators.SerialIterator(data, 4), optimizer, loss_func=model)
    chainer.training.Trainer(updater, (2, 'epoch')).run()
    assert updater.iteration == 6
    assert optimizer.t == (4 if double_buffering else 5)
    assert on_all(comm, parameters(model)) == [parameters(model)] * comm.size

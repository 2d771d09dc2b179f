"""ParallelUpdater, with several models on one device."""
import numpy
import pytest

import chainer_fast
from chainer_fast import functions, iterators, links, optimizers, testing, training
from chainer_fast.training import updaters
from tests import compare

DATA = [(numpy.full(2, i, 'f'), numpy.ones(1, 'f')) for i in range(8)]


class Model(chainer_fast.Chain):

    def __init__(self, n_in=2):
        super().__init__()
        with self.init_scope():
            self.linear = links.Linear(n_in, 1)

    def forward(self, x, t):
        loss = functions.sum((self.linear(x) - t) ** 2)
        chainer_fast.report({'loss': loss, 'n': len(x)}, self)
        return loss


def number(device):
    return -1 if device.xp is numpy else 0


def make(device=None, batch_size=3, data=DATA, n_in=2):
    numpy.random.seed(0)
    model = Model(n_in)
    if device is not None:
        device.send(model)
    optimizer = optimizers.SGD(.001).setup(model)
    return iterators.SerialIterator(data, batch_size, shuffle=False), optimizer, model


@pytest.mark.parametrize('loss_scale', [None, 8.])
@pytest.mark.parametrize('devices', [
    {'main': -1, 'second': '@numpy'},
    pytest.param({'main': '@cupy:0', 'second': '@cupy:1'}, marks=pytest.mark.gpu),
    pytest.param({'main': '@cupy:1', 'second': '@numpy'}, marks=pytest.mark.gpu)])
def test_update_is_that_of_the_whole_batch(devices, loss_scale):
    # The loss is a sum, and so is the gradient over the devices.
    iterator, optimizer, whole = make()
    single = updaters.StandardUpdater(iterator, optimizer)
    iterator, optimizer, model = make()
    parallel = updaters.ParallelUpdater(
        iterator, optimizer, devices=devices, loss_scale=loss_scale)
    for _ in range(4):
        single.update()
        parallel.update()
    assert parallel._models['main'] is model
    for name, each in parallel._models.items():
        assert each.device == chainer_fast.get_device(devices[name])
        testing.assert_allclose(each.linear.W.array, whole.linear.W.array, rtol=1e-5)
    assert (parallel.iteration, parallel.epoch, optimizer.epoch) == (4, 1, 1)


@pytest.mark.host
def test_given_models_without_devices(device):
    iterator, optimizer, model = make(device)
    other = model.copy('init')
    updater = updaters.ParallelUpdater(
        iterator, optimizer, models={'main': model, 'other': other})
    updater.update()
    compare.assert_array_equal(model.linear.W.array, other.linear.W.array)


def test_parameters_initialized_by_the_first_batch(device):
    iterator, optimizer, model = make(device, n_in=None)
    updater = updaters.ParallelUpdater(
        iterator, optimizer, devices={'main': number(device), 'second': number(device)})
    updater.update()
    for each in updater._models.values():
        assert each.linear.W.shape == (1, 2)
        compare.assert_array_equal(each.linear.W.array, model.linear.W.array)


def test_all_models_report(device, tmp_path):
    iterator, optimizer, _ = make(device, 5)
    trainer = training.Trainer(
        updaters.ParallelUpdater(
            iterator, optimizer,
            devices={'main': number(device), 'b': number(device)}),
        (1, 'iteration'), str(tmp_path))
    trainer.run()
    assert set(trainer.observation) == {'main/loss', 'main/n', 'b/loss', 'b/n'}
    assert (trainer.observation['main/n'], trainer.observation['b/n']) == (3, 2)


def test_converter_gets_the_devices_and_loss_func_the_batch(device):
    iterator, optimizer, model = make(device)
    seen = []

    def converter(batch, device_number):
        seen.append((len(batch), device_number))
        return {'x': device.send(numpy.stack([x for x, _ in batch]))}

    updater = updaters.ParallelUpdater(
        iterator, optimizer, converter,
        devices={'main': number(device), 'b': device.name},
        loss_func=lambda x: functions.sum(model.linear(x)))
    before = model.linear.W.array.copy()
    updater.update()
    assert seen == [(2, number(device)), (1, device.name)]
    compare.assert_allclose(
        model.linear.W.array, before - .001 * (0 + 1 + 2), rtol=1e-5)


def test_batch_that_does_not_suffice_changes_nothing(device):
    iterator, optimizer, model = make(device, 1)
    updater = updaters.ParallelUpdater(
        iterator, optimizer, devices={'main': number(device), 'second': number(device)})
    before = model.linear.W.array.copy()
    with pytest.raises(ValueError):
        updater.update()
    assert optimizer.t == 0 and (model.linear.W.array == before).all()


def test_arguments(device):
    iterator, optimizer, _ = make(device)
    with pytest.raises(ValueError, match='models or devices'):
        updaters.ParallelUpdater(iterator, optimizer)
    with pytest.raises(KeyError, match="but are only 'first', 'second'"):
        updaters.ParallelUpdater(
            iterator, optimizer, devices={'first': -1, 'second': -1})
    assert training.ParallelUpdater is training.updater.ParallelUpdater \
        is updaters.ParallelUpdater

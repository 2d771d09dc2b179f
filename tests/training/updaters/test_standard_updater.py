import numpy
import pytest

import chainer_fast
from chainer_fast import backend, dataset, training
from tests.training import stubs


class Data(dataset.Iterator):

    epoch = 1
    epoch_detail = 1.5
    previous_epoch_detail = 1.25
    is_new_epoch = False
    finalized = 0
    position = 3

    def __init__(self, batch):
        self.batch = batch

    def __next__(self):
        return self.batch

    def finalize(self):
        self.finalized += 1

    def serialize(self, serializer):
        self.position = serializer('position', self.position)


class Optimizer(chainer_fast.Optimizer):
    """Optimizer that writes down its updates."""

    def __init__(self, target=None):
        super().__init__()
        self.updates = []
        self.setup(chainer_fast.Link(w=1) if target is None else target)

    def update(self, lossfun=None, *args, **kwargs):
        self.updates.append((lossfun, args, kwargs))


def identity(batch, device):
    return batch


@pytest.mark.parametrize('batch, args, kwargs', [
    ((1, 2), (1, 2), {}), ({'x': 1, 'y': 2}, (), {'x': 1, 'y': 2}), (3, (3,), {}),
    ([4, 5], ([4, 5],), {})])
def test_converted_batch_becomes_arguments(batch, args, kwargs):
    optimizer = Optimizer()
    updater = training.updaters.StandardUpdater(
        Data([batch]), optimizer, lambda examples, device: examples[0])
    updater.update()
    assert optimizer.updates == [(optimizer.target, args, kwargs)]
    assert updater.iteration == 1


def test_batches_are_stacked_by_default(device):
    optimizer = Optimizer()
    training.StandardUpdater(
        Data([(1, 2.), (3, 4.)]), optimizer, input_device=device.name).update()
    (_, (x, y), _), = optimizer.updates
    assert isinstance(x, device.xp.ndarray)
    assert x.tolist() == [1, 3]
    assert y.tolist() == [2., 4.]


def test_loss_function():
    optimizer = Optimizer()
    training.StandardUpdater(Data([1]), optimizer, identity, loss_func=max).update()
    assert optimizer.updates == [(max, ([1],), {})]


def test_epoch_is_that_of_the_main_iterator():
    updater = training.StandardUpdater(
        {'main': Data([]), 'other': None}, Optimizer())
    assert (updater.epoch, updater.epoch_detail, updater.previous_epoch_detail,
            updater.is_new_epoch) == (1, 1.5, 1.25, False)
    for name in 'epoch', 'is_new_epoch', 'device':
        with pytest.raises(AttributeError):
            setattr(updater, name, 1)


@pytest.mark.parametrize('auto, new_epoch, expected', [
    (True, True, 1), (True, False, 0), (False, True, 0)])
def test_optimizer_learns_of_epochs(auto, new_epoch, expected):
    data, optimizer = Data([1]), Optimizer()
    data.is_new_epoch = new_epoch
    updater = training.StandardUpdater(
        data, optimizer, identity, auto_new_epoch=auto)
    updater.update()
    assert optimizer.epoch == expected
    assert optimizer.use_auto_new_epoch == auto


def test_parts_by_name():
    main, other, optimizer = Data([]), Data([]), Optimizer()
    updater = training.StandardUpdater({'main': main, 'other': other}, optimizer)
    assert updater.get_iterator('other') is other
    assert updater.get_optimizer('main') is optimizer
    assert updater.get_all_optimizers() == {'main': optimizer}
    updater.get_all_optimizers().clear()
    assert updater.get_all_optimizers()
    updater.finalize()
    assert (main.finalized, other.finalized) == (1, 1)
    with pytest.raises(KeyError):
        updater.get_optimizer('other')


def test_loss_scale():
    optimizer = Optimizer()
    updater = training.StandardUpdater(Data([]), optimizer, loss_scale=2.)
    assert updater.loss_scale == optimizer._loss_scale == 2.


def test_unknown_argument():
    with pytest.raises(TypeError, match='foo'):
        training.StandardUpdater(Data([]), Optimizer(), foo=1)


class Elsewhere(backend.Device):
    """A device of its own, with the arrays of NumPy."""

    xp = numpy
    supported_array_types = (numpy.ndarray,)

    def __init__(self, name):
        self.where = name

    @property
    def name(self):
        return self.where

    def __eq__(self, other):
        return isinstance(other, Elsewhere) and other.where == self.where

    __hash__ = backend.Device.__hash__

    def send_array(self, array):
        return array.copy()


@pytest.mark.parametrize('device', [None, Elsewhere('@a')])
@pytest.mark.parametrize('input_device', [None, Elsewhere('@b')])
def test_devices(device, input_device):
    seen = []

    @dataset.converter()
    def convert(batch, device):
        seen.append(device)
        return batch

    target = chainer_fast.Link()
    with target.init_scope():
        target.p = chainer_fast.Parameter(numpy.ones(2, 'f'))
    before = target.device
    updater = training.StandardUpdater(
        Data([1]), Optimizer(target), convert, device=device,
        input_device=input_device)
    updater.update()
    assert updater.device == device
    assert target.device == (before if device is None else device)
    assert updater.input_device == (device if input_device is None else input_device)
    assert seen == [updater.input_device]


def test_device_specifiers(device):
    expected = backend.get_device(device.name)
    updater = training.StandardUpdater(
        Data([1]), Optimizer(), identity, device=-1 if device.xp is numpy else 0)
    assert updater.device == updater.input_device == expected
    updater = training.StandardUpdater(Data([1]), Optimizer(), device=device.name)
    assert updater.device == expected


def test_snapshot(device):
    def make(value):
        target = chainer_fast.Link()
        with target.init_scope():
            target.p = chainer_fast.Parameter(device.xp.full(2, value, 'f'))
        data = Data([1])
        data.position = value
        return training.StandardUpdater(data, Optimizer(target), identity)

    updater, other = make(1), make(2)
    updater.update()
    snapshot = stubs.save(updater)
    assert sorted(snapshot) == [
        'iteration', 'iterator:main/position', 'model:main/p', 'optimizer:main/epoch',
        'optimizer:main/t']
    stubs.load(other, snapshot)
    assert other.iteration == 1
    assert other.get_iterator('main').position == 1
    assert other.get_optimizer('main').target.p.array.tolist() == [1, 1]


def test_interface():
    updater = training.Updater()
    assert updater.connect_trainer(None) is None
    for call in (
            updater.update, updater.finalize, updater.get_all_optimizers,
            lambda: updater.get_optimizer('main'), lambda: updater.serialize(None)):
        with pytest.raises(NotImplementedError, match='Updater has to define'):
            call()

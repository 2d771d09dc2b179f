"""Private names of Chainer that public programs read, assign, override or import."""
import os
import pydoc

import numpy
import pytest

import chainer_fast as chainer
import chainer_fast.links as L
from chainer_fast import datasets, iterators, training
from chainer_fast.functions.connection import linear
from chainer_fast.training import extensions
from tests.compat import processes

with open(os.path.join(processes.COMPAT, 'names_private.txt')) as file:
    NAMES = file.read().split()


def _updater(cls, **arguments):
    optimizer = chainer.optimizers.SGD().setup(L.Linear(1, 1))
    return cls(iterators.SerialIterator([0], 1), optimizer, **arguments)


# What has the attributes that are not those of a class.
OBJECTS = {
    'Variable': lambda: chainer.Variable(numpy.zeros(1, numpy.float32)),
    'Link': chainer.Link,
    'Chain': chainer.Chain,
    'ChainList': chainer.ChainList,
    'Sequential': chainer.Sequential,
    'Summary': chainer.reporter.Summary,
    'DictSummary': chainer.reporter.DictSummary,
    'Optimizer': chainer.optimizers.SGD,
    'BroadcastTo': lambda: chainer.functions.broadcast_to(
        numpy.zeros(1, numpy.float32), (2, 1)).creator,
    'LinearGradWeight': lambda: linear.LinearGradWeight(numpy.float32),
    'BatchNormalization': lambda: L.BatchNormalization(1)(
        numpy.zeros((2, 1), numpy.float32)).creator,
    'links.BatchNormalization': lambda: L.BatchNormalization(1),
    'ConcatenatedDataset': lambda: datasets.ConcatenatedDataset([0], [1]),
    'DictDataset': lambda: datasets.DictDataset(a=[0]),
    'ImageDataset': lambda: datasets.ImageDataset(['a.png']),
    'LabeledImageDataset': lambda: datasets.LabeledImageDataset([('a.png', 0)]),
    'SubDataset': lambda: datasets.SubDataset([0], 0, 1),
    'TransformDataset': lambda: datasets.TransformDataset([0], str),
    'TupleDataset': lambda: datasets.TupleDataset([0]),
    'SerialIterator': lambda: iterators.SerialIterator([0], 1),
    'MultithreadIterator': lambda: iterators.MultithreadIterator([0], 1),
    'StandardUpdater': lambda: _updater(training.updaters.StandardUpdater),
    'ParallelUpdater': lambda: _updater(
        training.updaters.ParallelUpdater, devices={'main': -1}),
    'Trainer': lambda: training.Trainer(_updater(training.updaters.StandardUpdater)),
    'Evaluator': lambda: extensions.Evaluator(
        iterators.SerialIterator([0], 1, repeat=False), L.Linear(1, 1)),
    'ExponentialShift': lambda: extensions.ExponentialShift('lr', .5),
    'LogReport': extensions.LogReport,
    'PlotReport': lambda: extensions.PlotReport(['a'], file_name='a.png'),
    'PrintReport': lambda: extensions.PrintReport(['a']),
}


@pytest.mark.parametrize('name', NAMES)
def test_private_names(name):
    owner, attribute = name.replace('chainer', 'chainer_fast', 1).rsplit('.', 1)
    found = pydoc.locate(owner)
    assert found is not None
    if isinstance(found, type) and not hasattr(found, attribute):
        names = owner.rpartition('.')[2], '.'.join(owner.rsplit('.', 2)[1:])
        found = next(OBJECTS[key] for key in reversed(names) if key in OBJECTS)()
    getattr(found, attribute)


def test_names_are_listed_once():
    assert len(set(NAMES)) == len(NAMES)


def test_wrapped_optimizer():
    """A wrapper that reads what a program's wrapper does, and has no constructor."""
    class Wrapper(chainer.Optimizer):
        def __init__(self, optimizer):
            self._optimizer = optimizer

        target = property(lambda self: self._optimizer.target)
        update = property(lambda self: self._optimizer.update)
        add_hook = property(lambda self: self._optimizer.add_hook)
        _pre_update_hooks = property(lambda self: self._optimizer._pre_update_hooks)
        _loss_scale = property(lambda self: self._optimizer._loss_scale)

    model = L.Linear(1, 1, initialW=1)
    optimizer = Wrapper(chainer.optimizers.SGD(1).setup(model))
    optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(.5))
    model.cleargrads()
    model.W.grad, model.b.grad = model.W.array * 0, model.b.array * 0
    optimizer.update()
    assert model.W.array == .5
    assert optimizer._pre_update_hooks is None and optimizer._loss_scale is None

# Chainer 1.12, Python 2.7, --legacy=v1.12,python
"""Epochs when an order lasted, and when triggers asked for an update at their end."""
from __future__ import print_function

import shutil
import tempfile

import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import training

for size in 2, 3:
    np.random.seed(1)
    it = chainer.iterators.SerialIterator(range(6), size)  # removed: iterators that shuffle the order of the epoch before; iterators that shuffle once the examples of an epoch are read
    print([[int(i) for i in it.next()] for _ in range(9)])  # removed: SerialIterator that shuffles only where an epoch ends within a batch
np.random.seed(1)
it = chainer.iterators.SerialIterator(range(5), 2)  # removed: iterators that shuffle the order of the epoch before; iterators that shuffle once the examples of an epoch are read
print([[int(i) for i in it.next()] for _ in range(9)])  # removed: SerialIterator that shuffles only where an epoch ends within a batch
print('%.6f' % np.random.rand())


class Model(chainer.Chain):

    def __init__(self):
        super(Model, self).__init__(fc=L.Linear(1, 1))

    def __call__(self, x):
        return F.sum(self.fc(x))


class ThreeBatches(training.StandardUpdater):

    def update_core(self):
        for _ in range(3):
            batch = self.get_iterator('main').next()
        optimizer = self.get_optimizer('main')
        optimizer.update(optimizer.target, chainer.Variable(
            self.converter(batch, self.device)))


@training.make_extension(trigger=(1, 'epoch'))
def epoch(trainer):
    print('1 epoch', trainer.updater.iteration)


@training.make_extension(trigger=(2, 'epoch'))
def epochs(trainer):
    print('2 epochs', trainer.updater.iteration)


@training.make_extension(trigger=(3, 'iteration'))
def iterations(trainer):
    print('3 iterations', trainer.updater.iteration)


for updater_class in training.StandardUpdater, ThreeBatches:
    optimizer = chainer.optimizers.SGD()
    optimizer.setup(Model())
    data = np.ones((8, 1), np.float32)
    updater = updater_class(chainer.iterators.SerialIterator(data, 2, shuffle=False),
                            optimizer)
    out = tempfile.mkdtemp()
    trainer = training.Trainer(updater, (4, 'epoch'), out=out)
    for extension in epoch, epochs, iterations:
        trainer.extend(extension)
    trainer.run()  # removed: triggers that ask for an update at the end of an epoch
    print(updater.iteration, updater.epoch)
    shutil.rmtree(out)

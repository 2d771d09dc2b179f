# Chainer 1.24, Python 2.7
"""A training loop with snapshots and extensions of the first Trainer."""
import os
import shutil
import tempfile

import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import training
from chainer.training import extensions


class Announce(training.Extension):
    invoke_before_training = True  # removed: chainer.training.Extension.invoke_before_training
    trigger = 2, 'iteration'

    def __call__(self, trainer):
        print('announce %d' % trainer.updater.iteration)


@training.make_extension(trigger=(1, 'epoch'), invoke_before_training=True)  # removed: chainer.training.make_extension(invoke_before_training=)
def shift(trainer):
    optimizer = trainer.updater.get_optimizer('main')
    optimizer.lr *= 0.5
    print('lr %.4f' % optimizer.lr)


rs = np.random.RandomState(0)
data = chainer.datasets.TupleDataset(
    rs.rand(12, 3).astype(np.float32), rs.randint(0, 2, 12).astype(np.int32))
model = L.Classifier(L.Linear(3, 2, initialW=rs.rand(2, 3).astype(np.float32)))
optimizer = chainer.optimizers.SGD(lr=0.8)
optimizer.setup(model)
iterator = chainer.iterators.SerialIterator(data, 4, shuffle=False)
out = tempfile.mkdtemp()
updater = training.StandardUpdater(iterator, optimizer, device=-1)
trainer = training.Trainer(updater, (2, 'epoch'), out=out)
trainer.extend(Announce())
trainer.extend(shift)
trainer.extend(extensions.snapshot(trigger=(3, 'iteration')))  # removed: chainer.training.extensions.snapshot(trigger=)
trainer.extend(extensions.snapshot_object(  # removed: chainer.training.extensions.snapshot_object(trigger=)
    model, 'model_{.updater.iteration}', trigger=(2, 'epoch')))
trainer.extend(extensions.LogReport(trigger=(1, 'epoch')))
trainer.extend(lambda trainer: print_loss(trainer), name='loss', invoke_before_training=False)  # removed: chainer.training.Trainer.extend(invoke_before_training=)


def print_loss(trainer):
    print('loss %.6f' % float(trainer.observation['main/loss'].data))


trainer.run()
print(sorted(os.listdir(out)))
shutil.rmtree(out)

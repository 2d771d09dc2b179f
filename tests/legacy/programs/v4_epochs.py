# Chainer 4.5, Python 3.6, --legacy=v4
"""A loop that counts epochs itself, and copies parameters alone."""
import shutil
import tempfile

import numpy as np

import chainer
import chainer.links as L
from chainer import training

model = L.Classifier(L.Linear(3, 2, initialW=1))
optimizer = chainer.optimizers.SGD(0.1)
optimizer.setup(model)
data = [(np.arange(3, dtype=np.float32), np.int32(i % 2)) for i in range(6)]
updater = training.StandardUpdater(
    chainer.iterators.SerialIterator(data, 2, shuffle=False), optimizer)
out = tempfile.mkdtemp()
trainer = training.Trainer(updater, (2, 'epoch'), out=out)


@training.make_extension(trigger=(1, 'epoch'))
def next_epoch(trainer):
    optimizer.new_epoch()  # removed: chainer.Optimizer.new_epoch beside an updater
    print('%d %.6f' % (optimizer.epoch, model.predictor.W.data.sum()))


trainer.extend(next_epoch)
trainer.run()
shutil.rmtree(out)

first, second = L.BatchNormalization(2), L.BatchNormalization(2)  # removed: chainer.links.BatchNormalization with a running variance from 0
x = np.arange(8, dtype=np.float32).reshape(4, 2)
first(x)
first.gamma.data[...] = 3
second.copyparams(first)  # removed: persistent values that Link.copyparams leaves alone
print('%.6f %.6f' % (second.gamma.data.sum(), second.avg_mean.sum()))

# Chainer 2.1, Python 3.6, --legacy=v2
"""Names of arguments and modules that version 2 had."""
import os
import shutil
import tempfile

import numpy as np

import chainer
import chainer.links as L
from chainer import serializers, training
from chainer.training.triggers import interval  # removed: chainer.training.triggers.interval

out = tempfile.mkdtemp()
model = L.Linear(3, 2, initialW=1)
path = os.path.join(out, 'model.npz')
serializers.save_npz(filename=path, obj=model)  # removed: chainer.serializers.save_npz(filename=)
other = L.Linear(3, 2)
serializers.load_npz(filename=path, obj=other)  # removed: chainer.serializers.load_npz(filename=)
print('%.6f' % other.W.data.sum())

classifier = L.Classifier(model)
optimizer = chainer.optimizers.SGD(0.1)
optimizer.setup(classifier)
data = [(np.arange(3, dtype=np.float32), np.int32(i % 2)) for i in range(6)]
updater = training.StandardUpdater(
    chainer.iterators.SerialIterator(data, 2, shuffle=False), optimizer)
trainer = training.Trainer(updater, (1, 'epoch'), out=out)


def show(trainer):
    print('%d %.6f' % (trainer.updater.iteration, model.W.data.sum()))


trainer.extend(show, trigger=interval.IntervalTrigger(1, 'iteration'), invoke_before_training=True)  # removed: chainer.training.Trainer.extend(invoke_before_training=)
trainer.run()
shutil.rmtree(out)

# Chainer 1.24, Python 3.6, --legacy=v1
"""A model that a trainer of version 1 calls with variables, not arrays."""
import shutil
import tempfile

import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import training
from chainer.training import extensions


class Net(chainer.Chain):

    def __init__(self, rs):
        super(Net, self).__init__(fc=L.Linear(3, 2, initialW=rs.rand(2, 3)))

    def __call__(self, x, t):
        xp = chainer.cuda.get_array_module(x.data)
        noise = chainer.Variable(  # removed: chainer.Variable(volatile=)
            xp.full(x.data.shape, 0.1, dtype=x.data.dtype), volatile=x.volatile)  # removed: chainer.Variable.volatile
        y = self.fc(x + noise)
        loss = F.softmax_cross_entropy(y, t)
        chainer.report({'loss': loss, 'n': len(y)}, self)  # removed: chainer.Variable.__len__
        return loss


rs = np.random.RandomState(0)
data = chainer.datasets.TupleDataset(
    rs.rand(8, 3).astype(np.float32), rs.randint(0, 2, 8).astype(np.int32))
model = Net(rs)
optimizer = chainer.optimizers.Adam()
optimizer.setup(model)
out = tempfile.mkdtemp()
updater = training.StandardUpdater(
    chainer.iterators.SerialIterator(data, 4, shuffle=False), optimizer)
trainer = training.Trainer(updater, (2, 'epoch'), out=out)
trainer.extend(extensions.Evaluator(
    chainer.iterators.SerialIterator(data, 4, repeat=False, shuffle=False), model))


@training.make_extension(trigger=(1, 'iteration'), priority=50)
def show(trainer):
    loss = trainer.observation['main/loss']
    print('%.6f %d %s' % (float(loss.data), trainer.observation['main/n'],
                          loss.creator is not None))
    if 'validation/main/loss' in trainer.observation:
        print('validation %.6f' % float(trainer.observation['validation/main/loss']))


trainer.extend(show)
trainer.run()  # removed: chainer.training.extensions.Evaluator in no mode of its own
shutil.rmtree(out)

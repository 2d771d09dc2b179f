# Chainer 3.5, Python 3.6, --legacy=v3
"""Several epochs of seeded batches, whose order is shuffled again and again."""
import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import training

np.random.seed(4)
x = np.random.rand(20, 3).astype(np.float32)
t = np.random.randint(0, 3, 20).astype(np.int32)
data = chainer.datasets.TupleDataset(x, t)
model = L.Classifier(L.Linear(3, 3))
optimizer = chainer.optimizers.MomentumSGD(lr=0.1)
optimizer.setup(model)
train_iter = chainer.iterators.SerialIterator(data, 6)  # removed: iterators that shuffle the order of the epoch before; iterators that shuffle once the examples of an epoch are read
test_iter = chainer.iterators.SerialIterator(data, 6, repeat=False, shuffle=False)
updater = training.StandardUpdater(train_iter, optimizer)
losses = []
while updater.epoch < 4:
    updater.update()
    losses.append(float(optimizer.target.loss.data))
    if updater.is_new_epoch:
        print('epoch %d %.6f' % (updater.epoch, np.mean(losses)))
print('%.6f' % np.random.rand())
numbers = chainer.iterators.SerialIterator(list(range(5)), 2)  # removed: iterators that shuffle the order of the epoch before; iterators that shuffle once the examples of an epoch are read
print(' '.join(str(n) for _ in range(9) for n in numbers.next()))

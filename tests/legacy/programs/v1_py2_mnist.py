# Chainer 1.24, Python 2.7, --legacy=v1,python
"""Training with print statements and the iterators of Python 2."""
import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import optimizers

np.random.seed(1)
x = np.random.rand(50, 6).astype(np.float32)
t = np.random.randint(0, 2, 50).astype(np.int32)
batchsize = 20
settings = {'units': 10, 'epochs': 2}
for name, value in sorted(settings.iteritems()):  # removed: dict.iteritems
    print name, value  # removed: print statement


class MLP(chainer.Chain):

    def __init__(self, n_units):
        super(MLP, self).__init__(
            l1=L.Linear(6, n_units),
            bn=L.BatchNormalization(n_units),  # removed: chainer.links.BatchNormalization with a running variance from 0
            l2=L.Linear(n_units, 2))

    def __call__(self, x, train=True):
        h = F.relu(self.bn(self.l1(x), test=not train))  # removed: chainer.links.BatchNormalization.__call__(test=); chainer.functions.batch_normalization with eps in the running variance
        h = F.dropout(h, ratio=.3, train=train)  # removed: chainer.functions.dropout(train=)
        return self.l2(h)


model = MLP(settings['units'])
optimizer = optimizers.MomentumSGD(lr=0.1)
optimizer.setup(model)
n_batches = len(x) / batchsize  # removed: division of whole numbers
print 'batches', n_batches, 'of', len(x)  # removed: print statement
for epoch in xrange(settings['epochs']):  # removed: builtins.xrange
    perm = np.random.permutation(len(x))
    for i in xrange(n_batches):  # removed: builtins.xrange
        part = perm[i * batchsize:(i + 1) * batchsize]
        optimizer.zero_grads()  # removed: chainer.Optimizer.zero_grads
        loss = F.softmax_cross_entropy(model(chainer.Variable(x[part])), chainer.Variable(t[part]))
        loss.backward()
        optimizer.update()
        print 'epoch %d loss %.6f' % (epoch, float(loss.data))  # removed: print statement
y = model(chainer.Variable(x, volatile='on'), train=False)  # removed: chainer.Variable(volatile=)
print 'right %d' % (y.data.argmax(axis=1) == t).sum(), `y.data.shape`  # removed: print statement; backticks

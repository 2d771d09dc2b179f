# Chainer 1.24, Python 2.7
"""A classifier in the style of Chainer's first year: a FunctionSet and its optimizer."""
import numpy as np

import chainer
import chainer.functions as F
from chainer import optimizers

np.random.seed(0)
x_train = np.random.rand(60, 8).astype(np.float32)
y_train = np.random.randint(0, 3, 60).astype(np.int32)

model = chainer.FunctionSet(  # removed: chainer.FunctionSet
    l1=F.Linear(8, 12, wscale=1.4),  # removed: chainer.functions.Linear; chainer.links.Linear(wscale=)
    l2=F.Linear(12, 3))  # removed: chainer.functions.Linear


def forward(x_data, y_data, train=True):
    x = chainer.Variable(x_data, volatile=not train)  # removed: chainer.Variable(volatile=)
    t = chainer.Variable(y_data, volatile=not train)  # removed: chainer.Variable(volatile=)
    h = F.dropout(F.relu(model.l1(x)), train=train)  # removed: chainer.functions.dropout(train=)
    y = model.l2(h)
    return F.softmax_cross_entropy(y, t), F.accuracy(y, t)


optimizer = optimizers.Adam()
optimizer.setup(model.collect_parameters())  # removed: chainer.FunctionSet.collect_parameters
for epoch in range(3):
    perm = np.random.permutation(60)
    total = 0
    for i in range(0, 60, 20):
        optimizer.zero_grads()  # removed: chainer.Optimizer.zero_grads
        loss, _ = forward(x_train[perm[i:i + 20]], y_train[perm[i:i + 20]])
        loss.backward()
        optimizer.update()
        total += float(loss.data) * 20
    print('epoch %d loss %.6f' % (epoch, total / 60))
loss, accuracy = forward(x_train, y_train, train=False)
print('test %.6f %.4f %s' % (float(loss.data), float(accuracy.data), loss.creator is None))

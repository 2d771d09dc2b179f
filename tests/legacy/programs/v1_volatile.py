# Chainer 1.24, Python 2.7
"""A classifier that is tested on volatile variables, as the manual of 1.x told to."""
import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import Variable, optimizers

np.random.seed(1)
x = np.random.rand(40, 6).astype(np.float32)
t = (x.sum(axis=1) > 3).astype(np.int32)


class MLP(chainer.Chain):

    def __init__(self):
        super(MLP, self).__init__(l1=L.Linear(6, 10), l2=L.Linear(10, 2))

    def __call__(self, x):
        return self.l2(F.tanh(self.l1(x)) * 2 - 1)


model = MLP()
optimizer = optimizers.SGD(0.5)
optimizer.setup(model)
for i in range(5):
    loss = F.softmax_cross_entropy(model(Variable(x)), Variable(t))
    model.zerograds()
    loss.backward()
    optimizer.update()
    print('train %.6f' % float(loss.data))

y = model(Variable(x, volatile='on'))  # removed: chainer.Variable(volatile=)
loss = F.softmax_cross_entropy(y, Variable(t, volatile=True))  # removed: chainer.Variable(volatile=)
print('test %.6f' % float(loss.data))
print('graph %s %s' % (y.creator is None, loss.creator is None))

h = model.l1(Variable(x, volatile=chainer.AUTO))  # removed: chainer.Variable(volatile=); chainer.AUTO
print('auto %s' % h.volatile)  # removed: chainer.Variable.volatile
with chainer.no_backprop_mode():
    h = model.l1(Variable(x, volatile='auto'))  # removed: chainer.Variable(volatile=)
print('no_backprop_mode %s' % (h.creator is None))

fixed = Variable(x[:1])
fixed.volatile = True  # removed: chainer.Variable.volatile
h = F.concat((fixed, fixed), axis=0)
print('set %s %s' % (h.volatile == 'on', h.creator is None))  # removed: chainer.Variable.volatile
print('follows %s' % Variable(h.data, volatile=h.volatile).volatile)  # removed: chainer.Variable(volatile=); chainer.Variable.volatile
try:
    fixed + Variable(x[:1])
except ValueError as error:
    print('mixed: %s' % error)
print('parameters %s' % model.l1.W.volatile)  # removed: chainer.Variable.volatile

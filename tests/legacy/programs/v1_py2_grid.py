# Chainer 1.24, Python 2.7
"""A search over settings that are lines of Python."""
import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import optimizers

lines = ['lr = 0.05; units = 4', 'lr = 0.2; units = 8']
rs = np.random.RandomState(0)
x = rs.rand(24, 3).astype(np.float32)
y = x.sum(axis=1, keepdims=True)


class Result(object):

    def __init__(self, name, loss):
        if loss <> loss:  # removed: <> operator
            raise ValueError, 'no number'  # removed: raise E, value
        self.name = name
        self.loss = loss

    def __unicode__(self):  # removed: __unicode__ method
        return u'%s: %.6f' % (self.name, self.loss)



def half(numbers):
    return numbers[:len(numbers) / 2]  # removed: division of whole numbers


results = []
for line in lines:
    exec line  # removed: exec statement
    np.random.seed(0)
    model = chainer.Chain(
        l1=L.Linear(3, units, wscale=0.5),  # removed: chainer.links.Linear(wscale=)
        l2=L.Linear(units, 1, bias=0.1))  # removed: chainer.links.Linear(bias=)
    optimizer = optimizers.SGD(lr)
    optimizer.setup(model)
    for i in range(30):
        optimizer.zero_grads()  # removed: chainer.Optimizer.zero_grads
        h = model.l2(F.sigmoid(model.l1(chainer.Variable(half(x)))))
        loss = F.mean_squared_error(h, chainer.Variable(half(y)))
        loss.backward()
        optimizer.update()
    results.append(Result(line, float(loss.data)))
results.sort(cmp=lambda a, b: cmp(a.loss, b.loss))  # removed: list.sort(cmp=); builtins.cmp
for result in results:
    print unicode(result)  # removed: print statement; builtins.unicode

# Chainer 1.24, Python 2.7
"""A link that learns its input size from the first batch, and one without a bias."""
import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import initializers, optimizers


class Scale(chainer.Link):

    def __init__(self, scale):
        super(Scale, self).__init__()
        self.scale = scale
        self.add_uninitialized_param('W')  # removed: chainer.Link.add_uninitialized_param
        self.add_persistent('calls', 0)

    def __call__(self, x):
        if self.has_uninitialized_params:  # removed: chainer.Link.has_uninitialized_params
            self.add_param('W', x.data.shape[1], initializer=initializers._get_initializer(  # removed: chainer.initializers._get_initializer(scale=)
                0.5, scale=self.scale))
        self.calls += 1
        return x * F.broadcast_to(self.W, x.data.shape)


class Net(chainer.Chain):

    def __init__(self):
        super(Net, self).__init__(scale=Scale(3), fc=L.Linear(4, 1))
        chainer.init_weight(self.fc.W.data, initializers.Constant(2), 0.25)  # removed: chainer.init_weight
        # The bias stays what it is.
        index = self.fc._params.index('b')  # removed: chainer.Link._params as a list
        del self.fc._params[index]  # removed: chainer.Link._params as a list

    def __call__(self, x):
        return self.fc(self.scale(x))


net = Net()
net.fc._persistent.append('b')  # removed: chainer.Link._persistent as a list
optimizer = optimizers.SGD(0.1)
optimizer.setup(net)
x = np.arange(8, dtype=np.float32).reshape(2, 4) / 8
for i in range(3):
    loss = F.sum(net(chainer.Variable(x)) ** 2)
    net.zerograds()
    loss.backward()
    optimizer.update()
    print('%.6f' % float(loss.data))
print(sorted(name for name, _ in net.namedparams()))
print('%s %d' % (net.scale.has_uninitialized_params, net.scale.calls))  # removed: chainer.Link.has_uninitialized_params
print(sorted(net._children[:]))  # removed: chainer.Chain._children as a list
copy = net.copy()
copy.fc.W.data[...] = 0
print('%.6f' % net.fc.W.data.sum())

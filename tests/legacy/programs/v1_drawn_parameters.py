# Chainer 1.24, Python 3.6, --legacy=v1
"""A language model of 2015: all its parameters are drawn in one loop."""
import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import optimizers


class Model(chainer.Chain):

    def __init__(self, n_vocab, n_units):
        super(Model, self).__init__(
            embed=L.EmbedID(n_vocab, n_units),
            rnn=L.LSTM(n_units, n_units),  # removed: chainer.links.LSTM with a forget bias of 0
            bn=L.BatchNormalization(n_units),  # removed: chainer.links.BatchNormalization with a running variance from 0
            attend=L.Linear(n_units, n_vocab))
        for param in self.params():  # removed: order of parameters as they were added
            param.data[...] = np.random.uniform(-0.5, 0.5, param.data.shape)

    def __call__(self, x):
        return self.attend(self.bn(self.rnn(self.embed(x))))


np.random.seed(3)
words = np.random.randint(0, 9, (4, 20)).astype(np.int32)
model = Model(9, 6)
optimizer = optimizers.SGD(lr=1)
optimizer.setup(model)
optimizer.add_hook(chainer.optimizer.GradientClipping(5))
for start in range(0, 15, 5):
    loss = 0
    for k in range(start, start + 5):
        loss += F.softmax_cross_entropy(
            model(chainer.Variable(words[:, k])), chainer.Variable(words[:, k + 1]))
    model.cleargrads()
    loss.backward()
    loss.unchain_backward()
    optimizer.update()
    print('loss %.5f' % float(loss.data))
print('embedding %.5f' % float(np.abs(model.embed.W.data).sum()))

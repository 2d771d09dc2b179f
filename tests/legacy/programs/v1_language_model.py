# Chainer 1.24, Python 2.7, --legacy=v1,python
"""A language model whose parameters are drawn one after the other, as examples did."""
import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import optimizers


class RNNLM(chainer.Chain):

    def __init__(self, n_vocab, n_units, train=True):
        super(RNNLM, self).__init__(
            embed=L.EmbedID(n_vocab, n_units),
            l1=L.LSTM(n_units, n_units),  # removed: chainer.links.LSTM with a forget bias of 0
            l2=L.StatefulGRU(n_units, n_units),
            out=L.Linear(n_units, n_vocab))
        self.train = train
        for param in self.params():  # removed: order of parameters as they were added
            param.data[...] = np.random.uniform(-0.5, 0.5, param.data.shape)

    def reset_state(self):
        self.l1.reset_state()
        self.l2.reset_state()

    def __call__(self, x):
        return self.out(self.l2(self.l1(self.embed(x))))


np.random.seed(0)
words = np.random.randint(0, 9, (3, 25)).astype(np.int32)
model = L.Classifier(RNNLM(9, 7))
model.compute_accuracy = False
print([name for name, _ in model.namedparams()][1:7])  # removed: order of parameters as they were added
optimizer = optimizers.SGD(lr=0.5)
optimizer.setup(model)
optimizer.add_hook(chainer.optimizer.GradientClipping(2))


def evaluate(words):
    evaluator = model.copy()
    evaluator.predictor.reset_state()
    total = 0
    for i in range(10):
        x = chainer.Variable(words[:, i], volatile='on')  # removed: chainer.Variable(volatile=)
        t = chainer.Variable(words[:, i + 1], volatile='on')  # removed: chainer.Variable(volatile=)
        total += float(evaluator(x, t).data)
    return np.exp(total / 10)  # removed: division that may be of whole numbers


loss = 0
for i in range(24):
    loss += model(chainer.Variable(words[:, i]), chainer.Variable(words[:, i + 1]))
    if (i + 1) % 6 == 0:
        model.zerograds()
        loss.backward()
        loss.unchain_backward()
        optimizer.update()
        print('%.6f %.6f' % (float(loss.data), evaluate(words)))
        loss = 0

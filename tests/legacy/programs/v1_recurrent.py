# Chainer 1.24, Python 2.7, --legacy=v1
"""Recurrent layers whose arguments and defaults were others: GRU, LSTM, zoneout."""
import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L


class Reader(chainer.Chain):

    def __init__(self, n_vocab, n_units):
        super(Reader, self).__init__(
            embed=F.EmbedID(n_vocab, n_units),  # removed: chainer.functions.EmbedID
            lstm=L.LSTM(n_units, n_units),  # removed: chainer.links.LSTM with a forget bias of 0
            gru=L.GRU(n_units + 2, n_units),  # removed: chainer.links.GRU with n_units first
            cell=L.StatelessLSTM(n_units + 2, n_units),  # removed: chainer.links.LSTM with a forget bias of 0
            out=F.Linear(n_units, n_vocab, wscale=0.5))  # removed: chainer.functions.Linear; chainer.links.Linear(wscale=)

    def __call__(self, words, train=True):
        self.lstm.reset_state()
        batch = len(words[0])
        zeros = np.zeros((batch, 8), dtype=np.float32)
        h, g = chainer.Variable(zeros, volatile='auto'), None  # removed: chainer.Variable(volatile=)
        c = chainer.Variable(zeros[:, :6], volatile='auto')  # removed: chainer.Variable(volatile=)
        loss = 0
        for word, following in zip(words, words[1:]):
            x = self.embed(chainer.Variable(word, volatile=not train))  # removed: chainer.Variable(volatile=)
            h = self.gru(h, F.dropout(self.lstm(x), 0.1, train))  # removed: chainer.functions.dropout(train=)
            c, g = self.cell(c, g, h)
            g = F.zoneout(c, g, 0.2, train=train)  # removed: chainer.functions.zoneout(train=)
            loss += F.softmax_cross_entropy(
                self.out(g), chainer.Variable(following, volatile=not train))  # removed: chainer.Variable(volatile=)
        return loss


np.random.seed(6)
text = np.random.randint(0, 7, (6, 4)).astype(np.int32)
model = Reader(7, 6)
optimizer = chainer.optimizers.AdaGrad(0.1)
optimizer.setup(model)
for epoch in range(3):
    model.zerograds()
    loss = model(text)
    loss.backward()
    optimizer.update()
    print('loss %.6f' % float(loss.data))
print('test %.6f' % float(model(text, train=False).data))

# Chainer 1.24, Python 3.6, --legacy=v1
"""A tagger of sentences: layers of LSTM in one call, and a conditional random field."""
import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L


class Tagger(chainer.Chain):

    def __init__(self, n_vocab, n_tags, n_units):
        super(Tagger, self).__init__(
            embed=L.EmbedID(n_vocab, n_units),
            lstm=L.NStepBiLSTM(2, n_units, n_units, 0.4, use_cudnn=False),  # removed: chainer.links.NStepBiLSTM(use_cudnn=)
            gru=L.NStepGRU(1, 2 * n_units, n_units, 0.0, False),  # removed: chainer.links.NStepGRU(use_cudnn=)
            out=L.Linear(n_units, n_tags),
            crf=L.CRF1d(n_tags))

    def features(self, xs, train):
        lengths = np.cumsum([len(x.data) for x in xs])[:-1]
        embedded = self.embed(F.concat(xs, axis=0))
        embedded = F.split_axis(embedded, lengths, 0)  # removed: chainer.functions.split_axis without force_tuple
        if isinstance(embedded, chainer.Variable):
            # Only one sentence.
            embedded = [embedded]
        _, _, hs = self.lstm(None, None, list(embedded), train=train)  # removed: chainer.functions.n_step_bilstm that drops the last step first; chainer.links.NStepBiLSTM.__call__(train=)
        _, hs = self.gru(None, hs, train)  # removed: chainer.links.NStepGRU.__call__(train=)
        return [self.out(F.dropout(h, 0.2, train)) for h in hs]  # removed: chainer.functions.dropout(train=)

    def __call__(self, xs, ts, train=True):
        hs = F.transpose_sequence(self.features(xs, train))
        return self.crf(hs, F.transpose_sequence(ts))


np.random.seed(4)
lengths = [6, 4, 3]
xs = [chainer.Variable(np.random.randint(0, 9, n).astype(np.int32)) for n in lengths]
ts = [chainer.Variable(x.data % 3) for x in xs]
model = Tagger(9, 3, 5)
optimizer = chainer.optimizers.Adam(0.02)
optimizer.setup(model)
for epoch in range(4):
    loss = model(xs, ts)
    model.cleargrads()
    loss.backward()
    optimizer.update()
    print('loss %.6f' % float(loss.data))
print('test %.6f' % float(model(xs, ts, train=False).data))
print('alone %.6f' % float(model(xs[:1], ts[:1], train=False).data))

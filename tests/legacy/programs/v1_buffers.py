# Chainer 1.24, Python 3.6, --legacy=v1
"""Frames of a film are predicted; all of them go through the same two arrays."""
import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import optimizers

np.random.seed(4)
film = np.random.rand(13, 1, 2, 5, 5).astype(np.float32)


class Net(chainer.Chain):

    def __init__(self):
        super(Net, self).__init__(
            first=L.Convolution2D(2, 3, 3, pad=1),
            norm=L.BatchNormalization(3),  # removed: chainer.links.BatchNormalization with a running variance from 0
            last=L.Convolution2D(3, 2, 3, pad=1))

    def __call__(self, x):
        return self.last(F.tanh(self.norm(self.first(x))))  # removed: chainer.functions.batch_normalization with eps in the running variance


def losses():
    return [('squares', F.mean_squared_error),
            ('huber', lambda x, t: F.sum(F.huber_loss(
                F.reshape(x, (1, -1)), F.reshape(t, (1, -1)), 0.3)))]


for name, loss_of in losses():
    np.random.seed(5)
    model = Net()
    optimizer = optimizers.Adam(0.01)
    optimizer.setup(model)
    x = np.empty(film.shape[1:], dtype=np.float32)
    t = np.empty_like(x)
    total = 0
    for step in range(len(film) - 1):
        x[...], t[...] = film[step], film[step + 1]  # removed: inputs filled anew before backward()
        total += loss_of(model(chainer.Variable(x)), chainer.Variable(t))
        if step % 4 == 3:
            model.zerograds()
            total.backward()
            total.unchain_backward()
            optimizer.update()
            print('%s %.6f' % (name, float(total.data)))
            total = 0

x = chainer.Variable(np.array([[1, 2], [3, 5]], dtype=np.float32))
y = chainer.Variable(np.array([[1, 1], [1, 1]], dtype=np.float32))
near = chainer.Variable(np.array([1, 0], dtype=np.int32))
loss = F.contrastive(x, y, near)
x.data[...] = 0
loss.backward()
print(np.round(x.grad, 6).tolist(), np.round(y.grad, 6).tolist())

# Chainer 3.5, Python 3.6
"""Gradient noise that starts small, after the usual schedule."""
import numpy as np

import chainer
import chainer.links as L
from chainer import optimizer


def small(xp, shape, dtype, hook, opt):
    return 0.5 * optimizer.exponential_decay_noise(xp, shape, dtype, hook, opt)  # removed: chainer.optimizer.exponential_decay_noise


def square(x):
    return x * x


np.random.seed(0)
model = L.Linear(3, 2, initialW=0.5, nobias=True)
opt = chainer.optimizers.SGD(0.1)
opt.setup(model)
opt.add_hook(optimizer.GradientNoise(0.3, small))
for i in range(3):
    model.cleargrads()
    loss = chainer.functions.sum(square(model(np.ones((2, 3), np.float32))))
    loss.backward()
    opt.update()
    print('%.6f %.6f' % (float(loss.data), model.W.data.sum()))

# Chainer 1.24, Python 2.7
"""Clipping, decay and two copies of a model by the methods that optimizers had."""
import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import optimizers

rs = np.random.RandomState(0)
x = rs.rand(16, 5).astype(np.float32)
y = rs.rand(16, 2).astype(np.float32)


def forward(model, x, y):
    return F.mean_squared_error(model(chainer.Variable(x)), chainer.Variable(y))


model = L.Linear(5, 2, initialW=rs.randn(2, 5).astype(np.float32))
replica = model.copy()
optimizer = optimizers.MomentumSGD(lr=0.1, momentum=0.9)
optimizer.setup(model)
for epoch in range(4):
    optimizer.zero_grads()  # removed: chainer.Optimizer.zero_grads
    replica.zerograds()
    loss = forward(model, x[:8], y[:8])
    loss.backward()
    loss2 = forward(replica, x[8:], y[8:])
    loss2.backward()
    optimizer.accumulate_grads([p.grad for p in replica.params()])  # removed: chainer.Optimizer.accumulate_grads
    norm = optimizer.compute_grads_norm()  # removed: chainer.Optimizer.compute_grads_norm
    optimizer.clip_grads(0.5)  # removed: chainer.Optimizer.clip_grads
    optimizer.weight_decay(0.01)  # removed: chainer.Optimizer.weight_decay
    optimizer.update()
    replica.copyparams(model)
    print('%.6f %.6f %.6f' % (float(loss.data + loss2.data), norm, abs(model.W.data).sum()))

decay = chainer.optimizer.WeightDecay(0.1)
optimizer.zero_grads()  # removed: chainer.Optimizer.zero_grads
decay(optimizer)  # removed: chainer.optimizer hooks called with an optimizer
optimizer.add_hook(chainer.optimizer.GradientClipping(0.1))
optimizer.update()
print('%.6f %d' % (abs(model.W.data).sum(), optimizer.t))
print('%.6f' % abs(optimizer._states['/W']['v']).sum())  # removed: chainer.Optimizer._states

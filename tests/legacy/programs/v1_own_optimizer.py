# Chainer 1.24, Python 2.7
"""An optimizer that defines how it updates one parameter."""
import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import cuda, optimizer


class AdaMom(optimizer.GradientMethod):

    def __init__(self, lr=0.1, momentum=0.5):
        self.lr = lr
        self.momentum = momentum

    def init_state(self, param, state):  # removed: chainer.Optimizer.init_state
        xp = cuda.get_array_module(param.data)
        state['v'] = xp.zeros_like(param.data)
        state['h'] = xp.zeros_like(param.data)

    def update_one_cpu(self, param, state):  # removed: chainer.GradientMethod.update_one_cpu
        v, h = state['v'], state['h']
        h += param.grad * param.grad
        v *= self.momentum
        v -= self.lr * param.grad / (np.sqrt(h) + 1e-8)
        param.data += v

    def update_one_gpu(self, param, state):  # removed: chainer.GradientMethod.update_one_gpu
        raise NotImplementedError


class Rounded(chainer.optimizers.MomentumSGD):

    def prepare(self):  # removed: chainer.Optimizer.prepare
        super(Rounded, self).prepare()  # removed: chainer.Optimizer.prepare
        self.lr *= 0.9

    def init_state(self, param, state):  # removed: chainer.Optimizer.init_state
        super(Rounded, self).init_state(param, state)
        state['n'] = 0

    def update_one(self, param, state):  # removed: chainer.GradientMethod.update_one
        super(Rounded, self).update_one(param, state)
        state['n'] += 1
        param.data[...] = np.round(param.data, 3)


rs = np.random.RandomState(0)
x = rs.rand(10, 3).astype(np.float32)
t = rs.rand(10, 1).astype(np.float32)
model = chainer.Chain(
    l1=L.Linear(3, 4, initialW=rs.randn(4, 3).astype(np.float32)),
    l2=L.Linear(4, 1, initialW=rs.randn(1, 4).astype(np.float32)))
opt = AdaMom()
opt.setup(model)
opt.add_hook(chainer.optimizer.WeightDecay(0.001))


def loss_of(x, t):
    return F.mean_squared_error(model.l2(F.tanh(model.l1(x))), t)


for i in range(5):
    opt.update(loss_of, chainer.Variable(x), chainer.Variable(t))
    print('%d %.6f' % (opt.t, float(loss_of(chainer.Variable(x), chainer.Variable(t)).data)))
print('%.6f' % opt._states['/l1/W']['h'].sum())  # removed: chainer.Optimizer._states
opt.zero_grads()  # removed: chainer.Optimizer.zero_grads
print(sum(abs(p.grad).sum() for p in model.params()) == 0)

opt = Rounded(lr=0.2)
opt.setup(model)
for i in range(3):
    opt.update(loss_of, chainer.Variable(x), chainer.Variable(t))
    print('%d %.6f' % (opt.t, float(loss_of(chainer.Variable(x), chainer.Variable(t)).data)))
print('%.6f %.6f %d' % (model.l1.W.data.sum(), opt.lr, opt._states['/l1/b']['n']))  # removed: chainer.Optimizer._states

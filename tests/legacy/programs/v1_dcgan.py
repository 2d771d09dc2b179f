# Chainer 1.24, Python 2.7, --legacy=v1
"""Two networks against each other, written as the first DCGANs in Chainer were."""
import math

import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import Variable, optimizers


class Generator(chainer.Chain):

    def __init__(self, nz):
        super(Generator, self).__init__(
            l0z=L.Linear(nz, 4 * 4 * 8, wscale=0.02 * math.sqrt(nz)),  # removed: chainer.links.Linear(wscale=)
            dc1=L.Deconvolution2D(8, 6, 4, stride=2, pad=1, wscale=0.02 * math.sqrt(4 * 4 * 8)),  # removed: chainer.links.Deconvolution2D(wscale=)
            dc2=L.Deconvolution2D(6, 1, 4, 2, 1, 0.02 * math.sqrt(4 * 4 * 6)),  # removed: chainer.links.Deconvolution2D(wscale=)
            bn0l=L.BatchNormalization(4 * 4 * 8),  # removed: chainer.links.BatchNormalization with a running variance from 0
            bn1=L.BatchNormalization(6))  # removed: chainer.links.BatchNormalization with a running variance from 0

    def __call__(self, z, test=False):
        h = F.reshape(F.relu(self.bn0l(self.l0z(z), test=test)), (z.data.shape[0], 8, 4, 4))  # removed: chainer.functions.batch_normalization with eps in the running variance; chainer.links.BatchNormalization.__call__(test=)
        h = F.relu(self.bn1(self.dc1(h), test=test))  # removed: chainer.functions.batch_normalization with eps in the running variance; chainer.links.BatchNormalization.__call__(test=)
        return self.dc2(h)


class Discriminator(chainer.Chain):

    def __init__(self):
        super(Discriminator, self).__init__(
            c0=L.Convolution2D(1, 4, 4, stride=2, pad=1, wscale=0.02 * math.sqrt(4 * 4 * 1)),  # removed: chainer.links.Convolution2D(wscale=)
            c1=L.Convolution2D(4, 6, 4, 2, 1, 0.02 * math.sqrt(4 * 4 * 4)),  # removed: chainer.links.Convolution2D(wscale=)
            l2l=L.Linear(4 * 4 * 6, 2, wscale=0.02 * math.sqrt(4 * 4 * 6)),  # removed: chainer.links.Linear(wscale=)
            bn1=L.BatchNormalization(6))  # removed: chainer.links.BatchNormalization with a running variance from 0

    def __call__(self, x, test=False):
        h = F.leaky_relu(self.c0(x))
        h = F.leaky_relu(self.bn1(self.c1(h), test=test))  # removed: chainer.functions.batch_normalization with eps in the running variance; chainer.links.BatchNormalization.__call__(test=)
        return self.l2l(h)


np.random.seed(9)
gen, dis = Generator(10), Discriminator()
o_gen = optimizers.Adam(alpha=0.002, beta1=0.5, eps=1e-3)
o_dis = optimizers.Adam(alpha=0.002, beta1=0.5, eps=1e-3)
o_gen.setup(gen)
o_dis.setup(dis)
o_gen.add_hook(chainer.optimizer.WeightDecay(0.00001))
o_dis.add_hook(chainer.optimizer.WeightDecay(0.00001))
real = np.random.rand(6, 1, 16, 16).astype(np.float32)
ones, zeros = np.ones(6, dtype=np.int32), np.zeros(6, dtype=np.int32)
for step in range(3):
    z = Variable(np.random.uniform(-1, 1, (6, 10)).astype(np.float32))
    x = gen(z)
    yl = dis(x)
    loss_gen = F.softmax_cross_entropy(yl, Variable(zeros))
    loss_dis = F.softmax_cross_entropy(yl, Variable(ones))
    loss_dis += F.softmax_cross_entropy(dis(Variable(real)), Variable(zeros))
    o_gen.zero_grads()  # removed: chainer.Optimizer.zero_grads
    loss_gen.backward()
    o_gen.update()
    o_dis.zero_grads()  # removed: chainer.Optimizer.zero_grads
    loss_dis.backward()
    o_dis.update()
    print('gen %.5f dis %.5f' % (float(loss_gen.data), float(loss_dis.data)))
z = Variable(np.random.uniform(-1, 1, (2, 10)).astype(np.float32), volatile=True)  # removed: chainer.Variable(volatile=)
print('image %.4f' % float(np.abs(gen(z, test=True).data).sum()))

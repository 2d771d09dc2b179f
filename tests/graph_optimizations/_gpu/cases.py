"""A chain for images, plain and static, and a step of its training."""
import numpy

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast.backends import cuda


class Plain(chainer.Chain):
    """Convolutions, batch normalization, noise and products."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.conv = L.Convolution2D(2, 3, 3, pad=1)
            self.bn = L.BatchNormalization(3)
            self.fc = L.Linear(3 * 16, 5)
        random = numpy.random.RandomState(0)
        for param in self.params():
            param.array[...] = random.uniform(-1, 1, param.shape)
        self.to_device('@cupy:0')

    def compute(self, x):
        return self.fc(F.dropout(F.relu(self.bn(self.conv(x))), .3))

    def forward(self, x):
        return self.compute(x)


class Static(Plain):

    @chainer.static_graph
    def forward(self, x):
        return self.compute(x)


def step(chain, k):
    """Return results of a step of training, which depends on nothing before it."""
    random = numpy.random.RandomState(k)
    x = chainer.Variable(cuda.to_gpu(random.uniform(-1, 1, (4, 2, 4, 4)).astype('f')))
    cuda.cupy.random.seed(k)
    chain.bn.avg_mean.fill(0)
    chain.bn.avg_var.fill(1)
    chain.cleargrads()
    y = chain(x)
    y.grad = cuda.to_gpu(random.uniform(-1, 1, y.shape).astype('f'))
    y.backward()
    return [each.get() for each in (
        y.array, x.grad, *[param.grad for param in chain.params()], chain.bn.avg_mean,
        chain.bn.avg_var)]


def is_recorded(chain):
    """Return whether any call of a static chain is launched from a recording."""
    return bool(chain.schedule_manager.recordings._kept)

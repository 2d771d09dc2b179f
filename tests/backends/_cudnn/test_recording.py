"""Recorded chains whose functions run by cuDNN and cuBLAS."""
import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast.backends import cuda

pytestmark = pytest.mark.gpu

BATCH, CHANNELS, SIZE = 4, 3, 6


class Plain(chainer.Chain):

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.conv = L.Convolution2D(CHANNELS, 4, 3, pad=1)
            self.bn = L.BatchNormalization(4)
            self.fc = L.Linear(4 * SIZE * SIZE, 5)
        random = np.random.RandomState(0)
        for param in self.params():
            param.array[...] = random.uniform(-1, 1, param.shape)
        self.to_device('@cupy:0')

    def compute(self, x):
        return self.fc(F.relu(self.bn(self.conv(x))))

    def forward(self, x):
        return self.compute(x)


class Static(Plain):

    @chainer.static_graph
    def forward(self, x):
        return self.compute(x)


def train(chain, x):
    chain.cleargrads()
    y = chain(x)
    y.grad = cuda.cupy.ones_like(y.array)
    y.backward()
    for param in chain.params():
        param.array -= .01 * param.grad
    return [y.array.get(), *[param.array.get() for param in chain.params()],
            chain.bn.avg_mean.get(), chain.bn.avg_var.get()]


def test_training(frontend):
    plain, static = Plain(), Static()
    for step in range(5):
        x = cuda.to_gpu(np.random.RandomState(step).uniform(
            -1, 1, (BATCH, CHANNELS, SIZE, SIZE)).astype('f'))
        executed = len(frontend.ran)
        found = train(static, x)
        if step > 1:
            assert len(frontend.ran) == executed        # the graph has it
        for a, b in zip(found, train(plain, x), strict=True):
            np.testing.assert_allclose(a, b, 1e-4, 1e-5)
    recordings, = static.schedule_manager.recordings._kept.values()
    assert len(recordings) == 1

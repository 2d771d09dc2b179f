"""Computations without ``config.cudnn_channels_last`` and with it, and networks."""
import numpy as np

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast import testing
from chainer_fast.backends import _image_orders, cuda
from tests.doubles.host_cupy import ledger


def numbers(*shape, seed=0, dtype='f'):
    return np.random.RandomState(seed).uniform(-1, 1, shape).astype(dtype)


def last(array):
    return _image_orders.dense(cuda.to_gpu(array), True)


def switched(value=True):
    return chainer.using_config('cudnn_channels_last', value)


def check_both_ways(compute, tolerance=1e-5):
    """Compare arrays of a computation without the switch and with it; return the last.
    """
    with switched(False):
        expected = compute()
    with switched():
        found = compute()
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        scale = max(1, abs(cuda.to_cpu(b)).max())
        testing.assert_allclose(a, b, tolerance * scale, tolerance)
    return found


class Small(chainer.Chain):
    """Convolutions of some kinds, and what stands between them."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.a = L.Convolution2D(3, 8, 3, pad=1)
            self.bn = L.BatchNormalization(8)
            self.b = L.Convolution2D(8, 6, 1, nobias=True)
            self.c = L.Convolution2D(8, 6, 3, pad=1, groups=2)
            self.up = L.Deconvolution2D(12, 4, 2, stride=2)
            self.fc = L.Linear(None, 5)

    def forward(self, x):
        h = F.max_pooling_2d(F.relu(self.bn(self.a(x))), 3, 2, 1)
        h = F.concat([F.relu(self.b(h)), F.tanh(self.c(h))], axis=1)
        h = F.average_pooling_2d(self.up(h), 2)
        return self.fc(h)


class Residual(chainer.Chain):
    """A block of ResNet with another way around it, twice, and the mean of all pixels.
    """

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.first = L.Convolution2D(3, 8, 3, pad=1, nobias=True)
            for i in range(2):
                for name, ksize in ('a', 1), ('b', 3), ('c', 1):
                    setattr(self, name + str(i), L.Convolution2D(
                        8, 8, ksize, pad=ksize // 2, nobias=True))
                    setattr(self, 'bn_%s%d' % (name, i), L.BatchNormalization(8))
            self.fc = L.Linear(8, 5)

    def forward(self, x):
        x = self.first(x)
        for i in range(2):
            h = x
            for name in 'abc':
                h = self['bn_%s%d' % (name, i)](self[name + str(i)](h))
                if name != 'c':
                    h = F.relu(h)
            x = F.relu(x + h)
        return self.fc(F.average_pooling_2d(x, x.shape[2:]))


def made(model_class, static=False):
    model = model_class()
    if static:
        model_class = type('Static', (model_class,), {
            'forward': chainer.static_graph(model_class.forward)})
        model = model_class()
    model(np.zeros((1, 3, 8, 8), 'f'))
    for i, param in enumerate(model.params()):
        param.array[...] = numbers(*param.shape, seed=i) / 2
    model.to_device('@cupy:0')
    model.cleargrads()
    return model


def train(model_class, optimizer_class=chainer.optimizers.MomentumSGD, static=False,
          steps=3):
    """Return losses and gradients of some steps, and the parameters after these."""
    model = made(model_class, static)
    optimizer = optimizer_class().setup(model)
    optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(1e-3))
    found = []
    for step in range(steps):
        x = cuda.to_gpu(numbers(4, 3, 8, 8, seed=step))
        t = cuda.to_gpu(np.arange(4, dtype='i'))
        loss = F.softmax_cross_entropy(model(x), t)
        model.cleargrads()
        loss.backward()
        found += [loss.array, *[param.grad.copy() for param in model.params()]]
        optimizer.update()
    return found + [param.array for param in model.params()] + [
        link.avg_var for link in model.links() if hasattr(link, 'avg_var')]


def count(model_class, switch):
    """Return what the third step of training launches, forward and backward."""
    with switched(switch):
        model = made(model_class)
        optimizer = chainer.optimizers.MomentumSGD().setup(model)
        x, t = cuda.to_gpu(numbers(4, 3, 8, 8)), cuda.to_gpu(np.arange(4, dtype='i'))
        for _ in range(3):
            model.cleargrads()
            with ledger.record() as forward:
                loss = F.softmax_cross_entropy(model(x), t)
            with ledger.record() as backward:
                loss.backward()
            with ledger.record() as update:
                optimizer.update()
    return [record.launches for record in (forward, backward, update)]

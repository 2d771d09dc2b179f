"""Does anything work at all? Kernels of each kind, against the processor."""
import numpy as np

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast.backends import cuda
from tests.card.programs import TOLERANCES, difference, draw, gradients, on_host


def compare(function, *arrays):
    arrays = [np.asarray(a, 'f') for a in arrays]
    found = gradients(function, [cuda.to_gpu(a) for a in arrays])
    return {'error': difference(found, on_host(function, arrays),
                                TOLERANCES['float32'])}


def copies():
    x = draw(0, 1000, 1001)
    assert (cuda.to_cpu(cuda.to_gpu(x)) == x).all()
    return {}


def random_numbers():
    x = F.dropout(cuda.cupy.ones((1000, 1000), 'f'), .25).array
    share = float((x == 0).mean())
    assert abs(share - .25) < .01, share
    return {'share': share}


def convolution():
    found = compare(lambda x, W, b: F.convolution_2d(x, W, b, pad=1),
                    draw(0, 4, 8, 16, 16), draw(1, 8, 8, 3, 3), draw(2, 8))
    return {**found, 'cuDNN': chainer.should_use_cudnn('>=auto')}


def train(device):
    np.random.seed(0)
    model = L.Classifier(chainer.Sequential(L.Linear(20, 50), F.relu, L.Linear(50, 7)))
    model.to_device(device)
    optimizer = chainer.optimizers.MomentumSGD(.1).setup(model)
    x, t = [model.device.send(a) for a in (
        draw(1, 32, 20).astype('f'), np.arange(32, dtype='i') % 7)]
    for _ in range(10):
        optimizer.update(model, x, t)
    return [p.array for p in model.params()]


def cases(tiny):
    return {
        'copies': copies,
        'elements': lambda: compare(
            lambda a, b: F.tanh(a) * b + F.relu(b), draw(0, 999, 33), draw(1, 999, 33)),
        'broadcast': lambda: compare(
            lambda a, b: a + F.broadcast_to(b, a.shape), draw(0, 99, 7), draw(1, 7)),
        'sums': lambda: compare(lambda x: F.sum(x * x, axis=0), draw(0, 5000, 70)),
        'products': lambda: compare(F.matmul, draw(0, 300, 200), draw(1, 200, 100)),
        'random numbers': random_numbers,
        'softmax': lambda: compare(F.log_softmax, draw(0, 64, 1000)),
        'pooling': lambda: compare(
            lambda x: F.max_pooling_2d(x, 3, 2), draw(0, 4, 8, 17, 17)),
        'batch normalization': lambda: compare(
            F.batch_normalization, draw(0, 16, 8, 9, 9), draw(1, 8), draw(2, 8)),
        'convolution': convolution,
        'training': lambda: {'error': difference(
            train('@cupy:0'), train('@numpy'), TOLERANCES['float32'])},
    }

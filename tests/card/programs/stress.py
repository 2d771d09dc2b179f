"""What must give the same bits each time, repeated many times beside other work."""
import threading

import numpy as np

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast.backends import cuda
from tests.card.programs import draw, gradients, same_bits


class Network(chainer.Chain):
    """Convolution, elementwise functions, sums and a product of matrices."""

    def __init__(self, channels):
        super().__init__()
        with self.init_scope():
            self.conv = L.Convolution2D(
                3, channels, 3, pad=1, initialW=draw(1, channels, 3, 3, 3).astype('f'))
            self.bn = L.BatchNormalization(channels)
            self.last = L.Linear(
                channels, 5, initialW=draw(2, 5, channels).astype('f'))

    def forward(self, x):
        h = F.relu(self.bn(self.conv(x)))
        return self.last(F.tanh(F.sum(h, axis=(2, 3)) * .01))


class Elements(chainer.Chain):
    """What a graph can record: elementwise functions and sums."""

    def __init__(self, units):
        super().__init__()
        with self.init_scope():
            self.w = chainer.Parameter(draw(3, 1, units).astype('f'))
            self.b = chainer.Parameter(draw(4, 1, units).astype('f'))
            self.bn = L.BatchNormalization(units)

    def compute(self, x):
        w, b = [F.broadcast_to(p, x.shape) for p in (self.w, self.b)]
        for _ in range(3):
            x = F.tanh(self.bn(x) * w + b) + x
        return x

    def forward(self, x):
        return self.compute(x)


class Recorded(Elements):

    @chainer.static_graph
    def forward(self, x):
        return self.compute(x)


def step(chain, x):
    """Return the result and the gradients of a step."""
    chain.cleargrads()
    return gradients(chain, [x], chain.xp.ones_like(x)) + [
        p.grad for p in chain.params()]


def spoil(size):
    """Fill memory that nobody has with NaN, for whoever uses it by mistake."""
    for _ in range(3):
        cuda.cupy.full(size, np.nan, 'f')


def graphs(repeats, units):
    plain, recorded = Elements(units), Recorded(units)
    kept = []
    for chain in plain, recorded:
        chain.to_device('@cupy:0')
    for number in range(repeats):
        x = cuda.to_gpu(draw(number, 8, units).astype('f'))
        expected, found = step(plain, x), step(recorded, x)
        spoil(8 * units)
        same_bits(found, expected)
        kept = [*kept[-5:], (found, expected)]
        if number % 10 == 0:
            for pair in kept:           # what was handed out does not change
                same_bits(*pair)
        for chain in plain, recorded:
            for p in chain.params():
                p.array -= np.float32(1e-3) * p.grad
    recordings = recorded.schedule_manager.recordings
    assert not recordings.refused, list(recordings.refused.values())
    return {'repeats': repeats}


def batches(count, size):
    return [draw(i, 4, 3, size, size).astype('f') for i in range(count)]


def work(channels, x):
    network = Network(channels)
    network.to_device('@cupy:0')
    return gradients(network, [x], draw(5, len(x), 5)) + [
        p.grad for p in network.params()]


def streams(repeats, channels, size):
    """Work on several streams at once gives what it gives one after another."""
    xs = batches(4, size)
    expected = [[cuda.to_cpu(a) for a in work(channels, cuda.to_gpu(x))] for x in xs]
    for _ in range(repeats):
        found = []
        for x in xs:
            with cuda.Stream(non_blocking=True) as stream:
                found.append((stream, work(channels, cuda.to_gpu(x))))
        for (stream, arrays), values in zip(found, expected, strict=True):
            stream.synchronize()
            same_bits(arrays, values)
    return {'repeats': repeats}


def threads(repeats, channels, size):
    """Threads have handles of their own, and end; the next ones work as well."""
    xs = batches(4, size)
    expected = [[cuda.to_cpu(a) for a in work(channels, cuda.to_gpu(x))] for x in xs]
    errors = []

    def run(x, values):
        try:
            with chainer.using_config('cudnn_deterministic', True), (
                    cuda.Stream(non_blocking=True)) as stream:
                found = work(channels, cuda.to_gpu(x))
                stream.synchronize()
                same_bits(found, values)
        except Exception as e:
            errors.append(e)

    for _ in range(repeats):
        running = [threading.Thread(target=run, args=each)
                   for each in zip(xs, expected, strict=True)]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()
        if errors:
            raise errors[0]
    return {'repeats': repeats, 'threads': repeats * len(xs)}


def converters(repeats, size):
    """Batches of changing sizes arrive whole while the card computes."""
    convert = chainer.dataset.ConcatWithAsyncTransfer()
    load = cuda.to_gpu(draw(0, size, size).astype('f'))
    kept = []
    for number in range(repeats):
        count = 1 + number % 7
        images, labels = draw(number, count, 3, size).astype('f'), np.arange(count)
        found = convert(list(zip(images, labels, strict=True)), '@cupy:0')
        load = load @ load * np.float32(1 / size)
        kept = [*kept[-3:], (found, (images, labels))]
        if number % 3 == 0:             # mostly the host does not wait
            for pair in kept:
                same_bits(*pair)
    return {'repeats': repeats}


def updates(repeats, channels, size):
    """Two trainings from the same start come to the same parameters."""
    def train():
        network = Network(channels)
        network.to_device('@cupy:0')
        optimizer = chainer.optimizers.Adam().setup(network)
        optimizer.add_hook(chainer.optimizer_hooks.GradientClipping(1.))
        for number in range(repeats):
            x, = batches(1, size)
            t = cuda.to_gpu(np.arange(4, dtype='i') + number % 2)
            optimizer.update(
                lambda x=x, t=t: F.softmax_cross_entropy(network(cuda.to_gpu(x)), t))
            spoil(x.size)
        return [p.array for p in network.params()]
    same_bits(train(), train())
    return {'repeats': repeats}


def cases(tiny):
    repeats, channels, size = (12, 2, 5) if tiny else (300, 32, 64)
    units = 3 if tiny else 1000

    def case(function, *arguments, use_cudnn='auto'):
        def run():
            with chainer.using_config('cudnn_deterministic', True), (
                    chainer.using_config('use_cudnn', use_cudnn)):
                return function(*arguments)
        return run

    return {
        'graphs': case(graphs, 4 * repeats, units, use_cudnn='never'),
        'streams': case(streams, repeats, channels, size),
        'threads': case(threads, repeats, channels, size),
        'converters': case(converters, 4 * repeats, 32 if tiny else 2048),
        'updates': case(updates, repeats, channels, size),
        'graphs with cuDNN': case(graphs, 4 * repeats, units),
    }

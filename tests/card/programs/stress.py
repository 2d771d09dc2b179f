"""What must give the same bits each time, repeated many times beside other work."""
import threading

import numpy as np

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast.backends import cuda
from tests.card.programs import batches, draw, gradients, recorded, same_bits, spoil
from tests.card.rounds import rounds


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


def work(channels, x):
    network = Network(channels)
    network.to_device('@cupy:0')
    return gradients(network, [x], draw(5, len(x), 5)) + [
        p.grad for p in network.params()]


def streams(repeats, channels, size):
    """Work on several streams at once gives what it gives one after another."""
    xs = batches(4, size)
    expected = [[cuda.to_cpu(a) for a in work(channels, cuda.to_gpu(x))] for x in xs]
    done = 0
    for _ in rounds(repeats):
        found = []
        for x in xs:
            with cuda.Stream(non_blocking=True) as stream:
                found.append((stream, work(channels, cuda.to_gpu(x))))
        for (stream, arrays), values in zip(found, expected, strict=True):
            stream.synchronize()
            same_bits(arrays, values)
        done += 1
    return {'repeats': done}


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

    done = 0
    for _ in rounds(repeats):
        running = [threading.Thread(target=run, args=each)
                   for each in zip(xs, expected, strict=True)]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()
        if errors:
            raise errors[0]
        done += 1
    return {'repeats': done, 'threads': done * len(xs)}


def converters(repeats, size):
    """Batches of changing sizes arrive whole while the card computes."""
    convert = chainer.dataset.ConcatWithAsyncTransfer()
    load = cuda.to_gpu(draw(0, size, size).astype('f'))
    kept = []
    for number in rounds(repeats):
        count = 1 + number % 7
        images, labels = draw(number, count, 3, size).astype('f'), np.arange(count)
        found = convert(list(zip(images, labels, strict=True)), '@cupy:0')
        load = load @ load * np.float32(1 / size)
        kept = [*kept[-3:], (found, (images, labels))]
        if number % 3 == 0:             # mostly the host does not wait
            for each in kept:
                same_bits(*each)
    return {'repeats': number + 1}


def updates(repeats, channels, size):
    """Two trainings from the same start come to the same parameters."""
    def train(numbers):
        network = Network(channels)
        network.to_device('@cupy:0')
        optimizer = chainer.optimizers.Adam().setup(network)
        optimizer.add_hook(chainer.optimizer_hooks.GradientClipping(1.))
        for number in numbers:
            x, = batches(1, size)
            t = cuda.to_gpu(np.arange(4, dtype='i') + number % 2)
            optimizer.update(
                lambda x=x, t=t: F.softmax_cross_entropy(network(cuda.to_gpu(x)), t))
            spoil(x.size)
        return number, [p.array for p in network.params()]
    last, found = train(rounds(repeats))
    same_bits(found, train(range(last + 1))[1])
    return {'repeats': last + 1}


def cases(tiny):
    repeats, channels, size = (12, 2, 5) if tiny else (300, 32, 64)
    units = 3 if tiny else 1000

    def case(function, *arguments, use_cudnn='auto'):
        def run():
            with chainer.using_config('cudnn_deterministic', True), (
                    chainer.using_config('use_cudnn', use_cudnn)):
                return function(*arguments)
        return run

    shape = channels, size
    return {
        'graphs': case(recorded.graphs, 4 * repeats, units, use_cudnn='never'),
        'graphs of layers': case(
            recorded.layers, 2 * repeats, *shape, use_cudnn='never'),
        'graphs of layers with cuDNN': case(recorded.layers, 2 * repeats, *shape),
        'memory': case(recorded.memory, 8, *shape, tiny, use_cudnn='never'),
        'memory with cuDNN': case(recorded.memory, 8, *shape, tiny),
        'streams': case(streams, repeats, *shape),
        'threads': case(threads, repeats, *shape),
        'converters': case(converters, 4 * repeats, 32 if tiny else 2048),
        'updates': case(updates, repeats, *shape),
        'graphs with cuDNN': case(recorded.graphs, 4 * repeats, units),
    }

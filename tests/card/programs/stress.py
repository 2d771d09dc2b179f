"""What must give the same bits each time, repeated many times beside other work."""
import contextlib
import functools
import threading

import numpy as np

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast.backends import cuda
from tests.card.programs import TOLERANCES, difference, draw, gradients, same_bits
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


class Elements(chainer.Chain):
    """Elementwise functions and sums."""

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


class Layers(chainer.Chain):
    """Convolutions, products of matrices and dropout."""

    def __init__(self, channels):
        super().__init__()

        def weight(seed, *shape):
            return (draw(seed, *shape) / np.sqrt(np.prod(shape[1:]))).astype('f')

        with self.init_scope():
            self.conv = L.Convolution2D(
                3, channels, 3, pad=1, initialW=weight(6, channels, 3, 3, 3))
            self.bn = L.BatchNormalization(channels)
            self.more = L.Convolution2D(
                channels, channels, 3, 2, initialW=weight(7, channels, channels, 3, 3))
            self.first = L.Linear(
                channels, 8 * channels, initialW=weight(8, 8 * channels, channels))
            self.last = L.Linear(
                8 * channels, 5, initialW=weight(9, 5, 8 * channels))

    def compute(self, x):
        h = F.relu(self.bn(self.conv(x)))
        h = F.dropout(F.mean(F.relu(self.more(h)), axis=(2, 3)), .2)
        return self.last(F.dropout(F.tanh(self.first(h)), .5))


def pair(base, *arguments):
    """Return a chain that runs as it is, and one that is recorded."""
    class Plain(base):

        def forward(self, x):
            return self.compute(x)

    class Recorded(base):

        @chainer.static_graph
        def forward(self, x):
            return self.compute(x)

    chains = Plain(*arguments), Recorded(*arguments)
    for chain in chains:
        chain.to_device('@cupy:0')
    return chains


def step(chain, x):
    """Return the result and the gradients of a step."""
    chain.cleargrads()
    return gradients(chain, [x]) + [
        p.grad for p in chain.params()]


def spoil(size):
    """Fill memory that nobody has with NaN, for whoever uses it by mistake."""
    for _ in range(3):
        cuda.cupy.full(size, np.nan, 'f')


def graphs(repeats, units):
    plain, recorded = pair(Elements, units)
    kept = []
    for number in rounds(repeats):
        x = cuda.to_gpu(draw(number, 8, units).astype('f'))
        expected, found = step(plain, x), step(recorded, x)
        spoil(8 * units)
        same_bits(found, expected)
        kept = [*kept[-5:], (found, expected)]
        if number % 10 == 0:
            for each in kept:           # what was handed out does not change
                same_bits(*each)
        for chain in plain, recorded:
            for p in chain.params():
                p.array -= np.float32(1e-3) * p.grad
    return {'repeats': number + 1, **kinds(recorded)}


def kinds(recorded):
    """Return how many kinds of calls a chain has recorded, having refused none."""
    recordings = recorded.schedule_manager.recordings
    assert not recordings.refused, list(recordings.refused.values())
    assert recordings._kept
    return {'recorded': len(recordings._kept)}


def steps(plain, recorded, number, x):
    """Return the results of one step of both, with the same parameters and draws."""
    recorded.copyparams(plain)
    found = []
    for chain in plain, recorded:
        cuda.cupy.random.seed(number)
        found.append(step(chain, x))
    return found


def layers(repeats, channels, size):
    """The memory for products differs in graphs, and with it may the last bits."""
    plain, recorded = pair(Layers, channels)
    worst, others = 0, 0
    for number in rounds(repeats):
        x = cuda.to_gpu(batches(1, size)[0][:1 + number % 3])
        expected, found = steps(plain, recorded, number, x)
        spoil(x.size)
        worst = max(worst, difference(found, expected, TOLERANCES['float32'] / 10))
        others += any((a != b).any() for a, b in zip(found, expected, strict=True))
        for p in plain.params():
            p.array -= np.float32(1e-3) * p.grad
    return {'repeats': number + 1, 'error': worst, 'steps with other bits': int(others),
            **kinds(recorded)}


@contextlib.contextmanager
def all_but(size):
    """Take the memory of the card, but for so many bytes."""
    cuda.memory_pool.free_all_blocks()
    free, _ = cuda.cupy.cuda.runtime.memGetInfo()
    held = cuda.cupy.cuda.alloc(max(free - size, 0))
    yield
    del held


def all_but_some(every):
    """Let allocations fail now and then: the memory of the stand-in has no end."""
    class Failing(cuda.cupy.cuda.MemoryHook):
        name = 'Failing'
        count = 0

        def malloc_preprocess(self, **kwargs):
            self.count += 1
            if self.count % every == 0:
                raise MemoryError('out of memory: allocation %d' % self.count)

    return Failing()


def memory(repeats, channels, size, scarce):
    """With hardly any memory left, graphs raise errors, or compute what they should."""
    x, short, compared = cuda.to_gpu(batches(1, size)[0]), 0, 0
    for scarcity in scarce:
        plain, recorded = pair(Layers, channels)

        def compare(number, plain=plain, recorded=recorded):
            expected, found = steps(plain, recorded, number, x)
            difference(found, expected, TOLERANCES['float32'] / 10)

        with scarcity():
            for number in range(repeats):
                try:
                    compare(number)
                    compared += 1
                except MemoryError:
                    short += 1
                with contextlib.suppress(MemoryError):
                    spoil(x.size)
        for number in range(3):
            compare(number)
        del plain, recorded, compare
    return {'compared': compared, 'out of memory': short}


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

    if tiny:
        scarce = [functools.partial(all_but_some, each) for each in (7, 101, 211)]
    else:
        scarce = [functools.partial(all_but, each << 20)
                  for each in (1024, 256, 64, 16, 4)]
    return {
        'graphs': case(graphs, 4 * repeats, units, use_cudnn='never'),
        'graphs of layers': case(
            layers, 2 * repeats, channels, size, use_cudnn='never'),
        'graphs of layers with cuDNN': case(layers, 2 * repeats, channels, size),
        'memory': case(memory, 8, channels, size, scarce, use_cudnn='never'),
        'memory with cuDNN': case(memory, 8, channels, size, scarce),
        'streams': case(streams, repeats, channels, size),
        'threads': case(threads, repeats, channels, size),
        'converters': case(converters, 4 * repeats, 32 if tiny else 2048),
        'updates': case(updates, repeats, channels, size),
        'graphs with cuDNN': case(graphs, 4 * repeats, units),
    }

"""Static chains that are recorded as CUDA graphs, beside what they do unrecorded."""
import contextlib
import functools

import numpy as np

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast.backends import cuda
from tests.card.programs import (
    TOLERANCES,
    batches,
    difference,
    draw,
    gradients,
    same_bits,
    spoil,
)
from tests.card.rounds import rounds


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
    try:
        yield
    finally:
        del held
        cuda.memory_pool.free_all_blocks()


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


def scarce(tiny):
    """Return functions whose contexts leave ever less memory."""
    if tiny:
        return [functools.partial(all_but_some, each) for each in (211, 101, 7)]
    return [functools.partial(all_but, each << 20) for each in (1024, 256, 64, 16, 4)]


@contextlib.contextmanager
def out_of_memory():
    """Suppress errors of memory that is not there, whoever wanted it.

    Yields
    ------
    list
        Of the error, if there was one.
    """
    found = []
    try:
        yield found
    except Exception as e:
        # Drivers load kernels late, and libraries have memory of their own.
        if not isinstance(e, MemoryError) and not any(
                text in str(e) for text in (
                    'out of memory', 'OUT_OF_MEMORY', 'MemoryAllocation',
                    'ALLOC_FAILED', 'NOT_INITIALIZED')):
            raise
        found.append(e)


def memory(repeats, channels, size, tiny):
    """With hardly any memory left, graphs raise errors, or compute what they should."""
    x, short, compared = cuda.to_gpu(batches(1, size)[0]), 0, 0

    def compare(plain, recorded, number):
        expected, found = steps(plain, recorded, number, x)
        difference(found, expected, TOLERANCES['float32'] / 10)

    for scarcity in [contextlib.nullcontext, *scarce(tiny)]:
        chains = pair(Layers, channels)
        with scarcity():
            for number in range(repeats):
                with out_of_memory() as error:
                    compare(*chains, number)
                short, compared = short + len(error), compared + 1 - len(error)
                with out_of_memory():
                    spoil(x.size)
        for number in range(3):
            compare(*chains, number)
    return {'compared': compared, 'out of memory': short}

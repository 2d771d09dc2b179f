"""One process of a job that measures updates; the names of the libraries are Chainer's.

The job gets its task as JSON in the first argument, and process 0 prints the times, in
seconds, as one line of JSON. A time is that of the slowest process.
"""
import functools
import json
import statistics
import sys
import time

import chainer
import chainermn
import numpy
from mpi4py import MPI

WORLD = MPI.COMM_WORLD


class Model(chainer.Chain):
    """Parameters of the sizes of a ResNet-50: a third is large, two thirds are vectors.

    Parameters
    ----------
    size : int
        Number of elements of all 161 parameters together.
    """

    def __init__(self, size):
        super().__init__()
        vectors = min(512, size // 1610)
        large = (size - 107 * vectors) // 54
        sizes = [vectors] * 107 + [large] * 53
        sizes.append(size - sum(sizes))
        with self.init_scope():
            for number, each in enumerate(sizes):
                setattr(self, 'p%03d' % number, chainer.Parameter(
                    numpy.zeros(each, numpy.float32)))
        for param in self.params():
            param.grad = numpy.ones_like(param.data)


class Layers(chainer.Chain):
    """Four fully connected layers with about so many parameters, to be trained."""

    def __init__(self, size):
        super().__init__()
        self.width = width = int((size / 4) ** .5)
        with self.init_scope():
            for number in range(4):
                setattr(self, 'l%d' % number, chainer.links.Linear(
                    width, width, initialW=numpy.eye(width, dtype=numpy.float32)))

    def forward(self, x):
        for number in range(4):
            x = chainer.functions.relu(getattr(self, 'l%d' % number)(x))
        return chainer.functions.sum(x)


def timed(call, *args):
    """Return the time of a call that all processes begin together."""
    WORLD.Barrier()
    start = time.perf_counter()
    call(*args)
    return WORLD.allreduce(time.perf_counter() - start, MPI.MAX)


def in_turns(calls, rounds):
    """Return the times of each call, after one round that does not count."""
    times = {name: [] for name in calls}
    for number in range(rounds + 1):
        for name, call in calls.items():
            taken = timed(call)
            if number:
                times[name].append(taken)
    return times


def exchanges(size, communicators):
    """Return calls that average gradients, and those of mpi4py alone."""
    sent, received = numpy.ones(size, numpy.float32), numpy.empty(size, numpy.float32)
    model = Model(size)
    calls = {'Allreduce': lambda: WORLD.Allreduce(sent, received)}
    for name in communicators:
        try:
            communicator = chainermn.create_communicator(name)
        except Exception as error:
            print('%s: %s' % (name, error), file=sys.stderr)
            continue
        calls[name] = lambda communicator=communicator: (
            communicator.multi_node_mean_grad(model))
    return calls


def computations(seconds):
    """Return calls that take this long on an idle machine.

    One waits, as for a GPU, and leaves the processor free. The other one is a fixed
    number of matrix products.
    """
    a = numpy.ones((96, 96), numpy.float32)

    def multiply(count):
        for _ in range(count):
            a @ a

    each = min(timed(multiply, 100) for _ in range(5)) / 100
    count = WORLD.bcast(max(1, int(seconds / each)))
    return {'wait': lambda: time.sleep(seconds), 'multiply': lambda: multiply(count)}


def batch_for(seconds, size):
    """Return the number of examples whose gradients take so long to compute."""
    model = Layers(size)

    def train(batch):
        model.cleargrads()
        model.forward(numpy.ones((batch, model.width), numpy.float32)).backward()

    for batch in 8, 32:
        train(batch)
        each = timed(train, batch) / batch
    batch = WORLD.bcast(max(1, int(seconds / each)))
    taken = statistics.median([timed(train, batch) for _ in range(3)])
    return max(1, int(batch * seconds / taken))


def overlaps(size, communicator, rounds, share, steps=10, kinds=('wait', 'multiply')):
    """Return times of updates with a computation, some with and some without buffers.

    The computation takes about ``share`` times what the exchange of gradients takes;
    those of a process alone are updates without an exchange.
    """
    communicator = chainermn.create_communicator(communicator)
    model = Model(size)
    exchange = statistics.median(in_turns({
        '': lambda: communicator.multi_node_mean_grad(model)}, rounds)[''])
    seconds = WORLD.bcast(share * exchange)
    result = {'exchange': exchange}
    waits = computations(seconds)
    for name in kinds:
        calls, lossfun = {}, None
        batch = batch_for(seconds, size) if name == 'train' else 0
        for title in 'alone', 'update', 'double buffering':
            model = Layers(size) if batch else Model(size)
            if batch:
                x = numpy.ones((batch, model.width), numpy.float32)
                lossfun = functools.partial(model.forward, x)
            optimizer = chainer.optimizers.SGD(0.)
            if title != 'alone':
                optimizer = chainermn.create_multi_node_optimizer(
                    optimizer, communicator, double_buffering=title != 'update')
            optimizer.setup(model)
            for _ in range(2):
                optimizer.update(lossfun)
            calls[title] = functools.partial(
                make_steps, steps, optimizer, waits.get(name), lossfun)
        result[name] = {
            title: [taken / steps for taken in times]
            for title, times in in_turns(calls, rounds).items()}
    return result


def make_steps(steps, optimizer, compute, lossfun):
    """Make updates in a row."""
    for _ in range(steps):
        if compute is not None:
            compute()
        optimizer.update(lossfun)
    # Work that continues after the last one would delay the other side.
    getattr(optimizer, 'wait', lambda: None)()


def main(task):
    size, rounds = task['size'], task['rounds']
    if task['do'] == 'exchange':
        result = in_turns(exchanges(size, task['communicators']), rounds)
    else:
        result = overlaps(
            size, task['communicators'][0], rounds, task['share'],
            *task.get('more', ()))
    if WORLD.rank == 0:
        print(json.dumps(result), flush=True)


if __name__ == '__main__':
    main(json.loads(sys.argv[1]))

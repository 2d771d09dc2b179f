"""A training with checkpoints, of which one process may be killed while it writes.

Arguments: iteration of the end, rank to be killed, at which call of the system that
changes files (none with -1), and a folder. More folders are those of more trainings.
"""
import hashlib
import os
import signal
import sys
import warnings

import numpy

import chainer_fast
from chainer_fast import iterators, training
from chainer_fast.mn import create_communicator
from chainer_fast.mn.extensions import create_multi_node_checkpointer


class Updater(training.StandardUpdater):
    """An updater with the mean of the gradients of all processes."""

    def __init__(self, iterator, optimizer, comm):
        super().__init__(iterator, optimizer)
        self.comm = comm

    def update_core(self):
        optimizer = self.get_optimizer('main')
        model = optimizer.target
        model.cleargrads()
        model(*self.converter(self.get_iterator('main').next())).backward()
        self.comm.multi_node_mean_grad(model)
        optimizer.update()


def kill_at(number):
    """Be killed at a certain call that opens, flushes, names or removes a file."""
    calls = 0

    def counting(call):
        def counted(*args, **kwargs):
            nonlocal calls
            calls += 1
            if calls == number:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*args, **kwargs)
        return counted

    for name in 'open', 'fsync', 'utime', 'replace', 'rmdir', 'remove', 'mkdir':
        setattr(os, name, counting(getattr(os, name)))


def train(comm, folder, stop, failing, call):
    numpy.random.seed(comm.rank)
    data = [(numpy.random.rand(5).astype('float32'), numpy.int32(i % 3))
            for i in range(30)]
    numpy.random.seed(comm.rank + 10)
    model = chainer_fast.links.Classifier(chainer_fast.links.Linear(5, 3))
    comm.bcast_data(model)
    optimizer = chainer_fast.optimizers.Adam().setup(model)
    trainer = training.Trainer(
        Updater(iterators.SerialIterator(data, 4), optimizer, comm),
        (stop, 'iteration'), out=folder)
    warnings.simplefilter('ignore', DeprecationWarning)
    checkpointer = create_multi_node_checkpointer('run', comm, 2, 1)
    trainer.extend(checkpointer)
    checkpointer.maybe_load(trainer)
    print('rank %d begins at %d' % (comm.rank, trainer.updater.iteration), flush=True)
    if comm.rank == failing:
        kill_at(call)
    trainer.run()
    bits = hashlib.sha256(model.predictor.W.array.tobytes()).hexdigest()
    print('rank %d ends with %s' % (comm.rank, bits))


if __name__ == '__main__':
    stop, failing, call = map(int, sys.argv[1:4])
    comm = create_communicator('naive')
    for folder in sys.argv[4:]:
        train(comm, folder, stop, failing, call)

"""A training whose processes print a digest of the parameters at its end.

Arguments: the communicator; 1 for double buffering; the folder of checkpoints, or "-";
and the numbers of iterations at which to save and to end.
"""
import hashlib
import os
import sys
import warnings

import numpy

import chainer_fast
from chainer_fast import iterators, training
from chainer_fast.mn import create_communicator, create_multi_node_optimizer
from chainer_fast.mn.extensions import create_multi_node_checkpointer


class Network(chainer_fast.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.l1 = chainer_fast.links.Linear(30, 500)
            self.l2 = chainer_fast.links.Linear(500, 500)
            self.l3 = chainer_fast.links.Linear(500, 10)

    def forward(self, x):
        h = chainer_fast.functions.relu(self.l1(x))
        return self.l3(chainer_fast.functions.tanh(self.l2(h)))


def main(name, double_buffering, folder, save, end):
    warnings.simplefilter('ignore', DeprecationWarning)
    comm = create_communicator(name)
    numpy.random.seed(comm.rank)
    x = numpy.random.rand(60, 30).astype('float32')
    data = chainer_fast.datasets.TupleDataset(x, x.argmax(axis=1).astype('i') % 10)
    model = chainer_fast.links.Classifier(Network())
    optimizer = create_multi_node_optimizer(
        chainer_fast.optimizers.Adam(), comm, double_buffering).setup(model)
    trainer = training.Trainer(training.StandardUpdater(
        iterators.SerialIterator(data, 10), optimizer), (end, 'iteration'), out='.')
    if folder != '-':
        # Each host has a disk of its own.
        checkpointer = create_multi_node_checkpointer(
            'run', comm, path=os.path.join(folder, os.uname().nodename[-1]))
        trainer.extend(checkpointer, trigger=(save, 'iteration'))
        checkpointer.maybe_load(trainer, optimizer)
        checkpointer.finalize = lambda: None    # the files stay
    print('rank %d of %d begins at %d' % (
        comm.rank, comm.size, trainer.updater.iteration), flush=True)
    trainer.run()
    if double_buffering:
        optimizer.wait()
    digest = hashlib.sha256()
    for _, param in sorted(model.namedparams()):
        digest.update(param.array.tobytes())
    print('rank %d ends with %s' % (comm.rank, digest.hexdigest()), flush=True)


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2] == '1', sys.argv[3], *map(int, sys.argv[4:]))

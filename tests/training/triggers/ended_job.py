"""A job that a signal ends in some iteration, and that goes on when it is run again.

    python -m tests.training.triggers.ended_job FOLDER ITERATION
"""
import signal
import sys

import numpy as np

import chainer_fast as chainer
from chainer_fast import links as L
from chainer_fast import training
from chainer_fast.training import extensions, triggers


def make(out):
    """Return a training whose batches come from worker processes."""
    np.random.seed(0)
    data = chainer.datasets.TupleDataset(
        np.random.rand(8, 3).astype('f'), np.zeros(8, 'i'))
    model = L.Classifier(L.Linear(3, 2))
    updater = training.updaters.StandardUpdater(
        chainer.iterators.MultiprocessIterator(data, 4, n_processes=1, shared_mem=1000),
        chainer.optimizers.SGD().setup(model))
    trigger = triggers.SignalTrigger('SIGTERM', max_trigger=(6, 'iteration'))
    trainer = training.Trainer(updater, trigger, out=out)
    trainer.extend(
        extensions.snapshot(autoload=True, filename='last'), trigger=trigger)
    return trainer


def main():
    folder, at = sys.argv[1:]
    trainer = make(folder)
    trainer.extend(
        lambda trainer: trainer.updater.iteration == int(at) and signal.raise_signal(
            signal.SIGTERM), name='end', priority=300)
    trainer.run()
    print(trainer.updater.iteration)


if __name__ == '__main__':
    main()

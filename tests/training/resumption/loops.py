"""A small training that any part can be put into, and that goes on from any point."""
import io
import random

import numpy as np

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast import links as L
from chainer_fast import serializers, training

N_ITERATIONS = 8        # batches of 4 of 10 examples: epochs end in the middle of one
DATA = chainer.datasets.TupleDataset(
    np.random.RandomState(3).rand(10, 6).astype('f'),
    np.random.RandomState(4).randint(0, 3, 10).astype('i'))


class Model(chainer.Chain):
    """A lazy layer, a given one or a layer in its place, and one that is never called.
    """

    def __init__(self, middle=None):
        super().__init__()
        with self.init_scope():
            self.first = L.Linear(None, 4)
            self.middle = L.Linear(4, 4) if middle is None else middle
            self.last = L.Linear(4, 3)
            self.unused = L.Linear(None, 2)

    def forward(self, x, t):
        loss = F.softmax_cross_entropy(
            self.last(F.tanh(self.middle(F.tanh(self.first(x))))), t)
        chainer.report({'loss': loss, 'size': len(t)}, self)
        return loss


def make(*, middle=None, optimizer=None, prepare=None, extend=None,
         iterator=chainer.iterators.SerialIterator, updater=training.StandardUpdater):
    """Return a trainer, always in the same state.

    Parameters
    ----------
    middle, optimizer : callable, optional
        Make a layer of the model, and the optimizer.
    prepare : callable, optional
        Called with the optimizer that is set up.
    extend : callable, optional
        Called with the trainer.
    iterator, updater : callable
        Make these.
    """
    np.random.seed(1)
    random.seed(2)
    model = Model(middle and middle())
    optimizer = (optimizer or chainer.optimizers.MomentumSGD)().setup(model)
    if prepare is not None:
        prepare(optimizer)
    trainer = training.Trainer(
        updater(iterator(DATA, 4), optimizer), (N_ITERATIONS, 'iteration'))
    if extend is not None:
        extend(trainer)
    return trainer


def state_of(trainer):
    """Return all that a training has become, but for times."""
    state = serializers.npz.serialize(trainer)
    optimizer = trainer.updater.get_optimizer('main')
    state['hyperparameters'] = np.array(repr(optimizer.hyperparam))
    return {name: array for name, array in state.items()
            if not name.endswith(('elapsed_time', '_log'))}


def through_npz(state):
    file = io.BytesIO()
    serializers.save_npz(file, state)
    file.seek(0)
    return lambda trainer: serializers.load_npz(file, trainer)


def through_hdf5(state):
    file = io.BytesIO()
    serializers.save_hdf5(file, state)
    return lambda trainer: serializers.load_hdf5(file, trainer)


FORMATS = {'npz': through_npz, 'hdf5': through_hdf5}


class Spy(training.Extension):
    """Notes the snapshots before the first iteration and after each."""

    priority = -1000    # after snapshots, whose triggers have states

    def __init__(self):
        self.snapshots = {}

    def initialize(self, trainer):
        self(trainer)

    def __call__(self, trainer):
        self.snapshots[trainer.updater.iteration] = {
            name: array.copy()
            for name, array in serializers.npz.serialize(trainer).items()}


def run(trainer):
    """Run a trainer; return the end, and the snapshots of all iterations."""
    spy = Spy()
    trainer.extend(spy, trigger=(1, 'iteration'))
    trainer.run()
    return state_of(trainer), spy.snapshots


def differences(found, expected):
    return sorted(found.keys() ^ expected.keys()) + [
        '%s: %s, not %s' % (name, found[name], expected[name])
        for name in found.keys() & expected.keys()
        if found[name].dtype != expected[name].dtype
        or found[name].tobytes() != expected[name].tobytes()]


def check(form, **parts):
    """Check that a training from each of its snapshots ends as one without them."""
    end, starts = run(make(**parts))
    assert list(starts) == list(range(N_ITERATIONS + 1))
    for iteration, start in starts.items():
        trainer = make(**parts)
        trainer.extend(Spy(), trigger=(1, 'iteration'))
        FORMATS[form](start)(trainer)
        trainer.run()
        assert not differences(state_of(trainer), end), iteration
    return end

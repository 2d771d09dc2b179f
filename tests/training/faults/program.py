"""A training program with random numbers of all kinds, to be interrupted anywhere."""
import json
import os
import random

import numpy

import chainer_fast
from chainer_fast import functions as F
from chainer_fast import iterators, links, training
from chainer_fast.training import extensions, triggers

ITERATORS = {
    'serial': iterators.SerialIterator,
    'multithread': iterators.MultithreadIterator,
    'multiprocess': lambda *args, **kwargs: iterators.MultiprocessIterator(
        *args, n_processes=1, n_prefetch=2, **kwargs),
}
N_EXAMPLES, BATCH_SIZE = 22, 4


class Classifier(chainer_fast.Chain):

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.hidden = links.Linear(None, 5)     # initialized late
            self.norm = links.BatchNormalization(5)
            self.out = links.Linear(5, 3)

    def forward(self, x, t):
        y = self.out(F.dropout(F.relu(self.norm(self.hidden(x)))))
        loss = F.softmax_cross_entropy(y, t)
        chainer_fast.report({'loss': loss, 'accuracy': F.accuracy(y, t),
                             'sum': loss.array * len(t), 'size': len(t)}, self)
        return loss


def make_trainer(out, iterator='serial', n_iterations=24, hook=None):
    """Return a trainer; its weights depend on every random number before."""
    numpy.random.seed(1)
    random.seed(2)
    source = numpy.random.RandomState(3)
    x = source.rand(N_EXAMPLES, 6).astype('f')
    t = source.randint(0, 3, N_EXAMPLES).astype('i')
    data = chainer_fast.datasets.TupleDataset(x, t)
    model = Classifier()
    optimizer = chainer_fast.optimizers.Adam(alpha=.01)
    optimizer.setup(model)
    optimizer.add_hook(chainer_fast.optimizer_hooks.GradientNoise(.01))

    def convert(batch, device):
        x, t = chainer_fast.dataset.concat_examples(batch, device)
        if chainer_fast.config.train:
            x = x + numpy.float32(random.gauss(0, .1))
        return x, t

    updater = training.StandardUpdater(
        ITERATORS[iterator](data, BATCH_SIZE), optimizer, converter=convert)
    trainer = training.Trainer(updater, triggers.EarlyStoppingTrigger(
        (1, 'epoch'), 'validation/main/loss', patience=100,
        max_trigger=(n_iterations, 'iteration')), out)
    own = iterators.ShuffleOrderSampler(numpy.random.RandomState(4))
    trainer.extend(extensions.Evaluator(
        ITERATORS[iterator](data, 5, repeat=False, order_sampler=own), model,
        converter=convert))
    trainer.extend(extensions.ExponentialShift('alpha', .97), trigger=(1, 'iteration'))
    trainer.extend(extensions.MicroAverage('main/sum', 'main/size', 'mean'))
    trainer.extend(extensions.ParameterStatistics(
        model.out, {'mean': numpy.mean}, trigger=(4, 'iteration')))
    trainer.extend(extensions.observe_value('alpha', lambda t: optimizer.alpha))
    trainer.extend(extensions.LogReport(trigger=(3, 'iteration')))
    if hook is not None:
        trainer.extend(hook, 'hook', priority=0, trigger=(1, 'iteration'))
    return trainer


def add_snapshots(trainer, writer=None, interval=2, **kwargs):
    trainer.extend(extensions.snapshot(writer=writer, autoload=True, **kwargs),
                   trigger=(interval, 'iteration'))
    # Added later, but the snapshot of the trainer is to have the state of its trigger.
    trainer.extend(
        extensions.snapshot_object(
            trainer.updater.get_optimizer('main').target, 'best', writer=writer),
        name='best', trigger=triggers.MinValueTrigger('validation/main/loss'))


def state_of(trainer):
    """Return everything that a run ends with."""
    state = chainer_fast.serializers.npz.serialize(trainer)
    state['log'] = numpy.array(json.dumps(log_of(trainer.out)))
    state['alpha'] = numpy.array(trainer.updater.get_optimizer('main').alpha)
    return state


def log_of(out):
    """Return the log without times."""
    with open(os.path.join(out, 'log')) as f:
        entries = json.load(f)
    for entry in entries:
        del entry['elapsed_time']
    return entries


def differences(state, other):
    """Return the names of what differs between two states or snapshots, but for times.
    """
    return sorted(state.keys() ^ other.keys()) + [
        name for name in state.keys() & other.keys()
        if state[name].tobytes() != other[name].tobytes()
        and not name.endswith(('elapsed_time', '/_log'))]

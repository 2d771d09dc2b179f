"""Optimizers, iterators and trainers of the old files, and their next steps."""
import chainer
import numpy as np
import old_models
from chainer import iterators, optimizers, training
from chainer.training import extensions
from old_links import classifier, contents, plain, values

N_STEPS = 3
_HOOKS = chainer.optimizer if not hasattr(
    chainer, 'optimizer_hooks') else chainer.optimizer_hooks


def shuffle_as_then(iterator):
    """Let an iterator draw its orders as those before Chainer 5 did."""
    def sampler(order, position):
        order = np.array(order)
        np.random.shuffle(order)
        return order
    if getattr(iterator, 'order_sampler', None) is not None:
        iterator.order_sampler = sampler


def rows():
    x = values(10, 3)
    return chainer.datasets.TupleDataset(x, (np.arange(10) % 2).astype(np.int32))


class Optimizer(object):        # noqa: UP004
    """An optimizer after some updates, with its model."""

    formats = 'npz', 'pickle'

    def __init__(self, name, **args):
        self.name = name
        self.args = args

    def target(self):
        np.random.seed(2)
        optimizer = getattr(optimizers, self.name)(**self.args)
        optimizer.setup(classifier())
        optimizer.add_hook(_HOOKS.WeightDecay(.01), 'decay')
        optimizer.add_hook(_HOOKS.GradientClipping(2.))
        return old_models.Saved(optimizer)

    def make(self):
        saved = self.target()
        self._go_on(saved)
        saved.optimizer.new_epoch()
        return saved

    def _go_on(self, saved):
        x, t = values(4, 3), np.array([0, 1, 1, 0], np.int32)
        losses = []
        for _ in range(N_STEPS):
            losses.append(plain(saved.model(
                chainer.Variable(x), chainer.Variable(t))))
            saved.model.cleargrads()
            saved.model.loss.backward()
            saved.optimizer.update()
        return losses

    def facts(self, saved):
        optimizer = saved.optimizer
        facts = {
            'class': type(optimizer).__name__, 't': int(optimizer.t),
            'epoch': int(optimizer.epoch), 'before': contents(saved.model),
            'same_model': optimizer.target is saved.model}
        facts['losses'] = self._go_on(saved)
        facts['after'] = contents(saved.model)
        facts['t_after'] = int(optimizer.t)
        return facts


class Iterator(object):     # noqa: UP004
    """An iterator in the middle of an epoch."""

    formats = 'npz', 'h5', 'pickle'

    def __init__(self, name, **args):
        self.name = name
        self.args = args

    def target(self):
        np.random.seed(4)
        return getattr(iterators, self.name)(rows(), 4, **self.args)

    def make(self):
        iterator = self.target()
        for _ in range(4 if self.args.get('repeat', True) else 2):
            iterator.next()
        return iterator

    def facts(self, iterator):
        facts = {'class': type(iterator).__name__, 'before': self._place(iterator)}
        np.random.seed(5)
        batches = []
        for _ in range(5):
            try:
                batch = iterator.next()
            except StopIteration:
                break
            batches.append([round(float(x[0]), 4) for x, _ in batch])
        facts.update(batches=batches, after=self._place(iterator))
        getattr(iterator, 'finalize', lambda: None)()
        return facts

    def _place(self, iterator):
        return [int(iterator.epoch), round(float(iterator.epoch_detail), 6),
                bool(iterator.is_new_epoch)]


class Trainer(object):      # noqa: UP004
    """A trainer that was interrupted in the middle of an epoch."""

    formats = 'npz', 'h5'
    n_iterations, n_in_all = 7, 14
    goes_on = True

    def target(self, n_iterations=n_in_all):
        np.random.seed(6)
        optimizer = optimizers.MomentumSGD(lr=.25)
        optimizer.setup(classifier())
        updater = training.StandardUpdater(
            iterators.SerialIterator(rows(), 4), optimizer)
        trainer = training.Trainer(
            updater, (n_iterations, 'iteration'), out='.')
        trainer.extend(old_models.Recorder())
        trainer.extend(
            extensions.Evaluator(
                iterators.SerialIterator(rows(), 5, repeat=False, shuffle=False),
                optimizer.target), trigger=(1, 'epoch'))
        trainer.extend(
            extensions.ExponentialShift('lr', .5), trigger=(2, 'iteration'))
        trainer.extend(extensions.LogReport(
            ['main/loss', 'validation/main/loss'], trigger=(3, 'iteration'),
            log_name=None))
        trainer.extend(extensions.PrintReport(
            ['epoch', 'iteration', 'main/loss'], out=old_models.Nowhere()),
            trigger=(3, 'iteration'))
        return trainer

    def make(self):
        trainer = self.target(self.n_iterations)
        trainer.run()
        return trainer

    def facts(self, trainer):
        updater = trainer.updater
        optimizer = updater.get_optimizer('main')
        facts = {
            'iteration': int(updater.iteration),
            'epoch_detail': round(float(updater.epoch_detail), 6),
            't': int(optimizer.t), 'lr': float(optimizer.lr),
            'before': contents(optimizer.target), 'log': self._log(trainer)}
        if self.goes_on:
            np.random.seed(7)
            recorder = trainer.get_extension('Recorder')
            trainer.stop_trigger = lambda t: t.updater.iteration >= self.n_in_all
            trainer.run()
            facts['steps'] = recorder.rows[-(self.n_in_all - facts['iteration']):]
            facts['after'] = contents(optimizer.target)
            facts['log_after'] = self._log(trainer)
        return facts

    def _log(self, trainer):
        return [{key: float(entry[key]) for key in (
            'main/loss', 'validation/main/loss', 'iteration') if key in entry}
            for entry in trainer.get_extension('LogReport').log]


class PickledTrainer(Trainer):
    """A trainer as a pickle keeps it; Chainer's reporter does not know its links."""

    formats = ('pickle',)
    goes_on = False


class Updater(object):      # noqa: UP004
    """The updater of such a trainer, as a pickle keeps it."""

    formats = ('pickle',)

    def make(self):
        return Trainer().make().updater

    def facts(self, updater):
        facts = {'iteration': int(updater.iteration), 'epoch': int(updater.epoch)}
        optimizer = updater.get_optimizer('main')
        np.random.seed(8)
        losses = []
        for _ in range(5):
            updater.update()
            losses.append(plain(optimizer.target.loss))
        facts.update(losses=losses, after=contents(optimizer.target),
                     epoch_after=int(updater.epoch))
        return facts


_OPTIMIZERS = (
    'AdaDelta', 'AdaGrad', 'Adam', 'CorrectedMomentumSGD', 'MSVAG', 'MomentumSGD',
    'NesterovAG', 'RMSprop', 'RMSpropGraves', 'SGD', 'SMORMS3')


def cases():
    """Return the cases that this version of Chainer has, by name."""
    found = {'optimizers.' + name: Optimizer(name) for name in _OPTIMIZERS
             if hasattr(optimizers, name)}
    for name in 'Adam', 'MomentumSGD', 'SGD':
        found['optimizers.' + name].formats = 'npz', 'h5', 'pickle'
    found.update({
        'iterators.SerialIterator': Iterator('SerialIterator'),
        'iterators.SerialIterator.in_order': Iterator('SerialIterator', shuffle=False),
        'iterators.SerialIterator.once': Iterator('SerialIterator', repeat=False),
        'iterators.MultiprocessIterator': Iterator(
            'MultiprocessIterator', n_processes=1, n_prefetch=1),
        'trainer': Trainer(), 'pickled_trainer': PickledTrainer(),
        'updater': Updater()})
    if hasattr(iterators, 'MultithreadIterator'):
        found['iterators.MultithreadIterator'] = Iterator(
            'MultithreadIterator', n_threads=1)
    return found

# Chainer 5.4, Python 3.6
"""Updaters of GANs that set their device, and all the rest, by themselves."""
import tempfile

import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import training
from chainer.dataset import convert


class OfBase(training.StandardUpdater):

    def __init__(self, iterator, optimizer, device):
        super().__init__(iterator, optimizer, device=device, loss_func=None)
        self.device = device  # removed: the device of an updater, set later
        self.model = optimizer.target

    def update_core(self):
        x = self.converter(self.get_iterator('main').next(), self.device)
        loss = F.mean(self.model(x) ** 2)
        self.model.cleargrads()
        loss.backward()
        self.get_optimizer('main').update()
        chainer.report({'loss': loss})


class Alone(training.StandardUpdater):

    def __init__(self, iterators, optimizers, device):
        self._iterators = {'main': iterators[0], 'second': iterators[1]}
        self._optimizers = {'generator': optimizers[0], 'critic': optimizers[1]}
        self.converter = convert.concat_examples
        self.device = device  # removed: the device of an updater, set later
        self.iteration = 0

    def update_core(self):
        z = self.converter(self._iterators['main'].next(), self.device)
        x = self.converter(self._iterators['second'].next(), self.device)
        generator, critic = [
            self._optimizers[name].target for name in ('generator', 'critic')]
        made = generator(z)
        first = F.mean(F.softplus(-critic(made)))
        second = F.mean(F.softplus(critic(made)) + F.softplus(-critic(x)))
        generator.cleargrads()
        first.backward()
        self._optimizers['generator'].update()
        critic.cleargrads()
        second.backward()
        self._optimizers['critic'].update()
        chainer.report({'generator/loss': first, 'critic/loss': second})


def optimizer_of(link):
    optimizer = chainer.optimizers.Adam(0.01)
    optimizer.setup(link)
    return optimizer


def run(updater, *names):
    trainer = training.Trainer(updater, (3, 'epoch'), out=tempfile.mkdtemp())
    log = training.extensions.LogReport(trigger=(1, 'epoch'))
    trainer.extend(log)
    trainer.run()
    for entry in log.log:
        print(' '.join('%.6f' % entry[name] for name in names))
    print(updater.epoch, updater.iteration, updater.device)


np.random.seed(6)
data = np.random.rand(12, 3).astype(np.float32)
run(OfBase(chainer.iterators.SerialIterator(data, 4),
           optimizer_of(L.Linear(3, 2)), -1), 'loss')
run(Alone([chainer.iterators.SerialIterator(data, 4),
           chainer.iterators.SerialIterator(data + 1, 4)],
          [optimizer_of(L.Linear(3, 3)), optimizer_of(L.Linear(3, 1))], -1),
    'generator/loss', 'critic/loss')
plain = training.StandardUpdater(
    chainer.iterators.SerialIterator([(row, np.int32(1)) for row in data], 4),
    optimizer_of(L.Classifier(L.Linear(3, 2))))
plain.device = -1  # removed: the device of an updater, set later
plain.update()
print('%.6f' % float(plain.get_optimizer('main').target.loss.array))

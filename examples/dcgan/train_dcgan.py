#!/usr/bin/env python
"""Train a DCGAN: one network draws digits, another one detects drawn digits.

    python examples/dcgan/train_dcgan.py
    python examples/dcgan/train_dcgan.py --epoch 200 --device @cupy:0

The digits are scikit-learn's, 8x8 pixels. After 60 epochs, in twenty seconds on one
core, the distance of a drawn digit from the nearest real one is 2.8, while that
between nearest real ones is 2.1; every digit is among the drawn ones. It writes to
--out the log, a plot of both losses, a snapshot, and drawn_epoch_N.png: the pictures
for the same hundred draws of noise after N epochs.
"""
import argparse
import os

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import training
from chainer.training import extensions
from scipy.spatial.distance import cdist


class Generator(chainer.Chain):
    """From noise to pictures of shape (1, 8, 8), with pixels from -1 to 1."""

    def __init__(self, n_noise):
        super().__init__()
        self.n_noise = n_noise
        w = chainer.initializers.Normal(.05)
        with self.init_scope():
            self.spread = L.Linear(n_noise, 64 * 4 * 4, initialW=w, nobias=True)
            self.norm1 = L.BatchNormalization(64 * 4 * 4)
            self.up = L.Deconvolution2D(
                64, 32, 4, stride=2, pad=1, initialW=w, nobias=True)
            self.norm2 = L.BatchNormalization(32)
            self.paint = L.Convolution2D(32, 1, 3, pad=1, initialW=w)

    def make_noise(self, n):
        return self.xp.random.standard_normal((n, self.n_noise)).astype(np.float32)

    def forward(self, z):
        h = F.relu(self.norm1(self.spread(z))).reshape(-1, 64, 4, 4)
        h = F.relu(self.norm2(self.up(h)))
        return F.tanh(self.paint(h))


class Discriminator(chainer.Chain):
    """From pictures to logits: above 0 for those that look real."""

    def __init__(self):
        super().__init__()
        w = chainer.initializers.Normal(.05)
        with self.init_scope():
            self.conv1 = L.Convolution2D(1, 32, 3, pad=1, initialW=w)
            self.conv2 = L.Convolution2D(32, 64, 4, stride=2, pad=1, initialW=w)
            self.judge = L.Linear(64 * 4 * 4, 1, initialW=w)

    def forward(self, x):
        h = F.leaky_relu(self.conv1(x))
        h = F.dropout(F.leaky_relu(self.conv2(h)), .3)
        return self.judge(h)


class GANUpdater(training.updaters.StandardUpdater):
    """One step of each network, with its own loss."""

    def __init__(self, iterator, generator, discriminator, optimizers, device):
        super().__init__(iterator, optimizers, device=device)
        self.generator, self.discriminator = generator, discriminator

    def update_core(self):
        real = self.converter(self.get_iterator('main').next(), self.device)
        fake = self.generator(self.generator.make_noise(len(real)))

        # softplus(-x) is the negative logarithm of the sigmoid of x.
        loss = F.average(F.softplus(-self.discriminator(fake)))
        self.generator.cleargrads()
        loss.backward()
        self.get_optimizer('generator').update()
        chainer.report({'loss': loss}, self.generator)

        # The array has no graph, so this gradient ends at the discriminator.
        on_real, on_fake = self.discriminator(real), self.discriminator(fake.array)
        loss = F.average(F.softplus(-on_real)) + F.average(F.softplus(on_fake))
        self.discriminator.cleargrads()
        loss.backward()
        self.get_optimizer('discriminator').update()
        right = ((on_real.array > 0).mean() + (on_fake.array < 0).mean()) / 2
        chainer.report({'loss': loss, 'right': right}, self.discriminator)


def draw(generator, z):
    """Return pictures as an array of NumPy, of shape (n, 8, 8)."""
    with chainer.using_config('train', False), chainer.no_backprop_mode():
        return chainer.get_device('@numpy').send(generator(z).array[:, 0])


def draw_samples(generator, n=100):
    """Return an extension that writes pictures of always the same noise."""
    z = generator.make_noise(n)

    @training.make_extension()
    def extension(trainer):
        from matplotlib.image import imsave

        tiles = np.pad(draw(generator, z), ((0, 0), (1, 1), (1, 1)), constant_values=-1)
        sheet = tiles.reshape(-1, 10, 10, 10).transpose(0, 2, 1, 3).reshape(-1, 100)
        sheet = sheet.repeat(4, axis=0).repeat(4, axis=1)
        name = 'drawn_epoch_%d.png' % trainer.updater.epoch
        imsave(os.path.join(trainer.out, name), sheet, cmap='gray_r', vmin=-1, vmax=1)
    return extension


def nearest(pictures, others):
    """Return the index of the nearest of others for each picture, and the distance."""
    distances = cdist(pictures.reshape(-1, 64), others.reshape(-1, 64))
    return distances.argmin(axis=1), distances.min(axis=1)


def parse_args():
    parser = argparse.ArgumentParser(description='Chainer example: a DCGAN of digits')
    parser.add_argument('--batchsize', '-b', type=int, default=64,
                        help='Number of pictures in each mini-batch')
    parser.add_argument('--epoch', '-e', type=int, default=60,
                        help='Number of sweeps over the dataset to train')
    parser.add_argument('--device', '-d', default='-1',
                        help='Device specifier: -1 or @numpy, 0 or @cupy:0, ...')
    parser.add_argument('--out', '-o', default='result/dcgan',
                        help='Directory to output the result')
    parser.add_argument('--resume', '-r', help='Resume the training from a snapshot')
    parser.add_argument('--n-noise', '-n', type=int, default=32,
                        help='Number of noise values for a picture')
    parser.add_argument('--interval', type=int, default=10,
                        help='Epochs between two sheets of samples, and two snapshots')
    parser.add_argument('--seed', type=int, default=0,
                        help='Seed of weights, noise and the order of the data')
    return parser.parse_args()


def main():
    from sklearn.datasets import load_digits

    args = parse_args()
    device = chainer.get_device(args.device)
    device.use()
    np.random.seed(args.seed)
    device.xp.random.seed(args.seed)

    digits = load_digits()
    pictures = (digits.images / 8 - 1).astype(np.float32)[:, None]
    iterator = chainer.iterators.SerialIterator(pictures, args.batchsize)

    generator, discriminator = Generator(args.n_noise), Discriminator()
    generator.to_device(device)
    discriminator.to_device(device)
    optimizers = {
        'generator': chainer.optimizers.Adam(1e-3, beta1=.5).setup(generator),
        'discriminator': chainer.optimizers.Adam(4e-4, beta1=.5).setup(discriminator)}

    updater = GANUpdater(iterator, generator, discriminator, optimizers, device)
    trainer = training.Trainer(updater, (args.epoch, 'epoch'), out=args.out)
    interval = args.interval, 'epoch'
    trainer.extend(extensions.snapshot(
        filename='snapshot_epoch_{.updater.epoch}', n_retains=1), trigger=interval)
    trainer.extend(extensions.LogReport())
    if extensions.PlotReport.available():
        trainer.extend(draw_samples(generator), trigger=interval)
        trainer.extend(extensions.PlotReport(
            ['generator/loss', 'discriminator/loss'], 'epoch', filename='loss.png'),
            trigger=interval)
    trainer.extend(extensions.PrintReport(
        ['epoch', 'generator/loss', 'discriminator/loss', 'discriminator/right',
         'elapsed_time']))
    trainer.extend(extensions.ProgressBar(update_interval=10))
    if args.resume:
        chainer.serializers.load_npz(args.resume, trainer)
    trainer.run()

    drawn = draw(generator, generator.make_noise(1000))
    indices, distances = nearest(drawn, pictures)
    between = np.sort(cdist(pictures.reshape(-1, 64), pictures.reshape(-1, 64)))[:, 1]
    print('From a drawn digit to the nearest real one: {:.2f} on average; from a real '
          'one to the next: {:.2f}'.format(distances.mean(), between.mean()))
    print('Of 1000 drawn digits, these are nearest to real ones of 0 to 9:',
          *np.bincount(digits.target[indices], minlength=10))
    print('Results in', args.out)


if __name__ == '__main__':
    main()

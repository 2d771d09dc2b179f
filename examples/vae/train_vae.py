#!/usr/bin/env python
"""Train a variational autoencoder on handwritten digits.

    python examples/vae/train_vae.py
    python examples/vae/train_vae.py --dim-z 8

The digits are scikit-learn's, 8x8 pixels. The loss is the negative evidence lower
bound: how unlikely a picture is under the decoder's output for its code, and how far
the code is from a normal distribution. After 100 epochs, in five seconds on one core,
the loss on test pictures is 24.0 nats. It writes to --out the log, a plot of the
loss, a snapshot, again.png with test pictures above their reconstructions, drawn.png
with pictures from random codes, and, if codes have two numbers, codes.png with the
code of each picture.
"""
import argparse
import os

import chainer
import chainer.distributions as D
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import training
from chainer.training import extensions


class Encoder(chainer.Chain):
    """From pictures to distributions of their codes."""

    def __init__(self, n_units, n_code):
        super().__init__()
        with self.init_scope():
            self.hidden1 = L.Linear(None, n_units)
            self.hidden2 = L.Linear(n_units, n_units)
            self.mean = L.Linear(n_units, n_code)
            self.log_scale = L.Linear(n_units, n_code)

    def forward(self, x):
        h = F.relu(self.hidden2(F.relu(self.hidden1(x))))
        return D.Independent(D.Normal(self.mean(h), log_scale=self.log_scale(h)))


class Decoder(chainer.Chain):
    """From codes to the probability of each pixel to be black."""

    def __init__(self, n_units, n_pixels):
        super().__init__()
        with self.init_scope():
            self.hidden1 = L.Linear(None, n_units)
            self.hidden2 = L.Linear(n_units, n_units)
            self.logit = L.Linear(n_units, n_pixels)

    def forward(self, z):
        h = F.relu(self.hidden2(F.relu(self.hidden1(z))))
        return D.Independent(D.Bernoulli(logit=self.logit(h), binary_check=False))


class Autoencoder(chainer.Chain):
    """Calling it returns the loss, and reports its two parts."""

    def __init__(self, n_units, n_code, n_pixels=64):
        super().__init__()
        with self.init_scope():
            self.encoder = Encoder(n_units, n_code)
            self.decoder = Decoder(n_units, n_pixels)

    def forward(self, x):
        code = self.encoder(x)
        standard = D.Independent(D.Normal(
            self.xp.zeros_like(code.mean.array), self.xp.ones_like(code.mean.array)))
        reconstruction = -F.average(self.decoder(code.sample()).log_prob(x))
        divergence = F.average(chainer.kl_divergence(code, standard))
        loss = reconstruction + divergence
        chainer.report({'loss': loss, 'reconstruction': reconstruction,
                        'divergence': divergence}, self)
        return loss


def save_tiles(path, pictures, columns):
    """Write pictures of shape (n, 64), side by side in rows, if there is matplotlib."""
    try:
        from matplotlib.image import imsave
    except ImportError:
        print('No', path, 'without matplotlib')
        return
    tiles = np.pad(pictures.reshape(-1, 8, 8), ((0, 0), (1, 1), (1, 1)))
    rows = tiles.reshape(-1, columns, 10, 10).transpose(0, 2, 1, 3)
    sheet = rows.reshape(-1, 10 * columns).repeat(4, axis=0).repeat(4, axis=1)
    imsave(path, sheet, cmap='gray_r', vmin=0, vmax=1)


def save_codes(path, codes, labels):
    """Draw the plane of codes."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print('No', path, 'without matplotlib')
        return
    figure = Figure(figsize=(6.4, 5.2), layout='constrained')
    ax = figure.subplots()
    points = ax.scatter(*codes.T, c=labels, cmap='tab10', vmin=-.5, vmax=9.5, s=9)
    figure.colorbar(points, ticks=range(10), label='digit')
    ax.set_aspect('equal')
    figure.savefig(path)


def parse_args():
    parser = argparse.ArgumentParser(
        description='Chainer example: a variational autoencoder of digits')
    parser.add_argument('--batchsize', '-b', type=int, default=100,
                        help='Number of pictures in each mini-batch')
    parser.add_argument('--epoch', '-e', type=int, default=100,
                        help='Number of sweeps over the dataset to train')
    parser.add_argument('--device', '-d', default='-1',
                        help='Device specifier: -1 or @numpy, 0 or @cupy:0, ...')
    parser.add_argument('--out', '-o', default='result/vae',
                        help='Directory to output the result')
    parser.add_argument('--resume', '-r', help='Resume the training from a snapshot')
    parser.add_argument('--dim-z', '-z', type=int, default=2,
                        help='Numbers in the code of a picture')
    parser.add_argument('--unit', '-u', type=int, default=128,
                        help='Number of units of the hidden layers')
    parser.add_argument('--seed', type=int, default=0,
                        help='Seed of the weights, the order of the data and the codes')
    return parser.parse_args()


def main():
    from sklearn.datasets import load_digits

    args = parse_args()
    device = chainer.get_device(args.device)
    device.use()
    np.random.seed(args.seed)

    digits = load_digits()
    pictures = (digits.data / 16).astype(np.float32)
    train, test = pictures[:1500], pictures[1500:]
    train_iter = chainer.iterators.SerialIterator(train, args.batchsize)
    test_iter = chainer.iterators.SerialIterator(
        test, args.batchsize, repeat=False, shuffle=False)

    model = Autoencoder(args.unit, args.dim_z)
    model.to_device(device)
    optimizer = chainer.optimizers.Adam(2e-3)
    optimizer.setup(model)

    updater = training.updaters.StandardUpdater(train_iter, optimizer, device=device)
    trainer = training.Trainer(updater, (args.epoch, 'epoch'), out=args.out)
    trainer.extend(extensions.Evaluator(test_iter, model, device=device))
    trainer.extend(extensions.snapshot(
        filename='snapshot_epoch_{.updater.epoch}', n_retains=1),
        trigger=(max(1, args.epoch // 10), 'epoch'))
    trainer.extend(extensions.LogReport())
    if extensions.PlotReport.available():
        trainer.extend(extensions.PlotReport(
            ['main/loss', 'validation/main/loss'], 'epoch', filename='loss.png'),
            trigger=(10, 'epoch'))
    trainer.extend(extensions.PrintReport(
        ['epoch', 'main/loss', 'validation/main/loss', 'validation/main/reconstruction',
         'validation/main/divergence', 'elapsed_time']), trigger=(10, 'epoch'))
    trainer.extend(extensions.ProgressBar(update_interval=100))
    if args.resume:
        chainer.serializers.load_npz(args.resume, trainer)
    trainer.run()

    # One test picture of each digit, and what is left of it.
    chosen = test[[list(digits.target[1500:]).index(digit) for digit in range(10)]]
    z = np.random.randn(60, args.dim_z).astype(np.float32)
    with chainer.using_config('train', False), chainer.no_backprop_mode():
        again = model.decoder(model.encoder(device.send(chosen)).mean).mean.array
        drawn = model.decoder(device.send(z)).mean.array
        codes = model.encoder(device.send(pictures)).mean.array
    again, drawn, codes = chainer.get_device('@numpy').send((again, drawn, codes))
    save_tiles(os.path.join(args.out, 'again.png'), np.concatenate([chosen, again]), 10)
    save_tiles(os.path.join(args.out, 'drawn.png'), drawn, 10)
    if args.dim_z == 2:
        save_codes(os.path.join(args.out, 'codes.png'), codes, digits.target)
    print('Loss on the test pictures: {:.2f} nats'.format(
        trainer.observation['validation/main/loss']))
    print('Results in', args.out)


if __name__ == '__main__':
    main()

#!/usr/bin/env python
"""Train a convolutional network on handwritten digits.

    python examples/cnn/train_cnn.py
    python examples/cnn/train_cnn.py --device @cupy:0 --epoch 50

The digits are scikit-learn's, 8x8 pixels: 1437 to train, 360 to test. After 20
epochs, in six seconds on one core, 357 of the test digits are read correctly. It
writes to --out the log, a plot of the accuracy, a snapshot of the last epoch, and
hardest.png: the test digits for which the network gave the right digit the lowest
probability.
"""
import argparse
import os

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import training
from chainer.training import extensions


class ConvNet(chainer.Chain):
    """Two blocks of convolutions with batch normalization, and a linear layer."""

    def __init__(self, n_out):
        super().__init__()
        with self.init_scope():
            self.conv1 = L.Convolution2D(None, 16, 3, pad=1, nobias=True)
            self.norm1 = L.BatchNormalization(16)
            self.conv2 = L.Convolution2D(None, 32, 3, pad=1, nobias=True)
            self.norm2 = L.BatchNormalization(32)
            self.output = L.Linear(None, n_out)

    def forward(self, x):
        h = F.relu(self.norm1(self.conv1(x)))
        h = F.max_pooling_2d(F.relu(self.norm2(self.conv2(h))), 2)
        return self.output(F.dropout(h, .5))


def get_digits():
    """Return images of shape (1, 8, 8) with labels, to train and to test."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    examples = chainer.datasets.TupleDataset(
        (digits.images / 16).astype(np.float32)[:, None],
        digits.target.astype(np.int32))
    return chainer.datasets.split_dataset_random(examples, 1437, seed=0)


def predict(model, images):
    """Return the probability of each digit."""
    with chainer.using_config('train', False), chainer.no_backprop_mode():
        return chainer.get_device('@numpy').send(F.softmax(model(images)).array)


def plot_hardest(path, images, labels, probabilities):
    """Draw the images whose label has the least probability."""
    from matplotlib.figure import Figure

    hardest = probabilities[np.arange(len(labels)), labels].argsort()[:12]
    figure = Figure(figsize=(6.4, 4.6), layout='constrained')
    for ax, i in zip(figure.subplots(3, 4).flat, hardest):
        ax.imshow(images[i, 0], cmap='gray_r')
        ax.axis('off')
        read = probabilities[i].argmax()
        ax.set_title('%d, read as %d (%.0f %%)' % (
            labels[i], read, 100 * probabilities[i, read]), fontsize=9,
            color='black' if read == labels[i] else 'firebrick')
    figure.savefig(path)


def parse_args():
    parser = argparse.ArgumentParser(
        description='Chainer example: a convolutional network reads digits')
    parser.add_argument('--batchsize', '-b', type=int, default=64,
                        help='Number of images in each mini-batch')
    parser.add_argument('--epoch', '-e', type=int, default=20,
                        help='Number of sweeps over the dataset to train')
    parser.add_argument('--device', '-d', default='-1',
                        help='Device specifier: -1 or @numpy, 0 or @cupy:0, ...')
    parser.add_argument('--out', '-o', default='result/cnn',
                        help='Directory to output the result')
    parser.add_argument('--resume', '-r', help='Resume the training from a snapshot')
    parser.add_argument('--learnrate', '-l', type=float, default=2e-3,
                        help='Learning rate of Adam, divided by ten in steps')
    parser.add_argument('--seed', type=int, default=0,
                        help='Seed of the weights, the order of the data and dropout')
    return parser.parse_args()


def main():
    args = parse_args()
    device = chainer.get_device(args.device)
    device.use()
    np.random.seed(args.seed)

    train, test = get_digits()
    train_iter = chainer.iterators.SerialIterator(train, args.batchsize)
    test_iter = chainer.iterators.SerialIterator(
        test, args.batchsize, repeat=False, shuffle=False)

    model = L.Classifier(ConvNet(10))
    model.to_device(device)
    optimizer = chainer.optimizers.Adam(args.learnrate)
    optimizer.setup(model)
    optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(1e-4))

    updater = training.updaters.StandardUpdater(train_iter, optimizer, device=device)
    trainer = training.Trainer(updater, (args.epoch, 'epoch'), out=args.out)
    trainer.extend(extensions.Evaluator(test_iter, model, device=device))
    trainer.extend(
        extensions.ExponentialShift('alpha', .1 ** .5),
        trigger=training.triggers.ManualScheduleTrigger(
            [args.epoch / 2, args.epoch * 3 / 4], 'epoch'))
    trainer.extend(extensions.observe_lr())
    trainer.extend(extensions.snapshot(
        filename='snapshot_epoch_{.updater.epoch}', n_retains=1))
    trainer.extend(extensions.LogReport())
    if extensions.PlotReport.available():
        trainer.extend(extensions.PlotReport(
            ['main/accuracy', 'validation/main/accuracy'], 'epoch',
            filename='accuracy.png'))
    trainer.extend(extensions.PrintReport(
        ['epoch', 'main/loss', 'validation/main/loss', 'main/accuracy',
         'validation/main/accuracy', 'lr', 'elapsed_time']))
    trainer.extend(extensions.ProgressBar(update_interval=10))
    if args.resume:
        chainer.serializers.load_npz(args.resume, trainer)
    trainer.run()

    images, labels = chainer.dataset.concat_examples(test)
    probabilities = predict(model.predictor, device.send(images))
    right = (probabilities.argmax(axis=1) == labels).sum()
    print('{} of {} test digits read correctly: {:.4f}'.format(
        right, len(labels), right / len(labels)))
    if extensions.PlotReport.available():
        plot_hardest(os.path.join(args.out, 'hardest.png'), images, labels,
                     probabilities)
    print('Results in', args.out)


if __name__ == '__main__':
    main()

#!/usr/bin/env python
"""Train a small classifier of handwritten digits, with plots and snapshots.

    python examples/mnist/train_mnist.py
    python examples/mnist/train_mnist.py --dataset mnist --device @cupy:0

The results are written to the folder given by --out: the log, plots of loss and
accuracy, the computational graph, and a snapshot of the training. With --resume it
continues from such a snapshot, and ends with exactly the weights of an uninterrupted
run.
"""
import argparse
import os

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import training
from chainer.training import extensions


class MLP(chainer.Chain):
    """Three layers of weights; the first call determines the size of the images."""

    def __init__(self, n_units, n_out):
        super().__init__()
        with self.init_scope():
            self.hidden1 = L.Linear(None, n_units)
            self.hidden2 = L.Linear(n_units, n_units)
            self.output = L.Linear(n_units, n_out)

    def forward(self, x):
        h = F.relu(self.hidden1(x))
        h = F.relu(self.hidden2(h))
        return self.output(h)


def get_digits():
    """Return scikit-learn's digits, 8x8 pixels: 1437 to train, 360 to test."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    examples = chainer.datasets.TupleDataset(
        (digits.data / 16).astype(np.float32), digits.target.astype(np.int32))
    return chainer.datasets.split_dataset_random(examples, 1437, seed=0)


def parse_args():
    parser = argparse.ArgumentParser(description='Chainer example: handwritten digits')
    parser.add_argument('--dataset', choices=('digits', 'mnist'), default='digits',
                        help='digits come with scikit-learn, mnist is downloaded')
    parser.add_argument('--batchsize', '-b', type=int, default=100,
                        help='Number of images in each mini-batch')
    parser.add_argument('--epoch', '-e', type=int, default=20,
                        help='Number of sweeps over the dataset to train')
    parser.add_argument('--frequency', '-f', type=int, default=-1,
                        help='Epochs between two snapshots; by default one at the end')
    parser.add_argument('--device', '-d', default='-1',
                        help='Device specifier: -1 or @numpy, 0 or @cupy:0, ...')
    parser.add_argument('--out', '-o', default='result',
                        help='Directory to output the result')
    parser.add_argument('--resume', '-r', help='Resume the training from a snapshot')
    parser.add_argument('--autoload', action='store_true',
                        help='Resume from the latest snapshot in the output directory')
    parser.add_argument('--unit', '-u', type=int, default=1000,
                        help='Number of units of the hidden layers')
    parser.add_argument('--noplot', action='store_true', help='Draw no plots')
    parser.add_argument('--seed', type=int, default=0,
                        help='Seed of the weights and of the order of the data')
    return parser.parse_args()


def main():
    args = parse_args()
    device = chainer.get_device(args.device)
    device.use()
    np.random.seed(args.seed)

    print('Device:', device)
    print('Data set:', args.dataset)
    print('Units:', args.unit)
    print('Batch size:', args.batchsize)
    print('Epochs:', args.epoch)
    print()

    # Loss and accuracy are reported by the classifier at each iteration.
    model = L.Classifier(MLP(args.unit, 10))
    model.to_device(device)
    optimizer = chainer.optimizers.Adam()
    optimizer.setup(model)

    if args.dataset == 'mnist':
        train, test = chainer.datasets.get_mnist()
    else:
        train, test = get_digits()
    train_iter = chainer.iterators.SerialIterator(train, args.batchsize)
    test_iter = chainer.iterators.SerialIterator(
        test, args.batchsize, repeat=False, shuffle=False)

    updater = training.updaters.StandardUpdater(train_iter, optimizer, device=device)
    trainer = training.Trainer(updater, (args.epoch, 'epoch'), out=args.out)

    trainer.extend(extensions.Evaluator(test_iter, model, device=device))
    trainer.extend(extensions.DumpGraph('main/loss'))

    frequency = args.epoch if args.frequency == -1 else max(1, args.frequency)
    trainer.extend(extensions.snapshot(
        filename='snapshot_epoch_{.updater.epoch}', autoload=args.autoload),
        trigger=(frequency, 'epoch'))

    trainer.extend(extensions.LogReport())
    if not args.noplot:
        trainer.extend(extensions.PlotReport(
            ['main/loss', 'validation/main/loss'], 'epoch', filename='loss.png'))
        trainer.extend(extensions.PlotReport(
            ['main/accuracy', 'validation/main/accuracy'], 'epoch',
            filename='accuracy.png'))
    trainer.extend(extensions.PrintReport(
        ['epoch', 'main/loss', 'validation/main/loss', 'main/accuracy',
         'validation/main/accuracy', 'elapsed_time']))
    trainer.extend(extensions.ProgressBar(update_interval=10))

    if args.resume:
        chainer.serializers.load_npz(args.resume, trainer)

    trainer.run()

    print('Accuracy on the validation set: {:.4f}'.format(
        trainer.observation['validation/main/accuracy']))
    print('Results in {}: {}'.format(args.out, ', '.join(sorted(os.listdir(args.out)))))


if __name__ == '__main__':
    main()

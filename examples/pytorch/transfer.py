#!/usr/bin/env python
"""Load a network that was trained with PyTorch, and train it further.

    python examples/pytorch/transfer.py
    python examples/pytorch/transfer.py --weights model.pt

The network of pretrain.py was trained on the digits 0 to 4. Here its output is extended
to ten classes, and it learns all digits; for comparison, so does a network with random
weights. After 5 epochs, in two seconds on one core, 92 % of the test digits are right;
from random weights, 86 %. Weights are read from an npz file, which needs no PyTorch, or
from a file of torch.save with a state_dict. It writes the network for all digits to
model.npz in --out.
"""
import argparse
import os

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np


class ConvNet(chainer.Chain):
    """The children have the names that they have in PyTorch."""

    def __init__(self, n_out):
        super().__init__()
        with self.init_scope():
            self.conv1 = L.Convolution2D(1, 8, 3, pad=1)
            self.conv2 = L.Convolution2D(8, 16, 3, pad=1)
            self.norm = L.BatchNormalization(16, eps=1e-5)    # as in PyTorch
            self.hidden = L.Linear(16 * 4 * 4, 32)
            self.output = L.Linear(32, n_out)

    def features(self, x):
        h = F.relu(self.norm(self.conv2(F.relu(self.conv1(x)))))
        return F.relu(self.hidden(F.max_pooling_2d(h, 2)))

    def forward(self, x):
        return self.output(self.features(x))


def to_chainer(key):
    """Return what Chainer's npz files call a tensor of a state_dict."""
    link, _, name = key.rpartition('.')
    names = {'weight': 'W', 'bias': 'b'}
    if link == 'norm':
        names = {'weight': 'gamma', 'bias': 'beta', 'running_mean': 'avg_mean',
                 'running_var': 'avg_var', 'num_batches_tracked': 'N'}
    return link + '/' + names[name]


def load_weights(model, path):
    if path.endswith('.npz'):
        # Convolutions and linear layers have the same layouts in both libraries.
        with np.load(path) as file:
            arrays = {to_chainer(key): file[key] for key in file.files}
        chainer.serializers.NpzDeserializer(arrays).load(model)
        return
    try:
        import torch

        from chainer_fast.interop.torch import load_torch_state_dict
    except ImportError:
        raise SystemExit(
            '%s can only be read with PyTorch: pip install torch. An npz file of the '
            'same arrays needs none; pretrain.py writes one.' % path)
    load_torch_state_dict(model, torch.load(path, weights_only=True))


def predict(model, images):
    with chainer.using_config('train', False), chainer.no_backprop_mode():
        return chainer.get_device('@numpy').send(model(images).array)


def accuracy(model, images, labels):
    return (predict(model, images).argmax(axis=1) == labels).mean()


def grow(output, n_out):
    """Return a linear layer with more outputs, the first of which are as before."""
    n_known, n_in = output.W.shape
    grown = L.Linear(n_in, n_out)
    grown.to_device(output.device)
    grown.W.array[:n_known] = output.W.array
    grown.b.array[:n_known] = output.b.array
    return grown


def train_epoch(model, optimizer, iterator, device):
    while True:
        x, t = chainer.dataset.concat_examples(iterator.next(), device)
        loss = F.softmax_cross_entropy(model(x), t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        if iterator.is_new_epoch:
            return


def parse_args():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(
        description='Chainer example: a network of PyTorch learns more')
    parser.add_argument('--weights', '-w',
                        default=os.path.join(here, 'digits_0_to_4.npz'),
                        help='File of the weights, npz or of PyTorch')
    parser.add_argument('--batchsize', '-b', type=int, default=64,
                        help='Number of images in each mini-batch')
    parser.add_argument('--epoch', '-e', type=int, default=5,
                        help='Number of sweeps over all digits')
    parser.add_argument('--device', '-d', default='-1',
                        help='Device specifier: -1 or @numpy, 0 or @cupy:0, ...')
    parser.add_argument('--out', '-o', default='result/pytorch',
                        help='Directory to output the result')
    parser.add_argument('--seed', type=int, default=0,
                        help='Seed of the new weights and of the order of the data')
    return parser.parse_args()


def main():
    from sklearn.datasets import load_digits

    args = parse_args()
    device = chainer.get_device(args.device)
    device.use()
    np.random.seed(args.seed)

    digits = load_digits()
    images = (digits.images / 16).astype(np.float32)[:, None]
    labels = digits.target.astype(np.int32)
    train = chainer.datasets.TupleDataset(images[:1437], labels[:1437])
    test, answers = device.send(images[1437:]), labels[1437:]

    model = ConvNet(5)
    model.to_device(device)
    load_weights(model, args.weights)
    known = answers < 5
    print('As PyTorch left it: {:.4f} of the test digits 0 to 4 are right'.format(
        accuracy(model, test[known], answers[known])))

    output = grow(model.output, 10)
    del model.output    # a name that is taken is an error
    with model.init_scope():
        model.output = output
    scratch = ConvNet(10)
    scratch.to_device(device)
    models = model, scratch
    optimizers = [chainer.optimizers.Adam().setup(each) for each in models]
    iterators = [chainer.iterators.SerialIterator(train, args.batchsize)
                 for _ in models]
    for epoch in range(1, args.epoch + 1):
        for each in zip(models, optimizers, iterators):
            train_epoch(*each, device)
        right = [accuracy(each, test, answers) for each in models]
        print('epoch {}: {:.4f} of the test digits are right, from random weights '
              '{:.4f}'.format(epoch, *right), flush=True)
    os.makedirs(args.out, exist_ok=True)
    chainer.serializers.save_npz(os.path.join(args.out, 'model.npz'), model)


if __name__ == '__main__':
    main()

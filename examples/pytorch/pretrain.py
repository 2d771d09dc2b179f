#!/usr/bin/env python
"""Train a network of PyTorch on the digits 0 to 4 and save its weights as npz.

    python examples/pytorch/pretrain.py --out examples/pytorch/digits_0_to_4.npz

It needs PyTorch: pip install torch. The file contains the tensors of the state_dict
under their names, and transfer.py reads it without PyTorch. If --out ends with .pt,
torch.save writes the file.
"""
import argparse

import numpy as np
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.nn import functional as F


class ConvNet(nn.Module):

    def __init__(self, n_out):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
        self.conv2 = nn.Conv2d(8, 16, 3, padding=1)
        self.norm = nn.BatchNorm2d(16)
        self.hidden = nn.Linear(16 * 4 * 4, 32)
        self.output = nn.Linear(32, n_out)

    def forward(self, x):
        h = F.relu(self.norm(self.conv2(F.relu(self.conv1(x)))))
        h = F.max_pool2d(h, 2).flatten(1)
        return self.output(F.relu(self.hidden(h)))


def main():
    parser = argparse.ArgumentParser(
        description='Chainer example: weights of PyTorch as npz')
    parser.add_argument('--epoch', '-e', type=int, default=20,
                        help='Number of sweeps over the digits')
    parser.add_argument('--out', '-o', default='digits_0_to_4.npz',
                        help='File to write, .npz or .pt')
    parser.add_argument('--seed', type=int, default=0,
                        help='Seed of the weights and of the order of the data')
    args = parser.parse_args()
    torch.manual_seed(args.seed)

    digits = load_digits()
    chosen = np.flatnonzero(digits.target[:1437] < 5)    # the others are for the test
    x = torch.tensor(digits.images[chosen] / 16, dtype=torch.float32)[:, None]
    t = torch.tensor(digits.target[chosen])
    model = ConvNet(5)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for _ in range(args.epoch):
        for batch in torch.randperm(len(x)).split(64):
            optimizer.zero_grad()
            F.cross_entropy(model(x[batch]), t[batch]).backward()
            optimizer.step()
    model.eval()
    right = (model(x).argmax(dim=1) == t).float().mean()
    print('Right of the digits 0 to 4: {:.4f}'.format(float(right)))
    if args.out.endswith('.pt'):
        torch.save(model.state_dict(), args.out)
    else:
        np.savez_compressed(args.out, **{
            key: tensor.numpy() for key, tensor in model.state_dict().items()})


if __name__ == '__main__':
    main()

#!/usr/bin/env python
"""A program for Chainer 1, from 2015, that reads handwritten digits.

    chainer-fast --legacy=v1,python,numpy examples/legacy/train_v1.py
    chainer-fast check examples/legacy/train_v1.py
    chainer-fast check --fix examples/legacy/train_v1.py

Many names that it uses have been removed. The first command runs it unchanged and
reports at the end what was adapted, the second lists these names with their
replacements, and the third rewrites the file. It runs for two seconds on one core,
and after 15 epochs reads 352 of 360 test digits correctly.
"""
import argparse

import chainer
import chainer.functions as F
import numpy as np
from chainer import cuda, optimizers
from sklearn.datasets import load_digits

parser = argparse.ArgumentParser(description='Chainer example: a program of 2015')
parser.add_argument('--gpu', '-g', default=-1, type=int,
                    help='GPU ID (negative value indicates CPU)')
parser.add_argument('--epoch', '-e', default=15, type=int,
                    help='Number of sweeps over the dataset to train')
args = parser.parse_args()
if args.gpu >= 0:
    cuda.get_device(args.gpu).use()
xp = cuda.cupy if args.gpu >= 0 else np

np.random.seed(0)
digits = load_digits()
perm = np.random.permutation(len(digits.data))
x_all = (digits.data[perm] / 16).astype(np.float32)
y_all = digits.target[perm].astype(np.int32)
x_train, x_test = np.split(x_all, [1437])
y_train, y_test = np.split(y_all, [1437])
batchsize, N = 50, len(x_train)

model = chainer.FunctionSet(
    l1=F.Linear(64, 100),
    l2=F.Linear(100, 100),
    l3=F.Linear(100, 10))
if args.gpu >= 0:
    model.to_gpu()


def forward(x_data, y_data, train=True):
    x = chainer.Variable(xp.asarray(x_data), volatile=not train)
    t = chainer.Variable(xp.asarray(y_data), volatile=not train)
    h1 = F.dropout(F.relu(model.l1(x)), ratio=.2, train=train)
    h2 = F.dropout(F.relu(model.l2(h1)), ratio=.2, train=train)
    y = model.l3(h2)
    return F.softmax_cross_entropy(y, t), F.accuracy(y, t)


optimizer = optimizers.Adam()
optimizer.setup(model.collect_parameters())

for epoch in xrange(1, args.epoch + 1):
    perm = np.random.permutation(N)
    sum_loss = 0
    for i in xrange(0, N, batchsize):
        optimizer.zero_grads()
        loss, acc = forward(x_train[perm[i:i + batchsize]],
                            y_train[perm[i:i + batchsize]])
        loss.backward()
        optimizer.update()
        sum_loss += float(loss.data) * len(perm[i:i + batchsize])
    loss, acc = forward(x_test, y_test, train=False)
    print('epoch %d: loss %.4f, test loss %.4f, test accuracy %.4f' % (
        epoch, sum_loss / N, float(loss.data), float(acc.data)))

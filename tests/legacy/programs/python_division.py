# Chainer 1.24, Python 2.7, --legacy=python,v1
"""Batches counted as Python 2 divides, in a program that names it."""
import numpy as np

import chainer.functions as F
import chainer.links as L

np.random.seed(9)
x = np.random.rand(25, 7).astype(np.float32)
size = 10
batches = len(x) / size  # removed: division of whole numbers
half = x.shape[1] / 2  # removed: division of whole numbers
print('%d batches, half %d' % (batches, half))
model = L.Linear(half, 1)
total = 0.0
for i in xrange(batches):  # removed: builtins.xrange
    total += float(F.sum(model(x[i * size:(i + 1) * size, :half]) ** 2).data)
print('%.6f' % (total / batches))
counts = np.array([7, 8]) / 2  # removed: division of whole numbers
print('%s %s' % (counts.tolist(), (np.array([7, 8]) / 2.0).tolist()))
size /= 4  # removed: division of whole numbers
print('%d %.2f %d' % (size, 7 / 2.0, -7 / 2))  # removed: division of whole numbers

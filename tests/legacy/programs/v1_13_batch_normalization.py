# Chainer 1.13, Python 2.7, --legacy=v1.13,python
"""Batch normalization when its eps was half of today's."""
import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L

np.random.seed(0)
# A small variance, of which eps is a part.
x = chainer.Variable(np.random.uniform(-.01, .01, (8, 3)).astype(np.float32))
bn = L.BatchNormalization(3)  # removed: chainer.links.BatchNormalization with a running variance from 0; chainer.links.BatchNormalization with an eps of 1e-5
for k in range(3):
    y = bn(x * (k + 1))  # removed: chainer.functions.batch_normalization with eps in the running variance
    print('%.5f' % float(F.sum(y ** 2).data))
print('%.4f' % (float(bn.avg_var.sum()) * 1e4))
print('%.5f' % float(F.sum(bn(x, test=True) ** 2).data))  # removed: chainer.functions.fixed_batch_normalization without eps; chainer.links.BatchNormalization.__call__(test=)
gamma = chainer.Variable(np.ones(3, np.float32))
beta = chainer.Variable(np.zeros(3, np.float32))
mean = chainer.Variable(np.zeros(3, np.float32))
var = chainer.Variable(np.full(3, 1e-4, np.float32))
y = F.batch_normalization(x, gamma, beta)  # removed: chainer.functions.batch_normalization with an eps of 1e-5
print('%.5f' % float(F.sum(y ** 2).data))
y = F.fixed_batch_normalization(x, gamma, beta, mean, var)  # removed: chainer.functions.fixed_batch_normalization without eps
print('%.5f' % float(F.sum(y ** 2).data))
for normalized in (L.BatchNormalization(3, 0.9, 2e-5)(x),  # removed: chainer.functions.batch_normalization with eps in the running variance; chainer.links.BatchNormalization with a running variance from 0
                   L.BatchNormalization(3, eps=2e-5)(x),  # removed: chainer.functions.batch_normalization with eps in the running variance; chainer.links.BatchNormalization with a running variance from 0
                   F.batch_normalization(x, gamma, beta, 2e-5),  # removed: chainer.functions.batch_normalization by position
                   F.batch_normalization(x, gamma, beta, eps=2e-5)):
    print('%.5f' % float(F.sum(normalized ** 2).data))
y = F.fixed_batch_normalization(x, gamma, beta, mean, var, 1e-4)  # removed: chainer.functions.fixed_batch_normalization without eps
print('%.5f' % float(F.sum(y ** 2).data))

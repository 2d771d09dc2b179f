# Chainer 3.5, Python 3.6, --legacy=v3
"""Running averages of batch normalization, which began at zero and counted eps."""
import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L

np.random.seed(0)
x = np.random.uniform(-1, 1, (8, 3)).astype(np.float32)
bn = L.BatchNormalization(3, eps=0.01)  # removed: chainer.links.BatchNormalization with a running variance from 0
for k in range(3):
    y = bn(x * (k + 1))  # removed: chainer.functions.batch_normalization with eps in the running variance
print('%.6f %.6f' % (float(bn.avg_mean.sum()), float(bn.avg_var.sum())))
with chainer.using_config('train', False):
    print('%.5f' % float(F.sum(bn(x) ** 2).data))
mean, var = np.zeros(3, np.float32), np.zeros(3, np.float32)
gamma, beta = np.ones(3, np.float32), np.zeros(3, np.float32)
F.batch_normalization(  # removed: chainer.functions.batch_normalization with eps in the running variance
    x, gamma, beta, running_mean=mean, running_var=var, decay=0.5)
print('%.6f' % float(var.sum()))

# Chainer 4.5, Python 3.6
"""Classes of functions that came in Chainer 3 and 4, and went in Chainer 5."""
import numpy as np

import chainer.functions as F

x = np.random.RandomState(0).uniform(0.1, 0.9, (4, 3)).astype(np.float32)
gamma, beta = np.ones(3, np.float32), np.zeros(3, np.float32)
print('%.5f' % float(F.sum(F.Arctan2().apply((x, 1 - x))[0]).data))  # removed: chainer.functions.Arctan2
print(F.Flip(0).apply((x,))[0].data[0, 0] == x[-1, 0])  # removed: chainer.functions.Flip
print('%.5f' % float(F.Prod().apply((x,))[0].data))  # removed: chainer.functions.Prod
print('%.5f' % float(F.sum(F.Cumsum(axis=1).apply((x,))[0]).data))  # removed: chainer.functions.Cumsum
print('%.4f' % float(F.max(F.LayerNormalization().apply((x, gamma, beta))[0]).data))  # removed: chainer.functions.LayerNormalization
print('%.5f' % float(F.sum(F.CReLU().apply((x - 0.5,))[0]).data))  # removed: chainer.functions.CReLU

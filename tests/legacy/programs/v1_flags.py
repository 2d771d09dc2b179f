# Chainer 1.24, Python 3.6
"""Helpers of a library that handled the flags themselves."""
import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import flag  # removed: chainer.flag


def state(batch_size, like):
    return chainer.Variable(  # removed: chainer.Variable(volatile=)
        np.zeros((batch_size, 4), np.float32), volatile=like.volatile)  # removed: chainer.Variable.volatile


np.random.seed(0)
lstm = L.StatelessLSTM(3, 4)
for mode in chainer.ON, chainer.OFF:  # removed: chainer.ON; chainer.OFF
    x = chainer.Variable(np.ones((2, 3), np.float32), mode)  # removed: chainer.Variable(volatile=)
    c = h = state(2, x)
    for _ in range(3):
        c, h = lstm(c, h, x)
    print('%s %.4f %s' % (mode, F.sum(c).data / F.sum(c).data, h.creator is None))
for value in (True, 'off', None):
    print(chainer.Flag(value))  # removed: chainer.Flag
print(flag.aggregate_flags([chainer.Flag(None), chainer.Flag('on')]))  # removed: chainer.Flag

# Chainer 6.7, Python 3.7
"""Functions and links imported from the modules in which they stood."""
import numpy as np

import chainer.functions as F
from chainer.functions.activation import lstm  # removed: chainer.functions.activation.lstm
from chainer.functions.connection.n_step_rnn import n_step_birnn  # removed: chainer.functions.connection.n_step_rnn
from chainer.functions.math import squared_difference  # removed: chainer.functions.math.squared_difference
from chainer.functions.pooling.max_pooling_2d import max_pooling_2d  # removed: chainer.functions.pooling.max_pooling_2d
from chainer.links.connection import gru  # removed: chainer.links.connection.gru
import chainer.links.connection.n_step_lstm as n_step_lstm  # removed: chainer.links.connection.n_step_lstm

rs = np.random.RandomState(0)
x = rs.rand(2, 8).astype(np.float32)
c, h = lstm.lstm(x[:, :2], x)
print('%.6f %.6f' % (F.sum(c).array, F.sum(h).array))
print('%.6f' % F.sum(squared_difference.squared_difference(x, x[::-1])).array)
print('%.6f' % F.sum(max_pooling_2d(x.reshape(1, 1, 4, 4), 2)).array)
np.random.seed(0)
print('%.6f' % F.sum(gru.StatelessGRU(8, 3)(x[:, :3], x)).array)
rnn = n_step_lstm.NStepLSTM(1, 8, 3, 0.)
print('%.6f' % F.sum(rnn(None, None, [x])[2][0]).array)
ws = [[rs.rand(2, k).astype(np.float32) for k in (8, 2)]] * 2
bs = [[np.zeros(2, np.float32)] * 2] * 2
hy, ys = n_step_birnn(1, 0., np.zeros((2, 1, 2), np.float32), ws, bs, [x])
print('%.6f' % F.sum(ys[0]).array)

# Chainer 1.24, Python 3.6, --legacy=v1
"""The switches of layers that the other programs leave out, one after the other."""
import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import Variable
from chainer.function_set import FunctionSet  # removed: chainer.function_set

np.random.seed(12)
image = np.random.uniform(-1, 1, (2, 3, 9, 9)).astype(np.float32)
x = np.random.uniform(-1, 1, (4, 6)).astype(np.float32)
ones = np.ones(6, dtype=np.float32)
xs = [Variable(np.random.uniform(-1, 1, (n, 3)).astype(np.float32)) for n in (4, 2)]


def show(name, y):
    while isinstance(y, (list, tuple)):
        y = y[-1]
    print('%s %s %.6f' % (name, y.data.shape, float(y.data.sum())))


def stacked(directions, gates, units=3):
    shapes = [[(units, 3 if layer == 0 and k < gates // 2 else
                units * (directions if k < gates // 2 else 1)) for k in range(gates)]
              for layer in range(2) for _ in range(directions)]
    ws = [[np.random.uniform(-1, 1, s).astype(np.float32) for s in row] for row in shapes]
    return ws, [[np.zeros(units, dtype=np.float32) for _ in row] for row in shapes]


h = np.zeros((4, 4, 3), dtype=np.float32)
ws, bs = stacked(1, 8)
show('lstm', F.n_step_lstm(2, 0.5, h[:2], h[:2], ws, bs, xs, train=False, use_cudnn=False))  # removed: chainer.functions.n_step_lstm(train=); chainer.functions.n_step_lstm(use_cudnn=)
ws, bs = stacked(2, 8)
show('lstm', F.n_step_bilstm(2, 0.5, h, h, ws, bs, xs, train=False, use_cudnn=False))  # removed: chainer.functions.n_step_bilstm(train=); chainer.functions.n_step_bilstm(use_cudnn=)
ws, bs = stacked(1, 6)
show('gru', F.n_step_gru(2, 0.5, h[:2], ws, bs, xs, train=False, use_cudnn=False))  # removed: chainer.functions.n_step_gru(train=); chainer.functions.n_step_gru(use_cudnn=)
ws, bs = stacked(2, 6)
show('gru', F.n_step_bigru(2, 0.5, h, ws, bs, xs, train=False, use_cudnn=False))  # removed: chainer.functions.n_step_bigru(train=); chainer.functions.n_step_bigru(use_cudnn=)
ws, bs = stacked(1, 2)
show('rnn', F.n_step_rnn(2, 0.5, h[:2], ws, bs, xs, False, False, 'relu'))  # removed: chainer.functions.n_step_rnn(train=); chainer.functions.n_step_rnn(use_cudnn=)
ws, bs = stacked(2, 2)
show('rnn', F.n_step_birnn(2, 0.5, h, ws, bs, xs, train=False, use_cudnn=False))  # removed: chainer.functions.n_step_birnn(train=); chainer.functions.n_step_birnn(use_cudnn=)

link = L.NStepLSTM(2, 3, 4, 0.5, use_cudnn=False)  # removed: chainer.links.NStepLSTM(use_cudnn=)
show('lstm', link(None, None, xs, train=False))  # removed: chainer.links.NStepLSTM.__call__(train=)
link = L.NStepBiGRU(2, 3, 4, 0.5, use_cudnn=False)  # removed: chainer.links.NStepBiGRU(use_cudnn=)
show('gru', link(None, xs, train=False))  # removed: chainer.links.NStepBiGRU.__call__(train=)
link = L.NStepRNNTanh(2, 3, 4, 0.5, use_cudnn=False)  # removed: chainer.links.NStepRNNTanh(use_cudnn=)
show('tanh', link(None, xs, train=False))  # removed: chainer.links.NStepRNNTanh.__call__(train=)
link = L.NStepRNNReLU(2, 3, 4, 0.5, use_cudnn=False)  # removed: chainer.links.NStepRNNReLU(use_cudnn=)
show('relu', link(None, xs, train=False))  # removed: chainer.links.NStepRNNReLU.__call__(train=)
link = L.NStepBiRNNTanh(2, 3, 4, 0.5, use_cudnn=False)  # removed: chainer.links.NStepBiRNNTanh(use_cudnn=)
show('tanh', link(None, xs, train=False))  # removed: chainer.links.NStepBiRNNTanh.__call__(train=)
link = L.NStepBiRNNReLU(2, 3, 4, 0.5, use_cudnn=False)  # removed: chainer.links.NStepBiRNNReLU(use_cudnn=)
show('relu', link(None, xs, train=False))  # removed: chainer.links.NStepBiRNNReLU.__call__(train=)

show('bn', F.batch_normalization(x, ones, ones, use_cudnn=False))  # removed: chainer.functions.batch_normalization(use_cudnn=)
show('bn', L.BatchNormalization(6, use_cudnn=False)(x))  # removed: chainer.functions.batch_normalization with eps in the running variance; chainer.links.BatchNormalization with a running variance from 0; chainer.links.BatchNormalization(use_cudnn=)
show('convolution', L.Convolution2D(3, 4, 3, deterministic=True)(image))  # removed: chainer.links.Convolution2D(deterministic=)
show('convolution', L.ConvolutionND(2, 3, 4, 3, use_cudnn=False)(image))  # removed: chainer.links.ConvolutionND without a bias; chainer.links.ConvolutionND(use_cudnn=)
show('deconvolution', L.Deconvolution2D(3, 4, 3, use_cudnn=False, bias=1)(image))  # removed: chainer.links.Deconvolution2D(bias=); chainer.links.Deconvolution2D(use_cudnn=)
show('deconvolution', L.Deconvolution2D(3, 4, 3, deterministic=True)(image))  # removed: chainer.links.Deconvolution2D(deterministic=)
show('deconvolution', L.DeconvolutionND(2, 3, 4, 3, 1, 0, (11, 11))(image))  # removed: chainer.links.DeconvolutionND by position
show('dilated', L.DilatedConvolution2D(3, 4, 3, use_cudnn=False)(image))  # removed: chainer.links.DilatedConvolution2D(use_cudnn=)
show('mlp', L.MLPConvolution2D(3, (4, 2), 3, use_cudnn=False)(image))  # removed: chainer.links.MLPConvolution2D(use_cudnn=)
module = L.InceptionBN(3, 4, 2, 4, 2, 4, 'avg', 2)  # removed: chainer.links.BatchNormalization with a running variance from 0
module(image)  # removed: chainer.functions.batch_normalization with eps in the running variance
module.train = False
print('inception %.3f' % float(np.log(np.abs(module(image).data).sum())))  # removed: chainer.links.InceptionBN.train
model = FunctionSet(l1=L.Linear(2, 3))
print(len(model.parameters))  # removed: chainer.FunctionSet.parameters

# Chainer 1.8, Python 2.7, --legacy=v1.8,python,numpy
"""Initial weights when wscale was the scale itself, and no link took initializers."""
import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L

W = np.arange(12, dtype=np.float32).reshape(4, 3)


def show(link):
    for name, param in sorted(link.namedparams()):  # removed: order of parameters as they were added
        print('%s %.5f %.5f' % (name, param.data.sum(), abs(param.data).sum()))


np.random.seed(0)
show(L.Linear(3, 4))
show(L.Linear(3, 4, wscale=2, bias=1))  # removed: chainer.links.Linear(wscale=); chainer.links.Linear(bias=); initial weights of Chainer 1.8
show(L.Linear(3, 4, wscale=2, initialW=W))  # removed: chainer.links.Linear(wscale=); initial weights of Chainer 1.8
show(L.Convolution2D(3, 4, (2, 3), wscale=2))  # removed: chainer.links.Convolution2D(wscale=); initial weights of Chainer 1.8
show(L.Deconvolution2D(3, 5, (2, 3)))  # removed: initial weights of Chainer 1.8
show(L.Deconvolution2D(3, 5, (2, 3), wscale=2))  # removed: chainer.links.Deconvolution2D(wscale=); initial weights of Chainer 1.8
show(L.MLPConvolution2D(3, (4, 2), 3, wscale=2))  # removed: chainer.links.MLPConvolution2D(wscale=); initial weights of Chainer 1.8
show(L.Maxout(3, 4, 2, wscale=2))  # removed: chainer.links.Maxout(wscale=); initial weights of Chainer 1.8
show(L.Bilinear(3, 4, 5))  # removed: initial weights of Chainer 1.8
show(L.Bilinear(3, 3, 2, True))  # removed: initial weights of Chainer 1.8
show(L.LSTM(3, 4))  # removed: chainer.links.LSTM with a forget bias of 0; initial weights of Chainer 1.8
show(F.Linear(3, 4, wscale=2))  # removed: chainer.functions.Linear; chainer.links.Linear(wscale=); initial weights of Chainer 1.8
show(F.Bilinear(3, 4, 5))  # removed: chainer.functions.Bilinear; initial weights of Chainer 1.8
model = chainer.FunctionSet(l1=F.Linear(2, 3))  # removed: chainer.FunctionSet; chainer.functions.Linear
show(model)
print('%.5f' % np.random.rand())

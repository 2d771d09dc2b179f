# Chainer 1.8, Python 2.7, --legacy=v1.8,python,numpy
"""Initial weights when no link took initializers."""
import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L


def show(link):
    for name, param in sorted(link.namedparams()):  # removed: order of parameters as they were added
        print('%s %.5f %.5f' % (name, param.data.sum(), abs(param.data).sum()))


np.random.seed(0)
show(L.Linear(3, 4))
show(L.Deconvolution2D(3, 5, (2, 3)))  # removed: initial weights of Chainer 1.8
show(L.Bilinear(3, 4, 5))  # removed: initial weights of Chainer 1.8
show(L.Bilinear(3, 3, 2, True))  # removed: initial weights of Chainer 1.8
show(L.LSTM(3, 4))  # removed: chainer.links.LSTM with a forget bias of 0; initial weights of Chainer 1.8
show(F.Bilinear(3, 4, 5))  # removed: chainer.functions.Bilinear; initial weights of Chainer 1.8
model = chainer.FunctionSet(l1=F.Linear(2, 3))  # removed: chainer.FunctionSet; chainer.functions.Linear
show(model)
print('%.5f' % np.random.rand())

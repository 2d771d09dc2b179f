# Chainer 1.24, Python 3.6, --legacy=v1
"""Arguments by their positions of 2015; some of these positions mean others today."""
import numpy as np

import chainer.functions as F
import chainer.links as L
from chainer import Variable


def show(name, y):
    y = y.data if isinstance(y, Variable) else y
    print('%s %s %.5f' % (name, y.shape, float(np.abs(y).sum())))


np.random.seed(7)
x = Variable(np.random.uniform(-1, 1, (4, 6)).astype(np.float32))
t = Variable(np.array([1, 0, 2, -1], dtype=np.int32))
image = Variable(np.random.uniform(-1, 1, (2, 3, 9, 9)).astype(np.float32))
W = np.random.uniform(-1, 1, (4, 3, 3, 3)).astype(np.float32)
V = np.random.uniform(-1, 1, (3, 4, 3, 3)).astype(np.float32)
gamma, beta = np.random.uniform(0, 1, (2, 6)).astype(np.float32)

show('linear', L.Linear(6, 5, 1.4)(x))  # removed: chainer.links.Linear(wscale=)
show('linear', L.Linear(6, 5, 2, 0.5)(x))  # removed: chainer.links.Linear(bias=); chainer.links.Linear(wscale=)
show('convolution', L.Convolution2D(3, 4, 3, 2, 1, 2, 0.1, False, False)(image))  # removed: chainer.links.Convolution2D(bias=); chainer.links.Convolution2D(use_cudnn=); chainer.links.Convolution2D(wscale=)
show('dilated', L.DilatedConvolution2D(3, 4, 3, 1, 2, 2, 0.5)(image))  # removed: chainer.links.DilatedConvolution2D(wscale=)
show('mlp', L.MLPConvolution2D(3, (4, 2), 3, 1, 1, 2, F.sigmoid)(image))  # removed: chainer.links.MLPConvolution2D(wscale=)
show('maxout', L.Maxout(6, 3, 2, 4)(x))  # removed: chainer.links.Maxout(wscale=)
show('bn', L.BatchNormalization(6)(x, True))  # removed: chainer.links.BatchNormalization with a running variance from 0; chainer.links.BatchNormalization.__call__(test=)
show('dropout', F.dropout(x, 0.5, False))  # removed: chainer.functions.dropout(train=)
show('zoneout', F.zoneout(x, x * 2, 0.5, False))  # removed: chainer.functions.zoneout(train=)
show('relu', F.relu(x, False))  # removed: chainer.functions.relu(use_cudnn=)
show('tanh', F.tanh(x, True))  # removed: chainer.functions.tanh(use_cudnn=)
show('softmax', F.softmax(x, True, 0))  # removed: chainer.functions.softmax(use_cudnn=)
show('log softmax', F.log_softmax(x, False))  # removed: chainer.functions.log_softmax(use_cudnn=)
show('loss', F.softmax_cross_entropy(x, t, False, False))  # removed: chainer.functions.softmax_cross_entropy(use_cudnn=)
show('loss', F.sigmoid_cross_entropy(x, (x.data > 0).astype(np.int32), False))  # removed: chainer.functions.sigmoid_cross_entropy(use_cudnn=)
show('pooling', F.max_pooling_2d(image, 3, 2, 0, False, True))  # removed: chainer.functions.max_pooling_2d(use_cudnn=)
show('pooling', F.average_pooling_2d(image, 3, 2, 0, False))  # removed: chainer.functions.average_pooling_2d(use_cudnn=)
show('convolution', F.convolution_2d(image, W, None, 2, 0, True, True, False))  # removed: chainer.functions.convolution_2d(deterministic=); chainer.functions.convolution_2d(use_cudnn=)
show('deconvolution', F.deconvolution_2d(image, V, None, 2, 0, None, False, True))  # removed: chainer.functions.deconvolution_2d(deterministic=); chainer.functions.deconvolution_2d(use_cudnn=)
show('dilated', F.dilated_convolution_2d(image, W, None, 1, 0, 2, False))  # removed: chainer.functions.dilated_convolution_2d(use_cudnn=)
show('norm', F.batch_normalization(x, gamma, beta, 1e-3))  # removed: chainer.functions.batch_normalization by position
show('norm', F.fixed_batch_normalization(x, gamma, beta, beta, gamma, 1e-3, False))  # removed: chainer.functions.fixed_batch_normalization(use_cudnn=)
show('pyramid', F.spatial_pyramid_pooling_2d(image, 2, F.MaxPooling2D, False))  # removed: chainer.functions.MaxPooling2D; chainer.functions.spatial_pyramid_pooling_2d(pooling_class=); chainer.functions.spatial_pyramid_pooling_2d(use_cudnn=)

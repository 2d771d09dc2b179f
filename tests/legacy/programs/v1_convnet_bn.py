# Chainer 1.24, Python 2.7, --legacy=v1
"""A convolutional network with batch normalization, as classifiers of 2015 had it."""
import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import optimizers


class ConvNet(chainer.Chain):

    def __init__(self):
        super(ConvNet, self).__init__(
            conv1=L.Convolution2D(1, 6, 3, wscale=np.sqrt(2), use_cudnn=False),  # removed: chainer.links.Convolution2D(use_cudnn=); chainer.links.Convolution2D(wscale=)
            bn1=L.BatchNormalization(6),  # removed: chainer.links.BatchNormalization with a running variance from 0
            conv2=F.Convolution2D(6, 8, 3, pad=1, bias=0.1),  # removed: chainer.functions.Convolution2D; chainer.links.Convolution2D(bias=)
            bn2=F.BatchNormalization(8),  # removed: chainer.functions.BatchNormalization; chainer.links.BatchNormalization with a running variance from 0
            fc=L.Linear(8 * 3 * 3, 3, wscale=0.5, bias=0.2))  # removed: chainer.links.Linear(bias=); chainer.links.Linear(wscale=)

    def __call__(self, x, t, train=True):
        h = F.relu(self.bn1(self.conv1(x), test=not train))  # removed: chainer.functions.batch_normalization with eps in the running variance; chainer.links.BatchNormalization.__call__(test=)
        h = F.max_pooling_2d(h, 2, stride=2, use_cudnn=False)  # removed: chainer.functions.max_pooling_2d(use_cudnn=)
        h = F.relu(self.bn2(self.conv2(h), test=not train), use_cudnn=False)  # removed: chainer.functions.batch_normalization with eps in the running variance; chainer.functions.relu(use_cudnn=); chainer.links.BatchNormalization.__call__(test=)
        h = F.dropout(h, ratio=0.3, train=train)  # removed: chainer.functions.dropout(train=)
        y = self.fc(h)
        return F.softmax_cross_entropy(y, t), F.accuracy(y, t)


np.random.seed(1)
x = np.random.rand(24, 1, 8, 8).astype(np.float32)
t = (x.mean(axis=(1, 2, 3)) * 30).astype(np.int32) % 3
model = ConvNet()
optimizer = optimizers.MomentumSGD(lr=0.02)
optimizer.setup(model)
for epoch in range(3):
    for i in range(0, 24, 8):
        model.zerograds()
        loss, _ = model(chainer.Variable(x[i:i + 8]), chainer.Variable(t[i:i + 8]))
        loss.backward()
        optimizer.update()
    print('loss %.6f' % float(loss.data))
loss, accuracy = model(
    chainer.Variable(x, volatile='on'), chainer.Variable(t, volatile='on'), train=False)  # removed: chainer.Variable(volatile=)
print('test %.6f %.4f' % (float(loss.data), float(accuracy.data)))
print('moving mean %.6f' % float(model.bn1.avg_mean.sum()))

# Chainer 1.24, Python 2.7, --legacy=v1
"""Inception modules in the style of GoogLeNet, plain and with batch normalization."""
import numpy as np

import chainer
from chainer import Variable
import chainer.functions as F
import chainer.links as L


class GoogLeNetLike(chainer.Chain):

    def __init__(self):
        super(GoogLeNetLike, self).__init__(
            conv=F.Convolution2D(3, 8, 3, stride=2, pad=1, wscale=2),  # removed: chainer.functions.Convolution2D; chainer.links.Convolution2D(wscale=)
            inc3a=F.Inception(8, 4, 4, 6, 2, 4, 4),  # removed: chainer.functions.Inception
            inc3b=F.InceptionBN(18, 0, 4, 6, 4, 5, 'max', stride=2),  # removed: chainer.functions.InceptionBN; chainer.links.BatchNormalization with a running variance from 0
            loss_fc=L.Linear(29, 4))
        self.train = True

    def __call__(self, x, t):
        test = not self.train
        h = F.relu(self.conv(x))
        h = F.local_response_normalization(
            F.max_pooling_2d(h, 3, stride=2, use_cudnn=False), n=5)  # removed: chainer.functions.max_pooling_2d(use_cudnn=)
        h = self.inc3a(h)
        h = self.inc3b(h, test=test)  # removed: chainer.functions.batch_normalization with eps in the running variance; chainer.links.InceptionBN.__call__(test=)
        h = F.dropout(F.average_pooling_2d(h, 2, use_cudnn=False), 0.4, train=self.train)  # removed: chainer.functions.average_pooling_2d(use_cudnn=); chainer.functions.dropout(train=)
        h = self.loss_fc(h)
        return F.softmax_cross_entropy(h, t, use_cudnn=False), F.accuracy(h, t)  # removed: chainer.functions.softmax_cross_entropy(use_cudnn=)


np.random.seed(2)
x = np.random.rand(8, 3, 16, 16).astype(np.float32)
t = np.arange(8, dtype=np.int32) % 4
model = GoogLeNetLike()
optimizer = chainer.optimizers.MomentumSGD(lr=0.01, momentum=0.9)
optimizer.setup(model)
for step in range(3):
    optimizer.zero_grads()  # removed: chainer.Optimizer.zero_grads
    loss, accuracy = model(Variable(x), Variable(t))
    loss.backward()
    optimizer.weight_decay(0.0005)  # removed: chainer.Optimizer.weight_decay
    optimizer.update()
    print('loss %.6f accuracy %.4f' % (float(loss.data), float(accuracy.data)))
model.train = False
loss, accuracy = model(Variable(x, volatile='on'), Variable(t, volatile='on'))  # removed: chainer.Variable(volatile=)
print('test %.5f' % float(loss.data))

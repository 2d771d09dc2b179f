# Chainer 4.5, Python 3.6, --legacy=v4
"""Functions as nodes that are applied, whose attributes are read afterwards."""
import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L

np.random.seed(0)
x = chainer.Variable(np.random.rand(2, 3, 9, 9).astype(np.float32))
pool = F.MaxPooling2D(3, 3)  # removed: chainer.functions.MaxPooling2D
h = pool.apply((x,))[0]
y = F.upsampling_2d(h, pool.indexes, ksize=3)
y.grad = np.ones_like(y.data)
y.backward()
print('%.6f %.1f' % (float(F.sum(y).data), float(x.grad.sum())))
print(isinstance(F.relu(x).creator, F.ReLU))  # removed: chainer.functions.ReLU
y, = F.Sum(axis=(1, 2)).apply((x,))  # removed: chainer.functions.Sum
print('%.5f' % float(y.data[0, 0]))
t = np.array([1, -1], dtype=np.int32)
logits = chainer.Variable(np.random.rand(2, 4).astype(np.float32))
print('%.6f' % float(F.SoftmaxCrossEntropy(normalize=False)(logits, t).data))  # removed: calling a function object; chainer.functions.SoftmaxCrossEntropy
print(F.spatial_pyramid_pooling_2d(x, 2, F.MaxPooling2D).shape)  # removed: chainer.functions.MaxPooling2D; chainer.functions.spatial_pyramid_pooling_2d(pooling_class=)
print(F.spatial_pyramid_pooling_2d(x, 2, pooling_class=F.MaxPooling2D).shape)  # removed: chainer.functions.MaxPooling2D; chainer.functions.spatial_pyramid_pooling_2d(pooling_class=)
bn = L.BatchNormalization(3)  # removed: chainer.links.BatchNormalization with a running variance from 0
renorm = L.BatchRenormalization(3, freeze_running_statistics=True)  # removed: chainer.links.BatchRenormalization with a running variance from 0; chainer.links.BatchRenormalization(freeze_running_statistics=)
for k in range(3):
    bn(x * (k + 1))
    renorm(x * (k + 1))  # removed: chainer.functions.batch_renormalization with eps in the running variance
print('%.6f' % float(renorm.avg_var.sum()))
with chainer.using_config('train', False):
    print('%.4f' % float(F.sum(bn(x) ** 2).data))
y = F.batch_renormalization(  # removed: chainer.functions.batch_renormalization without running_mean
    np.random.rand(4, 3).astype(np.float32), np.ones(3, np.float32),
    np.zeros(3, np.float32), np.array([2.0], np.float32), np.array([0.5], np.float32))
print('%.4f' % float(F.sum(y * y).data))

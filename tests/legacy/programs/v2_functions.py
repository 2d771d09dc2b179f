# Chainer 2.1, Python 3.6, --legacy=v2
"""Objects of functions, and products with vectors as they were before Chainer 3."""
import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L

np.random.seed(0)
x = chainer.Variable(np.random.uniform(-2, 2, (3, 4)).astype(np.float32))
v = chainer.Variable(np.random.uniform(-1, 1, 4).astype(np.float32))
image = chainer.Variable(np.random.rand(2, 1, 6, 6).astype(np.float32))


class Net(chainer.Chain):

    def __init__(self):
        super().__init__()
        self.activation = F.ReLU()  # removed: chainer.functions.ReLU
        self.pool = F.MaxPooling2D(2, 2)  # removed: chainer.functions.MaxPooling2D
        with self.init_scope():
            self.conv = L.Convolution2D(1, 2, 3, pad=1)
            self.bn = L.BatchNormalization(2)  # removed: chainer.links.BatchNormalization with a running variance from 0

    def __call__(self, image):
        h = self.pool(self.activation(self.bn(self.conv(image))))  # removed: calling a function object; chainer.functions.batch_normalization with eps in the running variance
        return F.upsampling_2d(h, self.pool.indexes, 2)


model = Net()
print('%.6f' % float(F.sum(model(image)).data))
with chainer.using_config('train', False):
    print('%.5f' % float(F.sum(model(image * 2)).data))
for a, b in ((F.matmul(x, v), x), (F.matmul(v, v, transa=True), v),  # removed: chainer.functions.matmul of one-dimensional arrays
             (F.matmul(v, v, transb=True), v)):  # removed: chainer.functions.matmul of one-dimensional arrays
    loss = F.sum(a * a)
    loss.backward()
    print('%s %.6f %.6f' % (a.shape, float(loss.data), float(np.abs(b.grad).sum())))
print(F.Floor()(x).data.sum(), F.Ceil()(x).data.sum(), F.Flatten()(x).shape)  # removed: chainer.functions.Ceil; chainer.functions.Flatten; chainer.functions.Floor
print('%.6f' % float(F.BatchMatMul()(x[:, :, None], x[:, None]).data.sum()))  # removed: calling a function object; chainer.functions.BatchMatMul
print('%.6f' % float(F.SquaredDifference()(x, x * 2).data.sum()))  # removed: chainer.functions.SquaredDifference
print(F.SpatialPyramidPooling2D((1, 6, 6), 2, F.MaxPooling2D)(image).shape)  # removed: chainer.functions.MaxPooling2D; chainer.functions.SpatialPyramidPooling2D
theta = np.tile(np.eye(2, 3, dtype=np.float32), (2, 1, 1))
grid = F.spatial_transformer_grid(theta, (3, 3), False)  # removed: chainer.functions.spatial_transformer_grid(use_cudnn=)
print('%.5f' % float(F.spatial_transformer_sampler(image, grid, use_cudnn=False).data.sum()))  # removed: chainer.functions.spatial_transformer_sampler(use_cudnn=)

# Chainer 1.24, Python 2.7, --legacy=v1
"""Convolutions of N dimensions, a spatial transformer, PReLU and bilinear forms."""
import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import Variable

np.random.seed(10)
W = np.random.uniform(-1, 1, (4, 2, 3, 3)).astype(np.float32)


class Net(chainer.Chain):

    def __init__(self):
        super(Net, self).__init__(
            nd=L.ConvolutionND(2, 1, 2, 3, pad=1),  # removed: chainer.links.ConvolutionND without a bias
            given=L.ConvolutionND(2, 2, 4, 3, 1, 1, W),  # removed: chainer.links.ConvolutionND by position
            up=L.DeconvolutionND(2, 4, 2, 4, 2, 1, (16, 16), use_cudnn=False),  # removed: chainer.links.DeconvolutionND(use_cudnn=)
            dilated=F.DilatedConvolution2D(2, 3, 3, pad=2, dilate=2, wscale=2, bias=0.1),  # removed: chainer.functions.DilatedConvolution2D; chainer.links.DilatedConvolution2D(bias=); chainer.links.DilatedConvolution2D(wscale=)
            prelu=F.PReLU((3,)),  # removed: chainer.functions.PReLU
            pair=F.Bilinear(3, 3, 2),  # removed: chainer.functions.Bilinear
            theta=F.Parameter(np.array([[[1, 0.1, 0], [0, 1, 0.2]]], dtype=np.float32)))  # removed: chainer.functions.Parameter

    def __call__(self, x):
        h = F.relu(self.given(self.nd(x)))
        h = F.max_pooling_nd(self.up(h), 2, use_cudnn=False)  # removed: chainer.functions.max_pooling_nd(use_cudnn=)
        h = self.prelu(self.dilated(h))
        theta = F.broadcast_to(self.theta(), (x.data.shape[0], 2, 3))
        grid = F.spatial_transformer_grid(theta, (6, 6), use_cudnn=False)  # removed: chainer.functions.spatial_transformer_grid(use_cudnn=)
        h = F.spatial_transformer_sampler(h, grid, use_cudnn=False)  # removed: chainer.functions.spatial_transformer_sampler(use_cudnn=)
        h = F.reshape(F.average_pooling_nd(h, 6, use_cudnn=False), (-1, 3))  # removed: chainer.functions.average_pooling_nd(use_cudnn=)
        return F.sum(self.pair(h, h) ** 2)


x = np.random.rand(3, 1, 8, 8).astype(np.float32)
model = Net()
optimizer = chainer.optimizers.SGD(0.05)
optimizer.setup(model)
for step in range(3):
    optimizer.zero_grads()  # removed: chainer.Optimizer.zero_grads
    loss = model(Variable(x))
    loss.backward()
    optimizer.update()
    print('loss %.6f' % float(loss.data))
print(sorted(name for name, _ in model.namedparams()))  # removed: order of parameters as they were added
y = F.convolution_nd(x, W[:, :1], stride=2, use_cudnn=False)  # removed: chainer.functions.convolution_nd(use_cudnn=)
y = F.deconvolution_nd(y, W, use_cudnn=False)  # removed: chainer.functions.deconvolution_nd(use_cudnn=)
print('%.5f' % float(np.abs(y.data).sum()))

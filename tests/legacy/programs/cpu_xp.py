# Chainer 3.5, Python 3.6, era: --gpu=-1, --legacy=cpu
"""A loop of the program's own, whose arrays go to the GPU and back."""
import argparse

import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import cuda

parser = argparse.ArgumentParser()
parser.add_argument('--gpu', type=int, default=0)
args = parser.parse_args()
xp = np
if args.gpu >= 0:
    import cupy  # removed: without a GPU: cupy
    xp = cupy
    cuda.get_device_from_id(args.gpu).use()  # removed: without a GPU: device


def to_host(array):
    return array if xp is np else array.get()  # removed: without a GPU: array.get


class Scale(chainer.Function):
    """A function with a kernel, which the processor does not reach."""

    def forward_cpu(self, inputs):
        return inputs[0] * 2,

    def forward_gpu(self, inputs):
        return cuda.elementwise('T x', 'T y', 'y = 2 * x', 'scale')(inputs[0]),

    def backward(self, inputs, grads):
        return grads[0] * 2,


np.random.seed(7)
xp.random.seed(7)
model = chainer.Chain(l1=L.Linear(3, 4), l2=L.Linear(4, 1))
if args.gpu >= 0:
    model.to_gpu(args.gpu)  # removed: without a GPU: to_gpu
optimizer = chainer.optimizers.SGD(0.1)
optimizer.setup(model)
x = xp.asarray(np.random.rand(8, 3), dtype=xp.float32)
for step in range(3):
    noise = xp.random.normal(0, 0.1, x.shape).astype('f')
    y = model.l2(Scale()(F.relu(model.l1(x + noise))))
    loss = F.mean_squared_error(y, xp.ones_like(y.data))
    model.cleargrads()
    loss.backward()
    optimizer.update()
    print('%d %.6f' % (step, to_host(loss.data)))
buffer = xp.zeros(3, xp.float32)
if args.gpu >= 0:
    buffer.set(np.arange(3, dtype='f'))  # removed: without a GPU: array.set
else:
    buffer[...] = np.arange(3)
batch = chainer.dataset.concat_examples([(a, i) for i, a in enumerate(to_host(x))], args.gpu)  # removed: without a GPU: device
print('%.6f %s' % (float(buffer.sum()), batch[0].shape))
with cuda.get_device_from_array(x):
    pass
device = chainer.cuda.to_gpu(x[0], args.gpu) if args.gpu >= 0 else x[0]  # removed: without a GPU: to_gpu
print('%.6f' % to_host(device.sum()))

# Chainer 1.24, Python 2.7, era: --gpu=-1, --legacy=cpu
"""The MNIST example of its time, which trains on a GPU unless it is told not to."""
import argparse

import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import cuda, training
from chainer.training import extensions

parser = argparse.ArgumentParser()
parser.add_argument('--gpu', '-g', type=int, default=0)
args = parser.parse_args()

np.random.seed(0)
x = np.random.rand(60, 6).astype(np.float32)
t = (x[:, 0] + x[:, 1] > 1).astype(np.int32)
model = L.Classifier(L.Linear(6, 2))
if args.gpu >= 0:
    cuda.check_cuda_available()  # removed: without a GPU: check_cuda_available
    cuda.get_device(args.gpu).use()  # removed: without a GPU: device
    model.to_gpu()  # removed: without a GPU: to_gpu
xp = cuda.cupy if args.gpu >= 0 else np  # removed: without a GPU: cupy
optimizer = chainer.optimizers.Adam(0.1)
optimizer.setup(model)
train = chainer.iterators.SerialIterator(
    chainer.datasets.TupleDataset(x, t), 20, shuffle=False)
test = chainer.iterators.SerialIterator(
    chainer.datasets.TupleDataset(x, t), 20, repeat=False, shuffle=False)
updater = training.StandardUpdater(train, optimizer, device=args.gpu)  # removed: without a GPU: device
trainer = training.Trainer(updater, (2, 'epoch'))
trainer.extend(extensions.Evaluator(test, model, device=args.gpu))  # removed: without a GPU: device
trainer.extend(extensions.LogReport(trigger=(1, 'epoch')))
trainer.run()
for entry in trainer.get_extension('LogReport').log:
    print('%.6f %.6f' % (entry['main/loss'], entry['validation/main/loss']))

# Chainer 1.24, Python 2.7
"""A denoising autoencoder that reads and writes the arrays of a FunctionSet itself."""
import numpy as np

from chainer import FunctionSet, Variable  # removed: chainer.FunctionSet
import chainer.functions as F

np.random.seed(5)
x_train = (np.random.rand(40, 16) > 0.6).astype(np.float32)

model = FunctionSet(encoder=F.Linear(16, 6), decoder=F.Linear(6, 16))  # removed: chainer.functions.Linear
slow = FunctionSet(encoder=F.Linear(16, 6), decoder=F.Linear(6, 16))  # removed: chainer.functions.Linear
slow.copy_parameters_from(model.parameters)  # removed: chainer.FunctionSet.copy_parameters_from; chainer.FunctionSet.parameters
model.to_cpu()


def forward(x_data, train=True):
    noisy = F.dropout(Variable(x_data), ratio=0.2, train=train)  # removed: chainer.functions.dropout(train=)
    h = F.sigmoid(model.encoder(noisy), use_cudnn=False)  # removed: chainer.functions.sigmoid(use_cudnn=)
    y = F.sigmoid(model.decoder(h), use_cudnn=False)  # removed: chainer.functions.sigmoid(use_cudnn=)
    return F.mean_squared_error(y, Variable(x_data))


for epoch in range(4):
    for gradient in model.gradients:  # removed: chainer.FunctionSet.gradients
        gradient.fill(0)
    loss = forward(x_train)
    loss.backward()
    for param, gradient in zip(model.parameters, model.gradients):  # removed: chainer.FunctionSet.gradients; chainer.FunctionSet.parameters
        param -= 2.0 * gradient
    for old, new in zip(slow.parameters, model.parameters):  # removed: chainer.FunctionSet.parameters
        old += 0.5 * (new - old)
    print('loss %.6f' % float(loss.data))
before = float(forward(x_train, train=False).data)
model.parameters = slow.parameters  # removed: chainer.FunctionSet.parameters
print('test %.6f %.6f' % (before, float(forward(x_train, train=False).data)))
print(sorted(p.shape for p in model.parameters))  # removed: chainer.FunctionSet.parameters
print(model['encoder'].W.data.shape)

# Chainer 2.1, Python 3.6, --legacy=v2
"""Classes of functions that take other arguments today, and what their objects keep."""
import numpy as np

import chainer
import chainer.functions as F

np.random.seed(0)
x = chainer.Variable(np.random.uniform(-1, 1, (3, 4)).astype(np.float32))
y = chainer.Variable(np.random.uniform(-1, 1, (2, 4)).astype(np.float32))
t = np.array([0, 2, 1], dtype=np.int32)


def show(*ys):
    for y in ys:
        for each in y if isinstance(y, tuple) else (y,):
            print('%s %.5f' % (each.shape, float(np.abs(each.data).sum())))


show(F.Copy(-1)(x))  # removed: chainer.functions.Copy
show(F.Where()(x.data > 0, x, x * 2))  # removed: chainer.functions.Where
show(F.Permutate(axis=1)(x, np.array([3, 0, 2, 1], 'i')))  # removed: chainer.functions.Permutate
print('%.5f' % F.Permutate(1, True)(x, np.array([3, 0, 2, 1], 'i')).data[0, 0])  # removed: chainer.functions.Permutate
show(F.TransposeSequence()(x, y))  # removed: chainer.functions.TransposeSequence
show(F.TransposeSequence()(x[:1]))  # removed: chainer.functions.TransposeSequence
ctc = F.ConnectionistTemporalClassification(0)  # removed: chainer.functions.ConnectionistTemporalClassification
loss = ctc(np.array([3, 2], 'i'), np.array([1, 1], 'i'), np.array([[1], [3]], 'i'),
           x[:2], y, x[1:])
loss.backward()
show(loss)
print('%.5f' % float(np.abs(x.grad).sum()))

drop = F.Dropout(0.5)  # removed: chainer.functions.Dropout
show(drop(x))  # removed: calling a function object
print((drop.mask > 0).astype(int).tolist())
noise = F.Gaussian()  # removed: chainer.functions.Gaussian
show(noise(x, x))  # removed: calling a function object
print('%.5f' % float(noise.eps.sum()))
cross = F.SoftmaxCrossEntropy()  # removed: chainer.functions.SoftmaxCrossEntropy
show(cross(x, t))  # removed: calling a function object
print('%.5f' % float(cross.y[1, 2]))
show(cross(x * 2, t))  # removed: calling a function object
print('%.5f' % float(cross.y[1, 2]))
error = F.SigmoidCrossEntropy()  # removed: chainer.functions.SigmoidCrossEntropy
show(error(x, (x.data > 0).astype('i')))  # removed: calling a function object
print(int(error.count))
pool = F.Unpooling2D(2)  # removed: chainer.functions.Unpooling2D
show(pool(F.reshape(x, (1, 1, 3, 4))))  # removed: calling a function object
print(pool.outh, pool.outw)

# Chainer 2.1, Python 3.6, --legacy=v2
"""Functions by their classes: objects that are made, then called."""
import numpy as np

import chainer
import chainer.functions as F
from chainer import Variable

np.random.seed(0)
rows = np.random.uniform(0.1, 0.9, (4, 4)).astype(np.float32)
x, y = Variable(rows), Variable(rows[::-1].copy())
t = np.array([0, 2, 1, 3], dtype=np.int32)
flags = (rows > 0.5).astype(np.int32)
image = Variable(np.random.rand(2, 4, 6, 6).astype(np.float32))
stack = Variable(np.random.rand(2, 3, 3).astype(np.float32) + np.eye(3, dtype=np.float32))


def show(*ys):
    for y in ys:
        for each in y if isinstance(y, tuple) else (y,):
            print('%s %.5f' % (each.shape, float(np.abs(each.data).sum())))


show(F.AbsoluteError()(x, y))  # removed: calling a function object; chainer.functions.AbsoluteError
show(F.Accuracy()(x, t))  # removed: calling a function object; chainer.functions.Accuracy
show(F.Arccos()(x), F.Arcsin()(x), F.Arctan()(x))  # removed: calling a function object; chainer.functions.Arccos; chainer.functions.Arcsin; chainer.functions.Arctan
show(F.ArgMax(1)(x), F.ArgMin(1)(x))  # removed: calling a function object; chainer.functions.ArgMax; chainer.functions.ArgMin
show(F.AveragePooling2D(2, 2)(image), F.AveragePoolingND(2, 2, 2)(image))  # removed: calling a function object; chainer.functions.AveragePooling2D; chainer.functions.AveragePoolingND
show(F.MaxPoolingND(2, 2, 2)(image))  # removed: calling a function object; chainer.functions.MaxPoolingND
show(F.BatchDet()(stack), F.BatchInv()(stack), F.BatchL2NormSquared()(x))  # removed: calling a function object; chainer.functions.BatchDet; chainer.functions.BatchInv; chainer.functions.BatchL2NormSquared
show(F.BinaryAccuracy()(x, flags))  # removed: chainer.functions.BinaryAccuracy
show(F.Broadcast()(x, Variable(rows[:1])), F.BroadcastTo((2, 4, 4))(x))  # removed: calling a function object; chainer.functions.Broadcast; chainer.functions.BroadcastTo
show(F.CReLU()(x), F.Cast(np.float64)(x), F.ClippedReLU(0.5)(x), F.Clip(0.2, 0.4)(x))  # removed: calling a function object; chainer.functions.CReLU; chainer.functions.Cast; chainer.functions.Clip; chainer.functions.ClippedReLU
show(F.Concat(0)(x, y), F.Cos()(x), F.Cosh()(x), F.CrossCovariance()(x, y))  # removed: calling a function object; chainer.functions.Concat; chainer.functions.Cos; chainer.functions.Cosh; chainer.functions.CrossCovariance
show(F.Contrastive(1)(x, y, flags[:, 0]))  # removed: calling a function object; chainer.functions.Contrastive
show(F.DeCov()(x), F.Depth2Space(2)(image), F.Space2Depth(2)(image))  # removed: calling a function object; chainer.functions.DeCov; chainer.functions.Depth2Space; chainer.functions.Space2Depth
show(F.ELU()(x), F.Exp()(x), F.ExpandDims(1)(x), F.Expm1()(x), F.FlipLR()(x), F.FlipUD()(x))  # removed: calling a function object; chainer.functions.ELU; chainer.functions.Exp; chainer.functions.ExpandDims; chainer.functions.Expm1; chainer.functions.FlipLR; chainer.functions.FlipUD
show(F.Fmod()(y, x), F.Forget(lambda a: a * 2)(x), F.GetItem((1,))(x), F.HardSigmoid()(x))  # removed: calling a function object; chainer.functions.Fmod; chainer.functions.Forget; chainer.functions.GetItem; chainer.functions.HardSigmoid
show(F.Hinge()(x, t), F.HuberLoss(0.1)(x, y), F.Identity()(x), F.Im2Col(2, 2, 0, False, 1)(image))  # removed: calling a function object; chainer.functions.Hinge; chainer.functions.HuberLoss; chainer.functions.Identity; chainer.functions.Im2Col
show(F.Inv()(Variable(stack.data[0])), F.LSTM()(x[:, :1], y), F.SLSTM()(x[:, :1], x[:, :1], x, y))  # removed: calling a function object; chainer.functions.Inv; chainer.functions.LSTM; chainer.functions.SLSTM
show(F.LeakyReLU()(x), F.LinearInterpolate()(x, y, x), F.LocalResponseNormalization()(image))  # removed: calling a function object; chainer.functions.LeakyReLU; chainer.functions.LinearInterpolate; chainer.functions.LocalResponseNormalization
show(F.Log()(x), F.Log10()(x), F.Log1p()(x), F.Log2()(x), F.LogSoftmax()(x), F.LogSumExp()(x))  # removed: calling a function object; chainer.functions.Log; chainer.functions.Log10; chainer.functions.Log1p; chainer.functions.Log2; chainer.functions.LogSoftmax; chainer.functions.LogSumExp
show(F.MatMul()(x, y), F.Max()(x), F.Min()(x), F.Maximum()(x, y), F.Minimum()(x, y))  # removed: calling a function object; chainer.functions.MatMul; chainer.functions.Max; chainer.functions.Maximum; chainer.functions.Min; chainer.functions.Minimum
show(F.MeanAbsoluteError()(x, y), F.MeanSquaredError()(x, y), F.NormalizeL2()(x))  # removed: calling a function object; chainer.functions.MeanAbsoluteError; chainer.functions.MeanSquaredError; chainer.functions.NormalizeL2
show(F.Pad(1, 'constant')(x), F.PadSequence(None, 0)(x, y), F.ROIPooling2D(2, 2, 1)(  # removed: calling a function object; chainer.functions.Pad; chainer.functions.PadSequence; chainer.functions.ROIPooling2D
    image, np.array([[0, 0, 0, 4, 4]], dtype=np.float32)))
show(F.ReLU()(x), F.Reshape((2, 8))(x), F.Rollaxis(1, 0)(x), F.SelectItem()(x, t))  # removed: calling a function object; chainer.functions.ReLU; chainer.functions.Reshape; chainer.functions.Rollaxis; chainer.functions.SelectItem
show(F.Sigmoid()(x), F.Tanh()(x), F.Softmax()(x), F.Softplus()(x), F.Sin()(x), F.Sinh()(x))  # removed: calling a function object; chainer.functions.Sigmoid; chainer.functions.Sin; chainer.functions.Sinh; chainer.functions.Softmax; chainer.functions.Softplus; chainer.functions.Tanh
show(F.SigmoidCrossEntropy()(x, flags), F.SoftmaxCrossEntropy()(x, t))  # removed: calling a function object; chainer.functions.SigmoidCrossEntropy; chainer.functions.SoftmaxCrossEntropy
grid = F.SpatialTransformerGrid((3, 3))(np.tile(np.eye(2, 3, dtype=np.float32), (2, 1, 1)))  # removed: chainer.functions.SpatialTransformerGrid
show(F.SpatialTransformerSampler()(image, grid))  # removed: chainer.functions.SpatialTransformerSampler
show(F.SplitAxis(2, 0)(x), F.Sqrt()(x), F.Square()(x), F.SquaredError()(x, y), F.Squeeze(0)(x[None, 0]))  # removed: calling a function object; chainer.functions.SplitAxis; chainer.functions.Sqrt; chainer.functions.Square; chainer.functions.SquaredError; chainer.functions.Squeeze
show(F.Sum()(x), F.Swapaxes(0, 1)(x), F.Tan()(x), F.Tile(2)(x), F.Transpose()(x))  # removed: calling a function object; chainer.functions.Sum; chainer.functions.Swapaxes; chainer.functions.Tan; chainer.functions.Tile; chainer.functions.Transpose
show(F.Triplet(0.1)(x, y, x), F.Unpooling2D(2)(image), F.UnpoolingND(2, 2)(image))  # removed: calling a function object; chainer.functions.Triplet; chainer.functions.Unpooling2D; chainer.functions.UnpoolingND
pool = F.MaxPooling2D(2, 2)  # removed: chainer.functions.MaxPooling2D
show(pool(image))  # removed: calling a function object
show(F.Upsampling2D(pool.indexes, 2)(pool(image)))  # removed: calling a function object; chainer.functions.Upsampling2D
show(F.Dropout(0.5)(x), F.Zoneout(0.5)(x, y), F.Gaussian()(x, y))  # removed: calling a function object; chainer.functions.Dropout; chainer.functions.Gaussian; chainer.functions.Zoneout
show(F.SimplifiedDropconnect(0.5)(x, rows))  # removed: calling a function object; chainer.functions.SimplifiedDropconnect
summary = F.ClassificationSummary(4, 1.0, -1)  # removed: chainer.functions.ClassificationSummary
show(summary(x, t))

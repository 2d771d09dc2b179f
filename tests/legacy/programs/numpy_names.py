# Chainer 3.5, Python 3.6
"""Early stopping and statistics with the names that NumPy had."""
import numpy as np
from numpy.core.umath_tests import inner1d  # removed: numpy.core.umath_tests
from numpy.lib.arraysetops import unique  # removed: numpy.lib.arraysetops

import chainer
import chainer.functions as F
import chainer.links as L

np.random.seed(3)
x = np.random.rand(40, 5).astype(np.float)  # removed: numpy.float
t = (x.sum(1) > 2.5).astype(np.int)  # removed: numpy.int
weights = np.ones(40, np.bool)  # removed: numpy.bool
print(x.dtype == np.float_, np.issubsctype(t, np.int_))  # removed: numpy.float_; numpy.issubsctype
model = L.Linear(5, 2)
optimizer = chainer.optimizers.MomentumSGD(0.5)
optimizer.setup(model)
best = np.Inf  # removed: numpy.Inf
x32, t32 = np.cast['f'](x), np.cast[np.int32](t)  # removed: numpy.cast
for epoch in range(4):
    loss = F.softmax_cross_entropy(model(x32[weights]), t32[weights])
    model.cleargrads()
    loss.backward()
    optimizer.update()
    best = min(best, np.asscalar(loss.data))  # removed: numpy.asscalar
    print('epoch %d best %.6f' % (epoch, best))
print(np.product([2, 3, 4]), np.cumproduct([1, 2, 3]).tolist(), np.alltrue([1, 0]))  # removed: numpy.product; numpy.cumproduct; numpy.alltrue
print(np.sometrue(np.isnan([1.0, np.NaN])), np.in1d([[1, 5]], [5]).tolist())  # removed: numpy.sometrue; numpy.NaN; numpy.in1d
print('%.4f' % np.trapz([1.0, 2.0, 4.0]), np.msort(np.array([[3, 1], [2, 4]])).tolist())  # removed: numpy.trapz; numpy.msort
print(np.find_common_type([np.float32], [np.int64, np.float64]), np.obj2sctype('f4').__name__)  # removed: numpy.find_common_type; numpy.obj2sctype
print(np.asfarray([1, 2]).dtype, np.round_(2.567, 1), np.mat([[1, 2]]).shape)  # removed: numpy.asfarray; numpy.round_; numpy.mat
print(isinstance('a', np.str), np.dtype(np.object), np.PINF, np.NINF, np.complex(1, 2))  # removed: numpy.str; numpy.object; numpy.PINF; numpy.NINF; numpy.complex
print(np.string_(b'a') == b'a', np.unicode_('b'), np.bool8(1), np.int0(3), np.alen([1, 2]))  # removed: numpy.string_; numpy.unicode_; numpy.bool8; numpy.int0; numpy.alen
print(inner1d([[1, 2]], [[3, 4]]).tolist(), unique([2, 1, 2]).tolist(), np.nbytes[np.float32])  # removed: numpy.nbytes
print(sorted(np.sctypes)[0], np.maximum_sctype('i4').__name__, np.rank([[1]]), np.sctype2char('f'))  # removed: numpy.sctypes; numpy.maximum_sctype; numpy.rank; numpy.sctype2char

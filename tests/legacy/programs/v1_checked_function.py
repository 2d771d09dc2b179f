# Chainer 1.24, Python 2.7
"""A function of the time with type checks that take values of expressions."""
import numpy as np

import chainer
from chainer import cuda, function, gradient_check
from chainer.utils import type_check


class RowScale(function.Function):

    def check_type_forward(self, in_types):
        n_in = in_types.size().eval()  # removed: chainer.utils.type_check.Expr.eval
        type_check.expect(in_types.size() == 2)
        x_type, s_type = in_types
        type_check.expect(
            x_type.dtype.kind == 'f',
            s_type.ndim == n_in - 1,
            x_type.shape[0] == s_type.shape[0])
        if x_type.ndim.eval() > 2:  # removed: chainer.utils.type_check.Expr.eval
            type_check.expect(x_type.shape[2] == 1)

    def forward(self, inputs):
        xp = cuda.get_array_module(*inputs)
        x, s = inputs
        self.s = xp.expand_dims(s, 1)
        return x * self.s,

    def backward(self, inputs, grad_outputs):
        x, s = inputs
        gy, = grad_outputs
        return gy * self.s, (gy * x).sum(axis=1)


rs = np.random.RandomState(0)
x = rs.rand(3, 4).astype(np.float32)
s = rs.rand(3).astype(np.float32)
f = RowScale()
s_var = chainer.Variable(s)
y = f(chainer.Variable(x), s_var)
y.grad = np.ones_like(y.data)
y.backward()
print('%.6f %s' % (y.data.sum(), y.creator is f))
print('%.6f %.6f' % (f.inputs[0].data.sum(), f.inputs[1].grad.sum()))
gradient_check.check_backward(RowScale(), (x, s), y.grad, atol=1e-2)  # removed: gradient of the variable that backward() starts from
try:
    RowScale()(chainer.Variable(x), chainer.Variable(s[:2]))
except type_check.InvalidType as error:
    print(str(error).splitlines()[-2])
    print(str(error).splitlines()[-1])

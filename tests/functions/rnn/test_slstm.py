import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
from chainer_fast import gradient_check
from chainer_fast.functions.rnn import slstm
from chainer_fast.utils import type_check
from tests import compare
from tests.functions import gradients
from tests.functions.gradients import uniform
from tests.functions.rnn.sequences import sigmoid


def inputs(shape, dtype='d'):
    x_shape = (shape[0], 4 * shape[1]) + shape[2:]
    return [uniform(each, k, dtype)
            for k, each in enumerate((shape, shape, x_shape, x_shape))]


def expected(c1, c2, x1, x2):
    a1, i1, f1, o1 = [x1[:, k::4].astype('d') for k in range(4)]
    a2, i2, f2, o2 = [x2[:, k::4].astype('d') for k in range(4)]
    c = (np.tanh(a1) * sigmoid(i1) + np.tanh(a2) * sigmoid(i2)
         + c1 * sigmoid(f1) + c2 * sigmoid(f2))
    return c, sigmoid(o1 + o2) * np.tanh(c)


@pytest.mark.parametrize('dtype,tolerance', [('e', 1e-2), ('f', 1e-5), ('d', 1e-12)])
@pytest.mark.parametrize(
    'shape', [(3, 2), (2, 300), (2, 3, 2), (0, 2), (2, 0), (1, 0, 5)])
def test_outputs(device, shape, dtype, tolerance):
    xs = inputs(shape, dtype)
    for y, other in zip(F.slstm(*device.send(xs)), expected(*xs), strict=True):
        assert y.dtype == dtype
        compare.assert_allclose(y.array, other, tolerance, tolerance)


@pytest.mark.parametrize('shape', [(3, 2), (2, 3, 2), (0, 2)])
def test_both_derivatives(device, shape):
    gradients.check(device, F.slstm, *inputs(shape))


@pytest.mark.parametrize('wanted', [0, 1])
@pytest.mark.parametrize('double', [False, True])
@pytest.mark.parametrize('dtype', 'efd')
def test_gradient_of_one_output(device, wanted, double, dtype):
    xs = [chainer.Variable(device.send(x)) for x in inputs((3, 2), dtype)]
    outputs = F.slstm(*xs)
    gys = [np.zeros_like(y.array) for y in outputs]
    gys[wanted][...] = 1
    full = chainer.grad(outputs, xs, [chainer.Variable(gy) for gy in gys])
    part = chainer.grad(
        [outputs[wanted]], xs, [chainer.Variable(gys[wanted])],
        enable_double_backprop=double)
    for gx, other in zip(part, full, strict=True):
        assert gx.dtype == dtype
        compare.assert_allclose(gx.array, other.array, 1e-6)


def test_gradient_as_a_function(device):
    shape, x_shape = (3, 2, 4), (3, 8, 4)
    shapes = [shape, shape, x_shape, x_shape]
    gradient_check.check_backward(
        slstm.SLSTMGrad(),
        device.send([uniform(each, k) for k, each in enumerate(shapes + [shape] * 3)]),
        device.send([uniform(each, 9 + k) for k, each in enumerate(shapes)]), rtol=1e-4,
        atol=1e-4)


@pytest.mark.parametrize('shapes', [
    ((2, 3), (2, 3), (1, 12), (2, 12)), ((2, 3), (2, 2), (2, 12), (2, 8)),
    ((2, 3), (2, 3), (2, 12), (2, 8)), ((2, 3), (2, 3), (1, 12), (1, 12)),
    ((2,), (2,), (2,), (2,)), ((2, 3, 1), (2, 3, 1), (2, 12, 1), (2, 12, 2)),
])
def test_shapes_that_do_not_fit(device, shapes):
    with pytest.raises(type_check.InvalidType):
        F.slstm(*device.send([np.zeros(shape, 'f') for shape in shapes]))


@pytest.mark.parametrize('dtypes', ['fffd', 'ffdd', 'fdfd', 'iiii'])
def test_dtypes_that_do_not_fit(device, dtypes):
    shapes = (2, 3), (2, 3), (2, 12), (2, 12)
    with pytest.raises(type_check.InvalidType):
        F.slstm(*device.send([np.zeros(shape, dtype)
                  for shape, dtype in zip(shapes, dtypes, strict=True)]))

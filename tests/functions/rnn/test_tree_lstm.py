import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
from chainer_fast.functions.rnn import tree_lstm
from chainer_fast.utils import type_check
from tests import compare
from tests.functions import gradients
from tests.functions.gradients import uniform
from tests.functions.rnn.sequences import sigmoid


def inputs(batch, n, children, dtype='d'):
    shapes = [(batch, n)] * children + [(batch, (3 + children) * n)]
    return [uniform(shape, k, dtype) for k, shape in enumerate(shapes)]


def expected(*xs):
    *cs, x = [each.astype('d') for each in xs]
    n = cs[0].shape[1]
    a, i, o, *fs = [x[:, k * n:(k + 1) * n] for k in range(3 + len(cs))]
    c = np.tanh(a) * sigmoid(i) + sum(
        sigmoid(f) * child for f, child in zip(fs, cs, strict=True))
    return c, sigmoid(o) * np.tanh(c)


@pytest.mark.parametrize('dtype,tolerance', [('e', 1e-2), ('f', 1e-5), ('d', 1e-12)])
@pytest.mark.parametrize('shape', [
    (3, 2, 1), (3, 2, 3), (2, 300, 2), (2, 3, 20), (0, 2, 1), (2, 0, 4)])
def test_outputs(device, shape, dtype, tolerance):
    xs = inputs(*shape, dtype)
    for y, other in zip(F.tree_lstm(*device.send(xs)), expected(*xs), strict=True):
        assert y.dtype == dtype
        compare.assert_allclose(y.array, other, tolerance, tolerance)


@pytest.mark.parametrize('shape', [(3, 2, 1), (3, 2, 3), (2, 2, 17), (0, 2, 1)])
def test_gradient(device, shape):
    gradients.check(device, F.tree_lstm, *inputs(*shape), double=False)


@pytest.mark.parametrize('wanted', [0, 1])
@pytest.mark.parametrize('dtype', 'efd')
def test_gradient_of_one_output(device, wanted, dtype):
    xs = [chainer.Variable(device.send(x)) for x in inputs(3, 2, 2, dtype)]
    outputs = F.tree_lstm(*xs)
    gys = [np.zeros_like(y.array) for y in outputs]
    gys[wanted][...] = 1
    full = chainer.grad(outputs, xs, [chainer.Variable(gy) for gy in gys])
    part = chainer.grad([outputs[wanted]], xs, [chainer.Variable(gys[wanted])])
    for gx, other in zip(part, full, strict=True):
        assert gx.dtype == dtype
        compare.assert_allclose(gx.array, other.array, 1e-6)


def test_values_of_the_gates(device):
    function = tree_lstm.TreeLSTM()
    *cs, x = inputs(3, 2, 2)
    function(*device.send((*cs, x)))
    compare.assert_allclose(function.a, np.tanh(x[:, :2]), 1e-12)
    compare.assert_allclose(function.i, sigmoid(x[:, 2:4]), 1e-12)
    compare.assert_allclose(function.o, sigmoid(x[:, 4:6]), 1e-12)
    compare.assert_allclose(np.hstack(function.fs), sigmoid(x[:, 6:]), 1e-12)
    compare.assert_allclose(function.c, expected(*cs, x)[0], 1e-12)


def test_gradient_cannot_be_differentiated(device):
    xs = [chainer.Variable(device.send(x)) for x in inputs(3, 2, 1)]
    gx, = chainer.grad([F.tree_lstm(*xs)[1]], [xs[0]], enable_double_backprop=True)
    with pytest.raises(RuntimeError, match='TreeLSTM'):
        chainer.grad([gx], xs)


@pytest.mark.parametrize('shapes', [
    ((2, 12),), (), ((2, 3), (1, 12)), ((2, 3), (2, 11)), ((2, 3), (2, 2), (2, 15)),
    ((2,), (2,)), ((2, 3, 1), (2, 12, 1)),
])
def test_shapes_that_do_not_fit(device, shapes):
    with pytest.raises(type_check.InvalidType):
        F.tree_lstm(*device.send([np.zeros(shape, 'f') for shape in shapes]))


@pytest.mark.parametrize('dtypes', ['fd', 'df', 'ii'])
def test_dtypes_that_do_not_fit(device, dtypes):
    with pytest.raises(type_check.InvalidType):
        F.tree_lstm(
            device.send(np.zeros((2, 3), dtypes[0])),
            device.send(np.zeros((2, 12), dtypes[1])))

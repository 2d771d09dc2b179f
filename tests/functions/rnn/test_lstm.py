import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
from chainer_fast import gradient_check
from chainer_fast.functions.rnn import lstm
from chainer_fast.utils import type_check
from tests import compare
from tests.functions import gradients
from tests.functions.gradients import uniform
from tests.functions.rnn.sequences import sigmoid

SHAPES = [
    ((3, 2), (3, 8)), ((3, 2), (2, 8)), ((3, 300), (2, 1200)), ((3, 2, 2), (2, 8, 2)),
    ((3, 2, 1), (3, 8, 1)), ((3, 2), (0, 8)), ((0, 2), (0, 8)), ((2, 0), (2, 0)),
]


def expected(c_prev, x):
    a, i, f, o = [x[:, k::4].astype('d') for k in range(4)]
    c = c_prev.astype('d')
    c[:len(x)] = np.tanh(a) * sigmoid(i) + c[:len(x)] * sigmoid(f)
    return c, sigmoid(o) * np.tanh(c[:len(x)])


@pytest.mark.parametrize('dtype,tolerance', [('e', 1e-2), ('f', 1e-5), ('d', 1e-12)])
@pytest.mark.parametrize('c_shape,x_shape', SHAPES)
def test_outputs(device, c_shape, x_shape, dtype, tolerance):
    c_prev, x = uniform(c_shape, 0, dtype), uniform(x_shape, 1, dtype, -3, 3)
    for y, other in zip(
            F.lstm(device.send(c_prev), device.send(x)), expected(c_prev, x),
            strict=True):
        assert y.dtype == dtype
        compare.assert_allclose(y.array, other, tolerance, tolerance)


@pytest.mark.parametrize('c_shape,x_shape', SHAPES[:2] + SHAPES[3:])
def test_both_derivatives(device, c_shape, x_shape):
    gradients.check(device, F.lstm, uniform(c_shape), uniform(x_shape, 1))


@pytest.mark.parametrize('wanted', [0, 1])
@pytest.mark.parametrize('double', [False, True])
@pytest.mark.parametrize('dtype', 'efd')
def test_gradient_of_one_output(device, wanted, double, dtype):
    c_prev, x = [
        chainer.Variable(device.send(uniform(shape, 2, dtype))) for shape in SHAPES[1]]
    outputs = F.lstm(c_prev, x)
    gys = [np.zeros_like(y.array) for y in outputs]
    gys[wanted][...] = 1
    full = chainer.grad(outputs, [c_prev, x], [chainer.Variable(gy) for gy in gys])
    y = outputs[wanted]
    part = chainer.grad(
        [y], [c_prev, x], [chainer.Variable(gys[wanted])],
        enable_double_backprop=double)
    for gx, other in zip(part, full, strict=True):
        assert gx.dtype == dtype
        compare.assert_allclose(gx.array, other.array, 1e-6)


@pytest.mark.parametrize('batch', [3, 2, 0])
def test_gradient_as_a_function(device, batch):
    shapes = [(3, 2, 4), (batch, 8, 4), (3, 2, 4), (3, 2, 4), (batch, 2, 4)]
    gradient_check.check_backward(
        lstm.LSTMGrad(),
        device.send([uniform(shape, k) for k, shape in enumerate(shapes)]),
        device.send([uniform(shape, 7) for shape in shapes[:2]]), rtol=1e-4, atol=1e-4)


def test_gradient_is_differentiated_once(device):
    c_prev, x = [chainer.Variable(device.send(uniform(shape))) for shape in SHAPES[0]]
    _, h = F.lstm(c_prev, x)
    gx, = chainer.grad([h], [x], enable_double_backprop=True)
    assert gx.creator.label == 'LSTMGrad'
    ggx, = chainer.grad([gx], [x], enable_double_backprop=True)
    with pytest.raises(RuntimeError, match='LSTMGrad'):
        chainer.grad([ggx], [x])


def test_second_order_helper_fills_its_last_arguments():
    args = [uniform((2, 3), k) for k in range(21)]
    kept = [arg.copy() for arg in args]
    results = lstm.lstm_grad_grad(*args)
    assert list(map(id, results)) == list(map(id, args[13:]))
    for arg, before in zip(args[:13], kept, strict=False):
        compare.assert_array_equal(arg, before)


def test_arrays_in_any_order_of_memory(device):
    c_prev, x = [uniform(shape) for shape in SHAPES[1]]
    y = F.lstm(
        device.send(np.asfortranarray(c_prev)),
        device.send(np.repeat(x, 2, axis=1)[:, ::2]))
    for found, other in zip(y, expected(c_prev, x), strict=True):
        compare.assert_allclose(found.array, other, 1e-12)


def test_gates_alternate():
    a, i, f, o = lstm._extract_gates(np.arange(8).reshape(1, 8))
    assert [gate.tolist() for gate in (a, i, f, o)] == [
        [[0, 4]], [[1, 5]], [[2, 6]], [[3, 7]]]


def test_sigmoid():
    x = np.array([[.3, -2, 800, -800]], np.float32)
    for y in lstm._sigmoid(x), lstm._sigmoid(x, np), lstm._sigmoid(x, xp=np):
        assert y.dtype == np.float32
        np.testing.assert_allclose(y, sigmoid(x.astype('d').clip(-50, 50)), atol=1e-6)



def test_large_gates(device):
    x = np.array([[200, -200, 200, 200], [-200, 200, -200, -200]], 'f')
    c, h = F.lstm(device.send(np.array([[.5], [.5]], 'f')), device.send(x))
    compare.assert_array_equal(c.array, [[.5], [-1]])
    compare.assert_allclose(h.array, [[np.tanh(.5)], [0]], 1e-6)


@pytest.mark.parametrize('c,x', [
    ((2, 3), (3, 12)), ((2, 3), (2, 11)), ((2, 3, 1), (2, 12)),
    ((2, 3, 1), (2, 12, 2)), ((2,), (2,)),
])
def test_shapes_that_do_not_fit(device, c, x):
    with pytest.raises(type_check.InvalidType):
        F.lstm(device.send(np.zeros(c, 'f')), device.send(np.zeros(x, 'f')))


@pytest.mark.parametrize('c,x', ['fd', 'ef', 'if', 'fi', 'ii'])
def test_dtypes_that_do_not_fit(device, c, x):
    with pytest.raises(type_check.InvalidType):
        F.lstm(device.send(np.zeros((2, 3), c)), device.send(np.zeros((2, 12), x)))

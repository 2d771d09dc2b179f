import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chainer_fast import functions as F
from chainer_fast import grad, using_config
from chainer_fast.functions.connection import linear
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients


@settings(max_examples=60, deadline=None)
@given(x_dtype=st.sampled_from('efd'), w_dtype=st.sampled_from('efd'),
       n=st.integers(0, 3), bias=st.booleans(), strided=st.booleans())
def test_values_and_types(device, x_dtype, w_dtype, n, bias, strided):
    x = gradients.uniform((n, 4), 0, x_dtype)
    W = gradients.uniform((2, 4), 1, w_dtype)
    b = gradients.uniform((2,), 2, x_dtype)
    if strided:
        x, W = np.asfortranarray(x), W[::-1]
    inputs = [Variable(device.send(v)) for v in ((x, W, b) if bias else (x, W))]
    y = F.linear(*inputs)
    assert y.dtype == x_dtype
    expected = x.astype('d') @ W.T.astype('d') + (b if bias else 0)
    compare.assert_allclose(y.array, expected, 1e-2, 1e-2)
    y.grad = np.ones_like(y.array)
    y.backward()
    for v in inputs:
        assert (v.grad.shape, v.grad.dtype) == (v.shape, v.dtype)


@pytest.mark.parametrize('bias', [True, False])
@pytest.mark.parametrize('x_shape, n_batch_axes', [
    ((3, 4), 1), ((3, 2, 2), 1), ((2, 3, 4), 2), ((2, 1, 2, 2, 2), 3), ((0, 4), 1)])
def test_gradients(device, x_shape, n_batch_axes, bias):
    inputs = [gradients.uniform(x_shape), gradients.uniform((5, 4), 1)]
    if bias:
        inputs.append(gradients.uniform((5,), 2))
    gradients.check(
        device, lambda *xs: F.linear(*xs, n_batch_axes=n_batch_axes) ** 2, *inputs)


def test_batch_axes(device):
    x, W = gradients.uniform((2, 3, 4, 5)), gradients.uniform((6, 20), 1)
    y = F.linear(device.send(x), device.send(W), n_batch_axes=2)
    compare.assert_allclose(y.array, x.reshape(2, 3, 20) @ W.T)
    assert F.linear(device.send(x[:0]), device.send(W), n_batch_axes=2).shape == (
        0, 3, 6)
    for n in 0, -1:
        with pytest.raises(ValueError):
            F.linear(device.send(x), device.send(W), n_batch_axes=n)


@pytest.mark.parametrize('number, error', [
    (-np.inf, ValueError), (np.inf, TypeError), (1.5, TypeError)])
def test_numbers_of_batch_axes_that_are_none(device, number, error):
    with pytest.raises(error):
        F.linear(device.send(np.zeros((2, 3, 4), 'f')),
                 device.send(np.zeros((6, 12), 'f')), n_batch_axes=number)


@pytest.mark.parametrize('number', [np.nan, .5, True])
def test_what_is_not_above_one_is_one_batch_axis(device, number):
    x, W = gradients.uniform((2, 3, 4)), gradients.uniform((6, 12), 1)
    y = F.linear(device.send(x), device.send(W), n_batch_axes=number)
    compare.assert_allclose(y.array, x.reshape(2, 12) @ W.T)


@pytest.mark.parametrize('shapes', [
    ((3, 4), (2, 5)), ((3, 4), (2, 4, 1)), ((4,), (2, 4)),
    ((3, 4), (2, 4), (3,)), ((3, 4), (2, 4), (2, 1))])
def test_shapes_are_checked(device, shapes):
    with pytest.raises(type_check.InvalidType):
        F.linear(*device.send([np.zeros(s, 'f') for s in shapes]))


def test_dtypes_are_checked(device):
    x, W, b = np.zeros((3, 4), 'f'), np.zeros((2, 4), 'f'), np.zeros(2, 'f')
    for wrong in (x.astype('i'), W, b), (x, W.astype('i'), b), (x, W, b.astype('d')):
        with pytest.raises(type_check.InvalidType):
            F.linear(*device.send(wrong))


def test_only_gradients_asked_for(device):
    x = gradients.uniform((3, 4))
    W = Variable(device.send(gradients.uniform((2, 4), 1)))
    v = Variable(device.send(x), requires_grad=False)
    y = F.linear(v, W)
    y.grad = device.send(np.ones((3, 2)))
    y.backward()
    assert v.grad is None
    compare.assert_allclose(W.grad, np.ones((2, 3)) @ x)


def test_steps_of_static_chains(device):
    function = linear.LinearFunction()
    x, W, b = np.ones((2, 4), 'f'), np.ones((3, 4), 'f'), np.arange(3, dtype='f')
    y = np.zeros((2, 3), 'f')
    assert function.static_linear_no_bias(
        np, True, inputs=[x, W], outputs=[y]) is None
    assert function.static_add_bias(inputs=[b], outputs=[y]) is None
    compare.assert_array_equal(y, F.linear(*device.send((x, W, b))).array)


class Doubled(linear.LinearFunction):
    """A function of a program, which makes the gradients itself."""

    def backward(self, indexes, grad_outputs):
        x, W = self.get_retained_inputs()
        gy, = grad_outputs
        self.seen = self._config_use_ideep
        with using_config('use_ideep', self._config_use_ideep):
            gx, = linear.LinearGradData().apply((W, gy))
            gW, = linear.LinearGradWeight(W.dtype).apply((x, gy))
        return 2 * gx, 2 * gW


class DoubledWithForward(Doubled):

    def forward(self, inputs):
        self.retain_inputs((0, 1))
        return inputs[0].dot(inputs[1].T),


@pytest.mark.parametrize('cls, seen', [(Doubled, 'auto'), (DoubledWithForward, None)])
def test_subclass_with_its_own_gradients(cls, seen):
    inputs = [Variable(gradients.uniform(shape, i, 'f'))
              for i, shape in enumerate([(4, 3), (2, 3)])]
    gy = Variable(gradients.uniform((4, 2), 2, 'f'))
    function = cls()
    with using_config('use_ideep', 'auto'):
        y, = function.apply(inputs)
    found = grad([y], inputs, [gy])
    expected = grad([F.linear(*inputs)], inputs, [gy])
    for g, h in zip(found, expected, strict=True):
        np.testing.assert_allclose(g.array, 2 * h.array, rtol=1e-6)
    assert function.seen == seen

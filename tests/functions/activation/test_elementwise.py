import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from chainer_fast import functions as F
from chainer_fast.functions.activation import elu, leaky_relu
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients

EXPECTED = {
    'relu': (F.relu, lambda x: x * (x > 0)),
    'tanh': (F.tanh, np.tanh),
    'sigmoid': (F.sigmoid, lambda x: 1 / (1 + np.exp(-x))),
    'leaky_relu': (F.leaky_relu, lambda x: np.where(x < 0, .2 * x, x)),
    'folding leaky_relu': (
        lambda x: F.leaky_relu(x, -.3), lambda x: np.where(x < 0, -.3 * x, x)),
    'softplus': (F.softplus, lambda x: np.log(1 + np.exp(x))),
    'steep softplus': (
        lambda x: F.softplus(x, 3.), lambda x: np.log(1 + np.exp(3 * x)) / 3),
    'falling softplus': (
        lambda x: F.softplus(x, -2.), lambda x: np.log(1 + np.exp(-2 * x)) / -2),
    'selu': (
        F.selu, lambda x: 1.0507009873554805 * np.where(
            x < 0, 1.6732632423543772 * (np.exp(x) - 1), x)),
    'elu': (F.elu, lambda x: np.where(x < 0, np.exp(x) - 1, x)),
    'folding elu': (
        lambda x: F.elu(x, -.7), lambda x: np.where(x < 0, -.7 * (np.exp(x) - 1), x)),
    'clipped_relu': (
        lambda x: F.clipped_relu(x, 1.2), lambda x: np.clip(x, 0, 1.2)),
    'relu6': (F.relu6, lambda x: np.clip(x, 0, 6)),
    'hard_sigmoid': (F.hard_sigmoid, lambda x: np.clip(.2 * x + .5, 0, 1)),
}
each = pytest.mark.parametrize('f, expected', EXPECTED.values(), ids=EXPECTED)
TOLERANCE = {'e': 3e-3, 'f': 3e-6, 'd': 1e-12}


@each
@settings(max_examples=20, deadline=None)
@given(shape=hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
       dtype=st.sampled_from('efd'), strided=st.booleans())
def test_values_and_types(device, f, expected, shape, dtype, strided):
    x = gradients.uniform(shape, 1, dtype, -4, 4)
    if strided:
        x = np.repeat(x, 2).reshape(shape + (2,))[..., 0]
    v = Variable(device.send(x))
    y = f(v)
    assert isinstance(y.array, device.xp.ndarray)
    assert (y.shape, y.dtype) == (shape, dtype)
    compare.assert_allclose(
        y.array, expected(x.astype('d')), TOLERANCE[dtype], TOLERANCE[dtype])
    y.grad = np.ones_like(y.array)
    y.backward()
    assert isinstance(v.grad, device.xp.ndarray)
    assert (v.grad.shape, v.grad.dtype) == (shape, dtype)


@each
@pytest.mark.parametrize('shape', [(3, 4), (), (0, 2)])
def test_gradients(device, f, expected, shape):
    gradients.check(device, f, gradients.spread(shape))


@each
def test_integers_are_refused(device, f, expected):
    with pytest.raises(type_check.InvalidType):
        f(device.send(np.arange(3)))


@pytest.mark.parametrize('f, low, high', [
    (F.sigmoid, 0, 1), (F.tanh, -1, 1), (F.softplus, 0, 1e4), (F.elu, -1, 1e4)])
def test_far_out_they_stay_finite(device, f, low, high):
    x = Variable(device.send(np.array([-1e4, 1e4], 'f')))
    y = f(x)
    compare.assert_array_equal(y.array, np.array([low, high], 'f'))
    y.grad = device.send(np.ones(2, 'f'))
    y.backward(enable_double_backprop=True)
    x.grad_var.grad = device.send(np.ones(2, 'f'))
    gx = x.grad_var
    x.cleargrad()
    gx.backward()
    assert np.isfinite(gx.array).all()
    assert np.isfinite(x.grad).all()


def test_gradients_at_zero(device):
    # None has a derivative there; these are the sides Chainer has chosen.
    def at_zero(f):
        x = Variable(device.send(np.zeros(1)))
        y = f(x)
        y.grad = device.send(np.ones(1))
        y.backward()
        return x.grad[0]
    assert at_zero(F.relu) == 0
    assert at_zero(F.leaky_relu) == .2
    assert at_zero(lambda x: F.elu(x, 3.)) == 3


def test_nan_passes(device):
    x = device.send(np.array([np.nan], 'f'))
    for f, _ in EXPECTED.values():
        assert np.isnan(f(x).array).all()


def test_a_numpy_scalar_does_not_widen(device):
    x = device.send(np.array([-1, 1], 'f'))
    assert F.leaky_relu(x, np.float64(.2)).dtype == 'f'
    assert F.elu(x, np.float64(.2)).dtype == 'f'
    assert F.clipped_relu(x, np.float64(.2)).dtype == 'f'
    assert F.softplus(x, np.float64(.2)).dtype == 'f'


def test_ceiling_is_a_positive_float(device):
    with pytest.raises(TypeError):
        F.clipped_relu(device.send(np.zeros(1)), 2)
    with pytest.raises(AssertionError):
        F.clipped_relu(device.send(np.zeros(1)), 0.)


@pytest.mark.parametrize('f, retained', [
    (leaky_relu.LeakyReLU(.2), False), (leaky_relu.LeakyReLU(-.2), True),
    (elu.ELU(1.), False), (elu.ELU(-1.), True)])
def test_the_input_is_retained_only_where_its_sign_is_lost(device, f, retained):
    x = Variable(device.send(np.array([-1., 1.])))
    y, = f.apply((x,))
    node = y.creator.inputs[0]
    del x
    assert (node.data is not None) == retained

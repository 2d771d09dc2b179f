import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients


def inputs(x_dtype='d', w_dtype='d', shape=(4, 3)):
    return (gradients.uniform(shape, 0, x_dtype), gradients.uniform((2, 3), 1, w_dtype),
            gradients.uniform((2,), 2, x_dtype))


@pytest.mark.parametrize('x_dtype', 'efd')
@pytest.mark.parametrize('w_dtype', 'efd')
@pytest.mark.parametrize('batchwise', [True, False])
def test_values_and_types(x_dtype, w_dtype, batchwise):
    x, W, b = inputs(x_dtype, w_dtype)
    np.random.seed(3)
    vs = [Variable(a) for a in (x, W, b)]
    y = F.simplified_dropconnect(*vs, ratio=.3, use_batchwise_mask=batchwise)
    np.random.seed(3)
    shape = (4, 2, 3) if batchwise else (2, 3)
    mask = np.random.rand(*shape) >= .3
    compare.assert_array_equal(y.creator.mask, mask)
    assert y.dtype == x_dtype
    weights = np.broadcast_to(mask * W.astype('d') / .7, (4, 2, 3))
    tolerance = 5e-3 if 'e' in (x_dtype, w_dtype) else 1e-5
    compare.assert_allclose(
        y.array, np.einsum('bk,bmk->bm', x, weights) + b, tolerance, tolerance)
    y.grad = np.ones_like(y.array)
    y.backward()
    for v in vs:
        assert (v.grad.dtype, v.grad.shape) == (v.dtype, v.shape)


@pytest.mark.parametrize('batchwise', [True, False])
@pytest.mark.parametrize('with_bias', [True, False])
def test_gradients(device, batchwise, with_bias):
    x, W, b = inputs(shape=(4, 3, 1))
    mask = np.random.RandomState(0).rand(*((4, 2, 3) if batchwise else (2, 3))) > .4

    def f(*xs):
        return F.simplified_dropconnect(
            *xs, ratio=.4, mask=device.send(mask), use_batchwise_mask=batchwise)

    gradients.check(device, f, x, W, *[b] * with_bias)


def test_without_training_it_is_linear(device):
    x, W, b = inputs()
    y = F.simplified_dropconnect(*device.send((x, W, b)), train=False)
    compare.assert_allclose(y.array, x @ W.T + b)
    assert y.creator.ratio == 0


def test_a_mask_of_any_type_may_be_given(device):
    x, W, b = inputs()
    ones = np.ones((4, 2, 3))
    expected = 2 * x @ W.T + b
    ones = device.send(ones)
    for mask in ones.astype(bool), ones.astype('f'), Variable(ones):
        y = F.simplified_dropconnect(*device.send((x, W, b)), mask=mask)
        assert isinstance(y.creator.mask, device.xp.ndarray)
        compare.assert_allclose(y.array, expected)


def test_no_rows(device):
    x, W, b = inputs(shape=(0, 3))
    assert F.simplified_dropconnect(*device.send((x, W, b))).shape == (0, 2)


@pytest.mark.parametrize('change', [
    {'x': np.zeros((4, 2))}, {'x': np.zeros(3)}, {'x': np.zeros((4, 3), 'i')},
    {'W': np.zeros((2, 3), 'i')}, {'W': np.zeros(3)}, {'b': np.zeros(3)},
    {'b': np.zeros(2, 'f')}, {'mask': np.ones((2, 3))}, {'mask': np.ones((4, 3, 2))},
    {'mask': np.ones((4, 2, 3)), 'use_batchwise_mask': False}])
def test_types_are_checked(device, change):
    x, W, b = inputs()
    with pytest.raises(type_check.InvalidType):
        F.simplified_dropconnect(**device.send({'x': x, 'W': W, 'b': b, **change}))

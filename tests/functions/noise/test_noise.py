import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast import using_config
from chainer_fast.functions.noise import dropout, gaussian
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients


@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('shape', [(3, 4), (), (0, 2)])
def test_dropout_draws_uniform_numbers(dtype, shape):
    x = np.ones(shape, dtype)
    np.random.seed(3)
    y, mask = F.dropout(x, .3, return_mask=True)
    np.random.seed(3)
    kept = np.random.rand(*shape) >= .3
    assert (y.dtype, mask.dtype) == (dtype, dtype)
    compare.assert_array_equal(mask, kept * x.dtype.type(1 / .7))
    compare.assert_array_equal(y.array, x * mask)


def test_gradients_of_dropout(device):
    f = dropout.Dropout(.4)
    gradients.check(device, lambda x: f.apply((x,))[0] ** 2, gradients.uniform((3, 4)))


def test_a_mask_may_be_given(device):
    x, mask = device.send((np.full((2, 3), 3.), np.array([[0, 1, 2.]] * 2)))
    y, same = F.dropout(x, mask=mask, return_mask=True)
    assert same is mask
    compare.assert_array_equal(y.array, x * mask)


def test_without_training_nothing_happens(device):
    x = Variable(device.send(np.zeros((2, 3), 'f')))
    with using_config('train', False):
        assert F.dropout(x) is x
        assert F.dropout(x, return_mask=True) == (x, None)


@pytest.mark.parametrize('options, error', [
    ({'ratio': 1.}, ValueError), ({'ratio': -.1}, ValueError),
    ({'train': True}, ValueError), ({'other': 1}, TypeError)])
def test_options_of_dropout(device, options, error):
    with pytest.raises(error):
        F.dropout(device.send(np.zeros(2, 'f')), **options)


@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('shape', [(3, 4), (30, 40)])
def test_gaussian_draws_normal_numbers(dtype, shape):
    mean = gradients.uniform(shape, 0, dtype)
    ln_var = gradients.uniform(shape, 1, dtype)
    np.random.seed(3)
    y, eps = F.gaussian(mean, ln_var, return_eps=True)
    np.random.seed(3)
    compare.assert_array_equal(eps, np.random.standard_normal(shape).astype(dtype))
    assert y.dtype == dtype
    compare.assert_allclose(
        y.array, mean + np.exp(ln_var.astype('d') / 2) * eps, 5e-3)


def test_gradients_of_gaussian(device):
    f = gaussian.Gaussian(eps=device.send(gradients.uniform((2, 3), 5)))
    gradients.check(device, lambda *xs: f.apply(xs)[0] ** 2,
                    gradients.uniform((2, 3)), gradients.uniform((2, 3), 1))


def test_types_are_checked(device):
    x = np.zeros((2, 3), 'f')
    for wrong in x.astype('i'), x.astype('d'), x[0]:
        with pytest.raises(type_check.InvalidType):
            F.gaussian(device.send(x), device.send(wrong))
    with pytest.raises(type_check.InvalidType):
        F.dropout(device.send(x.astype('i')))
    with pytest.raises(TypeError):
        F.gaussian(device.send(x), device.send(x), other=1)


def test_dropout_for_cudnn_takes_a_mask(device):
    mask, gy = device.send((np.array([0, 2.]), np.array([3., 4])))
    y, = dropout.DropoutGradCuDNN(mask, .5).apply((gy,))
    compare.assert_array_equal(y.array, [0, 8])
    with pytest.raises(RuntimeError, match='cuDNN'):
        dropout.DropoutGradCuDNN(None, .5).apply((gy,))


def test_masks_that_are_no_arrays():
    x = np.ones((2, 3), 'f')
    compare.assert_array_equal(F.dropout(x, mask=[1, 0, 2]).array, [[1, 0, 2]] * 2)
    with pytest.raises(TypeError):
        F.dropout(x, mask=Variable(x))

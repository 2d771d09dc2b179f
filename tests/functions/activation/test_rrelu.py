import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast import using_config
from chainer_fast.functions.activation import rrelu
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.devices import to_cpu
from tests.functions import gradients


@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('shape', [(3, 4), (), (0, 2)])
def test_draws_slopes(dtype, shape):
    x = gradients.uniform(shape, 0, dtype)
    np.random.seed(3)
    y, r = F.rrelu(x, .2, .7, return_r=True)
    after = np.random.rand()
    np.random.seed(3)
    expected = np.asarray(np.random.uniform(.2, .7, shape)).astype(dtype)
    assert np.random.rand() == after
    assert isinstance(r, np.ndarray)
    assert (y.shape, y.dtype, r.dtype) == (shape, dtype, dtype)
    compare.assert_array_equal(r, expected)
    compare.assert_array_equal(y.array, np.where(x >= 0, x, x * expected))


@pytest.mark.parametrize('dtype', 'efd')
def test_mean_slope_without_training(device, dtype):
    x = gradients.uniform((3, 4), 0, dtype)
    given = np.full((3, 4), .5, dtype)
    state = np.random.get_state()[2]
    for r in None, given:
        with using_config('train', False):
            y, slopes = F.rrelu(device.send(x), .1, .2, r=device.send(r), return_r=True)
        assert slopes.dtype == dtype
        compare.assert_array_equal(
            slopes, np.full((3, 4), .15000000000000002, dtype))
        compare.assert_array_equal(y.array, np.where(x >= 0, x, x * to_cpu(slopes)))
    assert np.random.get_state()[2] == state


def test_gradients(device):
    r = gradients.uniform((3, 4), 1, low=.1, high=.9)
    gradients.check(
        device, lambda x: F.rrelu(x, r=device.send(r)), gradients.spread((3, 4)))
    with using_config('train', False):
        gradients.check(device, F.rrelu, gradients.spread((3, 4)))


def test_applied_again_it_keeps_its_slopes(device):
    f = rrelu.RReLU()
    x = Variable(device.send(-np.ones((3, 4), 'f')))
    compare.assert_array_equal(f.apply((x,))[0].array, f.apply((x,))[0].array)


def test_given_slopes_are_given_back(device):
    x, r = device.send((np.ones((2, 3), 'f'), np.full((2, 3), .5, 'f')))
    assert F.rrelu(x, r=r, return_r=True)[1] is r


@pytest.mark.parametrize('lower, upper', [
    (.5, .2), (.5, .5), (-.1, .5), (.5, 1.), (.5, float('nan'))])
def test_bounds(device, lower, upper):
    with pytest.raises(ValueError, match='lower|upper'):
        F.rrelu(device.send(np.ones(2, 'f')), lower, upper)


@pytest.mark.parametrize('r', [np.ones((2, 3), 'd'), np.ones(3, 'f')])
def test_slopes_that_do_not_fit(device, r):
    with pytest.raises(type_check.InvalidType):
        F.rrelu(device.send(np.ones((2, 3), 'f')), r=device.send(r))


def test_arguments(device):
    x = device.send(np.ones(2, 'f'))
    with pytest.raises(ValueError, match='train'):
        F.rrelu(x, train=False)
    with pytest.raises(TypeError, match='other'):
        F.rrelu(x, other=1)
    with pytest.raises(type_check.InvalidType):
        F.rrelu(device.send(np.ones(2, 'i')))

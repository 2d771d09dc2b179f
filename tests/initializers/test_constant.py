import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import initializers
from tests import compare


@pytest.mark.parametrize('init, value', [
    (initializers.Zero(), 0),
    (initializers.One(), 1),
    (initializers.NaN(), np.nan),
    (initializers.Constant(-2), -2),
    (initializers.Constant(np.array([1, 2])), [1, 2]),
])
@pytest.mark.parametrize('dtype', 'efd')
def test_fills_with_the_value(device, init, value, dtype):
    array = device.send(np.full((3, 2), 7, dtype))
    init(array)
    compare.assert_array_equal(array, np.broadcast_to(value, (3, 2)))
    assert array.dtype == dtype


def test_fill_value_is_an_attribute():
    assert initializers.Constant(5).fill_value == 5
    assert initializers.Zero.fill_value == 0
    assert initializers.One.fill_value == 1


def test_subclass_names_its_value(device):
    class Two(initializers.constant._Constant):
        fill_value = 2

    array = device.send(np.empty(2))
    Two()(array)
    compare.assert_array_equal(array, 2)


@pytest.mark.parametrize('value', [[1, 2], None, (1,)])
def test_constant_refuses_other_objects(value):
    with pytest.raises(ValueError, match='fill_value'):
        initializers.Constant(value)


def test_constant_that_does_not_fit(device):
    with pytest.raises(ValueError):
        initializers.Constant(np.ones(3))(device.send(np.empty(2)))


@pytest.mark.parametrize('init', [
    initializers.Zero('f'), initializers.Constant(1, 'f'), initializers.Identity(1, 'f')
])
def test_dtype_is_checked(device, init):
    with pytest.raises(AssertionError, match='float64'):
        init(device.send(np.zeros((2, 2))))


def test_identity(device):
    array = device.send(np.ones((3, 3), 'f'))
    initializers.Identity(0.5)(array)
    compare.assert_array_equal(array, 0.5 * np.eye(3))


@pytest.mark.parametrize('shape', [(), (2,), (2, 3), (2, 2, 2), (0,)])
def test_identity_needs_a_square(device, shape):
    with pytest.raises(ValueError, match='square'):
        initializers.Identity()(device.send(np.empty(shape)))


@pytest.mark.parametrize('dtype', ['i', 'b', 'Q'])
def test_nan_of_integers_is_silent(dtype):
    initializers.NaN()(np.zeros(3, dtype))      # warnings are errors
    with chainer.using_config('dtype', np.dtype(dtype)):
        assert chainer.Parameter(initializers.Zero(), (2, 3)).grad.dtype == dtype
    assert chainer.links.Parameter(np.ones((2, 3), dtype)).W.grad.dtype == dtype

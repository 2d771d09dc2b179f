import numpy as np
import pytest

from chainer_fast import chainerx
from tests.chainerx.checks import array, check, uniform, values

pytestmark = pytest.mark.usefixtures('place')

INTEGERS = ['bool', 'int8', 'int16', 'int32', 'int64', 'uint8']
FLOATS = ['float16', 'float32', 'float64']
AXES = [(None, False), (0, True), ((1, -3), False), ((), True)]


@pytest.mark.parametrize('axis, keepdims', AXES)
@pytest.mark.parametrize('name', ['sum', 'nansum', 'logsumexp'])
def test_gradients(name, axis, keepdims):
    check(lambda x: getattr(chainerx, name)(x, axis, keepdims), uniform(2, 3, 2))


@pytest.mark.parametrize('axis, keepdims', AXES)
@pytest.mark.parametrize('dtype', INTEGERS + FLOATS)
@pytest.mark.parametrize('name', ['sum', 'nansum', 'all', 'any'])
def test_values_are_those_of_numpy(name, dtype, axis, keepdims):
    x = (uniform(2, 3, 2) * 2).astype(dtype)
    y = getattr(chainerx, name)(array(x), axis, keepdims)
    if name in ('all', 'any'):
        expected = 'bool'
    else:
        expected = 'int64' if dtype in INTEGERS else dtype
    assert y.dtype == expected
    np.testing.assert_allclose(
        values(y), getattr(np, name)(x, axis, keepdims=keepdims), rtol=2e-3)


@pytest.mark.parametrize('axis', [None, 0, -1])
@pytest.mark.parametrize('dtype', ['bool', 'uint8', 'float16', 'float64'])
def test_cumsum(axis, dtype):
    x = (uniform(3, 4) * 2).astype(dtype)
    y = chainerx.cumsum(array(x), axis)
    assert y.dtype == (dtype if dtype in FLOATS else 'int64')
    np.testing.assert_allclose(values(y), np.cumsum(x, axis), rtol=1e-2)
    check(lambda v: chainerx.cumsum(v, axis), uniform(3, 4))


def test_nansum_has_no_gradient_for_nan():
    x = array([1., np.nan, 3.]).require_grad()
    y = chainerx.nansum(x)
    y.backward()
    assert float(values(y)) == 4
    np.testing.assert_array_equal(values(x.grad), [1, 0, 1])


def test_logsumexp_of_integers_is_float32_and_does_not_overflow():
    y = chainerx.logsumexp(array([1000, 1000]))
    assert y.dtype == 'float32'
    np.testing.assert_allclose(values(y), 1000 + np.log(2), rtol=1e-6)


@pytest.mark.parametrize('axis', [2, -3, (0, 0), (0, -2)])
@pytest.mark.parametrize('name', ['sum', 'nansum', 'logsumexp', 'all', 'any'])
def test_axes_that_are_not_there_or_told_twice(name, axis):
    with pytest.raises(chainerx.DimensionError):
        getattr(chainerx, name)(array(uniform(2, 3)), axis)


@pytest.mark.parametrize('name', ['sum', 'all', 'any'])
def test_methods(name):
    x = uniform(2, 3)
    np.testing.assert_array_equal(
        values(getattr(array(x), name)(axis=1)), getattr(x, name)(axis=1))

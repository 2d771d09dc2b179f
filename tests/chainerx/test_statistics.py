import numpy as np
import pytest

from chainer_fast import chainerx
from tests.chainerx.checks import array, check, uniform, values

pytestmark = pytest.mark.usefixtures('place')

NAMES = ['max', 'min', 'mean', 'var']
AXES = [(None, False), (0, True), ((1, -3), False)]


@pytest.mark.parametrize('axis, keepdims', AXES)
@pytest.mark.parametrize('name', NAMES)
def test_gradients(name, axis, keepdims):
    check(lambda x: getattr(chainerx, name)(x, axis, keepdims), uniform(2, 3, 2))


@pytest.mark.parametrize('axis, keepdims', AXES)
@pytest.mark.parametrize('dtype', ['bool', 'int8', 'int64', 'uint8', 'float64'])
@pytest.mark.parametrize('name', NAMES)
def test_values_are_those_of_numpy(name, dtype, axis, keepdims):
    x = (uniform(2, 3, 2) * 2).astype(dtype)
    y = getattr(chainerx, name)(array(x), axis, keepdims)
    averaged = name in ('mean', 'var') and dtype != 'float64'
    assert y.dtype == ('float32' if averaged else dtype)
    np.testing.assert_allclose(
        values(y), getattr(np, name)(x, axis, keepdims=keepdims), rtol=1e-5)
    same = getattr(array(x), name)(axis, keepdims)
    np.testing.assert_array_equal(values(same), values(y))


@pytest.mark.parametrize('axis', [2, -3, (0, 0), (0, -2)])
@pytest.mark.parametrize('name', NAMES)
def test_axes_that_are_not_there_or_told_twice(name, axis):
    with pytest.raises(chainerx.DimensionError):
        getattr(chainerx, name)(array(uniform(2, 3)), axis)


@pytest.mark.parametrize('name', ['max', 'min'])
def test_extremes_of_nothing(name):
    for x in array(uniform(2, 0)), array(uniform(2, 0)).require_grad():
        with pytest.raises(chainerx.DimensionError):
            getattr(chainerx, name)(x)


@pytest.mark.filterwarnings('ignore::RuntimeWarning')
@pytest.mark.parametrize('name', ['mean', 'var'])
def test_averages_of_nothing_are_nan(name):
    for x in array(uniform(2, 0)), array(uniform(2, 0)).require_grad():
        assert np.isnan(values(getattr(chainerx, name)(x)))


def test_other_names():
    assert chainerx.amax is chainerx.max
    assert chainerx.amin is chainerx.min

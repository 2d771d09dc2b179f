import numpy as np
import pytest

from chainer_fast import chainerx
from tests.chainerx.checks import array, uniform, values

pytestmark = pytest.mark.usefixtures('place')

POSITIONS = ['argmax', 'argmin', 'nanargmax', 'nanargmin']


@pytest.mark.parametrize('axis', [None, 0, -1])
@pytest.mark.parametrize('name', POSITIONS)
def test_positions(name, axis):
    x = uniform(3, 4)
    if name.startswith('nan'):
        x[1, 2] = np.nan
    y = getattr(chainerx, name)(array(x).require_grad(), axis)
    assert y.dtype == 'int64'
    assert not y._is_connected()
    np.testing.assert_array_equal(values(y), getattr(np, name)(x, axis))


@pytest.mark.parametrize('axis', [None, 0, (0, 1)])
def test_count_nonzero(axis):
    x = (uniform(3, 4) * 3).astype('int32')
    y = chainerx.count_nonzero(array(x), axis)
    assert y.dtype == 'int64'
    np.testing.assert_array_equal(values(y), np.count_nonzero(x, axis))


def test_nonzero():
    x = (uniform(3, 4) * 3).astype('int32')
    for y, expected in zip(chainerx.nonzero(array(x)), np.nonzero(x), strict=True):
        assert y.dtype == 'int64'
        np.testing.assert_array_equal(values(y), expected)


@pytest.mark.parametrize('name', [*POSITIONS, 'count_nonzero'])
def test_axes_that_are_not_there(name):
    with pytest.raises(chainerx.DimensionError):
        getattr(chainerx, name)(array(uniform(3, 4)), 2)


@pytest.mark.parametrize('name', POSITIONS)
def test_positions_in_nothing(name):
    with pytest.raises(chainerx.DimensionError):
        getattr(chainerx, name)(array(uniform(2, 0)))


def test_methods():
    x = uniform(3, 4)
    assert int(values(array(x).argmax())) == x.argmax()
    assert int(values(array(x).argmin())) == x.argmin()

import numpy as np
import pytest

import chainer_fast.functions as F
from chainer_fast import chainerx
from tests.chainerx.checks import array, check, same, uniform, values

pytestmark = pytest.mark.usefixtures('place')

# Names, and arguments after the array.
ROUTINES = [
    ('relu', ()), ('clipped_relu', (.5,)), ('crelu', ()), ('crelu', (0,)),
    ('leaky_relu', ()), ('leaky_relu', (.3,)), ('elu', ()), ('elu', (.5,)),
    ('sigmoid', ()), ('softplus', ()), ('softplus', (2.,)), ('softmax', ()),
    ('softmax', (0,)), ('log_softmax', ()), ('log_softmax', (-2,))]


@pytest.mark.parametrize('name, args', ROUTINES)
def test_routines(name, args):
    def routine(x):
        return getattr(chainerx, name)(x, *args)

    for dtype in 'float16', 'float32', 'float64':
        x = uniform(3, 4).astype(dtype)
        same(routine, lambda a: getattr(F, name)(a, *args), x,
             rtol=2e-3 if dtype == 'float16' else 2e-6)
        assert routine(array(x)).dtype == dtype
    check(routine, uniform(3, 4))


@pytest.mark.parametrize('name, args', ROUTINES)
def test_integers_are_converted_to_float32(name, args):
    x = (uniform(3, 4) * 3).astype('int8')
    y = getattr(chainerx, name)(array(x), *args)
    assert y.dtype == 'float32'
    expected = getattr(F, name)(x.astype('float32'), *args)
    np.testing.assert_allclose(values(y), expected.array, rtol=1e-6)


@pytest.mark.parametrize('axis', [(0, 2), (-1, 1), (0, 1, 2)])
def test_softmax_over_several_axes(axis):
    x = uniform(2, 3, 2)
    expected = np.exp(x) / np.exp(x).sum(axis, keepdims=True)
    np.testing.assert_allclose(values(chainerx.softmax(array(x), axis)), expected)
    np.testing.assert_allclose(
        values(chainerx.log_softmax(array(x), axis)), np.log(expected))
    check(lambda v: chainerx.softmax(v, axis), x)
    check(lambda v: chainerx.log_softmax(v, axis), x)


@pytest.mark.parametrize('axis', [2, -3])
@pytest.mark.parametrize('name', ['crelu', 'softmax', 'log_softmax'])
def test_axes_that_are_not_there(name, axis):
    with pytest.raises(chainerx.DimensionError):
        getattr(chainerx, name)(array(uniform(3, 4)), axis)


def test_other_things_than_arrays():
    with pytest.raises(TypeError):
        chainerx.relu(uniform(3, 4))

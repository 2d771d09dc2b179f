import numpy as np
import pytest

from chainer_fast import chainerx
from chainer_fast.chainerx.testing import assert_array_equal_ex

pytestmark = pytest.mark.usefixtures('place')


@pytest.mark.parametrize('name, args, dtype', [
    ('zeros', ((2, 3),), 'float32'), ('ones', (3,), 'float32'),
    ('full', ([2], 1.5), 'float32'), ('full', ((2,), 3), 'int32'),
    ('full', ((), True), 'bool'), ('arange', (4,), 'int32'),
    ('arange', (1, 4), 'int32'), ('arange', (4, 1, -2), 'int32'),
    ('arange', (1, 2, .25), 'float32'), ('arange', (True,), 'bool'),
    ('arange', (True, True), 'bool'), ('linspace', (0, 1, 5), 'float32'),
    ('linspace', (0, 1, 5, False), 'float32'), ('eye', (2, 3, 1), 'float64'),
    ('identity', (3,), 'float64'), ('tri', (3, 4, -1), 'float32')])
def test_values(name, args, dtype):
    expected = getattr(np, name)(*args)
    assert_array_equal_ex(
        getattr(chainerx, name)(*args), expected.astype(dtype))
    assert_array_equal_ex(
        getattr(chainerx, name)(*args, dtype='float16'), expected.astype('float16'))


def test_numbers_are_converted_as_arrays_are():
    for dtype in 'int8', 'uint8', 'float16', 'bool':
        for value in -2, 2.5, 300:
            expected = np.full(2, np.array(value).astype(dtype))
            x = chainerx.zeros((3, 2), dtype)
            x[0] = value
            x[1:].fill(value)
            for found in chainerx.full(2, value, dtype), *x:
                assert_array_equal_ex(found, expected)


def test_empty():
    for shape, expected in (3, (3,)), ([2, 0], (2, 0)), ((), ()):
        x = chainerx.empty(shape, 'int8')
        assert (x.shape, x.dtype, x.is_contiguous) == (expected, 'int8', True)
    assert chainerx.empty(2).dtype == 'float32'


def test_like():
    x = chainerx.empty((2, 3), 'int16', chainerx.get_default_device())
    for found, expected in (
            (chainerx.zeros_like(x), 0), (chainerx.ones_like(x), 1),
            (chainerx.full_like(x, 7), 7)):
        assert_array_equal_ex(found, np.full((2, 3), expected, 'int16'))
    assert chainerx.empty_like(x).shape == (2, 3)


def test_device():
    x = chainerx.zeros(2, device='native:1')
    assert x.device.name == chainerx.ones_like(x).device.name == 'native:1'
    assert chainerx.ones_like(x, 'native:0').device.name == 'native:0'


@pytest.mark.parametrize('call, error', [
    (lambda: chainerx.arange(3, dtype='bool'), chainerx.DtypeError),
    (lambda: chainerx.arange(1, 3, 0), chainerx.ChainerxError),
    (lambda: chainerx.linspace(0, 1, -1), chainerx.ChainerxError),
    (lambda: chainerx.eye(-1), chainerx.DimensionError),
    (lambda: chainerx.tri(2, -1), chainerx.DimensionError),
    (lambda: chainerx.zeros(2, 'uint16'), chainerx.DtypeError),
    (lambda: chainerx.zeros(2.5), TypeError)])
def test_errors(call, error):
    with pytest.raises(error):
        call()

import numpy as np
import pytest

from chainer_fast import chainerx
from tests.chainerx.checks import array, check, uniform, values

pytestmark = pytest.mark.usefixtures('place')


@pytest.mark.parametrize('k', [0, 1, -2, 5])
@pytest.mark.parametrize('name, shape', [
    ('diag', (3,)), ('diag', (2, 3)), ('diagflat', (2, 2)), ('diagflat', ()),
    ('tril', (3, 3)), ('triu', (2, 4, 3)), ('tril', (3,)), ('triu', (3,))])
def test_as_numpy(name, shape, k):
    x = uniform(*shape)
    found = getattr(chainerx, name)(array(x), k)
    expected = getattr(np, name)(x, k)
    assert found.strides == expected.strides
    np.testing.assert_array_equal(values(found), expected)
    if expected.size:
        check(lambda x: getattr(chainerx, name)(x, k), x)
    assert getattr(chainerx, name)(array(x.astype('int8')), k).dtype == 'int8'


def test_device():
    x = chainerx.ones(2, device='native:1')
    assert chainerx.diag(x).device is x.device
    assert chainerx.diagflat(x, device='native:0').device.name == 'native:0'


def test_errors():
    for name, shape in ('diag', ()), ('diag', (1, 2, 3)), ('tril', ()), ('triu', ()):
        with pytest.raises(chainerx.DimensionError):
            getattr(chainerx, name)(chainerx.zeros(shape))


@pytest.mark.parametrize('indexing', ['xy', 'ij'])
@pytest.mark.parametrize('lengths', [(), (3,), (3, 2), (2, 3, 4), (2, 1, 3, 2)])
def test_meshgrid(lengths, indexing):
    xs = [uniform(n, seed=i) for i, n in enumerate(lengths)]
    found = chainerx.meshgrid(*map(array, xs), indexing=indexing)
    for y, expected in zip(found, np.meshgrid(*xs, indexing=indexing), strict=True):
        assert y.is_contiguous
        np.testing.assert_array_equal(values(y), expected)
    if xs:
        check(lambda *xs: chainerx.meshgrid(*xs, indexing=indexing), *xs)
    with pytest.raises(ValueError, match="'xz'"):
        chainerx.meshgrid(indexing='xz')

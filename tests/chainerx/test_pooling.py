import pytest

import chainer_fast.functions as F
from chainer_fast import chainerx
from tests.chainerx.checks import array, check, same, uniform

pytestmark = pytest.mark.usefixtures('place')

WINDOWS = [((2, 3, 5), 2, ()), ((2, 3, 4, 4), (3, 2), ((1, 2), 1)),
           ((1, 2, 3, 4, 3), 2, (1, (1, 0, 1)))]


@pytest.mark.parametrize('cover_all', [True, False])
@pytest.mark.parametrize('shape, ksize, args', WINDOWS)
def test_max_pool(shape, ksize, args, cover_all):
    x = uniform(*shape)
    same(lambda v: chainerx.max_pool(v, ksize, *args, cover_all=cover_all),
         lambda v: F.max_pooling_nd(v, ksize, *args, cover_all=cover_all), x)
    check(lambda v: chainerx.max_pool(v, ksize, *args, cover_all=cover_all), x)


def test_max_pool_does_not_cover_all_by_default():
    assert chainerx.max_pool(array(uniform(1, 1, 3)), 2).shape == (1, 1, 1)


@pytest.mark.parametrize(
    'pad_mode, value', [('zero', 0), ('ignore', None), (None, None)])
@pytest.mark.parametrize('shape, ksize, args', WINDOWS)
def test_average_pool(shape, ksize, args, pad_mode, value):
    x = uniform(*shape)
    same(lambda v: chainerx.average_pool(v, ksize, *args, pad_mode=pad_mode),
         lambda v: F.average_pooling_nd(v, ksize, *args, pad_value=value), x)
    check(lambda v: chainerx.average_pool(v, ksize, *args, pad_mode=pad_mode), x)


@pytest.mark.parametrize('shape, args', [
    ((1, 3), ((),)), ((2, 3, 4, 3), ((2, 2, 1),)), ((2, 3, 4, 3), (2, (1,))),
    ((2, 3, 4, 3), (2, 1, (2,))), ((4, 4, 2, 2), (5, 3))])
@pytest.mark.parametrize('name', ['max_pool', 'average_pool'])
def test_shapes_that_do_not_fit(name, shape, args):
    with pytest.raises(chainerx.DimensionError):
        getattr(chainerx, name)(array(uniform(*shape)), *args)


def test_pad_modes_are_two():
    with pytest.raises(ValueError, match='pad_mode'):
        chainerx.average_pool(array(uniform(1, 1, 3)), 2, pad_mode='edge')

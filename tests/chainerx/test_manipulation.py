import numpy as np
import pytest

from chainer_fast import chainerx
from tests.chainerx.checks import array, check, results, uniform, values

pytestmark = pytest.mark.usefixtures('place')

CALLS = [
    ('reshape', (2, 3, 4), ((4, -1),)), ('reshape', (2, 3), (6,)),
    ('reshape', (1,), ((),)), ('reshape', (2, 3), ((2, 3),)),
    ('ravel', (2, 3), ()), ('squeeze', (1, 3, 1), ()), ('squeeze', (3, 1), (-1,)),
    ('squeeze', (2, 3), ()), ('expand_dims', (2, 3), (1,)),
    ('expand_dims', (2, 3), (-1,)), ('atleast_2d', (), ()), ('atleast_2d', (3,), ()),
    ('atleast_3d', (), ()), ('atleast_3d', (3,), ()), ('atleast_3d', (2, 3), ()),
    ('broadcast_to', (3, 1), ((2, 3, 4),)), ('transpose', (2, 3, 4), ()),
    ('transpose', (2, 3, 4), ((1, -1, 0),)), ('swapaxes', (2, 3, 4), (0, -1)),
    ('rollaxis', (2, 3, 4), (2,)), ('rollaxis', (2, 3, 4), (0, 3)),
    ('rollaxis', (2, 3, 4), (1, -3)), ('moveaxis', (2, 3, 4), (0, -1)),
    ('moveaxis', (2, 3, 4), ((0, 2), (1, 0))), ('flip', (2, 3), ()),
    ('flip', (2, 3), ((0, 1),)), ('flip', (2, 3), (-1,)), ('fliplr', (2, 3), ()),
    ('flipud', (2, 3), ())]


@pytest.mark.parametrize('name, shape, args', CALLS)
def test_as_numpy(name, shape, args):
    x = np.asarray(uniform(*shape))
    found = getattr(chainerx, name)(array(x), *args)
    expected = getattr(np, name)(x, *args)
    assert found.strides == expected.strides
    np.testing.assert_array_equal(values(found), expected)
    check(lambda x: getattr(chainerx, name)(x, *args), x)
    integers = getattr(chainerx, name)(array((x * 9).astype('int8')), *args)
    assert integers.dtype == 'int8'


@pytest.mark.parametrize('name, shape, args', [
    call for call in CALLS if call[0] in (
        'ravel', 'squeeze', 'swapaxes', 'transpose', 'reshape')])
def test_methods(name, shape, args):
    x = array(uniform(*shape))
    np.testing.assert_array_equal(
        values(getattr(x, name)(*args)), values(getattr(chainerx, name)(x, *args)))


def test_forms_of_arguments():
    x = array(uniform(2, 3, 4))
    assert x.reshape(4, 6).shape == x.reshape([4, 6]).shape == (4, 6)
    assert x.transpose(2, 0, 1).shape == x.transpose((2, 0, 1)).shape == (4, 2, 3)
    assert x.transpose(axes=(2, 0, 1)).shape == (4, 2, 3)
    assert x.T.shape == (4, 3, 2)
    with pytest.raises(TypeError):
        x.reshape()
    with pytest.raises(TypeError):
        chainerx.reshape(uniform(2), (2,))


def test_views():
    x = array(uniform(2, 3))
    for view in (x.T, x.reshape(-1), x.ravel(), chainerx.flip(x), x.swapaxes(0, 1),
                 chainerx.expand_dims(x, 0), chainerx.atleast_3d(x)):
        assert view.data_ptr == x.data_ptr
    assert x.flatten().data_ptr != x.data_ptr
    check(lambda x: x.flatten(), uniform(2, 3))


@pytest.mark.parametrize('name, shape, args', [
    ('reshape', (2, 3), ((4,),)), ('reshape', (2, 3), ((-1, -1),)),
    ('reshape', (0, 3), ((-1, 0),)), ('squeeze', (2, 1), (0,)),
    ('squeeze', (2, 1), (2,)), ('squeeze', (1, 1), ((0, 0),)),
    ('expand_dims', (2,), (2,)), ('broadcast_to', (3,), ((3, 2),)),
    ('broadcast_to', (2, 3), ((3,),)), ('transpose', (2, 3), ((0,),)),
    ('transpose', (2, 3), ((0, 0),)), ('swapaxes', (2, 3), (0, 2)),
    ('rollaxis', (2, 3), (2,)), ('rollaxis', (2, 3), (0, 3)),
    ('moveaxis', (2, 3), ((0, 1), 0)), ('moveaxis', (2, 3), (0, 2)),
    ('moveaxis', (2, 3), ((0, 0), (0, 1))), ('flip', (2,), (1,)),
    ('fliplr', (2,), ()), ('flipud', (), ())])
def test_errors(name, shape, args):
    with pytest.raises(chainerx.DimensionError):
        getattr(chainerx, name)(chainerx.zeros(shape), *args)


def test_results_that_are_operands_have_gradients_of_their_own():
    x = array(uniform(2, 3)).require_grad()
    y, = results(lambda x: x.reshape(2, 3), x)
    y.set_grad(chainerx.full_like(y, 2))
    assert x.grad is None
    y.backward()
    np.testing.assert_array_equal(values(x.grad), np.full((2, 3), 2))

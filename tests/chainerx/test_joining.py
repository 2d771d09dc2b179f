import numpy as np
import pytest

from chainer_fast import chainerx
from tests.chainerx.checks import array, check, uniform, values

pytestmark = pytest.mark.usefixtures('place')


@pytest.mark.parametrize('name, shapes, args', [
    ('concatenate', [(2, 3), (1, 3)], ()), ('concatenate', [(2, 3), (2, 1)], (-1,)),
    ('concatenate', [(2, 3), (4,)], (None,)), ('concatenate', [(3,)], (0,)),
    ('stack', [(2, 3), (2, 3)], ()), ('stack', [(2, 3), (2, 3)], (-1,)),
    ('hstack', [(), (2,)], ()), ('hstack', [(2, 3), (2, 1)], ()),
    ('vstack', [(3,), (2, 3)], ()), ('dstack', [(2,), (2,)], ()),
    ('dstack', [(2, 3), (2, 3, 2)], ())])
def test_joined(name, shapes, args):
    xs = [uniform(*shape, seed=i) for i, shape in enumerate(shapes)]
    found = getattr(chainerx, name)([*map(array, xs)], *args)
    expected = getattr(np, name)([np.atleast_1d(x) for x in xs], *args)
    assert found.strides == expected.strides
    np.testing.assert_array_equal(values(found), expected)
    check(lambda *xs: getattr(chainerx, name)(xs, *args), *xs)


def test_dtypes():
    for dtypes, expected in (
            (('int64', 'float16'), 'float16'), (('uint8', 'int8'), 'int16'),
            (('float32', 'float64', 'bool'), 'float64'), (('bool', 'bool'), 'bool')):
        xs = [array(np.ones(2, dtype)) for dtype in dtypes]
        for join in chainerx.concatenate, chainerx.stack, chainerx.dstack:
            assert join(xs).dtype == expected


@pytest.mark.parametrize('call', [
    lambda x: chainerx.concatenate([]), lambda x: chainerx.stack([]),
    lambda x: chainerx.concatenate([x, x[0]]), lambda x: chainerx.concatenate([x], 2),
    lambda x: chainerx.concatenate([x, x[:, :2]]), lambda x: chainerx.stack([x, x[:1]]),
    lambda x: chainerx.stack([x], 3), lambda x: chainerx.hstack([x, x[:1]]),
    lambda x: chainerx.split(x, 4, 1), lambda x: chainerx.split(x, 0),
    lambda x: chainerx.split(x, 2, 2), lambda x: chainerx.hsplit(x, 2),
    lambda x: chainerx.vsplit(x[0], 1), lambda x: chainerx.dsplit(x, 1),
    lambda x: chainerx.split(x, np.zeros((2, 2), int)),
    lambda x: chainerx.repeat(x, 2, 2), lambda x: chainerx.repeat(x, (1, -1), 0),
    lambda x: chainerx.repeat(x, (1, 2), 1)])
def test_errors(call):
    with pytest.raises(chainerx.DimensionError):
        call(chainerx.zeros((2, 3)))


@pytest.mark.parametrize('given', [2.5, '2', [1.], [1, 2.]])
def test_cuts_are_integers(given):
    with pytest.raises(TypeError):
        chainerx.split(chainerx.zeros(5), given)


def test_devices_of_operands():
    with pytest.raises(chainerx.DeviceError):
        chainerx.concatenate([
            chainerx.zeros(2, device='native:%d' % i) for i in (0, 1)])


@pytest.mark.parametrize('given', [
    2, 2., np.array(4), [], [1], [1, 3], [1, -1], [3, 1], [-9, 9], np.array([1, 2]),
    np.array([])])
@pytest.mark.parametrize('name, shape', [
    ('split', (4, 2)), ('vsplit', (4, 2)), ('hsplit', (4,)), ('hsplit', (2, 4)),
    ('dsplit', (1, 2, 4))])
def test_split(name, shape, given):
    x = uniform(*shape)
    whole = array(x)
    found = getattr(chainerx, name)(whole, given)
    expected = getattr(np, name)(x, given if np.ndim(given) else int(given))
    assert isinstance(found, list)
    for part, wanted in zip(found, expected, strict=True):
        assert part.strides == wanted.strides
        np.testing.assert_array_equal(values(part), wanted)
        assert not part.size or part.data_ptr == whole.data_ptr
    check(lambda x: getattr(chainerx, name)(x, given), x)


@pytest.mark.parametrize('repeats, axis', [
    (2, None), ((2,), None), (2, 0), ((1, 2), 0), ([0, 2, 1], -1), (0, 1),
    (np.array([1, 2]), np.array(0))])
def test_repeat(repeats, axis):
    x = uniform(2, 3)
    np.testing.assert_array_equal(
        values(array(x).repeat(repeats, axis)), np.repeat(x, repeats, axis))
    check(lambda x: chainerx.repeat(x, repeats, axis), x)

import itertools

import numpy as np
import pytest

from chainer_fast import chainerx
from tests.chainerx.checks import array, check, uniform, values

pytestmark = pytest.mark.usefixtures('place')

INDEXES = [
    (), 1, -1, np.int8(1), slice(1, None), slice(None, None, -2), ..., None,
    (0, slice(None), -1), (..., 2), (None, ..., None, 1), (slice(5, 9), 0), (1, 2, 3)]


@pytest.mark.parametrize('index', INDEXES, ids=str)
def test_parts(index):
    x = uniform(2, 3, 4)
    whole = array(x)
    found = whole[index]
    np.testing.assert_array_equal(values(found), x[index])
    assert not found.size or found.data_ptr == whole.data_ptr
    check(lambda x: x[index], x)
    whole[index] = 7
    x[index] = 7
    np.testing.assert_array_equal(values(whole), x)


def test_parts_by_arrays():
    x = uniform(3, 4)
    rows = np.array([2, 0, 2])
    check(lambda x: x[array(rows)], x)
    check(lambda x: x[array(rows), array(np.array([1, 1, 3]))], x)
    whole = array(x)
    np.testing.assert_array_equal(values(whole[array(x > 0)]), x[x > 0])
    whole[array(x > 0)] = 0
    np.testing.assert_array_equal(values(whole), np.minimum(x, 0))


@pytest.mark.parametrize('index', [
    2, -3, (0, 3), (0, 0, 0), (..., ...)], ids=str)
def test_index_errors(index):
    for x in chainerx.zeros((2, 3)), chainerx.zeros((2, 3)).require_grad():
        with pytest.raises(IndexError):
            x[index]
    with pytest.raises(IndexError):
        chainerx.zeros((2, 3))[index] = 0


def test_assignment():
    x = chainerx.zeros((2, 3), 'int32')
    x[1] = chainerx.arange(3, dtype='float32')
    x[0, 1:] = [7, 8]
    np.testing.assert_array_equal(values(x), [[0, 7, 8], [0, 1, 2]])
    with pytest.raises(chainerx.DimensionError):
        x[0] = chainerx.zeros(2)
    x.fill(4)
    np.testing.assert_array_equal(values(x), np.full((2, 3), 4))


def test_arrays_in_graphs_are_not_written():
    x, y = chainerx.zeros(3), chainerx.zeros(3).require_grad()
    for write in (lambda: x.__setitem__(0, y[0]), lambda: y.__setitem__(0, 1),
                  lambda: y.fill(1), lambda: chainerx.copyto(y, x),
                  lambda: chainerx.copyto(x, y)):
        with pytest.raises(chainerx.ChainerxError):
            write()
    y.as_grad_stopped()[0] = 5
    assert y[0].item() == 5


def test_copyto():
    x, y = uniform(2, 3), uniform(3, seed=1)
    where = x > 0
    for kwargs in {}, {'where': where}, {'where': False}:
        found = array(x.copy())
        chainerx.copyto(found, array(y), **{
            name: array(value) if value is where else value
            for name, value in kwargs.items()})
        expected = x.copy()
        np.copyto(expected, y, **kwargs)
        np.testing.assert_array_equal(values(found), expected)
    integers = chainerx.zeros(3, 'int32')
    with pytest.raises(chainerx.DtypeError):
        chainerx.copyto(integers, array(y))
    chainerx.copyto(integers, array(y) * 9, casting='unsafe')
    np.testing.assert_array_equal(values(integers), (y * 9).astype('int32'))


@pytest.mark.parametrize('axis', [None, 0, 1, -1])
@pytest.mark.parametrize('indices', [[1, 0, 1], [[1], [-1]], [], [9, -9]], ids=str)
@pytest.mark.parametrize('mode', ['raise', 'wrap', 'clip'])
def test_take(mode, indices, axis):
    x = uniform(2, 3)
    kinds = [indices, np.array(indices, 'int8'), array(np.array(indices, 'int64'))]
    if mode == 'raise' and not array(x).device.native:
        with pytest.raises(chainerx.BackendError):
            array(x).take(indices, axis, mode)
        return
    if mode == 'raise' and indices == [9, -9]:
        for given in kinds:
            with pytest.raises(IndexError):
                array(x).take(given, axis)
        return
    expected = np.take(x, np.array(indices, 'int64'), axis, mode=mode)
    for given in kinds:
        found = chainerx.take(array(x), given, axis, mode)
        np.testing.assert_array_equal(values(found), expected)
    check(lambda x: x.take(indices, axis, mode), x)


def test_take_errors():
    x = chainerx.zeros((2, 3))
    for call, error in (
            (lambda: x.take([0], 2, 'wrap'), chainerx.DimensionError),
            (lambda: x.take([0.5], 0, 'wrap'), chainerx.DtypeError),
            (lambda: x.take([0], 0, 'other'), ValueError)):
        with pytest.raises(error):
            call()


def test_where():
    x, y, c = uniform(2, 3), uniform(3, seed=1), uniform(4, 1, 1, seed=2)
    for condition in c > 0, (c * 4).astype('int8'), c:
        found = chainerx.where(array(condition), array(x), array(y))
        np.testing.assert_array_equal(values(found), np.where(condition, x, y))
        check(lambda x, y, c=condition: chainerx.where(array(c), x, y), x, y)
    check(lambda x: chainerx.where(array(c), x, 3), x)
    check(lambda x: chainerx.where(array(c), 3., x), x)
    with pytest.raises(chainerx.DimensionError):
        chainerx.where(array(c), array(x), chainerx.zeros(2))
    with pytest.raises(TypeError):
        chainerx.where(array(c), x, y)


def test_dtypes_of_where():
    condition = array(np.array([True, False]))
    one = {
        name: chainerx.ones(2, name) for name in ('uint8', 'int8', 'float16', 'bool')}
    for (a, b), expected in (
            (('uint8', 'int8'), 'int16'), (('uint8', 'float16'), 'float16'),
            (('bool', 'int8'), 'int8'), (('uint8', 2), 'uint8'),
            (('int8', 2.), 'float32'),
            (('float16', np.float64(2)), 'float16'), ((True, False), 'bool'),
            ((1, True), 'int32'), ((1, 2.), 'float32')):
        for pair in itertools.permutations([one.get(a, a), one.get(b, b)] if isinstance(
                b, str) else [one[a] if isinstance(a, str) else a, b]):
            assert chainerx.where(condition, *pair).dtype == expected

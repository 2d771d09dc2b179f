"""Calls that NumPy refuses today."""
import pickle

import numpy as np
import pytest

from chainer_fast import legacy
from chainer_fast.legacy import _report
from chainer_fast.legacy._numpy import names


@pytest.fixture(autouse=True)
def numpy_of_old():
    legacy.enable('numpy')
    yield
    legacy.disable()


@pytest.mark.parametrize('name', ['array', 'asarray', 'asanyarray'])
@pytest.mark.parametrize('rows', [
    [[1], [1, 2]], [np.zeros(2), np.zeros(3)], ([1, 2], 3), [np.zeros((2, 3)), 1.0]])
def test_ragged(name, rows, used):
    array = getattr(np, name)(rows)
    assert array.dtype == object and array.shape == (2,)
    assert array[0] is rows[0]
    assert used() == {'numpy.array of ragged rows': 1}


def test_ragged_deep(used):
    assert np.array([[[1, 2], [3]], [[4], [5]]]).shape == (2, 2)
    assert np.array([[1], [2]]).dtype.kind == 'i'
    assert used() == {'numpy.array of ragged rows': 1}


@pytest.mark.parametrize('dtype', [bool, '?', np.bool_, np.dtype(bool)])
@pytest.mark.parametrize('name', ['array', 'asarray', 'asanyarray'])
def test_ragged_rows_as_truth(name, dtype, used):
    """Whether there is something in a row, whatever it is."""
    make = getattr(np, name)
    assert make([[False], [True, True], []], dtype=dtype).tolist() == [1, 1, 0]
    array = make([[[False], []], [[2, 3], [4]]], dtype)
    assert array.dtype == bool and array.tolist() == [[True, False], [True, True]]
    assert used() == {'numpy.array of ragged rows': 2}


@pytest.mark.parametrize('dtype', [float, int, 'f4'])
def test_ragged_rows_are_no_numbers(dtype):
    with pytest.raises((ValueError, TypeError)):
        np.array([[1], [1, 2]], dtype=dtype)


@pytest.mark.parametrize('draw', [
    lambda rows: np.random.RandomState(0).permutation(rows),
    lambda rows: np.random.RandomState(0).permutation(tuple(rows)),
    lambda rows: np.random.default_rng(3).permutation(rows)])
def test_permutation_of_ragged_rows(draw, used):
    rows = [[1], [2, 3], [4]]
    drawn = draw(rows)
    assert drawn.dtype == object and sorted(drawn.tolist()) == rows
    assert used() == {'numpy.array of ragged rows': 1}
    assert rows == [[1], [2, 3], [4]]


# What NumPy 1.19 gives of them.
@pytest.mark.parametrize('read, expected', [
    (lambda rows: np.may_share_memory(rows, rows), False),
    (lambda rows: np.shares_memory(rows, rows), False),
    (lambda rows: (np.shape(rows), np.size(rows), np.ndim(rows)), ((2,), 2, 1)),
    (lambda rows: np.take(rows, 1), [2, 3]),
    (lambda rows: np.repeat(rows, 2).tolist(), [[1], [1], [2, 3], [2, 3]]),
    (lambda rows: np.append(rows, [None]).tolist(), [[1], [2, 3], None]),
    (lambda rows: np.copy(rows).tolist(), [[1], [2, 3]]),
    (lambda rows: np.sum(rows), [1, 2, 3]),
    (lambda rows: np.max(rows), [2, 3]),
    (lambda rows: np.argsort(rows).tolist(), [0, 1]),
    (lambda rows: np.where([True, False], rows, [4, 5]).tolist(), [[1], 5]),
    (lambda rows: np.delete(rows, 0).tolist(), [[2, 3]]),
    (lambda rows: np.tile(rows, 2).tolist(), [[1], [2, 3], [1], [2, 3]]),
])
def test_functions_of_ragged_rows(read, expected, used):
    assert read([[1], [2, 3]]) == expected
    assert used().keys() == {'numpy.array of ragged rows'}


def test_functions_of_ragged_rows_for_libraries_of_today():
    with pytest.raises(ValueError, match='inhomogeneous'):
        eval('np.shape([[1], [1, 2]])', {'__name__': 'scipy.linalg', 'np': np})


def test_report_names_the_line_of_the_program(tmp_path):
    np.save(tmp_path / 'a.npy', [[1], [2, 3]])
    (file, _), = _report.uses()['numpy.array of ragged rows']
    assert file == __file__


@pytest.mark.parametrize('args, kwargs', [
    (([[1], [1, 2]], float), {}),
    (([[1], [1, 2]],), {'dtype': np.float32}),
    (([np.zeros((2, 3)), np.zeros((2, 4))],), {}),
    (([1, 2], float), {'copy': 3, 'order': 'nothing'}),
])
def test_what_was_refused_stays_refused(args, kwargs, used):
    with pytest.raises((ValueError, TypeError)):
        np.array(*args, **kwargs)
    assert used().keys() <= {'numpy.array of ragged rows'}


def test_libraries_of_today_are_told():
    of_today = {'__name__': 'sklearn.utils.validation', 'np': np}
    with pytest.raises(ValueError, match='inhomogeneous'):
        eval('np.array([[1], [1, 2]])', of_today)
    np_save = {'__name__': 'program', 'np': np}
    assert eval('np.size(np.array([[1], [1, 2]]))', np_save) == 2


def test_copy_false():
    a = np.arange(3.0)
    assert np.array(a, copy=False) is a
    assert np.array(a, np.float32, copy=False).dtype == np.float32
    assert np.array([1], copy=False).tolist() == [1]


def test_functions_stay_functions():
    class Converter:
        convert = np.array
        join = np.stack
    assert Converter().convert([1]).tolist() == [1]
    assert pickle.loads(pickle.dumps(np.array)) is np.array
    assert np.array.__doc__ and np.array.__name__ == 'array'
    assert np.array.__module__ == 'numpy'


def test_kinds_of_dtypes(used):
    assert np.issubdtype(np.float32, float) and np.issubdtype('f2', float)
    assert np.issubdtype(np.int32, int) and not np.issubdtype(np.uint8, int)
    assert np.issubdtype(np.complex64, complex)
    assert used() == {'numpy.issubdtype of float, int or complex': 5}
    assert not np.issubdtype(np.float32, np.float64)
    of_today = {'__name__': 'sklearn.utils', 'np': np}
    assert not eval('np.issubdtype(np.float32, float)', of_today)
    legacy.disable()
    legacy.enable()
    assert not np.issubdtype(np.float32, float)


def test_fromstring():
    assert np.fromstring('1 2', dtype=int, sep=' ').tolist() == [1, 2]
    a = np.fromstring(np.arange(3, dtype='i4').tobytes(), 'i4')
    a[0] = 5        # it is writable
    assert a.tolist() == [5, 1, 2]
    assert np.fromstring('\x01\xff', np.uint8).tolist() == [1, 255]
    assert np.fromstring(b'\x01\x02\x03', np.uint8, 2).tolist() == [1, 2]


def test_load(tmp_path, used):
    objects = np.array([{1: 2}, None], dtype=object)
    np.save(tmp_path / 'a.npy', objects)
    np.savez(tmp_path / 'a.npz', a=objects, b=np.arange(2))
    np.save(tmp_path / 'b.npy', np.arange(2))
    assert np.load(tmp_path / 'b.npy').tolist() == [0, 1]
    with np.load(tmp_path / 'a.npz') as archive:
        assert archive['b'].tolist() == [0, 1]
        assert not used()
        assert archive['a'].tolist() == objects.tolist()
    with open(tmp_path / 'a.npy', 'rb') as f:
        assert np.load(f).tolist() == objects.tolist()
    assert used() == {'numpy.load of objects': 2}
    for file in ('a.npy', 'a.npz'):
        with pytest.raises(ValueError, match='allow_pickle=False'):
            loaded = np.load(tmp_path / file, allow_pickle=False)
            loaded['a']
    of_today = {'__name__': 'chainer_fast.serializers.npz', 'np': np}
    with pytest.raises(ValueError, match='allow_pickle=False'):
        eval('np.load(file)', of_today, {'file': tmp_path / 'a.npy'})


def test_one_element(load, used):
    module = load('''
import math
def numbers(a):
    return (float(a), int(a), complex(a), math.exp(a), math.pow(a, 2), "%d" % a,
            "%s %5.2f" % ("x", a), "%(a)s" % {"a": 1}, "%d%%" % 3, "%s" % a)
def set(a, b):
    a[1] = b
    a[2] += b
    a[0], c = b, 0
    a[1:2] = b
    return a
''')
    a = np.array([[2.0]])
    assert module.numbers(a) == (
        2.0, 2, 2 + 0j, np.exp(2.0), 4.0, '2', 'x  2.00', '1', '3%', '[[2.]]')
    assert module.set(np.ones(4), np.array([3.0])).tolist() == [3, 3, 4, 1]
    assert module.set(np.ones((4, 2), np.float32), 3.0)[1].tolist() == [3, 3]
    assert used()['float of an array'] == 5
    assert used()["'%f' of an array"] == 2


def test_one_element_to_types_of_numpy(load, used):
    module = load('import numpy as np\n'
                  'def f(a): return np.float(a), np.complex(a), np.float32(a)\n')
    assert module.f(np.array([2.5])) == (2.5, 2.5 + 0j, 2.5)
    assert used()['float of an array'] == 2


def test_methods_of_arrays(load):
    module = load('''
def f(a):
    a.itemset(3, 9)
    a.itemset((0, 1), 8)
    return a.ptp(), a.ptp(axis=0).tolist(), a.newbyteorder().dtype.byteorder
def item(a):
    a.itemset(4)
    return a
''')
    a = np.arange(4.0).reshape(2, 2)
    assert module.f(a) == (9.0, [2.0, 1.0], '>')
    assert a.tolist() == [[0, 8], [2, 9]]
    assert module.item(np.array(3.0)) == 4
    assert module.item(np.zeros(1)).tolist() == [4]


@pytest.mark.parametrize('arrays, scalars, expected', [
    (['f4'], ['i8', 'f8'], 'f4'),
    (['f4'], ['c8'], 'c8'),
    (['f4', 'f4', 'i4'], [], 'f8'),
    ([], ['i4', 'f4'], 'f8'),
    (['i4'], ['f4'], 'f4'),
])
def test_find_common_type(arrays, scalars, expected):
    assert names._find_common_type(arrays, scalars) == np.dtype(expected)


def test_small_names():
    assert names._in1d(np.array([[1, 2], [3, 1]]), [1]).tolist() == [
        True, False, False, True]
    assert names._obj2sctype(np.zeros(1, 'f4')) is np.float32
    assert names._obj2sctype('nothing') is None
    assert names._asfarray([1], dtype='i4').dtype == np.float64
    assert names._asfarray([1], dtype='f4').dtype == np.float32
    assert names._maximum_sctype('f4') is np.longdouble
    assert not names._issubclass(3, int)

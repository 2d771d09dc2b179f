"""Launches that are kept, and what is told apart when they run in another form."""
import json
import pickle
import zlib

import numpy as np
import pytest

from tests.doubles.device_code import batches, differences, launches
from tests.doubles.ptx import memory

INSTANCE = {'kind': 'elementwise', 'letters': {'T': 'float32'}, 'ndims': [1],
            'arguments': (('array', 'float32', 1, True), ('number', 'int32')),
            'init': {'name': 'twice', 'options': ()}, 'made_at': ['m.py:3']}


def test_kernels_are_the_same_when_they_come_back_from_a_file():
    again = json.loads(json.dumps(INSTANCE))
    assert launches.key_of(again) == launches.key_of(INSTANCE)
    assert launches.key_of({**again, 'made_at': None}) == launches.key_of(INSTANCE)
    assert launches.key_of({**again, 'ndims': [2]}) != launches.key_of(INSTANCE)


def arrays_argument(array):
    return np.array([array.ctypes.data, array.size, *array.shape, *array.strides],
                    'i8').tobytes()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv('HOST_CUPY_LAUNCHES', str(tmp_path))
    monkeypatch.setattr(launches, '_kept', launches._kept.copy())
    launches._kept.clear()
    return tmp_path


def keep(array, number, grid=(1, 1, 1)):
    args = [arrays_argument(array), np.int32(number).tobytes()]
    with launches.recorded(INSTANCE, grid, (4, 1, 1), args, 0):
        array *= number


def test_launches_are_kept_with_the_memory_before_and_after(folder):
    a = np.arange(12, dtype='f4')
    keep(a[2:10:2], 3)
    path, = folder.glob('*/*')
    assert path.parent.name == launches.key_of(INSTANCE)
    kept = launches.read(path)
    # From the first to the last element.
    assert kept['addresses'] == [a.ctypes.data + 8]
    assert np.frombuffer(kept['before'][0], 'f4').tolist() == [2, 3, 4, 5, 6, 7, 8]
    assert np.frombuffer(kept['after'][0], 'f4').tolist() == [6, 3, 12, 5, 18, 7, 24]
    assert kept['grid'] == (1, 1, 1) and kept['shared_memory'] == 0


def test_launches_of_equal_sizes_and_numbers_are_kept_once(folder):
    for number in (3, 3, 4):
        keep(np.ones(4, 'f4'), number)
    keep(np.ones(5, 'f4'), 3)
    assert len(list(folder.glob('*/*'))) == 3


def test_large_launches_are_kept_of_kernels_that_have_no_others(folder):
    grid = (launches.THREADS, 1, 1)
    keep(np.ones(4, 'f4'), 1, grid)
    keep(np.ones(4, 'f4'), 2, grid)
    assert len(list(folder.glob('*/*'))) == 1
    keep(np.ones(4, 'f4'), 3)
    path, = folder.glob('*/*')
    assert launches.read(path)['grid'] == (1, 1, 1)


def test_memory_whose_addresses_are_in_halves():
    a, b = np.ones(40, 'f4'), np.ones(50, 'f4')
    memory = np.sort(np.array([(each.ctypes.data, each.ctypes.data + each.nbytes)
                               for each in (a, b)], 'u8'), axis=0)
    for each in (a, b):
        address = each.ctypes.data + 12
        arg = np.array([3, address & 0xffffffff, 7, address >> 32], 'u4').tobytes()
        place, = launches._halves(memory, arg)
        assert memory[place, 0] == each.ctypes.data
    assert launches._halves(memory, np.array([1, 2, 3, 4], 'u4').tobytes()) == []


def test_launches_that_fail_are_not_kept(folder):
    args = [arrays_argument(np.ones(4, 'f4')), bytes(4)]
    with pytest.raises(ValueError), launches.recorded(
            INSTANCE, (1, 1, 1), (4, 1, 1), args, 0):
        raise ValueError
    assert not list(folder.glob('*/*'))


def test_arrays_that_run_backwards_and_share_memory():
    a = np.zeros(10, 'i2')
    arguments = [arrays_argument(each) for each in (a[8:2:-2], a[4:6], a[:0])]
    kinds = {i: ('int16', 1) for i in range(3)}
    assert launches._regions(arguments, kinds) == [(a.ctypes.data + 8, 10)]


def different(kind, ours, theirs, stores=(), array=True, letters=None, code=''):
    ours, theirs = np.array(ours, kind), np.array(theirs, kind)
    region = memory.Region(4096, ours.tobytes())
    argument = np.array([4096, ours.size, ours.size, ours.itemsize], 'i8').tobytes()
    return differences.find(list(stores), [region], {
        'instance': {'kind': 'elementwise' if array else 'raw',
                     'letters': letters or {}, 'init': {'code': code},
                     'arguments': [
                         ('array', ours.dtype.name, 1, True)] if array else []},
        'args': [argument], 'after': [theirs.tobytes()]})


@pytest.mark.parametrize('kind, ours, theirs, equal', [
    ('i4', [1, 2], [1, 2], True), ('i4', [1, 2], [1, 3], False),
    ('f4', [1, 2], [1, 2 + 1e-6], True), ('f4', [1, 2], [1, 2.001], False),
    ('f4', [1e-9, 2], [-1e-9, 2], True), ('f4', [np.nan, 2], [np.nan, 2], True),
    ('f4', [np.nan, 2], [1, 2], False), ('f4', [np.inf, 2], [3e38, 2], False),
    ('f4', [1e-40], [0], True), ('f8', [1, 2], [1, 2 + 1e-9], False),
    ('f8', [1, 2], [1, 2 + 1e-15], True), ('f2', [1, 2], [1.001, 2], True),
    ('f2', [1, 2], [1.1, 2], False), ('?', [True], [False], False)])
def test_what_is_equal(kind, ours, theirs, equal):
    assert (different(kind, ours, theirs) == []) is equal


def test_doubles_that_were_computed_in_single_precision():
    near = [1., 2.], [1., 2 + 1e-6]
    assert different('f8', *near, letters={'T': 'float64'})
    assert not different('f8', *near, letters={'T': 'float32'})
    stores = [('f64', np.array([4096, 4104], 'u8'))]
    of = 'struct float_of { float x; }; __global__ void f(double *s) { g<%s, 2>(s); }'
    assert different('f8', *near, stores, array=False, code=of % 'double')
    assert not different('f8', *near, stores, array=False, code=of % 'float')
    assert not different('f8', *near, stores, array=False, code=of % 'double, half')


def test_types_of_raw_kernels_are_those_of_their_stores():
    near = [1, 2], [1, 2 + 1e-6]
    addresses = np.array([4096, 4100], 'u8')
    assert different('f4', *near, array=False)
    assert not different('f4', *near, [('f32', addresses)], array=False)
    assert different('f4', *near, [('u32', addresses)], array=False)
    # What was not stored must not differ at all.
    assert different('f4', *near, [('f32', addresses[:1])], array=False)


PTX = '''.version 8.8
.target sm_75
.visible .entry _ZN8kernel_03oneEPf(
    .param .u64 p
)
{
    ret;
}

.visible .entry _ZN8kernel_13twoEPf(
    .param .u64 p
)
{
    ret;
}
.visible .entry _ZN9kernel_113twoEPf(.param .u64 p)
{
    ret;
}
'''


@pytest.mark.parametrize('i, entry', [
    (0, '_ZN8kernel_03one'), (1, '_ZN8kernel_13two'), (11, '_ZN9kernel_113two')])
def test_ptx_of_one_source_of_several(i, entry):
    text = batches.alone(PTX, i)
    assert text.startswith('.version 8.8\n.target sm_75\n')
    assert text.count('.entry') == 1 and '.entry ' + entry in text


def test_files_of_launches_are_compressed(folder):
    keep(np.ones(4, 'f4'), 3)
    path, = folder.glob('*/*')
    assert pickle.loads(zlib.decompress(path.read_bytes())) == launches.read(path)

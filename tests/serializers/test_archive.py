"""Archives that are not what they claim."""
import io
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest

from chainer_fast import serializers
from chainer_fast.serializers import _npy


class Bag:
    """Saves and loads its values."""

    def __init__(self, **values):
        self.values = values

    def serialize(self, serializer):
        for key, value in self.values.items():
            self.values[key] = serializer(key, value)


def header(shape, descr='<f4', fortran_order=False, version=b'\1\0'):
    text = repr({'descr': descr, 'fortran_order': fortran_order, 'shape': shape})
    return (b'\x93NUMPY' + version + struct.pack(
        '<H' if version == b'\1\0' else '<I', len(text)) + text.encode())


def archive(path, content, method=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, 'w', method) as opened:
        opened.writestr('x.npy', content)
    return str(path)


@pytest.fixture
def path(tmp_path):
    return tmp_path / 'saved.npz'


def refuse(path, value, error, match):
    bag = Bag(x=value)
    with pytest.raises(error, match=match) as info:
        serializers.load_npz(str(path), bag)
    assert 'saved.npz' in str(info.value)
    assert bag.values['x'] is value


# -- headers


@pytest.mark.parametrize('content,match', [
    (header((3,)) + bytes(8), 'claims 12 bytes .* contains 8'),
    (header((3,)) + bytes(16), 'claims 12 bytes .* contains 16'),
    (header((1 << 50,)) + bytes(8), 'claims 4503599627370496 bytes'),
    (header((-1,)), 'is invalid'), (header((True,)), 'is invalid'),
    (header((2.,)), 'is invalid'), (header(3), 'is invalid'),
    (header((), '(2,3)f4') + bytes(24), 'is invalid'),
    (header((1 << 40,), '<U0'), 'is invalid'),
    (header((3,), 'nonsense'), 'cannot be parsed'),
    (header((3,), fortran_order=1) + bytes(12), 'is invalid'),
    (b'\x93NUMPY\1\0\3\0abc', 'cannot be parsed'),
    (b'\x93NUMPY\1\0\xff\xff' + b'-' * 65535, 'header is 65535 bytes'),
    (b'\x93NUMPY\2\0\xff\xff\xff\xff', 'header is 4294967295 bytes'),
    (b'\x93NUMPY\1\0\xff\1abc', 'ends within'), (b'\x93NUMPY\4\0', 'version 4'),
    (b'\x93NUMPY\1\0\x10\x27' + b'(' * 10000, 'cannot be parsed'),
    (b'text', 'not in the npy format'), (b'', 'not in the npy format')])
@pytest.mark.parametrize('method', [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_headers_that_are_refused(path, content, match, method):
    archive(path, content, method)
    refuse(path, None, ValueError, match)
    refuse(path, np.zeros(3, 'f4'), ValueError, match)


@pytest.mark.parametrize('content,expected', [
    (header((2,), version=b'\2\0') + np.array([1, 2], 'f4').tobytes(), [1, 2]),
    (header((2,), version=b'\3\0') + np.array([1, 2], 'f4').tobytes(), [1, 2]),
    (header((2, 2), '>f4', True) + np.array([1, 2, 3, 4], '>f4').tobytes(),
     [[1, 3], [2, 4]]),
    (header((0, 3)), np.zeros((0, 3))), (header(()) + bytes(4), 0),
    (header('long').replace(b"'long'", b"(2L, )") + np.array([1, 2], 'f4').tobytes(),
     [1, 2])])
def test_headers_that_are_rare(path, content, expected):
    bag = Bag(x=None)
    serializers.load_npz(archive(path, content), bag)
    np.testing.assert_array_equal(bag.values['x'], expected)
    bag = Bag(x=np.ones(np.shape(expected), 'f4'))
    serializers.load_npz(str(path), bag)
    np.testing.assert_array_equal(bag.values['x'], expected)


@pytest.mark.parametrize('array', [
    np.float32(3), np.zeros((0, 2)), np.arange(6).reshape(2, 3)[:, ::2],
    np.arange(6.).reshape(2, 3).T, np.array('text'), np.array(''), np.array(b'ab'),
    np.array([(1, 2.)], 'i4,f8'), np.ones(2, '>i2'), np.ones((3, 3), '?'),
    np.ones(70000, 'D'), np.datetime64('2020-01-01', 'D')])
def test_numpy_reads_what_is_written(array):
    array = np.asarray(array)
    file = io.BytesIO()
    _npy.write(file, array)
    file.seek(0)
    read = np.load(file)
    assert (read.dtype, read.shape) == (array.dtype, array.shape)
    np.testing.assert_array_equal(read, array)
    expected = io.BytesIO()
    np.save(expected, array)
    assert file.getvalue() == expected.getvalue()


# -- memory


def peak_of(function):
    tracemalloc.start()
    try:
        function()
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return peak


def test_a_bomb_takes_no_memory(path):
    n = 1 << 22
    archive(path, header((n,)) + bytes(4 * n), zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < 1 << 15
    assert peak_of(lambda: refuse(
        path, np.zeros(3, 'f4'), ValueError, 'shape .4194304,.')) < 1 << 20
    assert peak_of(lambda: refuse(path, 3., TypeError, 'length 1')) < 1 << 20


def test_values_of_unknown_size_have_a_limit(path, monkeypatch):
    n = 1 << 20
    archive(path, header((n,)) + bytes(4 * n), zipfile.ZIP_DEFLATED)
    bag = Bag(x=None)
    serializers.load_npz(str(path), bag)
    assert bag.values['x'].shape == (n,)
    monkeypatch.setattr('chainer_fast.serializers._loading._SPARE', 1 << 20)
    assert peak_of(lambda: refuse(
        path, None, ValueError, 'far more than the size of the file')) < 1 << 20
    bag = Bag(x=np.ones(n, 'f4'))
    serializers.load_npz(str(path), bag)
    assert not bag.values['x'].any()


def test_loading_takes_little_more_than_the_file(path):
    array = np.ones(1 << 20, 'f4')
    serializers.save_npz(str(path), {'x': array}, compression=False)
    array[...] = 0
    assert peak_of(lambda: serializers.load_npz(
        str(path), Bag(x=array))) < 1.5 * array.nbytes
    assert array.all()


# -- damage


@pytest.fixture
def saved(path):
    serializers.save_npz(
        str(path), {'x': np.arange(100, dtype='f4'), 'y': np.zeros(3)},
        compression=False)
    return path.read_bytes()


def test_flipped_bit(path, saved):
    at = saved.index(np.arange(100, dtype='f4').tobytes())
    path.write_bytes(saved[:at + 40] + b'\xff' + saved[at + 41:])
    for value in (np.ones(100, 'f4'), np.ones(100), None):
        refuse(path, value, zipfile.BadZipFile, r"'x' of .*CRC-32")
    array = np.ones(100, 'f4')
    with np.load(path) as opened, pytest.raises(zipfile.BadZipFile):
        serializers.NpzDeserializer(opened)('x', array)
    assert (array == 1).all()


def test_cut_file(path, saved):
    path.write_bytes(saved[:-40])
    refuse(path, None, zipfile.BadZipFile, 'damaged')


def test_sizes_in_the_directory(path, saved):
    at = saved.index(b'PK\1\2')
    large = struct.pack('<II', 1 << 31, 1 << 31)
    path.write_bytes(saved[:at + 20] + large + saved[at + 28:])
    refuse(path, None, zipfile.BadZipFile, r"'x' of .* 2147483648 bytes")


def test_name_in_the_directory(path, saved):
    at = saved.rindex(b'x.npy')
    path.write_bytes(saved[:at] + b'z' + saved[at + 1:])
    refuse(path, None, zipfile.BadZipFile, "header of 'z.npy' differ")
    bag = Bag(x=3)
    with pytest.raises(zipfile.BadZipFile):
        serializers.load_npz(str(path), bag, strict=False)


def test_repeated_member(path):
    with zipfile.ZipFile(path, 'w') as opened:
        for _ in range(2):
            opened.NameToInfo.clear()
            opened.writestr('x.npy', header(()) + bytes(4))
    refuse(path, 3., zipfile.BadZipFile, 'same name')


@pytest.mark.parametrize('content', [
    b'', b'PK', b'text', b'\x93NUMPY\1\0\xff\xff', b'\x80\4N.'])
def test_files_that_are_no_archives(path, content):
    path.write_bytes(content)
    refuse(path, None, ValueError, 'not an npz archive')
    file = io.BytesIO(content)
    with pytest.raises(ValueError, match='the given BytesIO is not an npz archive'):
        serializers.load_npz(file, Bag())


def test_other_compression(path):
    archive(path, header((2,)) + bytes(8), zipfile.ZIP_LZMA)
    bag = Bag(x=np.ones(2, 'f4'))
    serializers.load_npz(str(path), bag)
    assert not bag.values['x'].any()


def test_archives_within_files(path, saved):
    """The position of a file is where the archive begins, as for NumPy."""
    bag = Bag(x=np.ones(100, 'f4'))
    serializers.load_npz(io.BytesIO(saved), bag, ignore_names='y')
    np.testing.assert_array_equal(bag.values['x'], np.arange(100))


# -- missing values


def test_missing_value(path, saved):
    bag = Bag(z=1)
    with pytest.raises(KeyError, match=r"saved.npz' has no 'z'"):
        serializers.load_npz(str(path), bag)


def test_hint_at_a_longer_path(path):
    serializers.save_npz(str(path), {'updater/model:main/x': np.zeros(2)})
    with pytest.raises(KeyError, match=r"pass path='updater/model:main/' to load"):
        serializers.load_npz(str(path), Bag(x=1))


def test_integers_without_dimensions():
    for value, array in ((3, np.zeros(1, 'u1')), (-3, np.zeros((), 'i1'))):
        serializers.NpzDeserializer({'x': np.array(value)})('x', array)
        assert (array == value).all()
    with pytest.raises(TypeError):
        serializers.NpzDeserializer({'x': np.array(-3)})('x', np.zeros(1, 'u1'))


def test_text_of_python_2():
    loaded = serializers.NpzDeserializer({'x': np.array('ü'.encode())})('x', '')
    assert loaded == 'ü'

import contextlib
import io
import os
import subprocess
import sys
import zlib

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import serializers
from chainer_fast.serializers import hdf5, npz
from tests import compare

h5py = pytest.importorskip('h5py')


class Bag:
    """Saves and loads its values."""

    def __init__(self, **values):
        self.values = values

    def serialize(self, serializer):
        for key, value in self.values.items():
            self.values[key] = serializer(key, value)


@pytest.fixture
def file():
    with h5py.File(io.BytesIO(), 'w') as opened:
        yield opened


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / 'saved')


# -- serializer


def test_groups(file):
    serializer = serializers.HDF5Serializer(file, compression=3)
    child = serializer['/a/']['b']
    assert child.group.name == '/a/b'
    assert child.compression == 3
    assert serializer['a'].group == file['a']
    assert child('/x', 1) == 1
    assert list(file['a/b']) == ['x']


@pytest.mark.parametrize('value,shape,compression', [
    (np.ones((2, 3), 'f4'), (2, 3), 'gzip'), (np.ones(2, 'f2'), (2,), 'gzip'),
    (np.ones(1), (1,), None), (np.ones((0, 3)), (0, 3), None), (10, (), None),
    (True, (), None), (b'abc', (), None), (2j, (), None)])
def test_datasets(device, file, value, shape, compression):
    sent = device.send(value)
    assert serializers.HDF5Serializer(file)('x', sent) is sent
    assert file['x'].shape == shape
    assert file['x'].dtype == np.asarray(value).dtype
    assert file['x'].compression == compression
    compare.assert_array_equal(file['x'][()], value)


def test_none_is_empty(file):
    assert serializers.HDF5Serializer(file)('x', None) is None
    assert file['x'].shape is None


@pytest.mark.parametrize('value', [{}, np.array([None, 1], object)])
def test_other_values_are_refused(file, value):
    with pytest.raises(TypeError):
        serializers.HDF5Serializer(file)('x', value)


# -- deserializer


def load(file, stored, value):
    serializers.HDF5Serializer(file)('x', stored)
    return serializers.HDF5Deserializer(file)('/x', value)


def test_array_is_filled(device, file):
    value = device.send(np.zeros((2, 3)))
    assert load(file, np.arange(6, dtype='f4').reshape(2, 3), value) is value
    compare.assert_array_equal(value, [[0, 1, 2], [3, 4, 5]])


@pytest.mark.parametrize('stored,make', [
    ((2, 3), lambda: np.zeros((2, 3), 'f4', order='F')),
    ((2, 3), lambda: np.zeros((4, 3), 'f4')[::2]),
    ((2, 3), lambda: np.zeros((1, 2, 3))),
    ((1, 2, 3), lambda: np.zeros((2, 3), 'f2')), ((1, 3), lambda: np.zeros((2, 3))),
    ((1,), lambda: np.zeros(())), ((), lambda: np.zeros((1, 1)))])
def test_array_of_other_layout_is_filled(device, file, stored, make):
    value = device.send(make())
    elements = np.arange(1, 1 + np.prod(stored, dtype=int), dtype='f4').reshape(stored)
    with (pytest.warns(UserWarning, match=r'repeated to fill .* \(2, 3\)')
          if elements.size < value.size else contextlib.nullcontext()):
        assert load(file, elements, value) is value
    compare.assert_array_equal(
        value, np.broadcast_to(elements.reshape(stored[-2:]), value.shape)
        if value.ndim else elements[0])


@pytest.mark.parametrize('stored', [
    np.ones(2), 3., np.ones((2, 3, 2)), np.ones(6), np.ones(3), np.ones((3, 2))])
def test_array_of_other_shape_is_refused(device, file, stored):
    value = device.send(np.zeros((2, 3)))
    with pytest.raises(TypeError, match=r"'x' of .* has shape .* \(2, 3\)"):
        load(file, stored, value)
    assert not value.any()


def test_empty_array(device, file):
    value = device.send(np.zeros((0, 2)))
    assert load(file, np.ones((0, 2)), value) is value


@pytest.mark.parametrize('stored,value,expected', [
    (10, 5, 10), (10, 5., 10.), (2.5, 0., 2.5), (2.5, 0, 2), ('abc', '', 'abc'),
    (b'abc', b'', b'abc'), (True, False, True), (3, np.float32(0), np.float32(3))])
def test_scalars_take_the_old_type(file, stored, value, expected):
    loaded = load(file, stored, value)
    assert type(loaded) is type(value)
    assert loaded == expected


def test_nothing(file):
    compare.assert_array_equal(load(file, [np.arange(3)], None), [[0, 1, 2]])
    del file['x']
    assert load(file, 'abc', None) == np.array('abc')
    del file['x']
    assert load(file, np.array(['a', 'bc']), np.zeros(2, 'U2')).tolist() == ['a', 'bc']
    del file['x']
    assert load(file, None, np.ones(2)) is None


def test_text_of_h5py(file):
    file.create_dataset('x', data='abc')
    assert serializers.HDF5Deserializer(file)('x', '') == 'abc'


def test_none_in_a_dictionary_of_arrays(path):
    class Target:
        value = None

        def serialize(self, serializer):
            self.value = serializer('value', self.value)

    serializers.save_hdf5(path, npz.serialize(Target()))
    target = Target()
    target.value = 3
    serializers.load_hdf5(path, target)
    assert target.value is None


def test_strictness(file):
    strict = serializers.HDF5Deserializer(file)
    loose = serializers.HDF5Deserializer(file, strict=False)
    array = np.ones(2)
    with pytest.raises(KeyError):
        strict('x', array)
    with pytest.raises(ValueError, match="Inexistent group .* 'x'"):
        strict['no']('x', array)
    with pytest.raises(ValueError, match='Inexistent group'):
        strict['no']['group']('x', array)
    # It can be taken for what it is: a value is missing.
    with pytest.raises(KeyError, match='^Inexistent group'):
        strict['no']('x', array)
    assert loose('x', array) is array
    assert loose['no']('x', array) is array
    assert loose['no']['group']('x', None) is None


# -- files


@pytest.mark.parametrize('compression', [4, None, 'lzf'])
def test_round_trip(device, path, compression):
    def make():
        link = chainer.Chain()
        with link.init_scope():
            link.w = chainer.Parameter(np.zeros((2, 3), np.float32))
            link.late = chainer.Parameter()
            link.child = chainer.Link(v=(2,))
        link.add_persistent('count', 0)
        device.send(link)
        opt = chainer.optimizers.Adam().setup(link)
        link.late.update_rule.enabled = False
        return opt

    opt = make()
    link = opt.target
    link.w.array[...] = 5
    link.child.v.array[...] = 6
    link.count = 7
    link.cleargrads()
    opt.update()
    serializers.save_hdf5(path + '.link', link, compression)
    serializers.save_hdf5(path, opt, compression)
    other = make()
    serializers.load_hdf5(path + '.link', other.target)
    serializers.load_hdf5(path, other)
    compare.assert_array_equal(other.target.w.array, np.full((2, 3), 5))
    compare.assert_array_equal(other.target.child.v.array, [6, 6])
    assert other.target.late.array is None
    assert (other.target.count, other.t, other.target.w.update_rule.t) == (7, 1, 1)
    assert other.target.w.update_rule.state.keys() == {'m', 'v'}


def test_kinds_of_files(tmp_path):
    memory = io.BytesIO()
    for file in (memory, str(tmp_path / 'a'), tmp_path / 'b'):
        serializers.save_hdf5(file, Bag(x=3))
        bag = Bag(x=0)
        serializers.load_hdf5(file, bag)
        assert bag.values == {'x': 3}
    assert sorted(os.listdir(tmp_path)) == ['a', 'b']


def test_dictionary_of_arrays(path):
    serializers.save_hdf5(path, {'a/b': np.arange(3.), 'n': np.array(2)})
    with h5py.File(path) as opened:
        compare.assert_array_equal(opened['a/b'], [0, 1, 2])
        assert int(opened['n'][()]) == 2


def test_failure_leaves_the_old_file(path):
    serializers.save_hdf5(path, Bag(x=1))
    with pytest.raises(TypeError):
        serializers.save_hdf5(path, Bag(x=2, y={}))
    bag = Bag(x=0)
    serializers.load_hdf5(path, bag)
    assert bag.values == {'x': 1}
    assert os.listdir(os.path.dirname(path)) == ['saved']


# -- files that are not what they claim


VALUES = None, 3., np.ones(4, 'f4')


def refuse(path, change, error, match, values=VALUES):
    for value in values:
        serializers.save_hdf5(path, Bag(x=np.arange(4, dtype='f4')))
        with h5py.File(path, 'r+') as opened:
            change(opened)
        bag = Bag(x=value)
        old = np.copy(value)
        with pytest.raises(error, match=match) as info:
            serializers.load_hdf5(path, bag)
        assert path in str(info.value)
        assert bag.values['x'] is value
        compare.assert_array_equal(value, old)


def replace_by(item):
    def change(opened):
        del opened['x']
        opened['x'] = item
    return change


def create(shape, dtype='f4', **options):
    def change(opened):
        del opened['x']
        opened.create_dataset('x', shape, dtype, **options)
    return change


def test_other_files_are_not_opened(path):
    other = path + '.other'
    serializers.save_hdf5(other, Bag(x=np.ones(4, 'f4')))
    refuse(path, replace_by(h5py.ExternalLink(other, 'x')), OSError, 'another file')
    one = (1,), np.ones(1, 'f4')
    refuse(path, create((1,), external=[(other, 0, 16)]), OSError, 'another file', one)

    def virtual(opened):
        del opened['x']
        layout = h5py.VirtualLayout((4,), 'f4')
        layout[:] = h5py.VirtualSource(other, 'x', (4,))
        opened.create_virtual_dataset('x', layout)

    refuse(path, virtual, OSError, 'another file', (None, np.ones(4, 'f4')))


def test_links_within_the_file(path):
    with h5py.File(path, 'w') as opened:
        opened['y'] = np.arange(3)
        opened['x'] = h5py.SoftLink('/y')
    bag = Bag(x=np.zeros(3))
    with pytest.warns(UserWarning, match="1 values that the Bag does not have .*'y'"):
        serializers.load_hdf5(path, bag)
    compare.assert_array_equal(bag.values['x'], range(3))
    refuse(path, replace_by(h5py.SoftLink('/x')), OSError, 'cannot be read')
    refuse(path, replace_by(h5py.SoftLink('/no')), OSError, 'cannot be read')


@pytest.mark.parametrize('options', [
    {}, {'chunks': (1 << 10,)}, {'chunks': (1 << 10,), 'compression': 4}])
def test_claims(path, options):
    change = create((1 << 38,), **options)
    refuse(path, change, OSError, r"'x' of .* claims", (None,))
    refuse(path, change, TypeError, 'length 1', (3.,))
    refuse(path, change, TypeError, 'broadcast', (np.ones(4, 'f4'),))


def test_claims_of_chunks(path):
    refuse(path, create((4,), maxshape=(None,), chunks=(1 << 28,)), OSError,
           'claims', (None, np.ones(4, 'f4')))


def test_chunk_that_unpacks_to_more(path):
    def bomb(opened):
        create((4,), chunks=(4,), compression=4)(opened)
        opened['x'].id.write_direct_chunk((0,), zlib.compress(bytes(1 << 25), 9))

    refuse(path, bomb, OSError, 'unpacks to more than 16 bytes',
           (None, np.ones(4, 'f4')))


def test_objects(path):
    def lists(opened):
        create((4,), h5py.vlen_dtype(np.int32))(opened)
        opened['x'][0] = [1, 2]

    def references(opened):
        create((4,), h5py.ref_dtype)(opened)
        opened['x'][...] = opened['x'].ref

    for change in (lists, references):
        refuse(path, change, OSError, 'neither numbers nor text',
               (None, np.ones(4, 'f4')))


def test_damaged_chunk_leaves_the_array(path):
    def damage(opened):
        opened['x'].id.write_direct_chunk((0,), b'no deflated data')

    refuse(path, damage, OSError, "'x' of .* cannot be read",
           (None, np.ones(4, 'f4'), np.ones(4)))


def test_dtype_that_does_not_fit(path):
    refuse(path, replace_by(np.ones(4, 'D')), OSError, "'x' of .* cannot be read",
           (np.ones(4, 'f4'),))


def test_groups_and_values(path):
    def group(opened):
        del opened['x']
        opened.create_group('x')

    refuse(path, group, KeyError, "no value 'x'")
    refuse(path, lambda opened: opened.clear(), KeyError, "no value 'x'")


@pytest.mark.parametrize('content', [b'', b'text', b'\x89HDF\r\n\x1a\n'])
def test_other_files_are_refused(path, content):
    with open(path, 'wb') as file:
        file.write(content)
    with pytest.raises(OSError, match='not an HDF5 file') as info:
        serializers.load_hdf5(path, Bag())
    assert path in str(info.value)
    with pytest.raises(FileNotFoundError):
        serializers.load_hdf5(path + '.no', Bag())


def test_groups_and_keys_of_the_wrong_kind():
    for call in (lambda: serializers.HDF5Deserializer(3)('a', None),
                 lambda: serializers.HDF5Deserializer(3)['a'],
                 lambda: serializers.HDF5Serializer(None)('a', 1),
                 lambda: serializers.HDF5Serializer(None)['a']):
        for error in TypeError, AttributeError:
            with pytest.raises(error, match='must be an h5py.Group'):
                call()
    with pytest.raises(ValueError, match='Inexistent group'):
        serializers.HDF5Deserializer(None)(3, None)
    assert serializers.HDF5Deserializer(None, strict=False)(3, 5) == 5


# -- without h5py


def test_without_h5py(monkeypatch):
    assert hdf5._available
    monkeypatch.setitem(sys.modules, 'h5py', None)
    assert not hdf5._available
    for call in (lambda: serializers.save_hdf5(None, None, None),
                 lambda: serializers.load_hdf5(None, None),
                 lambda: serializers.HDF5Serializer(None),
                 lambda: serializers.HDF5Deserializer(None)):
        with pytest.raises(RuntimeError, match='h5py is not installed'):
            call()


def test_h5py_is_imported_late():
    code = 'import sys, chainer_fast; sys.exit("h5py" in sys.modules)'
    assert subprocess.run([sys.executable, '-c', code]).returncode == 0
    with pytest.raises(AttributeError, match='no attribute'):
        hdf5.anything  # noqa: B018

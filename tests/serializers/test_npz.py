import io
import os
import pathlib
import stat
import zipfile

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import serializers
from chainer_fast.serializers import _npy, npz
from tests import compare


class Bag:
    """Saves and loads its values."""

    def __init__(self, **values):
        self.values = values

    def serialize(self, serializer):
        for key, value in self.values.items():
            self.values[key] = serializer(key, value)


class Nest(Bag):

    def serialize(self, serializer):
        super().serialize(serializer['inner'])


def model():
    link = chainer.Chain()
    with link.init_scope():
        link.w = chainer.Parameter(np.arange(6, dtype=np.float32).reshape(2, 3))
        link.late = chainer.Parameter()
        link.child = chainer.Link(v=(2,))
    link.child.v.array[...] = [7, 8]
    link.add_persistent('count', 5)
    return link


# -- DictionarySerializer


def test_paths_of_the_dictionary(device):
    outer = npz.DictionarySerializer()
    inner = outer['/a/']['b']
    assert (outer.path, inner.path) == ('', 'a/b/')
    assert inner.target is outer.target
    array = device.send(np.ones(2))
    assert inner('/x', array) is array
    assert outer.target.keys() == {'a/b/x'}
    assert isinstance(outer.target['a/b/x'], np.ndarray)
    assert device.xp is not np or outer.target['a/b/x'] is array


@pytest.mark.parametrize('value,dtype', [
    (1, 'int64'), (1.5, 'float64'), (True, 'bool'), (2j, 'complex128'), ('ab', '<U2'),
    (b'ab', 'S2'), (None, 'O'), (np.float32(1), 'float32')])
def test_scalars_become_arrays(value, dtype):
    target = {}
    assert npz.DictionarySerializer(target)('x', value) is value
    assert isinstance(target['x'], np.ndarray)
    assert (target['x'].shape, target['x'].dtype) == ((), dtype)
    assert target['x'][()] == value


@pytest.mark.parametrize('value', [{}, object(), chainer.Variable(np.ones(2))])
def test_other_values_are_refused(value):
    with pytest.raises(TypeError):
        npz.DictionarySerializer()('x', value)


def test_serialize():
    assert sorted(npz.serialize(model())) == ['child/v', 'count', 'late', 'w']


# -- NpzDeserializer


def load(stored, value, **kwargs):
    return npz.NpzDeserializer({'a/x': np.asarray(stored)}, 'a/', **kwargs)('x', value)


def test_arrays_are_filled(device):
    xp = device.xp
    for value in (xp.zeros(3), xp.zeros((1, 3), 'f4'), xp.zeros(6, 'f2')[::2]):
        assert load([1, 2, 3], value) is value
        compare.assert_array_equal(value, np.broadcast_to([1, 2, 3], value.shape))
    with pytest.raises(TypeError, match='same_kind'):
        load([1.5], xp.zeros(1, int))
    with pytest.raises(ValueError, match='broadcast'):
        load([1, 2], xp.zeros(3))


@pytest.mark.parametrize('stored', [[1, 2, 3], [[1, 2, 3]], [4], 5, [[1], [2]]])
def test_repeated_elements_are_told(device, stored):
    value = device.send(np.zeros((2, 3), 'f4'))
    with pytest.warns(UserWarning, match=(
            r"'a/x' of the given dict has shape .* repeated to fill .* \(2, 3\)")):
        assert load(stored, value) is value
    compare.assert_array_equal(value, np.broadcast_to(stored, (2, 3)))


def test_none(device):
    loaded = load([1, 2], None)
    compare.assert_array_equal(loaded, [1, 2])
    assert load(None, device.send(np.ones(2))) is None
    assert load(None, 3) is None
    assert load(None, None) is None


@pytest.mark.parametrize('stored,value,expected', [
    (5, 0, 5), (5, 0., 5.), (True, 0, 1), (True, False, True), (2.5, 0., 2.5),
    (np.float16(2.5), 0., 2.5), (5, 0j, 5 + 0j), ('ab', '', 'ab'), ([5], 0, 5),
    (np.uint64(2 ** 63), 0, 2 ** 63), (np.int64(-2 ** 60), 0, -2 ** 60),
    (3, np.int64(0), np.int64(3)), (np.int8(3), np.float32(0), np.float32(3))])
def test_scalars_keep_their_type(stored, value, expected):
    loaded = load(stored, value)
    assert type(loaded) is type(value)
    assert loaded == expected


@pytest.mark.parametrize('stored,value', [
    (2.5, 0), (5, True), (1j, 0.), (np.int64(5), np.int32(0)), (2.5, np.float32(0)),
    (np.int64(5), np.uint32(0)), (np.uint64(5), np.int64(0)), (5, np.bool_(True))])
def test_scalars_that_may_lose_something(stored, value):
    with pytest.raises(TypeError, match='Cannot safely deserialize'):
        load(stored, value)


def test_strictness():
    with pytest.raises(KeyError):
        npz.NpzDeserializer({})('x', 1)
    array = np.ones(2)
    loose = npz.NpzDeserializer({}, strict=False)['sub']
    assert not loose.strict
    assert loose('x', array) is array
    assert loose('x', None) is None


@pytest.mark.parametrize('ignored', [
    'a/x', ['a/x'], ('a/x',), lambda path: path == 'a/x', ['b', lambda path: True]])
def test_ignored_names(ignored):
    assert load(1, 7, ignore_names=ignored) == 7
    deserializer = npz.NpzDeserializer({'a/x': np.array(1)}, ignore_names=ignored)
    assert deserializer['a']('x', 7) == 7


def test_names_that_are_not_ignored():
    assert load(1, 7, ignore_names=['x', lambda path: False]) == 1
    for wrong in (3, {'a/x'}, [3]):
        with pytest.raises(ValueError, match='ignore_names needs to be'):
            load(1, 7, ignore_names=wrong)


# -- files


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / 'saved')


@pytest.mark.parametrize('compression', [False, True])
def test_round_trip(device, path, compression):
    serializers.save_npz(path, device.send(model()), compression)
    other = device.send(model())
    other.w.array[...] = 0
    other.child.v.array[...] = 0
    other.count = 0
    serializers.load_npz(path, other)
    compare.assert_array_equal(other.w.array, model().w.array)
    compare.assert_array_equal(other.child.v.array, [7, 8])
    assert other.count == 5
    assert other.late.array is None


def test_optimizer_round_trip(device, path):
    def make():
        opt = chainer.optimizers.Adam().setup(device.send(model()))
        opt.target.late.update_rule.enabled = False
        return opt

    opt = make()
    opt.target.cleargrads()
    opt.target.w.grad = device.xp.ones((2, 3), np.float32)
    opt.update()
    serializers.save_npz(path, opt)
    other = make()
    serializers.load_npz(path, other)
    assert other.t == 1
    rule = other.target.w.update_rule
    assert rule.t == 1
    for name, state in opt.target.w.update_rule.state.items():
        compare.assert_array_equal(rule.state[name], state)


def test_initializes_a_parameter(device, path):
    source, target = device.send((chainer.Link(), chainer.Link()))
    for link in (source, target):
        with link.init_scope():
            link.w = chainer.Parameter()
    source.w.initialize((2, 3))
    source.w.array[...] = 4
    serializers.save_npz(path, source)
    serializers.load_npz(path, target)
    compare.assert_array_equal(target.w.array, np.full((2, 3), 4))


def test_part_of_a_file(device, path):
    serializers.save_npz(path, device.send(model()))
    child = device.send(chainer.Link(v=(2,)))
    serializers.load_npz(path, child, path='child/')
    compare.assert_array_equal(child.v.array, [7, 8])
    with pytest.raises(KeyError, match='childv'):
        serializers.load_npz(path, child, path='child')


def test_file_objects():
    file = io.BytesIO()
    serializers.save_npz(file, Bag(x=1))
    file.seek(0)
    bag = Bag(x=0)
    serializers.load_npz(file, bag)
    assert bag.values == {'x': 1}
    assert not file.closed


def test_names_of_files(tmp_path):
    serializers.save_npz(str(tmp_path / 'exact'), Bag(x=1))
    serializers.save_npz(tmp_path / 'added', Bag(x=2))
    serializers.save_npz(tmp_path / 'there.npz', Bag(x=3))
    serializers.save_npz(os.fsencode(tmp_path / 'bytes'), Bag(x=4))
    names = ['exact', 'added.npz', 'there.npz', 'bytes']
    assert sorted(os.listdir(tmp_path)) == sorted(names)
    for i, name in enumerate(names):
        bag = Bag(x=0)
        serializers.load_npz(pathlib.Path(tmp_path / name), bag)
        assert bag.values == {'x': i + 1}


def test_any_names_of_values(path):
    bag = Bag(file=1, allow_pickle=2, args=np.ones(1))
    serializers.save_npz(path, bag)
    loaded = Bag(file=0, allow_pickle=0, args=np.zeros(1))
    serializers.load_npz(path, loaded)
    assert loaded.values == bag.values


def test_numpy_reads_the_files(path):
    serializers.save_npz(path, Nest(x=np.arange(3), n=None))
    with np.load(path, allow_pickle=True) as archive:
        assert sorted(archive) == ['inner/n', 'inner/x']
        compare.assert_array_equal(archive['inner/x'], [0, 1, 2])
        assert archive['inner/n'][()] is None


class Failing:

    def serialize(self, serializer):
        serializer('x', np.ones(1000))
        raise KeyboardInterrupt


@pytest.mark.parametrize('broken', [Failing(), Bag(x={})])
def test_failure_leaves_the_old_file(path, broken):
    serializers.save_npz(path, Bag(x=1))
    with pytest.raises((KeyboardInterrupt, TypeError)):
        serializers.save_npz(path, broken)
    bag = Bag(x=0)
    serializers.load_npz(path, bag)
    assert bag.values == {'x': 1}
    assert os.listdir(os.path.dirname(path)) == ['saved']


def test_failure_while_writing(path, monkeypatch):
    serializers.save_npz(path, Bag(x=1))

    def fail(*args, **kwargs):
        raise OSError('disk full')

    with monkeypatch.context() as patch:
        patch.setattr(_npy, 'write', fail)
        with pytest.raises(OSError, match='disk full'):
            serializers.save_npz(path, Bag(x=2))
    assert os.listdir(os.path.dirname(path)) == ['saved']
    bag = Bag(x=0)
    serializers.load_npz(path, bag)
    assert bag.values == {'x': 1}


def test_missing_folder(tmp_path):
    name = str(tmp_path / 'no' / 'saved')
    with pytest.raises(FileNotFoundError) as info:
        serializers.save_npz(name, Bag(x=1))
    assert info.value.filename == name


@pytest.mark.parametrize('load', [
    lambda name: serializers.load_npz(name, Bag(x=0)), serializers.load_pickle])
def test_folder_in_place_of_a_file(load, tmp_path):
    with pytest.raises(IsADirectoryError, match='directory') as info:
        load(tmp_path)
    assert info.value.filename == str(tmp_path)


@pytest.mark.posix('permissions of files')
def test_permissions_and_links(path):
    umask = os.umask(0o027)
    try:
        serializers.save_npz(path, Bag(x=1))
    finally:
        os.umask(umask)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o640
    os.chmod(path, 0o604)
    os.symlink(path, path + '2')
    serializers.save_npz(path + '2', Bag(x=2))
    assert os.path.islink(path + '2')
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o604
    bag = Bag(x=0)
    serializers.load_npz(path, bag)
    assert bag.values == {'x': 2}


# -- no pickles


CALLED = []


class Trap:

    def __reduce__(self):
        return CALLED.append, ('trap',)


def test_python_objects_are_refused(path):
    for trap in (np.array(Trap(), object), np.array([None, Trap()], object)):
        with open(path, 'wb') as file:
            np.savez(file, **{'deep/key': trap})
        for obj in (Bag(**{'deep/key': None}), Bag(**{'deep/key': np.ones(2)})):
            with pytest.raises(ValueError) as info:
                serializers.load_npz(path, obj)
            message = str(info.value)
            assert repr(path) in message
            assert "'deep/key'" in message
            assert 'allow_pickle=True' in message
    assert not CALLED


def test_python_objects_on_request(path):
    with open(path, 'wb') as file:
        np.savez(file, key=np.array([1, 'x'], object))
    bag = Bag(key=None)
    serializers.load_npz(path, bag, allow_pickle=True)
    assert bag.values['key'].tolist() == [1, 'x']


def test_none_is_read_from_any_archive(path):
    serializers.save_npz(path, Bag(x=None, y=1))
    for allow in (False, True):
        with np.load(path, allow_pickle=allow) as archive:
            deserializer = npz.NpzDeserializer(archive)
            assert deserializer('x', 3) is None
            assert deserializer('y', 3) == 1


def test_arrays_with_object_fields_are_refused(path):
    array = np.array([(1, None)], [('a', 'i4'), ('b', 'O')])
    with open(path, 'wb') as file:
        np.savez(file, key=array)
    with pytest.raises(ValueError, match='contains Python objects'):
        serializers.load_npz(path, Bag(key=None))


def test_errors_of_archives_come_through(path):
    with zipfile.ZipFile(path, 'w') as archive, archive.open('x.npy', 'w') as member:
        np.lib.format.write_array_header_1_0(
            member, np.lib.format.header_data_from_array_1_0(np.ones(3)))
        member.write(b'too little')
    with pytest.raises(ValueError, match=r"'x' of .* claims 24 bytes .* contains 10"):
        serializers.load_npz(path, Bag(x=None))

    class Broken(dict):
        def __getitem__(self, key):
            raise ValueError('out of order')

    with pytest.raises(ValueError, match='out of order'):
        npz.NpzDeserializer(Broken())('x', 1)


def test_other_files_are_refused(path):
    for content in (b'something else', b'cos\nsystem\n.'):
        with open(path, 'wb') as file:
            file.write(content)
        with pytest.raises(ValueError, match='not an npz archive'):
            serializers.load_npz(path, Bag())
    with open(path, 'wb') as file:
        np.save(file, np.ones(2))
    with pytest.raises(ValueError, match='not an npz archive'):
        serializers.load_npz(path, Bag())

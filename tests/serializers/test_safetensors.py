"""Files of the format safetensors."""
import json
import os
import struct
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast import links as L
from chainer_fast import serializers, training
from chainer_fast.training import extensions

library = pytest.importorskip('safetensors')
numpy_files = pytest.importorskip('safetensors.numpy')


class Net(chainer.Chain):
    def __init__(self, n_in=3):
        super().__init__()
        with self.init_scope():
            self.l1 = L.Linear(n_in, 4)
            self.bn = L.BatchNormalization(4)

    def forward(self, x):
        return self.bn(self.l1(x))


def contents(obj):
    return serializers.npz.serialize(obj)


def assert_equal(one, two):
    one, two = contents(one), contents(two)
    assert sorted(one) == sorted(two)
    for path, value in one.items():
        assert value.dtype == two[path].dtype, path
        np.testing.assert_array_equal(value, two[path], err_msg=path)


def raw(header, data=b''):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack('<Q', len(text)) + text + data


def test_round_trip(tmp_path):
    path = tmp_path / 'net.safetensors'
    net, other = Net(), Net()
    net.bn.N = 3
    net.bn.avg_mean[:] = 2
    net.l1.W.array = np.asfortranarray(net.l1.W.array)
    serializers.save_safetensors(path, net)
    serializers.load_safetensors(str(path), other)
    assert_equal(net, other)
    assert type(other.bn.N) is int

    # As others read it.
    arrays = numpy_files.load_file(path)
    assert sorted(arrays) == [
        'bn.N', 'bn.avg_mean', 'bn.avg_var', 'bn.beta', 'bn.gamma', 'l1.W', 'l1.b']
    np.testing.assert_array_equal(arrays['l1.W'], net.l1.W.array)


@pytest.mark.parametrize('dtype', [
    'bool', 'int8', 'uint16', 'int64', 'float16', 'float32', 'float64', 'complex64',
    '>f4', '>i8'])
def test_dtypes_and_layouts(dtype, tmp_path):
    array = (np.arange(24).reshape(4, 6) % 3).astype(dtype)
    path = str(tmp_path / 'x')
    for value in array, array.T, array[::2, ::-1], array[:0], array[1, 1]:
        serializers.save_safetensors(path, {'a/x': value})
        loaded = numpy_files.load_file(path)['a.x']
        assert loaded.dtype == np.dtype(dtype).newbyteorder('=')
        assert loaded.shape == value.shape
        np.testing.assert_array_equal(loaded, value)


def test_optimizers_and_uninitialized_parameters(tmp_path):
    path = str(tmp_path / 'x')
    net = Net(None)
    serializers.save_safetensors(path, net)
    other = Net(None)
    serializers.load_safetensors(path, other)
    assert other.l1.W.array is None

    optimizer = chainer.optimizers.Adam().setup(net)
    optimizer.update(lambda: F.sum(net(np.ones((2, 3), 'float32'))))
    serializers.save_safetensors(path, net)
    serializers.load_safetensors(path, other)
    assert_equal(net, other)
    other.cleargrads()
    state = chainer.optimizers.Adam().setup(other)
    serializers.save_safetensors(path, optimizer)
    serializers.load_safetensors(path, state)
    assert_equal(optimizer, state)


def make_trainer(out, net):
    data = [(np.ones(3, 'float32') * i, np.int32(i % 4)) for i in range(8)]
    iterator = chainer.iterators.SerialIterator(data, 2)
    optimizer = chainer.optimizers.Adam().setup(net)
    updater = training.updaters.StandardUpdater(iterator, optimizer)
    trainer = training.Trainer(updater, (4, 'iteration'), out)
    trainer.extend(extensions.LogReport(trigger=(1, 'iteration')))
    trainer.extend(extensions.snapshot(
        serializers.save_safetensors, filename='snapshot'), trigger=(4, 'iteration'))
    return trainer


def test_snapshots_of_trainers(tmp_path):
    net = L.Classifier(Net())
    trainer = make_trainer(str(tmp_path), net)
    trainer.run()
    other = make_trainer(str(tmp_path), L.Classifier(Net()))
    serializers.load_safetensors(tmp_path / 'snapshot', other)
    assert other.updater.iteration == 4
    assert_equal(net, other.updater.get_optimizer('main').target)
    log = other.get_extension('LogReport').log
    assert [entry['iteration'] for entry in log] == [1, 2, 3, 4]


def test_texts_and_none(tmp_path):
    class Mixed:
        def __init__(self, text, nothing):
            self.text, self.nothing = text, nothing

        def serialize(self, serializer):
            self.text = serializer('te.xt', self.text)
            self.nothing = serializer('nothing', self.nothing)

    path = str(tmp_path / 'x')
    serializers.save_safetensors(path, Mixed('a "ü"\n', None))
    other = Mixed('', 3)
    serializers.load_safetensors(path, other)
    assert (other.text, other.nothing) == ('a "ü"\n', None)


@pytest.mark.parametrize('arrays, error, message', [
    ({'a': np.zeros(2, 'complex128')}, TypeError, "'a' has the dtype complex128"),
    ({'a': np.array(['x'])}, TypeError, "'a' has the dtype <U1.*save_npz"),
    ({'a': np.array([None])}, TypeError, "'a' has the dtype object"),
    ({'__metadata__': np.zeros(2)}, ValueError, 'name .__metadata__. is reserved'),
    ({'a/b': np.zeros(2), 'a.b': np.zeros(2)}, ValueError,
     "'a/b' and 'a.b' have the same name"),
])
def test_what_is_refused_leaves_the_old_file(arrays, error, message, tmp_path):
    path = tmp_path / 'x'
    path.write_bytes(b'old')
    with pytest.raises(error, match=message):
        serializers.save_safetensors(path, arrays)
    assert path.read_bytes() == b'old' and os.listdir(tmp_path) == ['x']


def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / 'x'
    path.write_bytes(b'old')

    def fail(descriptor):
        raise OSError(28, 'full')

    monkeypatch.setattr(os, 'fsync', fail)
    with pytest.raises(OSError, match='full'):
        serializers.save_safetensors(path, Net())
    assert path.read_bytes() == b'old' and os.listdir(tmp_path) == ['x']


@pytest.mark.parametrize('change, error, message', [
    (lambda arrays: arrays.pop('bn.beta'), KeyError, "has no 'bn.beta'"),
    (lambda arrays: arrays.update({'bn.beta': np.zeros(5)}), ValueError,
     r"'bn/beta' of .*x' has shape \(5,\), which could not be broadcast"),
    (lambda arrays: arrays.update({'bn.beta': np.zeros(4, 'complex64')}), TypeError,
     "'bn/beta' of .*x' has dtype complex64"),
    (lambda arrays: arrays.update({'bn.N': np.zeros(2, 'int64')}), TypeError,
     r"'bn/N' of .*x' has shape \(2,\)"),
])
def test_all_or_nothing(change, error, message, tmp_path):
    path = str(tmp_path / 'x')
    serializers.save_safetensors(path, Net())
    arrays = numpy_files.load_file(path)
    change(arrays)
    numpy_files.save_file(arrays, path)
    net = Net()
    before = {key: value.copy() for key, value in contents(net).items()}
    with pytest.raises(error, match=message):
        serializers.load_safetensors(path, net)
    for key, value in contents(net).items():
        np.testing.assert_array_equal(value, before[key])


def test_not_strict(tmp_path):
    path = str(tmp_path / 'x')
    numpy_files.save_file({'l1.b': np.ones(4, 'float32'), 'else': np.ones(1)}, path)
    net = Net()
    serializers.load_safetensors(path, net, strict=False)
    assert (net.l1.b.array == 1).all()


@pytest.mark.parametrize('data, error, message', [
    (b'', ValueError, "x' is damaged, or not a safetensors file"),
    (b'PK\x03\x04' * 100, ValueError, 'not a safetensors file'),
    (raw(b'{'), ValueError, 'not a safetensors file'),
    (struct.pack('<Q', 1 << 60), ValueError, 'not a safetensors file'),
    (raw({'l1.W': {'dtype': 'F32', 'shape': [4, 3], 'data_offsets': [0, 48]}}, b'1'),
     ValueError, 'not a safetensors file'),
    (raw({'l1.W': {'dtype': 'F32', 'shape': [1 << 40, 1 << 40],
                   'data_offsets': [0, 8]}}, b'12345678'),
     ValueError, 'not a safetensors file'),
    (raw({'bn.beta': {'dtype': 'BF16', 'shape': [4], 'data_offsets': [0, 8]}},
         b'12345678'), TypeError, r"'bn.beta' of .*x' has the dtype BF16.*float32"),
    (raw({'__metadata__': {'chainer_fast.values': '{'}}), ValueError, 'not JSON'),
    (raw({'__metadata__': {'chainer_fast.values': '[' * 100000}}), ValueError,
     'not JSON'),
    (raw({'__metadata__': {'chainer_fast.values': '{"bn.beta": [1]}'}}), ValueError,
     'values other than null'),
    (raw({'__metadata__': {'chainer_fast.values': '{"bn.beta": "text"}'}}),
     TypeError, "'bn/beta' of .*x' has dtype <U4"),
])
def test_damaged_and_hostile_files(data, error, message, tmp_path):
    path = tmp_path / 'x'
    path.write_bytes(data)
    net = Net()
    before = {key: value.copy() for key, value in contents(net).items()}
    with pytest.raises(error, match=message):
        serializers.load_safetensors(path, net)
    for key, value in contents(net).items():
        np.testing.assert_array_equal(value, before[key])


@settings(max_examples=200)
@given(st.data())
def test_mutated_files(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp('mutated')
    path = folder / 'x'
    serializers.save_safetensors(path, Net())
    content = bytearray(path.read_bytes())
    # The numbers at the end may be any.
    length, = struct.unpack('<Q', content[:8])
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, 7 + length))] = data.draw(st.integers(0, 255))
    path.write_bytes(content[:data.draw(st.integers(0, len(content)))])
    net = Net()
    before = {key: value.copy() for key, value in contents(net).items()}
    try:
        serializers.load_safetensors(path, net)
    except (ValueError, TypeError, KeyError) as error:
        assert str(path.name) in str(error)
        for key, value in contents(net).items():
            np.testing.assert_array_equal(value, before[key])


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        serializers.load_safetensors(tmp_path / 'nothing', Net())


def test_import_is_put_off():
    code = 'import sys, chainer_fast; sys.exit("safetensors" in sys.modules)'
    assert subprocess.run([sys.executable, '-c', code]).returncode == 0

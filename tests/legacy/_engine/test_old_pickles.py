"""Pickles of an earlier Chainer that a program reads with Python's own functions."""
import io
import pickle
import sys
import types

import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.links as L
from chainer_fast import legacy

WHAT = 'pickle.load of objects of an earlier Chainer'


@pytest.fixture(autouse=True)
def enabled():
    legacy.enable('v3', 'python3')
    yield
    legacy.disable()


class Noted:
    """Something of the program itself."""

    def __init__(self, value):
        self.value = value

    def __reduce__(self):
        return Noted, (self.value,)


def as_of_chainer_1(obj):
    """Return the pickle that names the maker's modules, as an old file does."""
    content = pickle.dumps(obj, 0)
    assert b'cchainer_fast.' in content
    return content.replace(b'cchainer_fast.', b'cchainer.')


def linear():
    link = L.Linear(3, 2)
    link.extra = Noted([link])
    return link


def test_the_file_is_trusted(used):
    link = pickle.loads(as_of_chainer_1(linear()))
    assert type(link) is L.Linear and isinstance(link.extra, Noted)
    assert link.extra.value[0] is link
    assert used()[WHAT] == 1


def test_objects_one_after_another():
    file = io.BytesIO(as_of_chainer_1(linear()) + pickle.dumps([1]) +
                      as_of_chainer_1(linear()) + b'rest')
    assert isinstance(pickle.load(file), L.Linear)
    assert pickle.load(file) == [1]
    assert isinstance(pickle.load(file), L.Linear)
    assert file.read() == b'rest'


def test_other_files_are_read_as_ever(used):
    data = [np.arange(3), Noted(3)]
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        array, noted = pickle.loads(pickle.dumps(data, protocol))
        assert array.tolist() == [0, 1, 2] and noted.value == 3
    buffers = []
    content = pickle.dumps(np.arange(3), 5, buffer_callback=buffers.append)
    assert pickle.loads(content, buffers=buffers).tolist() == [0, 1, 2]
    assert type(pickle.loads(pickle.dumps(L.Linear(3, 2)))) is L.Linear
    assert not used()


def test_errors_stay_what_they_were():
    with pytest.raises(EOFError):
        pickle.loads(b'')
    with pytest.raises(pickle.UnpicklingError):
        pickle.load(io.BytesIO(b'nonsense'))
    with pytest.raises(AttributeError, match='chainer.links.nothing.Nothing'):
        pickle.loads(b'cchainer.links.nothing\nNothing\n.')


def test_an_unpickler_of_the_program():
    """It finds classes in its own way, or objects outside of the file."""
    class Own(pickle.Unpickler):
        def find_class(self, module, name):
            return super().find_class(module.replace('mine', 'fractions'), name)

    assert Own(io.BytesIO(b'cmine\nFraction\n.')).load().__name__ == 'Fraction'
    content = as_of_chainer_1([L.Linear(3, 2)])[:-1] + b'Poutside\na.'
    unpickler = pickle.Unpickler(io.BytesIO(content))
    unpickler.persistent_load = lambda name: name * 2
    link, outside = unpickler.load()
    assert isinstance(link, L.Linear) and outside == 'outside' * 2


def test_a_stream_that_cannot_be_read_twice():
    class Stream(io.BytesIO):
        def seekable(self):
            return False

    assert pickle.load(Stream(pickle.dumps([1]))) == [1]


# ---- networks of Caffe


@pytest.fixture
def layers_of_chainer_1(monkeypatch):
    """The layers as they were: plain objects, which hold the network itself."""
    module = types.ModuleType('chainer.links.caffe.caffe_function')
    for name in ('_DropoutFunction', '_SingleArgumentFunction', '_CallChildLink'):
        setattr(module, name, type(name, (), {'__module__': module.__name__}))
    for name in 'chainer', 'chainer.links', 'chainer.links.caffe':
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    yield module


@pytest.mark.parametrize('protocol', [0, 2])
@pytest.mark.parametrize('read', [
    lambda content: pickle.loads(content),
    lambda content: chainer.serializers.load_pickle(io.BytesIO(content))])
def test_caffe_function(layers_of_chainer_1, protocol, read, monkeypatch):
    pytest.importorskip('google.protobuf')
    caffe = pytest.importorskip('chainer_fast.links.caffe')

    def made(layer, **state):
        layer = getattr(layers_of_chainer_1, layer)()
        vars(layer).update(state)
        return layer

    net = caffe.CaffeFunction.__new__(caffe.CaffeFunction)
    chainer.Chain.__init__(net)
    net.add_link('fc', L.Linear(3, 2))
    net.add_link('bn', L.BatchNormalization(2))
    child = {name: made('_CallChildLink', caffe_func=net, name=name)
             for name in ('fc', 'bn')}
    net.forwards = {
        'fc': child['fc'], 'drop': made('_DropoutFunction', caffe_func=net, ratio=.5),
        'bn': made('_SingleArgumentFunction', func=child['bn'], args=(),
                   kwargs={'test': True, 'finetune': False}),
        'softmax': made('_SingleArgumentFunction', func=chainer.functions.softmax,
                        args=(), kwargs={'use_cudnn': False})}
    net.split_map = {}
    net.layers = [('fc', ['x'], ['fc']), ('drop', ['fc'], ['drop']),
                  ('bn', ['drop'], ['bn']), ('softmax', ['bn'], ['softmax'])]
    content = pickle.dumps(net, protocol)
    assert b'_DropoutFunction' in content
    monkeypatch.undo()
    again = read(content)

    x = chainer.Variable(np.random.RandomState(0).rand(64, 3).astype(np.float32))
    h = net.fc(x)
    with chainer.using_config('train', False):
        y, = again({'x': x}, ['softmax'])
        np.testing.assert_array_equal(
            y.array, chainer.functions.softmax(net.bn(h)).array)
    dropped, normalized = again({'x': x}, ['drop', 'bn'])
    assert (dropped.array == 0).any()
    with chainer.using_config('train', False):
        np.testing.assert_array_equal(normalized.array, net.bn(dropped).array)
    with chainer.using_config('train', False):
        z, = again.copy()({'x': x}, ['softmax'])
        np.testing.assert_array_equal(y.array, z.array)


@pytest.mark.parametrize('given', [{}, {'W_shape': (3,)}])
def test_scale_without_own_weight(given):
    """Chainer 1 to 6 kept None in the place of what a link does not have."""
    link = L.Scale(1, **given)
    link.bias = None
    if not given:
        link.W = None
    again = pickle.loads(as_of_chainer_1(link))
    x, W = np.ones((2, 3), np.float32), np.arange(3, dtype=np.float32)
    y = again(x) if given else again(x, W)
    np.testing.assert_array_equal(y.array, x if given else x * W)

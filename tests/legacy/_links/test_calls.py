"""Calls of links that say whether they train."""
import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast import initializers, link
from chainer_fast import links as L
from chainer_fast.links.caffe import CaffeFunction

X = np.random.RandomState(0).uniform(-1, 1, (4, 6)).astype(np.float32)
IMAGE = np.random.RandomState(1).rand(1, 3, 224, 224).astype(np.float32)


class Modes(chainer.FunctionHook):
    """Notes in which modes functions run."""

    def __init__(self):
        self.seen = set()

    def forward_preprocess(self, function, in_data):
        self.seen.add((chainer.config.train, chainer.config.enable_backprop))


def modes(call):
    with Modes() as hook:
        call()
    (train, backprop), = hook.seen
    return train, backprop


@pytest.mark.parametrize('name', [
    'VGG16Layers', 'ResNet50Layers', 'ResNet101Layers', 'ResNet152Layers', 'GoogLeNet'])
def test_vision(name, enable, used, monkeypatch):
    # Their weights do not matter, and are many; those of the first layer are used.
    def initialize(self, array):
        if array.size < 10 ** 5:
            array.fill(0)
    for cls in (initializers.LeCunNormal, initializers.Normal, initializers.Uniform,
                initializers.Constant):
        monkeypatch.setattr(cls, '__call__', initialize)
    model = getattr(L, name)(pretrained_model=None)
    layer = 'conv1_1' if name.startswith('VGG') else 'conv1'
    enable('v1')
    flag, tested = ('train', False) if name == 'GoogLeNet' else ('test', True)
    entry = 'chainer.links.%s' % name

    assert modes(lambda: model(IMAGE, [layer])) == (False, True)
    assert modes(lambda: model(IMAGE, [layer], not tested)) == (True, True)
    assert modes(lambda: model(IMAGE, [layer], **{flag: tested})) == (False, True)
    images = [np.zeros((8, 8, 3), np.uint8)]
    assert modes(lambda: model.extract(images, [layer])) == (False, True)
    assert modes(lambda: model.extract(
        images, [layer], volatile='on', **{flag: not tested})) == (True, False)
    assert {entry + ' in test mode by default', '%s.__call__(%s=)' % (entry, flag),
            '%s.extract(%s=)' % (entry, flag), entry + '.extract(volatile=)'
            } <= used().keys()


def test_zoneout(enable, used):
    np.random.seed(0)
    cell = L.StatefulZoneoutLSTM(6, 5)
    with chainer.using_config('train', False):
        expected = [cell(X).array for _ in range(2)]
    enable()
    np.random.seed(0)
    cell = L.StatefulZoneoutLSTM(6, 5, 0.5, 0.5, False)
    for array in expected:
        np.testing.assert_array_equal(cell(X).array, array)
    assert used() == {'chainer.links.StatefulZoneoutLSTM(train=)': 1}


def test_inception_with_an_attribute(enable):
    enable()
    module = L.InceptionBN(3, 2, 2, 2, 2, 2, 'avg', 2)
    image = IMAGE[:, :, :6, :6]
    with chainer.using_config('train', False):
        expected = module(image).array
    np.testing.assert_array_equal(module(image, True).array, expected)
    module.train = False
    np.testing.assert_array_equal(module(image).array, expected)
    assert (module(image, test=False).array != expected).any()


def test_batch_normalization(enable, used):
    enable()
    bn = L.BatchNormalization(6)
    bn(X, False, True)
    assert bn.N == 1
    with chainer.using_config('train', False):
        expected = bn(X).array
    np.testing.assert_array_equal(bn(X, test=True).array, expected)
    np.testing.assert_array_equal(bn(X, True).array, expected)
    assert used() == {'chainer.links.BatchNormalization.__call__(test=)': 3}


def test_caffe(enable, used):
    enable()

    class Net(CaffeFunction):
        """A net without a file: one layer of dropout."""

        def __init__(self):
            link.Chain.__init__(self)
            self.layers = [('drop', ['data'], ['drop'])]
            self.forwards = {'drop': F.dropout}
            self.split_map = {}

    net = Net()
    y, = net(inputs={'data': chainer.Variable(X)}, outputs=['drop'], train=False)
    np.testing.assert_array_equal(y.array, X)
    y, = net({'data': chainer.Variable(X)}, ['drop'], (), True)
    assert (y.array != X).any()
    assert used() == {'chainer.links.caffe.CaffeFunction.__call__(train=)': 2}

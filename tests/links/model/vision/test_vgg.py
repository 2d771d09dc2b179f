import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast import links, serializers
from chainer_fast.dataset import download
from chainer_fast.links.caffe.caffe_function import CaffeFunction
from chainer_fast.links.model.vision import _network, vgg

from ...caffe.nets import blob, layer, write

NAMES = {
    16: '''
        conv1_1 conv1_2 pool1 conv2_1 conv2_2 pool2 conv3_1 conv3_2 conv3_3 pool3
        conv4_1 conv4_2 conv4_3 pool4 conv5_1 conv5_2 conv5_3 pool5 fc6 fc7 fc8 prob
    ''',
    19: '''
        conv1_1 conv1_2 pool1 conv2_1 conv2_2 pool2 conv3_1 conv3_2 conv3_3 conv3_4
        pool3 conv4_1 conv4_2 conv4_3 conv4_4 pool4 conv5_1 conv5_2 conv5_3 conv5_4
        pool5 fc6 fc7 fc8 prob
    ''',
}
NETS = {16: links.VGG16Layers, 19: links.VGG19Layers}


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Networks of few channels."""
    monkeypatch.setattr(vgg, '_CHANNELS', (3, 4, 5, 6, 2))
    monkeypatch.setattr(vgg, '_FEATURES', 8)
    monkeypatch.setattr(vgg, '_CLASSES', 7)


def test_true_sizes(monkeypatch):
    monkeypatch.undo()
    made = []

    class Layer(chainer.Link):

        def __init__(self, *args, **kwargs):
            super().__init__()
            made.append(args[:2])

    monkeypatch.setattr(vgg, 'Linear', Layer)
    monkeypatch.setattr(vgg, 'Convolution2D', Layer)
    links.VGG16Layers(None)
    assert made == [
        (3, 64), (64, 64), (64, 128), (128, 128), (128, 256), (256, 256), (256, 256),
        (256, 512), *[(512, 512)] * 5, (25088, 4096), (4096, 4096), (4096, 1000)]


@pytest.mark.parametrize('n_layers', [16, 19])
def test_layers(n_layers):
    net = NETS[n_layers](None)
    assert net.available_layers == list(net.functions) == NAMES[n_layers].split()
    assert {name for name, link in net.namedlinks(skipself=True)} == {
        '/' + name for name in NAMES[n_layers].split() if name[0] in 'cf'}
    assert net.functions['fc7'] == [net.fc7, F.relu, F.dropout]
    copied = net.copy()
    assert copied.functions['conv1_1'][0] is copied.conv1_1 is not net.conv1_1


@pytest.mark.parametrize('n_layers', [16, 19])
def test_stream_of_weights(n_layers):
    np.random.seed(0)
    net = NETS[n_layers](None)
    np.random.seed(0)
    order = [name for name in NAMES[16].split() if name[0] in 'cf']
    if n_layers == 19:
        order += ['conv3_4', 'conv4_4', 'conv5_4']
    for name in order:
        W = net[name].W.array
        np.testing.assert_array_equal(
            W, np.random.normal(0, .01, W.shape).astype('f'))
        assert not net[name].b.array.any()


def test_forward():
    np.random.seed(0)
    net = links.VGG16Layers(None)
    for p in net.params():
        p.array[...] = np.random.randn(*p.shape)
    x = np.random.randn(1, 3, 224, 224).astype('f')
    with chainer.using_config('train', False):
        found = net(x, net.available_layers)
        y = F.relu(F.convolution_2d(x, net.conv1_1.W, net.conv1_1.b, pad=1))
        y = F.relu(F.convolution_2d(y, net.conv1_2.W, net.conv1_2.b, pad=1))
        y = F.max_pooling_2d(y, 2)
        np.testing.assert_allclose(found['pool1'].array, y.array, rtol=1e-4)
        y = F.relu(net.fc6(found['pool5']))
        np.testing.assert_allclose(found['fc6'].array, y.array, rtol=1e-4)
        y = F.softmax(net.fc8(F.relu(net.fc7(y))))
        np.testing.assert_allclose(found['prob'].array, y.array, rtol=1e-4)
    assert [found['pool%d' % i].shape[2:] for i in range(1, 6)] == [
        (n, n) for n in (112, 56, 28, 14, 7)]


def test_extract_and_predict():
    net = links.VGG19Layers(None)
    images = np.random.randint(0, 256, (2, 30, 40, 3)).astype('u1')
    assert {k: y.shape for k, y in net.extract(images).items()} == {'fc7': (2, 8)}
    for oversample in False, True:
        y = net.predict(images, oversample)
        assert y.shape == (2, 7)
        np.testing.assert_allclose(y.array.sum(1), 1, rtol=1e-4)


def test_base_class():
    net = vgg.VGGLayers(None, 19)
    assert hasattr(net, 'conv5_4')
    with pytest.raises(NotImplementedError):
        net.functions   # noqa: B018
    with pytest.raises(ValueError, match='none of 17'):
        vgg.VGGLayers(None, 17)


def read_filled(path):
    """Stand in for the caffemodel that is told in the path."""
    print(path)
    net = NETS[19 if '19' in path else 16](None)
    for i, p in enumerate(net.params()):
        p.array[...] = i
    return net


@pytest.mark.parametrize('n_layers', [16, 19])
def test_weights(tmp_path, monkeypatch, capsys, n_layers):
    monkeypatch.setattr(download, '_dataset_root', str(tmp_path))
    sha1 = {16: '9363e1f6d65f7dba68c4f27a1e62105cdf6c4e24',
            19: '239785e7862442717d831f682bb824055e51e9ba'}[n_layers]

    def cached_download(url, *, checksum):
        assert checksum == 'sha1:' + sha1
        return 'from ' + url

    monkeypatch.setattr(download, 'cached_download', cached_download)
    monkeypatch.setattr(_network, 'read_caffemodel', read_filled)
    for _ in range(2):      # converted once
        for i, p in enumerate(NETS[n_layers]().params()):
            assert (p.array == i).all()
    out = capsys.readouterr().out
    assert out.startswith('from https://')
    name = 'VGG_ILSVRC_%d_layers' % n_layers
    assert out.endswith(
        '.robots.ox.ac.uk/%7Evgg/software/very_deep/caffe/' + name + '.caffemodel\n')
    path = tmp_path / 'pfnet' / 'chainer' / 'models' / (name + '.npz')
    assert path.exists()
    net = vgg.VGGLayers(str(path), n_layers)
    assert (net.fc8.b.array == NETS[n_layers]().fc8.b.array).all()


def test_convert(tmp_path, monkeypatch, capsys):
    # A network of Caffe has the names of ours.
    path = write(tmp_path / 'a', [layer('InnerProduct', 'fc8', blobs=[
        blob(7, 8), blob(7)])])
    links.VGG16Layers.convert_caffemodel_to_npz(path, tmp_path / 'a.npz')
    assert 'loading caffemodel' in capsys.readouterr().err
    net = links.VGG16Layers(None)
    serializers.load_npz(tmp_path / 'a.npz', net, strict=False)
    np.testing.assert_array_equal(net.fc8.W.array, np.arange(56).reshape(7, 8))
    np.testing.assert_array_equal(net.fc8.W.array, CaffeFunction(path).fc8.W.array)


def test_no_random_numbers_for_given_weights(tmp_path):
    serializers.save_npz(tmp_path / 'a.npz', links.VGG16Layers(None))
    np.random.seed(0)
    links.VGG16Layers(str(tmp_path / 'a.npz'))
    assert np.random.rand() == np.random.RandomState(0).rand()

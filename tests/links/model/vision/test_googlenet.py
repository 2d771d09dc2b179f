import io
from urllib import request

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast import links, serializers
from chainer_fast.dataset import download
from chainer_fast.links.model.vision import _network, googlenet


@pytest.fixture(scope='module')
def net():
    np.random.seed(0)
    return links.GoogLeNet(None)


@pytest.fixture
def root(tmp_path, monkeypatch):
    """Folder of the models, below a folder of data sets that is empty."""
    monkeypatch.setattr(download, '_dataset_root', str(tmp_path))
    return tmp_path / 'pfnet' / 'chainer' / 'models'


X = np.random.RandomState(0).uniform(-1, 1, (1, 3, 224, 224)).astype('f')
IMAGES = np.random.RandomState(1).randint(0, 256, (2, 70, 60, 3)).astype('u1')


def test_known_values(net):
    # What Chainer 7.8.1 draws; the last ones tell about all before.
    for array, expected in (
            (net.conv1.W.array[0, 0, 0], [0.013946715742349625, 0.06148267537355423]),
            (net.inc5b.projp.W.array[0, :, 0, 0],
             [-0.006876266095787287, 0.027537206187844276]),
            (net.loss2_fc2.W.array[0], [-0.04473154619336128, -0.04366927966475487])):
        np.testing.assert_array_equal(array[:2], np.array(expected, 'f'))
    assert not any(p.array.any() for n, p in net.namedparams() if n.endswith('/b'))


def test_layers(net):
    assert net.available_layers == list(net.functions) == [
        'conv1', 'pool1', 'conv2_reduce', 'conv2', 'pool2', 'inception_3a',
        'inception_3b', 'pool3', 'inception_4a', 'inception_4b', 'inception_4c',
        'inception_4d', 'inception_4e', 'pool4', 'inception_5a', 'inception_5b',
        'pool5', 'loss3_fc', 'prob', 'loss1_fc2', 'loss2_fc2']
    assert net.functions['conv1'] == [net.conv1, F.relu]
    copied = net.copy()
    assert copied.functions['conv1'][0] is copied.conv1 is not net.conv1


@pytest.fixture(scope='module')
def computed(net):
    with chainer.using_config('train', False), chainer.no_backprop_mode():
        return net(X, layers=net.available_layers)


def test_shapes(computed):
    shapes = {name: y.shape[1:] for name, y in computed.items()}
    assert list(shapes) == list(computed)
    assert shapes['conv1'] == (64, 112, 112)
    assert shapes['pool1'] == (64, 56, 56)
    assert shapes['inception_3a'] == (256, 28, 28)
    assert shapes['inception_4d'] == (528, 14, 14)
    assert shapes['pool4'] == (832, 7, 7)
    assert shapes['pool5'] == (1024, 1, 1)
    assert shapes['prob'] == shapes['loss1_fc2'] == shapes['loss2_fc2'] == (1000,)


def test_ways_of_the_images(net, computed):
    y = F.local_response_normalization(
        F.max_pooling_2d(computed['conv1'], 3, 2), 5, 1, 2e-5, .75)
    np.testing.assert_allclose(computed['pool1'].array, y.array, rtol=1e-5)
    np.testing.assert_allclose(
        computed['pool5'].array[..., 0, 0],
        computed['inception_5b'].array.mean((2, 3)), rtol=1e-4)
    np.testing.assert_allclose(
        computed['loss3_fc'].array,
        net.loss3_fc(computed['pool5']).array, rtol=1e-4, atol=1e-6)
    for number, start in ('1', 'inception_4a'), ('2', 'inception_4d'):
        y = F.average_pooling_2d(computed[start], 5, 3)
        y = F.relu(net['loss%s_conv' % number](y))
        y = net['loss%s_fc2' % number](F.relu(net['loss%s_fc1' % number](y)))
        np.testing.assert_allclose(
            computed['loss%s_fc2' % number].array, y.array, rtol=1e-4, atol=1e-6)


def test_default_layer(net, computed):
    with chainer.using_config('train', False), chainer.no_backprop_mode():
        y = net(X)
    assert list(y) == ['prob']
    np.testing.assert_array_equal(y['prob'].array, computed['prob'].array)


def test_chosen_layers(net):
    class Calls(chainer.FunctionHook):
        count = 0

        def forward_preprocess(self, function, in_data):
            self.count += 1

    with Calls() as calls:
        assert sorted(net(X, layers=('pool1', 'conv1'))) == ['conv1', 'pool1']
    assert calls.count == 4         # and nothing after these
    assert net(X, layers=[]) == {}


def test_retired_arguments(net):
    for call in (lambda **kwargs: net(X, ['conv1'], **kwargs),
                 lambda **kwargs: net.extract(IMAGES, ['conv1'], **kwargs)):
        with pytest.raises(ValueError, match='train argument is not supported'):
            call(train=True)
        with pytest.raises(TypeError, match="'test'"):
            call(test=True)
    with pytest.raises(ValueError, match='volatile argument is not supported'):
        net.extract(IMAGES, ['conv1'], volatile=True)


def test_extract(net):
    found = net.extract(list(IMAGES), ['conv1', 'pool1'], size=(64, 32))
    assert found['conv1'].shape == (2, 64, 16, 32)
    x = np.stack([googlenet.prepare(image, (64, 32)) for image in IMAGES])
    np.testing.assert_allclose(
        found['pool1'].array, net(x, ['pool1'])['pool1'].array, rtol=1e-5)
    assert found['pool1'].creator is not None       # gradients flow
    assert net.extract(IMAGES, ['conv1'], None)['conv1'].shape == (2, 64, 35, 30)
    with pytest.raises(ValueError, match='empty'):
        net.extract([], ['conv1'])
    with pytest.raises(ValueError, match='same shape'):
        net.extract([IMAGES[0], IMAGES[1, 1:]], ['conv1'], size=None)


def test_default_of_extract(net):
    with chainer.using_config('train', False), chainer.no_backprop_mode():
        assert list(net.extract(IMAGES[:1])) == ['pool5']


class Recorder(links.GoogLeNet):
    """Has means of the colors for predictions."""

    def forward(self, x, layers=None):
        self.seen = chainer.config.train, chainer.config.enable_backprop
        self.crops = x.array
        return {'prob': F.mean(x, (2, 3))}


def test_predict(small):
    net = Recorder(None)
    y = net.predict(IMAGES)
    assert net.seen == (False, False)
    x = np.stack([googlenet.prepare(image, (256, 256)) for image in IMAGES])
    assert (y.shape, net.crops.shape) == ((2, 3), (20, 3, 224, 224))
    middle = x[:, :, 16:-16, 16:-16]
    corners = [x[:, :, i:i + 224, j:j + 224] for i in (0, 32) for j in (0, 32)]
    expected = np.mean([c.mean((2, 3)) for c in (middle, *corners)], 0)
    np.testing.assert_allclose(y.array, expected, rtol=1e-3)
    y = net.predict(IMAGES, oversample=False)
    np.testing.assert_array_equal(net.crops, middle)
    np.testing.assert_allclose(y.array, middle.mean((2, 3)), rtol=1e-3)


@pytest.fixture
def small(monkeypatch):
    """Leave the inceptions out."""
    monkeypatch.setattr(googlenet, '_INCEPTIONS', {})


class FromCaffe(chainer.Chain):
    """Stand-in for a caffemodel: zero to nine, each in one layer."""

    def __init__(self, path):
        super().__init__()
        self.path = path
        net = googlenet.GoogLeNet(None)
        for i, (name, source) in enumerate(googlenet._CAFFE_NAMES.items()):
            child = net[name]
            for p in child.params():
                p.array[...] = i
            delattr(net, name)
            self.add_link(source, child)


@pytest.fixture
def caffe(monkeypatch, small):
    paths = []

    def read(path):
        paths.append(path)
        return FromCaffe(path)

    monkeypatch.setattr(_network, 'read_caffemodel', read)
    return paths


def check_weights(net):
    for i, name in enumerate(googlenet._CAFFE_NAMES):
        assert (net[name].W.array == i).all()
        assert (net[name].b.array == i).all()


def test_convert(tmp_path, caffe):
    path = str(tmp_path / 'model.npz')
    links.GoogLeNet.convert_caffemodel_to_npz('a.caffemodel', path)
    assert caffe == ['a.caffemodel']
    check_weights(links.GoogLeNet(path))


def test_weights_in_the_folder_of_models(root, caffe):
    root.mkdir(parents=True)
    (root / 'bvlc_googlenet.caffemodel').touch()
    check_weights(links.GoogLeNet())
    assert caffe == [str(root / 'bvlc_googlenet.caffemodel')]
    check_weights(links.GoogLeNet())
    assert len(caffe) == 1      # the npz file is there by now


SHA1 = '405fc5acd08a3bb12de8ee5e23a96bec22f08204'     # Caffe's readme.md of the model


@pytest.mark.parametrize('served', ['https', 'http'])
def test_download(root, caffe, monkeypatch, served):
    def cached_download(url, *, checksum):
        assert checksum == 'sha1:' + SHA1
        if not url.startswith(served + ':'):
            raise OSError('no certificate')
        return 'from ' + url

    monkeypatch.setattr(download, 'cached_download', cached_download)
    check_weights(links.GoogLeNet())
    assert caffe == [
        'from %s://dl.caffe.berkeleyvision.org/bvlc_googlenet.caffemodel' % served]


def test_download_of_another_file(root, small, monkeypatch):
    def urlopen(url, timeout):
        return io.BytesIO(b'something else')

    monkeypatch.setattr(request, 'urlopen', urlopen)
    with pytest.raises(OSError, match='https.*expected %s.*http:.*expected' % SHA1):
        links.GoogLeNet()
    assert not [path for path in (root.parents[2] / '_dl_cache').iterdir()
                if path.name != '_dl_lock']


def test_no_download(root, small, monkeypatch):
    def fail(url, checksum):
        raise OSError('no network')

    monkeypatch.setattr(download, 'cached_download', fail)
    with pytest.raises(OSError, match='no network.*http.*bvlc_googlenet.caffemodel'):
        links.GoogLeNet()
    assert not list(root.glob('*.npz'))


def test_inceptions_from_caffe():
    src, dst = chainer.Chain(), chainer.Chain()
    with dst.init_scope():
        dst.inc3a = links.Inception(2, 1, 1, 1, 1, 1, 1)
    for i, (name, source) in enumerate(googlenet._CAFFE_INCEPTION_NAMES.items()):
        child = dst.inc3a[name].copy('copy')
        child.W.array[...] = child.b.array[...] = i
        src.add_link('inception_3a/' + source, child)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(googlenet, '_INCEPTIONS', ['3a'])
        patch.setattr(googlenet, '_CAFFE_NAMES', {})
        googlenet._transfer_googlenet(src, dst)
    for i, name in enumerate(googlenet._CAFFE_INCEPTION_NAMES):
        assert (dst.inc3a[name].W.array == i).all()


def test_npz_of_something_else(tmp_path, small):
    path = tmp_path / 'model.npz'
    serializers.save_npz(path, links.Linear(2, 3))
    with pytest.raises(KeyError):
        links.GoogLeNet(str(path))
    with pytest.raises(FileNotFoundError):
        links.GoogLeNet(str(tmp_path / 'none.npz'))

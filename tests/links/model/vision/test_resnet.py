import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast import links
from chainer_fast.dataset import download
from chainer_fast.links.caffe.caffe_function import CaffeFunction
from chainer_fast.links.model.vision import resnet

from ...caffe.nets import blob, layer, write


def test_known_values():
    # What Chainer 7.8.1 draws; the last ones tell about all before.
    np.random.seed(0)
    net = links.ResNet50Layers(None)
    for array, expected in (
            (net.conv1.W.array[0, 0, 0], [0.20576325058937073, 0.04667528346180916]),
            (net.fc6.W.array[0], [-0.010808965191245079, -0.01218753308057785])):
        np.testing.assert_array_equal(array[:2], np.array(expected, 'f'))
    assert net.res5.b2.conv1.W.shape == (512, 2048, 1, 1)


@pytest.mark.parametrize('fb', [False, True])
def test_bottleneck_a(fb):
    x = np.random.randn(2, 4, 6, 6).astype('f')
    unit = resnet.BottleneckA(4, 3, 5, 2, downsample_fb=fb)
    strides = (1, 2) if fb else (2, 1)
    assert (unit.conv1.stride[0], unit.conv2.stride[0]) == strides
    with chainer.using_config('train', False):
        y = F.convolution_2d(x, unit.conv1.W, stride=strides[0])
        y = F.relu(unit.bn1(y))
        y = F.convolution_2d(y, unit.conv2.W, stride=strides[1], pad=1)
        y = unit.bn3(F.convolution_2d(F.relu(unit.bn2(y)), unit.conv3.W))
        y += unit.bn4(F.convolution_2d(x, unit.conv4.W, stride=2))
        np.testing.assert_allclose(unit(x).array, F.relu(y).array, rtol=1e-5)
    assert y.shape == (2, 5, 3, 3)


def test_bottleneck_b():
    x = np.random.randn(2, 4, 6, 6).astype('f')
    unit = resnet.BottleneckB(4, 3)
    unit.conv3.W.array[...] = 0
    unit.bn3.beta.array[...] = [0, 1, 2, 3]
    np.testing.assert_allclose(
        unit(x).array, np.maximum(x + np.arange(4.)[:, None, None], 0), rtol=1e-6)
    assert not hasattr(unit, 'conv4')
    assert unit.conv1.b is unit.conv2.b is unit.conv3.b is None


def test_building_block():
    block = resnet.BuildingBlock(3, 4, 2, 6, 2)
    assert block._forward == ['a', 'b1', 'b2']
    x = np.random.randn(1, 4, 6, 6).astype('f')
    with chainer.using_config('train', False):
        y = block.b2(block.b1(block.a(x)))
        np.testing.assert_array_equal(block(x).array, y.array)
    assert y.shape == (1, 6, 3, 3)
    copied = block.copy()
    assert copied.a is getattr(copied, copied._forward[0]) is not block.a
    assert resnet.BuildingBlock(1, 4, 2, 6, 2, downsample_fb=True).a.conv1.stride == (
        1, 1)


def test_old_name_of_n_layers():
    with pytest.warns(DeprecationWarning, match='n_layers'):
        block = resnet.BuildingBlock(
            n_layer=2, in_channels=4, mid_channels=2, out_channels=6, stride=1)
    assert block._forward == ['a', 'b1']


def test_initial_filters():
    block = resnet.BuildingBlock(2, 4, 2, 6, 2, initialW=chainer.initializers.One())
    for name, p in block.namedparams():
        assert (p.array == (0 if name.endswith('beta') else 1)).all()


@pytest.fixture
def small(monkeypatch):
    """Networks with one unit in a row."""
    monkeypatch.setattr(resnet, '_UNITS', dict.fromkeys((50, 101, 152), (1,) * 4))


def test_layers(small):
    net = links.ResNet50Layers(None)
    assert net.available_layers == list(net.functions) == [
        'conv1', 'pool1', 'res2', 'res3', 'res4', 'res5', 'pool5', 'fc6', 'prob']
    assert net.copy().functions['conv1'][0] is not net.conv1
    x = np.random.randn(2, 3, 64, 96).astype('f')
    with chainer.using_config('train', False):
        found = net(x, net.available_layers)
    shapes = [y.shape[1:] for y in found.values()]
    assert shapes == [
        (64, 32, 48), (64, 16, 24), (256, 16, 24), (512, 8, 12), (1024, 4, 6),
        (2048, 2, 3), (2048,), (1000,), (1000,)]
    np.testing.assert_allclose(
        found['pool5'].array, found['res5'].array.mean((2, 3)), rtol=1e-4)
    assert list(net(x, ['conv1', 'nothing'])) == ['conv1']


@pytest.mark.parametrize('n_layers, counts', [
    (50, [3, 4, 6, 3]), (101, [3, 4, 23, 3]), (152, [3, 8, 36, 3])])
def test_sizes(monkeypatch, n_layers, counts):
    made = []

    class Block(chainer.Link):

        def __init__(self, *args):
            super().__init__()
            made.append(args)

    monkeypatch.setattr(resnet, 'BuildingBlock', Block)
    getattr(links, 'ResNet%dLayers' % n_layers)(None, downsample_fb='fb')
    assert [args[0] for args in made] == counts
    assert [args[1:5] for args in made] == [
        (64, 64, 256, 1), (256, 128, 512, 2), (512, 256, 1024, 2), (1024, 512, 2048, 2)]
    assert all(args[6] == 'fb' for args in made)


@pytest.mark.parametrize('pretrained', [None, 'auto', 'x.npz'])
def test_other_numbers_of_layers(pretrained):
    with pytest.raises(ValueError, match='none of 34'):
        resnet.ResNetLayers(pretrained, 34)


def test_missing_weights(tmp_path, monkeypatch, small):
    monkeypatch.setattr(download, '_dataset_root', str(tmp_path))
    with pytest.raises(OSError, match='https://github.*/models/ResNet-50-model.caffe'):
        links.ResNet50Layers()
    with pytest.raises(OSError, match='ResNet-101-model'):
        links.ResNet101Layers()
    with pytest.raises(OSError, match='ResNet-152-model'):
        links.ResNet152Layers('auto')
    with pytest.raises(OSError, match=str(tmp_path / 'a.caffemodel')):
        links.ResNet50Layers(str(tmp_path / 'a.caffemodel'))
    with pytest.raises(FileNotFoundError):
        links.ResNet50Layers(str(tmp_path / 'a.npz'))


def caffe_layers(names):
    """Layers of which every weight has a value of its own."""
    rng = np.random.RandomState(0)

    def unit(conv, tail, n_out, n_in, ksize, bias):
        shape = n_out, n_in, ksize, ksize
        weights = [blob(*shape, data=rng.rand(*shape))]
        if bias:
            weights.append(blob(n_out, data=rng.rand(n_out)))
        yield layer('Convolution', conv, blobs=weights, convolution_param={
            'kernel_size': [ksize], 'bias_term': bias, 'num_output': n_out})
        yield layer('BatchNorm', 'bn' + tail, blobs=[
            blob(n_out, data=rng.rand(n_out)), blob(n_out, data=rng.rand(n_out)),
            blob(1, data=[2])])
        yield layer('Scale', 'scale' + tail, scale_param={'bias_term': True}, blobs=[
            blob(n_out, data=rng.rand(n_out)), blob(n_out, data=rng.rand(n_out))])

    yield from unit('conv1', '_conv1', 2, 3, 7, True)
    for name in names:
        first = name.endswith('a')
        branches = [('2a', 1), ('2b', 3), ('2c', 1)] + first * [('1', 1)]
        for branch, ksize in branches:
            tail = '%s_branch%s' % (name, branch)
            yield from unit('res' + tail, tail, 2, 2, ksize, False)
    yield layer('InnerProduct', 'fc1000', blobs=[
        blob(3, 2, data=rng.rand(3, 2)), blob(3, data=rng.rand(3))])


class Small(chainer.Chain):
    """A residual network of two channels."""

    def __init__(self, counts):
        super().__init__()
        with self.init_scope():
            self.conv1 = links.Convolution2D(3, 2, 7)
            self.bn1 = links.BatchNormalization(2)
            for i, count in enumerate(counts, 2):
                setattr(self, 'res%d' % i, resnet.BuildingBlock(count, 2, 2, 2, 1))
            self.fc6 = links.Linear(2, 3)


@pytest.mark.parametrize('n_layers, counts, names', [
    (50, (3, 4, 6, 3), '2a 2b 2c 3a 3b 3c 3d 4a 4b 4c 4d 4e 4f 5a 5b 5c'),
    (101, (3, 4, 5, 3), '2a 2b 2c 3a 3b1 3b2 3b3 4a 4b1 4b2 4b3 4b4 5a 5b 5c'),
])
def test_weights_of_caffe(tmp_path, n_layers, counts, names):
    names = names.split()
    src = CaffeFunction(write(tmp_path / 'a', list(caffe_layers(names))))
    dst = Small(counts)
    resnet._resnet_weights.transfer(src, dst, n_layers)
    units = [unit for i in range(2, 6) for unit in dst['res%d' % i].children()]
    for unit, name in zip(units, names, strict=True):
        branches = ['2a', '2b', '2c', '1'][:3 + hasattr(unit, 'bn4')]
        for i, branch in enumerate(branches, 1):
            tail = '%s_branch%s' % (name, branch)
            bn, scale = unit['bn%d' % i], src['scale' + tail]
            for found, expected in (
                    (unit['conv%d' % i].W.array, src['res' + tail].W.array),
                    (bn.avg_mean, src['bn' + tail].avg_mean),
                    (bn.avg_var, src['bn' + tail].avg_var),
                    (bn.gamma.array, scale.W.array),
                    (bn.beta.array, scale.bias.b.array)):
                np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(dst.conv1.b.array, src.conv1.b.array)
    np.testing.assert_array_equal(dst.fc6.W.array, src.fc1000.W.array)
    np.testing.assert_array_equal(dst.fc6.b.array, src.fc1000.b.array)


def test_conversion(tmp_path, monkeypatch, small):
    def transfer(src, dst, n_layers):
        dst.fc6.b.array[...] = n_layers
        assert src.layers == []

    monkeypatch.setattr(resnet._resnet_weights, 'transfer', transfer)
    monkeypatch.setattr(download, '_dataset_root', str(tmp_path))
    folder = tmp_path / 'pfnet' / 'chainer' / 'models'
    folder.mkdir(parents=True)
    path = write(folder / 'ResNet-50-model.caffemodel')
    assert (links.ResNet50Layers().fc6.b.array == 50).all()
    (folder / 'ResNet-50-model.caffemodel').unlink()
    assert (links.ResNet50Layers().fc6.b.array == 50).all()     # from the npz file

    path = write(tmp_path / 'a.caffemodel')
    links.ResNet50Layers.convert_caffemodel_to_npz(path, tmp_path / 'a.npz', 152)
    assert (resnet.ResNetLayers(str(tmp_path / 'a.npz'), 152).fc6.b.array == 152).all()


def test_damaged_caffemodel(tmp_path):
    (tmp_path / 'a').write_bytes(b'\xff' * 9)
    with pytest.raises(Exception, match='a is not a caffemodel'):
        links.ResNet50Layers.convert_caffemodel_to_npz(tmp_path / 'a', tmp_path / 'b')
    assert not (tmp_path / 'b').exists()

"""Networks of links.model.vision with the weights of networks named as torchvision's.

The definitions are written for these tests: torchvision's names, and its layers.
"""
import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast import links as L
from chainer_fast.links.model.vision import resnet, vgg

torch = pytest.importorskip('torch')
bridge = pytest.importorskip('chainer_fast.interop.torch')
nn = torch.nn


class VGG(nn.Module):
    def __init__(self, groups, channels, n_features, n_classes):
        super().__init__()
        layers, n_in = [], 3
        for n_layers, n_out in zip(groups, channels, strict=True):
            for _ in range(n_layers):
                layers += [nn.Conv2d(n_in, n_out, 3, padding=1), nn.ReLU()]
                n_in = n_out
            layers.append(nn.MaxPool2d(2, 2))
        self.features = nn.Sequential(*layers)
        self.avgpool = nn.AdaptiveAvgPool2d(7)
        self.classifier = nn.Sequential(
            nn.Linear(n_in * 49, n_features), nn.ReLU(), nn.Dropout(),
            nn.Linear(n_features, n_features), nn.ReLU(), nn.Dropout(),
            nn.Linear(n_features, n_classes))

    def forward(self, x):
        return self.classifier(self.avgpool(self.features(x)).flatten(1))


class Unit(nn.Module):
    def __init__(self, n_in, n_mid, stride, downsample):
        super().__init__()
        n_out = 4 * n_mid
        self.conv1, self.bn1 = nn.Conv2d(n_in, n_mid, 1, bias=False), norm(n_mid)
        self.conv2 = nn.Conv2d(n_mid, n_mid, 3, stride, 1, bias=False)
        self.bn2 = norm(n_mid)
        self.conv3, self.bn3 = nn.Conv2d(n_mid, n_out, 1, bias=False), norm(n_out)
        if downsample:
            self.downsample = nn.Sequential(
                nn.Conv2d(n_in, n_out, 1, stride, bias=False), norm(n_out))

    def forward(self, x):
        h = torch.relu(self.bn1(self.conv1(x)))
        h = torch.relu(self.bn2(self.conv2(h)))
        h = self.bn3(self.conv3(h))
        if hasattr(self, 'downsample'):
            x = self.downsample(x)
        return torch.relu(h + x)


def norm(n):
    return nn.BatchNorm2d(n, eps=2e-5)      # Chainer's


class ResNet(nn.Module):
    def __init__(self, units, pool):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False), norm(64)
        self.maxpool = pool
        n_in = 64
        for i, count in enumerate(units):
            n_mid = 64 << i
            layer = [Unit(n_in, n_mid, 1 if i == 0 else 2, True)]
            n_in = 4 * n_mid
            layer += [Unit(n_in, n_mid, 1, False) for _ in range(count - 1)]
            setattr(self, 'layer%d' % (i + 1), nn.Sequential(*layer))
        self.fc = nn.Linear(n_in, 1000)

    def forward(self, x):
        x = self.maxpool(torch.relu(self.bn1(self.conv1(x))))
        for layer in self.layer1, self.layer2, self.layer3, self.layer4:
            x = layer(x)
        return self.fc(x.mean((2, 3)))


CAFFE_POOL = nn.MaxPool2d(3, 2, ceil_mode=True)
TORCHVISION_POOL = nn.MaxPool2d(3, 2, 1)


@pytest.fixture(autouse=True)
def seeded():
    """Modules draw their first weights from PyTorch's own stream."""
    torch.manual_seed(1)


def images(size):
    rng = np.random.RandomState(0)
    return rng.standard_normal((2, 3, size, size)).astype('float32')


def randomize(module):
    generator = torch.Generator().manual_seed(0)
    for name, tensor in module.state_dict().items():
        if name.endswith(('running_mean', 'bias')):
            tensor.copy_(torch.randn(tensor.shape, generator=generator) * .1)
        elif name.endswith('running_var') or (
                name.endswith('weight') and tensor.ndim == 1):
            tensor.copy_(torch.rand(tensor.shape, generator=generator) + .5)
    return module.eval()


def compare(link, module, size, layer):
    x = images(size)
    with chainer.using_config('train', False), chainer.no_backprop_mode():
        y = link(x, layers=[layer])[layer].array
    with torch.no_grad():
        expected = module(torch.from_numpy(x)).numpy()
    largest = np.abs(expected).max()
    assert largest > .1
    np.testing.assert_allclose(y / largest, expected / largest, rtol=0, atol=1e-5)


@pytest.mark.parametrize('cls, groups', [
    (L.VGG16Layers, (2, 2, 3, 3, 3)), (L.VGG19Layers, (2, 2, 4, 4, 4))])
def test_vgg(cls, groups, monkeypatch):
    channels = 4, 6, 6, 8, 8
    monkeypatch.setattr(vgg, '_CHANNELS', channels)
    monkeypatch.setattr(vgg, '_FEATURES', 12)
    monkeypatch.setattr(vgg, '_CLASSES', 10)
    link, module = cls(None), randomize(VGG(groups, channels, 12, 10))
    state = module.state_dict()
    bridge.load_torch_state_dict(link, state)
    compare(link, module, 224, 'fc8')
    back = bridge.torch_state_dict(link)
    assert sorted(back) == sorted(state)
    assert all(torch.equal(back[key], state[key]) for key in state)
    assert 'features.28.weight' in state and 'classifier.6.bias' in state


@pytest.fixture(scope='module')
def resnet50():
    return randomize(ResNet((3, 4, 6, 3), CAFFE_POOL))


def test_resnet50(resnet50):
    link = L.ResNet50Layers(None, downsample_fb=True)
    state = resnet50.state_dict()
    assert {'layer1.0.downsample.1.running_var', 'layer4.2.conv3.weight', 'fc.bias',
            'bn1.num_batches_tracked'} < set(state)
    bridge.load_torch_state_dict(link, state)
    compare(link, resnet50, 65, 'fc6')
    back = bridge.torch_state_dict(link)
    assert sorted(back) == sorted(state)
    assert all(torch.equal(back[key], state[key]) for key in state)

    # The bias of the first convolution goes into the mean.
    link.conv1.b.array[:] = np.random.RandomState(0).standard_normal(64)
    module = ResNet((3, 4, 6, 3), CAFFE_POOL).eval()
    module.load_state_dict(bridge.torch_state_dict(link))
    compare(link, module, 65, 'fc6')


def test_pooling_of_torchvision(resnet50, monkeypatch):
    class Padded(L.ResNet50Layers):
        @property
        def functions(self):
            functions = super().functions
            functions['pool1'] = [
                lambda x: F.max_pooling_2d(x, 3, 2, 1, cover_all=False)]
            return functions

    monkeypatch.setattr(resnet50, 'maxpool', TORCHVISION_POOL)
    link = Padded(None, downsample_fb=True)
    bridge.load_torch_state_dict(link, resnet50.state_dict())
    compare(link, resnet50, 64, 'fc6')


def test_the_authors_strides_are_refused(resnet50):
    link = L.ResNet50Layers(None)
    before = link.fc6.b.array.copy()
    for use in (lambda: bridge.load_torch_state_dict(link, resnet50.state_dict()),
                lambda: bridge.torch_state_dict(link)):
        with pytest.raises(ValueError, match='layer2.0.*downsample_fb=True'):
            use()
    np.testing.assert_array_equal(link.fc6.b.array, before)


def test_names_of_resnet152(monkeypatch):
    with torch.device('meta'):
        state = ResNet((3, 8, 36, 3), CAFFE_POOL).state_dict()
    with monkeypatch.context() as patch:    # zeros are made faster
        patch.setattr(resnet.normal, 'HeNormal', lambda scale: 0)
        link = L.ResNet152Layers(None, downsample_fb=True)
    ours = bridge.torch_state_dict(link)
    assert {key: value.shape for key, value in ours.items()} == {
        key: value.shape for key, value in state.items()}


def test_inside_of_a_classifier(monkeypatch):
    monkeypatch.setattr(vgg, '_CHANNELS', (2, 2, 2, 2, 2))
    monkeypatch.setattr(vgg, '_FEATURES', 3)
    state = bridge.torch_state_dict(L.Classifier(L.VGG16Layers(None)))
    assert 'predictor.features.0.weight' in state


def test_googlenet_is_another_network():
    link = L.GoogLeNet(None)
    with pytest.raises(KeyError, match="torchvision's GoogLeNet is another network"):
        bridge.load_torch_state_dict(link, {'conv1.conv.weight': torch.zeros(1)})

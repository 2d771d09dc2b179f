"""Chains, exported and loaded again: outputs, training, and another export."""
import numpy as np
import pytest

import chainer_fast
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast import optimizers
from chainer_fast.links.model.vision import googlenet, resnet
from chainer_fast.onnx import load
from chainer_fast.onnx.export import export
from tests.onnx.load import models


class Perceptron(chainer_fast.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.l1, self.l2 = L.Linear(6, 8), L.Linear(8, 3, nobias=True)

    def forward(self, x):
        return self.l2(F.dropout(F.relu(self.l1(x)), 0.3))


class Convolutional(chainer_fast.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.c1 = L.Convolution2D(3, 4, 3, stride=2, pad=1, nobias=True)
            self.b1 = L.BatchNormalization(4, use_beta=False)
            self.c2 = L.Convolution2D(4, 4, 3, pad=1, groups=2)
            self.b2 = L.BatchNormalization(4)
            self.up = L.Deconvolution2D(4, 2, 4, stride=2, pad=1)
            self.act = L.PReLU()
            self.fc = L.Linear(2 * 4 * 4, 3)

    def forward(self, x):
        h = F.leaky_relu(self.b1(self.c1(x)))
        h = h + self.b2(self.c2(h))
        h = self.act(self.up(h))
        h = F.max_pooling_2d(h, 3, 2, cover_all=True)
        h = F.local_response_normalization(F.average_pooling_2d(h, 2, 1))
        return F.softmax(self.fc(F.elu(h[:, :, :4, :4])))


class Recurrent(chainer_fast.Chain):
    def __init__(self, cell):
        super().__init__()
        self._states = 2 if cell is L.NStepLSTM else 1
        with self.init_scope():
            self.embed = L.EmbedID(7, 5)
            self.rnn = cell(2, 5, 4, 0.)
            self.out = L.Linear(4, 7)

    def forward(self, ids):
        steps = self.embed(ids)
        xs = [steps[i] for i in range(len(ids))]
        *_, ys = self.rnn(*[None] * self._states, xs)
        return self.out(F.concat(ys, axis=0))


class Attention(chainer_fast.Chain):
    """A block of a Transformer."""

    def __init__(self, width=8, heads=2):
        super().__init__()
        self._heads = heads
        with self.init_scope():
            self.qkv = L.Linear(width, 3 * width)
            self.proj = L.Linear(width, width)
            self.up, self.down = L.Linear(width, 2 * width), L.Linear(2 * width, width)
            self.n1, self.n2 = L.LayerNormalization(width), L.LayerNormalization(width)

    def forward(self, x):
        batch, steps, width = x.shape
        size = width // self._heads

        def each(function, h):
            h = function(F.reshape(h, (batch * steps, -1)))
            return F.reshape(h, (batch, steps, -1))

        h = F.reshape(
            each(self.qkv, each(self.n1, x)), (batch, steps, 3, self._heads, size))
        q, k, v = F.separate(F.transpose(h, (2, 0, 3, 1, 4)), axis=0)
        weights = F.softmax(F.matmul(q, k, transb=True) / size ** 0.5, axis=3)
        h = F.reshape(
            F.transpose(F.matmul(weights, v), (0, 2, 1, 3)), (batch, steps, width))
        x = x + each(self.proj, h)
        return x + each(self.down, F.relu(each(self.up, each(self.n2, x))))


def _floats(*shape):
    return np.random.RandomState(0).randn(*shape).astype(np.float32)


MODELS = {
    'perceptron': (Perceptron, _floats(4, 6)),
    'convolutional': (Convolutional, _floats(2, 3, 16, 16)),
    'lstm': (lambda: Recurrent(L.NStepLSTM), np.array([[1, 2, 3], [4, 0, 6]])),
    'gru': (lambda: Recurrent(L.NStepGRU), np.array([[1, 2, 3], [4, 0, 6]])),
    'attention': (Attention, _floats(2, 3, 8)),
}


def _pair(name, **kwargs):
    make, x = MODELS[name]
    np.random.seed(0)
    chain = make()
    return chain, load(export(chain, [x], **kwargs)), x


def _attribute(path):
    return path[1:].replace('/', '_')


@pytest.mark.parametrize('opset', [9, 13, 18])
@pytest.mark.parametrize('name', MODELS)
def test_outputs(name, opset):
    chain, loaded, x = _pair(name, opset_version=opset)
    with chainer_fast.using_config('train', False):
        np.testing.assert_allclose(
            loaded(x).array, chain(x).array, rtol=1e-5, atol=1e-6)
    paths = [path for path, _ in chain.namedparams()]
    assert {name for name, _ in loaded.namedparams()} == {
        '/' + _attribute(path) for path in paths}


def _train(chain, optimizer, x):
    """Take five steps, and return the losses."""
    optimizer.setup(chain)
    target, losses = _floats(*chain(x).shape), []
    np.random.seed(1)
    for _ in range(5):
        loss = F.mean_squared_error(chain(x), target)
        chain.cleargrads()
        loss.backward()
        optimizer.update()
        losses.append(float(loss.array))
    return losses


@pytest.mark.parametrize('optimizer', [
    lambda: optimizers.SGD(0.1), lambda: optimizers.Adam(0.01)], ids=['SGD', 'Adam'])
@pytest.mark.parametrize('name', MODELS)
def test_training(name, optimizer):
    # Dropout is a part of the export in training mode only.
    chain, loaded, x = _pair(name, train=name == 'perceptron')
    losses = [_train(each, optimizer(), x) for each in (chain, loaded)]
    np.testing.assert_allclose(losses[1], losses[0], rtol=1e-5)
    assert losses[0][4] < losses[0][0]
    for path, param in chain.namedparams():
        np.testing.assert_allclose(
            getattr(loaded, _attribute(path)).array, param.array, rtol=1e-4, atol=1e-5,
            err_msg=path)
    if name == 'convolutional':
        for link, statistic in (('b1', 'avg_mean'), ('b2', 'avg_var')):
            np.testing.assert_allclose(
                getattr(loaded, '%s_%s' % (link, statistic)),
                getattr(chain[link], statistic), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize('name', ['perceptron', 'convolutional'])
def test_the_same_functions_give_the_same_bits(name):
    chain, loaded, x = _pair(name, train=True)
    grads = []
    for each in chain, loaded:
        np.random.seed(2)
        each.cleargrads()
        y = each(x)
        F.sum(y * y).backward()
        grads.append([y.array, *[p.grad for _, p in sorted(each.namedparams())]])
    for a, b in zip(*grads, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize('name', MODELS)
def test_export_of_what_was_loaded(name):
    _, loaded, x = _pair(name)
    again = load(export(loaded, [x]))
    with chainer_fast.using_config('train', False):
        np.testing.assert_allclose(
            again(x).array, loaded(x).array, rtol=1e-6, atol=1e-7)
    assert [name for name, _ in sorted(again.namedparams())] == [
        name for name, _ in sorted(loaded.namedparams())]


@pytest.mark.parametrize('make, size', [
    (lambda: resnet.ResNet50Layers(None), 64), (lambda: googlenet.GoogLeNet(None), 224)
], ids=['ResNet50', 'GoogLeNet'])
def test_vision(make, size):
    chain, x = make(), _floats(1, 3, size, size)
    model = _Probabilities(chain)
    with chainer_fast.using_config('train', False):
        expected = model(x).array
        loaded = load(export(model, [x]))
        models.assert_same([loaded(x).array], [expected], 1e-4, 1e-6)


class _Probabilities(chainer_fast.Chain):
    def __init__(self, network):
        super().__init__()
        with self.init_scope():
            self.network = network

    def forward(self, x):
        return self.network(x, layers=['prob'])['prob']

"""Whole networks, exported and run, in several versions of the operator set.

The tolerance is relative to the largest output: sums of thousands of products are taken
in another order than here.
"""
import numpy
import pytest

import chainer_fast.functions as F
from chainer_fast import Chain, ChainList, no_backprop_mode, using_config
from chainer_fast import links as L
from chainer_fast.links.model.vision import vgg
from chainer_fast.onnx.export import export
from tests.onnx.exported import OPSETS, arrays, run

RANDOM = numpy.random.RandomState(0)
TOLERANCE = 1e-4

#: Between these, operators of most networks change.
VERSIONS = [7, 9, 11, 13, 18, OPSETS[-1]]


def floats(*shape):
    return RANDOM.uniform(-1, 1, shape).astype(numpy.float32)


def compare(model, args, opsets=VERSIONS):
    args = list(args)
    with using_config('train', False), no_backprop_mode():
        expected = arrays(model(*args))
    for opset in opsets:
        actual = run(export(model, args, opset_version=opset), args)
        assert len(actual) == len(expected)
        for got, wanted in zip(actual, expected, strict=True):
            assert got.shape == wanted.shape
            numpy.testing.assert_allclose(
                got, wanted, rtol=0, atol=TOLERANCE * abs(wanted).max(),
                err_msg='opset version %d' % opset)


# ----------------------------------------------------------------------------- images

class Features(Chain):
    """One layer of a network of images."""

    def __init__(self, network, layer):
        super().__init__()
        self._layer = layer
        with self.init_scope():
            self.network = network

    def forward(self, x):
        return self.network(x, layers=[self._layer])[self._layer]


def narrow(chain, divisor):
    """Divide the channels of all layers, but keep those of the images."""
    def less(channels):
        return channels if channels <= 3 else channels // divisor

    for name in sorted(chain._children):
        link = chain[name]
        if isinstance(link, L.Convolution2D):
            out, _, *ksize = link.W.shape
            made = L.Convolution2D(
                None, less(out), ksize, link.stride, link.pad, link.b is None)
        elif isinstance(link, L.Linear):
            made = L.Linear(None, less(link.out_size))
        elif isinstance(link, L.BatchNormalization):
            made = L.BatchNormalization(less(link.gamma.size))
            made.avg_mean[...] = floats(*made.avg_mean.shape) / 10
            made.avg_var[...] = 1 + floats(*made.avg_var.shape) / 2
        else:
            narrow(link, divisor)
            continue
        with chain.init_scope():
            delattr(chain, name)
            setattr(chain, name, made)


@pytest.mark.parametrize('kind, size, layer', [
    (L.VGG16Layers, 32, 'prob'), (L.ResNet50Layers, 64, 'prob'),
    (L.GoogLeNet, 224, 'prob'), (L.GoogLeNet, 224, 'loss2_fc2')])
def test_networks_of_images(kind, size, layer, monkeypatch):
    monkeypatch.setattr(vgg, '_FEATURES', 64)   # draws fewer weights
    network = kind(pretrained_model=None)
    narrow(network, 8)
    model = Features(network, layer)
    x = floats(1, 3, size, size)
    with using_config('train', False):
        # Draws the weights whose shapes depend on the input.
        network(x, layers=list(network.functions))
    compare(model, [x], [7, 13, OPSETS[-1]])


class Generator(Chain):
    """Images of noise, by transposed convolutions."""

    def __init__(self, n=6):
        super().__init__()
        self.n = n
        with self.init_scope():
            self.l0 = L.Linear(5, 4 * 4 * 4 * n)
            self.dc1 = L.Deconvolution2D(4 * n, 2 * n, 4, 2, 1)
            self.dc2 = L.Deconvolution2D(2 * n, n, 4, 2, 1)
            self.dc3 = L.Deconvolution2D(n, 3, 3, 1, 1)
            self.bn0 = L.BatchNormalization(4 * 4 * 4 * n)
            self.bn1 = L.BatchNormalization(2 * n)
            self.bn2 = L.BatchNormalization(n)

    def forward(self, z):
        h = F.relu(self.bn0(self.l0(z)))
        h = F.reshape(h, (len(z), 4 * self.n, 4, 4))
        h = F.relu(self.bn1(self.dc1(h)))
        h = F.relu(self.bn2(self.dc2(h)))
        return F.sigmoid(self.dc3(h))


def test_a_generator():
    compare(Generator(), [floats(3, 5)])


# -------------------------------------------------------------------------- sequences

class LanguageModel(Chain):
    """Next words, by cells that the model steps through itself."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(11, 6)
            self.l1 = L.LSTM(6, 6)
            self.l2 = L.LSTM(6, 6)
            self.l3 = L.Linear(6, 11)

    def forward(self, *words):
        self.l1.reset_state()
        self.l2.reset_state()
        return [self.l3(F.dropout(self.l2(self.l1(F.dropout(self.embed(word))))))
                for word in words]


def test_a_language_model():
    compare(LanguageModel(), RANDOM.randint(0, 11, (4, 3)).astype(numpy.int32))


class SequenceModel(Chain):
    """Next words, by a recurrent network over whole sequences."""

    def __init__(self, kind):
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(11, 6, ignore_label=-1)
            self.rnn = kind(2, 6, 5, 0.3)
            self.out = L.Linear(None, 11)

    def forward(self, *sentences):
        *_, ys = self.rnn(
            *[None] * self.rnn.n_cells, [self.embed(each) for each in sentences])
        return F.softmax(self.out(F.concat(ys, axis=0)), axis=1)


@pytest.mark.parametrize('kind', [L.NStepLSTM, L.NStepBiGRU, L.NStepRNNReLU])
def test_a_model_of_sentences(kind):
    model = SequenceModel(kind)
    sentences = RANDOM.randint(-1, 11, (2, 5)).astype(numpy.int32)
    with using_config('train', False):
        model(*sentences)
    compare(model, sentences)


class Attention(Chain):
    """Attention of several heads to all places up to a place's own."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        with self.init_scope():
            self.queries = L.Linear(width, width)
            self.keys = L.Linear(width, width)
            self.values = L.Linear(width, width)
            self.out = L.Linear(width, width)

    def _split(self, x):
        batch, length, width = x.shape
        x = F.reshape(x, (batch, length, self.heads, width // self.heads))
        return F.transpose(x, (0, 2, 1, 3))

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = [self._split(link(x, n_batch_axes=2))
                   for link in (self.queries, self.keys, self.values)]
        scores = F.matmul(q, k, transb=True) * (width // self.heads) ** -0.5
        mask = numpy.tri(length, dtype=bool)
        mask = numpy.broadcast_to(mask, scores.shape)
        scores = F.where(mask, scores, numpy.full(scores.shape, -1e9, numpy.float32))
        h = F.matmul(F.softmax(scores, axis=3), v)
        h = F.reshape(F.transpose(h, (0, 2, 1, 3)), (batch, length, width))
        return self.out(h, n_batch_axes=2)


class Transformer(Chain):
    """One block of attention and of a network at each place."""

    def __init__(self, width=8, heads=2):
        super().__init__()
        with self.init_scope():
            self.attention = Attention(width, heads)
            self.norms = ChainList(*[L.LayerNormalization(width) for _ in range(2)])
            self.wide = L.Linear(width, 4 * width)
            self.narrow = L.Linear(4 * width, width)

    def _normalized(self, norm, x):
        rows = F.reshape(x, (-1, x.shape[-1]))
        return F.reshape(norm(rows), x.shape)

    def forward(self, x):
        x = x + self.attention(self._normalized(self.norms[0], x))
        h = self._normalized(self.norms[1], x)
        h = F.elu(self.wide(h, n_batch_axes=2))
        return x + F.dropout(self.narrow(h, n_batch_axes=2), 0.1)


def test_a_transformer():
    # Choices by a mask need version 9.
    compare(Transformer(), [floats(2, 5, 8)], VERSIONS[1:])

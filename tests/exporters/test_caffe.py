import os
import random

import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast import initializers
from chainer_fast.exporters import _caffe_graph, caffe
from chainer_fast.links.caffe import CaffeFunction

X = np.random.RandomState(0).uniform(-1, 1, (2, 4, 6, 5)).astype('f')


def export(path, model, x=X, **kwargs):
    """Export a model; return the text and the network that is read back."""
    caffe.export(model, [chainer.Variable(x)], path, **kwargs)
    text = (path / 'chainer_model.prototxt').read_text()
    return text, CaffeFunction(str(path / 'chainer_model.caffemodel'))


class Model(chainer.Chain):

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.conv = L.Convolution2D(None, 6, 3, (2, 1), (1, 0))
            self.bn = L.BatchNormalization(6, eps=1e-2)
            self.deconv = L.Deconvolution2D(6, 3, 2, nobias=True)
            self.fc = L.Linear(None, 5)
        rng = np.random.RandomState(1)
        self.bn.avg_mean[...], self.bn.avg_var[...] = rng.rand(2, 6)
        self.bn.gamma.array[...], self.bn.beta.array[...] = rng.rand(2, 6)

    def forward(self, x):
        h = F.dropout(F.relu(self.conv(x)))
        return F.softmax(self.fc(self.deconv(self.bn(h))))


# What Chainer 7.8.1 writes.
TEXT = '''\
name: "my net"
layer {
  name: "data"
  type: "Input"
  top: "data"
  input_param { shape: { dim: 2 dim: 4 dim: 6 dim: 5 } }
}
layer {
  type: "Convolution"
  name: "Convolution2DFunction-0-1"
  bottom: "data"
  top: "Convolution2DFunction-0-1"
  convolution_param {
    num_output: 6
    bias_term: true
    pad_w: 0
    pad_h: 1
    stride_w: 1
    stride_h: 2
    kernel_w: 3
    kernel_h: 3
    group: 1
  }
}
layer {
  type: "ReLU"
  name: "ReLU-1-1"
  bottom: "Convolution2DFunction-0-1"
  top: "ReLU-1-1"
}
layer {
  type: "BatchNorm"
  name: "FixedBatchNormalization-2-1_bn"
  bottom: "ReLU-1-1"
  top: "FixedBatchNormalization-2-1_bn"
  batch_norm_param {
    use_global_stats: true
    eps: 0.01
  }
}
layer {
  type: "Scale"
  name: "FixedBatchNormalization-2-1"
  bottom: "FixedBatchNormalization-2-1_bn"
  top: "FixedBatchNormalization-2-1"
  scale_param {
    axis: 1
    bias_term: true
  }
}
layer {
  type: "Deconvolution"
  name: "Deconvolution2DFunction-3-1"
  bottom: "FixedBatchNormalization-2-1"
  top: "Deconvolution2DFunction-3-1"
  convolution_param {
    num_output: 3
    bias_term: false
    pad_w: 0
    pad_h: 0
    stride_w: 1
    stride_h: 1
    kernel_w: 2
    kernel_h: 2
    group: 1
  }
}
layer {
  type: "Reshape"
  name: "Reshape-4-1"
  bottom: "Deconvolution2DFunction-3-1"
  top: "Reshape-4-1"
  reshape_param {
    shape {
      dim: 2
      dim: -1
    }
  }
}
layer {
  type: "InnerProduct"
  name: "LinearFunction-5-1"
  bottom: "Reshape-4-1"
  top: "LinearFunction-5-1"
  inner_product_param {
    num_output: 5
    bias_term: true
  }
}
layer {
  type: "Softmax"
  name: "Softmax-6-1"
  bottom: "LinearFunction-5-1"
  top: "Softmax-6-1"
}
'''


def test_model(tmp_path):
    model = Model()
    text, net = export(tmp_path, model, graph_name='my net')
    assert text == TEXT
    with chainer.using_config('train', False):
        expected = model(X)
        y, = net({'data': X}, [net.layers[-1][0]])
    np.testing.assert_allclose(y.array, expected.array, rtol=1e-5)
    np.testing.assert_array_equal(
        net['Convolution2DFunction-0-1'].W.array, model.conv.W.array)
    assert net['Deconvolution2DFunction-3-1'].b is None


def branches(x):
    h = F.relu(x)
    return F.concat([F.leaky_relu(h, .3), F.sigmoid(h), h])


W = np.random.RandomState(2).randn(6, 4, 3, 2).astype('f')
GROUPED = W[:, :2]
FILTERS = np.random.RandomState(3).randn(4, 3, 2, 3).astype('f')


@pytest.mark.parametrize('function', [
    F.relu, F.sigmoid, F.softmax,
    branches,
    lambda x: F.leaky_relu(x, .1),
    lambda x: F.concat([x, F.relu(x)], 2),
    lambda x: F.sigmoid(x) + x,
    lambda x: F.reshape(x, (8, -1)),
    lambda x: F.max_pooling_2d(x, 3, 2, 1),
    lambda x: F.max_pooling_2d(x, (2, 3), (1, 2), (0, 1)),
    lambda x: F.average_pooling_2d(x, 3, 2, 1),
    lambda x: F.local_response_normalization(x, 3, 1.5, .1, .6),
    lambda x: F.linear(x, W.reshape(6, -1)[:, :5], n_batch_axes=3),
    lambda x: F.convolution_2d(x, W, np.arange(6, dtype='f'), (1, 2), (2, 0)),
    lambda x: F.convolution_2d(x, GROUPED, groups=2, dilate=(1, 2)),
    lambda x: F.deconvolution_2d(x, FILTERS, np.arange(3, dtype='f'), 2, (0, 1)),
    lambda x: F.deconvolution_2d(x, FILTERS, groups=2),
    lambda x: F.deconvolution_2d(x, FILTERS, dilate=2),
    lambda x: F.fixed_batch_normalization(
        x, *np.arange(1, 17, dtype='f').reshape(4, 4)),
    lambda x: F.dropout(F.relu(x)),
    lambda x: (F.sigmoid(x), F.relu(x))[::-1],
])
def test_read_back(tmp_path, function):
    _, net = export(tmp_path, function)
    with chainer.using_config('train', False):
        expected = function(chainer.Variable(X))
        tops = [top for _, _, (top,) in net.layers]
        if not isinstance(expected, tuple):
            expected, tops = [expected], tops[-1:]
        found = net({'data': chainer.Variable(X)}, tops)
        for y, e in zip(found, expected, strict=True):
            np.testing.assert_allclose(y.array, e.array, rtol=1e-4, atol=1e-5)


def test_weights_of_a_deconvolution(tmp_path):
    export(tmp_path, lambda x: F.deconvolution_2d(x, FILTERS, np.arange(3, dtype='f')))
    net = caffe.caffe_pb.NetParameter.FromString(
        (tmp_path / 'chainer_model.caffemodel').read_bytes())
    layer, = net.layer
    assert [list(blob.shape.dim) for blob in layer.blobs] == [[4, 3, 2, 3], [3]]
    assert layer.phase == caffe.caffe_pb.TEST


def test_large_weights(tmp_path, monkeypatch):
    monkeypatch.setattr(caffe, '_BLOB_CHUNK', 7)
    weight = np.random.randn(3, 5).astype('f')
    _, net = export(tmp_path, lambda x: F.linear(x, weight, n_batch_axes=3))
    np.testing.assert_array_equal(net['LinearFunction-1-1'].W.array, weight)


def test_axis_of_softmax(tmp_path):
    with pytest.raises(RuntimeError, match='axis 2'):
        export(tmp_path, lambda x: F.softmax(x, axis=2))
    assert 'softmax_param {\n    axis: 2\n' in (
        tmp_path / 'chainer_model.prototxt').read_text()


def test_no_layers(tmp_path):
    text, net = export(tmp_path, lambda x: x)
    assert text == TEXT[:TEXT.index('layer {\n  type')].replace('my net', 'Graph')
    assert net.layers == []


def test_without_params(tmp_path):
    caffe.export(Model(), (chainer.Variable(X),), str(tmp_path), export_params=False)
    assert os.listdir(tmp_path) == ['chainer_model.prototxt']


def test_without_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    caffe.export(Model(), [chainer.Variable(X)])
    assert os.listdir(tmp_path) == []


def test_modes():
    seen = []

    def model(x):
        seen.append((chainer.config.train, chainer.config.enable_backprop))
        return F.relu(x)

    with chainer.no_backprop_mode():
        caffe.export(model, [chainer.Variable(X)])
    assert seen == [(False, True)]


@pytest.mark.parametrize('model', [
    F.tanh, abs, lambda x: x * x, lambda x: x + 1, lambda x: F.add(x, x, x),
    lambda x: x + X,                        # a constant is no layer
    lambda x: F.concat([x, X]),
    lambda x: F.max_pooling_nd(x[..., 0], 2),
    lambda x: F.fixed_batch_normalization(
        x, *np.ones((4, 5), 'f'), axis=(0, 1, 2)),
])
def test_no_such_layer(tmp_path, model):
    with pytest.raises(Exception, match=r'^Cannot convert, name=.*-\d, rank=\d, '):
        export(tmp_path, lambda x: model(F.relu(x)))
    assert os.listdir(tmp_path) == []


def test_wrong_arguments(tmp_path):
    x = chainer.Variable(X)
    for args in x, {'x': x}, [X]:
        with pytest.raises(AssertionError):
            caffe.export(F.relu, args)
    for args in [], [x, x]:
        with pytest.raises(NotImplementedError):
            caffe.export(F.relu, args)
    for model in (lambda x: {'y': x}), (lambda x: [1]), (lambda x: None):
        with pytest.raises(AssertionError, match='must return variables'):
            caffe.export(model, [x])
    with pytest.raises(FileNotFoundError):
        caffe.export(F.relu, [x], tmp_path / 'nowhere')


def test_input_may_be_computed():
    x = F.tanh(chainer.Variable(X))
    caffe.export(F.relu, [x])       # what comes before it is no part of the model


def test_order_of_chains():
    # As Chainer 7.8.1 has it.
    x = chainer.Variable(np.ones((1, 2), 'f'))
    y = F.relu(F.sigmoid(x)) + F.softmax(x)
    z = F.sigmoid(F.relu(F.sigmoid(x)))
    labels = [f.label for f in _caffe_graph.sort([y + z], x.node)]
    assert labels == [
        'Softmax', 'Sigmoid', 'ReLU', '_ + _', 'Sigmoid', 'ReLU', 'Sigmoid', '_ + _']


@pytest.mark.parametrize('seed', range(20))
def test_order_is_topological(seed):
    rng = random.Random(seed)
    x = chainer.Variable(np.ones((1, 2), 'f'))
    known = [x]
    for _ in range(15):
        a, b = rng.choices(known, k=2)
        known.append(rng.choice([a + b, F.relu(a), a + a]))
    ends = rng.sample(known[1:], 2)
    order = _caffe_graph.sort(ends, x.node)
    assert len(set(order)) == len(order)
    before = set()
    for function in order:
        assert before.issuperset(_caffe_graph.sources(function, x.node))
        before.add(function)
    assert before.issuperset(y.creator_node for y in ends)


def test_long_chain():
    x = y = chainer.Variable(np.ones((1, 1), 'f'))
    for _ in range(5000):
        y = F.relu(y)
    assert len(_caffe_graph.sort([y], x.node)) == 5000


def test_names_count_labels_of_a_rank(tmp_path):
    text, _ = export(tmp_path, lambda x: F.relu(F.relu(x)) + F.relu(x))
    names = [line.split('"')[1] for line in text.splitlines() if ' name: ' in line]
    assert sorted(names) == [
        'ReLU-0-1', 'ReLU-0-2', 'ReLU-1-1', '_ + _-2-1', 'data']


def test_float16(tmp_path):
    with chainer.using_config('dtype', np.dtype('e')):
        link = L.Linear(3, 2, initialW=initializers.One())
        _, net = export(tmp_path, link, np.ones((1, 3), 'e'))
    np.testing.assert_array_equal(net['LinearFunction-0-1'].W.array, np.ones((2, 3)))

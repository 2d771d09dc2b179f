import copy
import gc
import pickle
import weakref

import numpy as np
import pytest
from google.protobuf.message import DecodeError

import chainer_fast as chainer
from chainer_fast import functions, links
from chainer_fast.links.caffe import CaffeFunction
from chainer_fast.links.caffe import caffe_function as module
from chainer_fast.links.caffe.caffe_function import caffe_pb

from .nets import blob, layer, load, v1_layer, write

X = np.array([[1, -2, 3], [0, 5, -1]], 'f')
IMAGES = np.random.RandomState(0).randn(2, 4, 5, 6).astype('f')


@pytest.fixture
def path(tmp_path):
    return tmp_path / 'net.caffemodel'


def run(path, x, *args, others=(), **fields):
    """Run a single layer, and return its output."""
    fields.setdefault('bottom', ['x', *'abc'[:len(others)]])
    net = load(path, layer(*args, **fields))
    inputs = [chainer.as_variable(v) for v in (x, *others)]
    y, = net(dict(zip('xabc', inputs, strict=False)), ['y'])
    return y.array


@pytest.mark.parametrize('kind, fields, expected', [
    ('Sigmoid', {}, lambda x: 1 / (1 + np.exp(-x))),
    ('ReLU', {}, lambda x: np.maximum(x, 0)),
    ('ReLU', {'relu_param': {'negative_slope': 0.5}},
     lambda x: np.where(x > 0, x, x / 2)),
    ('Softmax', {}, lambda x: np.exp(x) / np.exp(x).sum(1, keepdims=True)),
    ('Softmax', {'softmax_param': {'engine': 1}},
     lambda x: np.exp(x) / np.exp(x).sum(1, keepdims=True)),
    ('Softmax', {'softmax_param': {'engine': 2}},
     lambda x: np.exp(x) / np.exp(x).sum(1, keepdims=True)),
    ('Reshape', {'reshape_param': {'shape': {'dim': [3, -1]}}},
     lambda x: x.reshape(3, -1)),
    ('Eltwise', {}, lambda x: x),
    ('Eltwise', {'eltwise_param': {'coeff': [3.]}}, lambda x: 3 * x),
    ('Scale', {'blobs': [blob(3)]}, lambda x: x * np.arange(3)),
    ('Scale', {'blobs': [blob(3), blob(3, data=[3, 4, 5])],
               'scale_param': {'bias_term': True}},
     lambda x: x * np.arange(3) + [3, 4, 5]),
    ('Scale', {'blobs': [{'data': [2, 3], 'num': 2}], 'scale_param': {'axis': 0}},
     lambda x: x * [[2], [3]]),
    ('InnerProduct', {'blobs': [blob(2, 3), blob(2)]},
     lambda x: x @ np.arange(6).reshape(2, 3).T + [0, 1]),
    ('InnerProduct', {'blobs': [{'height': 2, 'width': 3, 'data': range(6)}],
                      'inner_product_param': {'bias_term': False}},
     lambda x: x @ np.arange(6).reshape(2, 3).T),
])
def test_one_input(path, kind, fields, expected):
    np.testing.assert_allclose(
        run(path, X, kind, **fields), expected(X), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize('param, expected', [
    ({'operation': 0}, lambda x, a, b: x * a * b),
    ({'operation': 1}, lambda x, a, b: x + a + b),
    ({'operation': 1, 'coeff': [1, .5, -1]}, lambda x, a, b: x + a / 2 - b),
    ({'operation': 2}, lambda x, a, b: np.maximum(np.maximum(x, a), b)),
])
def test_eltwise(path, param, expected):
    others = X * 3 - 4, X + 1
    y = run(path, X, 'Eltwise', others=others, eltwise_param=param)
    np.testing.assert_allclose(y, expected(X, *others))


def test_eltwise_errors(path):
    with pytest.raises(AssertionError, match='2 inputs has 1'):
        run(path, X, 'Eltwise', others=[X], eltwise_param={'coeff': [1]})
    with pytest.raises(ValueError, match='EltwiseOp'):
        module._EltwiseFunction(7)(X)


@pytest.mark.parametrize('param, axis', [
    ({}, 1), ({'axis': 0}, 0), ({'concat_dim': 0}, 0),
    ({'axis': -1, 'concat_dim': 0}, -1)])
def test_concat(path, param, axis):
    y = run(path, X, 'Concat', others=[X], concat_param=param)
    np.testing.assert_array_equal(y, np.concatenate([X, X], axis))


@pytest.mark.parametrize('param, n, expected', [
    ({}, 3, np.split(X, 3, 1)),
    ({'axis': 0}, 2, np.split(X, 2, 0)),
    ({'slice_dim': 0}, 2, np.split(X, 2, 0)),
    ({'slice_point': [1]}, 2, np.split(X, [1], 1)),
])
def test_slice(path, param, n, expected):
    tops = 'abc'[:n]
    net = load(path, layer('Slice', top=tops, slice_param=param))
    for y, e in zip(net({'x': X}, tops), expected, strict=True):
        np.testing.assert_array_equal(y.array, e)


def test_scale_by_input(path):
    y = run(path, X, 'Scale', others=[X[:, 0]], blobs=[blob(2, data=[7, 8])],
            scale_param={'axis': 0, 'bias_term': True})
    np.testing.assert_allclose(y, X * X[:, :1] + [[7], [8]])


def test_softmax_with_loss(path):
    t = np.array([2, 0])
    y = run(path, X, 'SoftmaxWithLoss', others=[t])
    p = np.exp(X) / np.exp(X).sum(1, keepdims=True)
    np.testing.assert_allclose(y, -np.log(p[[0, 1], t]).mean(), rtol=1e-5)


def test_dropout(path):
    net = load(path, layer('Dropout', dropout_param={'dropout_ratio': .25}))
    x = np.ones(10000, 'f')
    y, = net({'x': x}, ['y'])
    assert set(np.unique(y.array)) == {0, np.float32(4 / 3)}
    assert .7 < (y.array > 0).mean() < .8
    with chainer.using_config('train', False):
        y, = net({'x': x}, ['y'])
    np.testing.assert_array_equal(y.array, x)


def test_lrn(path):
    y = run(path, IMAGES, 'LRN', lrn_param={
        'local_size': 3, 'alpha': .5, 'beta': .25, 'k': 2})
    squares = np.pad(IMAGES ** 2, ((0, 0), (1, 1), (0, 0), (0, 0)))
    total = squares[:, :-2] + squares[:, 1:-1] + squares[:, 2:]
    np.testing.assert_allclose(
        y, IMAGES / (2 + .5 / 3 * total) ** .25, rtol=1e-5)


@pytest.mark.parametrize('param, args', [
    ({'kernel_size': 2}, (2, 1, 0)),
    ({'kernel_size': 3, 'stride': 2, 'pad': 1}, (3, 2, 1)),
    ({'kernel_h': 2, 'kernel_w': 3, 'stride_h': 1, 'stride_w': 2, 'pad_w': 1},
     ((2, 3), (1, 2), (0, 1))),
    ({'global_pooling': True}, ((5, 6), 1, 0)),
])
def test_pooling(path, param, args):
    for method, function in (
            (0, functions.max_pooling_2d), (1, functions.average_pooling_2d)):
        y = run(path, IMAGES, 'Pooling', pooling_param={'pool': method, **param})
        np.testing.assert_array_equal(y, function(IMAGES, *args).array)


@pytest.mark.parametrize('param, ksize, stride, pad, dilate', [
    ({'kernel_size': [3]}, (3, 3), 1, 0, 1),
    ({'kernel_size': [2], 'stride': [2], 'pad': [1]}, (2, 2), 2, 1, 1),
    ({'kernel_size': [1, 3], 'stride': [2, 1], 'pad': [0, 1], 'dilation': [1, 2]},
     (1, 3), (2, 1), (0, 1), (1, 2)),
    ({'kernel_h': 2, 'kernel_w': 1, 'stride_h': 1, 'stride_w': 2, 'pad_h': 1},
     (2, 1), (1, 2), (1, 0), 1),
    ({'kernel_size': [2], 'dilation': [2]}, (2, 2), 1, 0, 2),
])
@pytest.mark.parametrize('group', [1, 2])
@pytest.mark.parametrize('bias', [False, True])
def test_convolution(path, param, ksize, stride, pad, dilate, group, bias):
    W = np.random.randn(6, 4 // group, *ksize).astype('f')
    b = np.random.randn(6).astype('f') if bias else None
    blobs = [blob(*W.shape, data=W)] + ([blob(6, data=b)] if bias else [])
    y = run(path, IMAGES, 'Convolution', blobs=blobs, convolution_param={
        'num_output': 6, 'group': group, 'bias_term': bias, **param})
    expected = functions.convolution_2d(
        IMAGES, W, b, stride, pad, dilate=dilate, groups=group)
    np.testing.assert_allclose(y, expected.array, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize('group', [1, 2])
def test_deconvolution(path, group):
    W = np.random.randn(4, 6 // group, 2, 3).astype('f')
    b = np.random.randn(6).astype('f')
    y = run(path, IMAGES, 'Deconvolution', blobs=[
        blob(*W.shape, data=W), blob(6, data=b),
    ], convolution_param={'kernel_size': [2, 3], 'stride': [2], 'pad': [1],
                          'num_output': 6, 'group': group})
    expected = functions.deconvolution_2d(IMAGES, W, b, 2, 1, groups=group)
    np.testing.assert_allclose(y, expected.array, rtol=1e-4, atol=1e-5)


def test_doubles(path):
    y = run(path, X, 'InnerProduct', blobs=[caffe_pb.BlobProto(
        double_data=range(3), shape={'dim': [1, 3]})],
        inner_product_param={'bias_term': False})
    np.testing.assert_array_equal(y, X @ np.arange(3)[:, None])


class TestBatchNorm:

    mean, var = np.array([1, 2, 3], 'f'), np.array([2, 4, 8], 'f')

    def net(self, path, factor=None, **param):
        blobs = [blob(3, data=self.mean), blob(3, data=self.var)]
        if factor is not None:
            blobs.append(blob(1, data=[factor]))
        return load(path, layer('BatchNorm', blobs=blobs, batch_norm_param=param))

    @pytest.mark.parametrize('factor', [None, 2.5])
    def test_averages(self, path, factor):
        net = self.net(path, factor, use_global_stats=True, eps=.5)
        mean, var = self.mean / (factor or 1), self.var / (factor or 1)
        for _ in range(2):      # they remain the same
            y, = net({'x': X}, ['y'])
            np.testing.assert_allclose(
                y.array, (X - mean) / np.sqrt(var + .5), rtol=1e-5)
        assert not list(net.params())

    def test_no_batch_yet(self, path):
        np.testing.assert_array_equal(self.net(path, 0).l1.avg_var, [0, 0, 0])

    def test_statistics_of_batches(self, path):
        net = self.net(path, moving_average_fraction=.5)
        y, = net({'x': X}, ['y'])
        np.testing.assert_allclose(
            y.array, (X - X.mean(0)) / np.sqrt(X.var(0) + 1e-5), rtol=1e-5)
        np.testing.assert_allclose(net.l1.avg_mean, (self.mean + X.mean(0)) / 2)

    def test_defaults(self, path):
        net = self.net(path)
        assert (net.l1.decay, net.l1.eps) == (.999, 1e-5)


def test_old_form(path):
    v1 = caffe_pb.V1LayerParameter
    net = CaffeFunction(write(path, old_layers=[
        v1_layer(v1.DATA, 'data', bottom=(), top=('x',)),
        v1_layer(v1.INNER_PRODUCT, 'ip', blobs=[
            {'height': 2, 'width': 3, 'data': range(6)},
            {'num': 1, 'width': 2, 'data': [5, 6]}]),
        v1_layer(v1.RELU, 'relu', ('y',), ('y',)),
        v1_layer(v1.SPLIT, 'split', ('y',), ('a', 'b')),
        v1_layer(v1.CONCAT, 'cat', ('a', 'b'), ('z',)),
    ]))
    z, = net({'x': X}, ['z'])
    y = np.maximum(X @ np.arange(6).reshape(2, 3).T + [5, 6], 0)
    np.testing.assert_allclose(z.array, np.concatenate([y, y], 1))
    assert [name for name, _, _ in net.layers] == ['ip', 'relu', 'cat']
    assert net.layers[-1] == ('cat', ['y', 'y'], ['z'])


def test_every_old_type_is_known():
    names = '''
        CONCAT CONVOLUTION DATA DECONVOLUTION DROPOUT ELTWISE INNER_PRODUCT LRN POOLING
        RELU SIGMOID SLICE SOFTMAX SOFTMAX_LOSS SPLIT
    '''
    number = caffe_pb.V1LayerParameter.LayerType.Value
    assert set(module._oldname_to_method) == {number(name) for name in names.split()}


def test_unsupported_types(path):
    with pytest.warns(UserWarning, match='Skip the layer "l1".* Tangent layer'):
        net = load(path, layer('Tangent'))
    assert net.layers == []
    path = write(path, old_layers=[v1_layer(caffe_pb.V1LayerParameter.TANH)])
    with pytest.warns(UserWarning, match='"l1".* not support it'):
        CaffeFunction(path)


@pytest.mark.parametrize('kind, fields, error', [
    ('InnerProduct', {'inner_product_param': {'axis': 2}}, RuntimeError),
    ('InnerProduct', {'inner_product_param': {'transpose': True}}, RuntimeError),
    ('InnerProduct', {'blobs': [blob(3)]}, RuntimeError),
    ('InnerProduct', {'blobs': [blob(2, 3)]}, IndexError),
    ('InnerProduct', {}, IndexError),
    ('InnerProduct', {'blobs': [blob(2, 3, data=[1]), blob(2)]}, ValueError),
    ('Convolution', {'blobs': [blob(1, 1, 2, 2), blob(1)]}, ValueError),
    ('Convolution', {'blobs': [blob(1, 1, 2, 2, data=[1]), blob(1)],
                     'convolution_param': {'kernel_size': [2]}}, ValueError),
    ('LRN', {'lrn_param': {'norm_region': 1}}, RuntimeError),
    ('Pooling', {'pooling_param': {'pool': 2}}, RuntimeError),
    ('Softmax', {'softmax_param': {'axis': 0}}, RuntimeError),
    ('SoftmaxWithLoss', {'softmax_param': {'axis': 2}}, RuntimeError),
    ('BatchNorm', {'blobs': [blob(3)]}, IndexError),
    ('Scale', {}, IndexError),
    ('Split', {'bottom': ()}, IndexError),
])
def test_errors_name_file_and_layer(path, kind, fields, error):
    with pytest.raises(error, match=r'net\.caffemodel: layer "l1": \w'):
        load(path, layer(kind, **fields))


def test_two_layers_of_one_name(path):
    child = layer('InnerProduct', blobs=[blob(2, 3), blob(2)])
    with pytest.raises(AttributeError, match=r'net\.caffemodel: layer "l1"'):
        load(path, child, child)


def test_damaged_files(path):
    name = write(path, [layer('InnerProduct', blobs=[blob(2, 3), blob(2)])])
    content = path.read_bytes()
    for damaged in content[:-3], content[:20], b'layer { name: "x" }', b'\xff' * 50:
        path.write_bytes(damaged)
        with pytest.raises(DecodeError, match=r'net\.caffemodel is not a caffemodel'):
            CaffeFunction(name)
    with pytest.raises(FileNotFoundError):
        CaffeFunction(name + 'x')


class TestCall:

    @pytest.fixture
    def net(self, path):
        return load(
            path,
            layer('Sigmoid', 'first', 'x', 'y'), layer('Sigmoid', 'second', 'y', 'z'),
            layer('Eltwise', 'third', ('z', 'q'), 'w'))

    def test_outputs(self, net):
        z, x, y = net({'x': X}, ['z', 'x', 'y'])
        assert x is X
        np.testing.assert_allclose(y.array, 1 / (1 + np.exp(-X)), rtol=1e-6)
        assert z.creator_node.inputs[0] is y.node
        assert set(net.variables) == set('xyz')

    def test_inputs_in_between(self, net):
        z, = net(inputs={'y': X}, outputs=['z'])
        np.testing.assert_allclose(z.array, 1 / (1 + np.exp(-X)), rtol=1e-6)

    def test_disable(self, net):
        z, = net({'x': X, 'y': X}, ['z'], disable=['first'])
        np.testing.assert_allclose(z.array, 1 / (1 + np.exp(-X)), rtol=1e-6)

    @pytest.mark.parametrize('outputs, disable', [('w', ()), ('z', ['first'])])
    def test_what_is_not_computed(self, net, outputs, disable):
        with pytest.raises(KeyError, match=outputs):
            net({'x': X}, outputs, disable)

    def test_given_dict_remains(self, net):
        given = {'x': X}
        net(given, ['z'])
        assert list(given) == ['x']

    def test_retired_argument(self, net):
        with pytest.raises(ValueError, match='train argument'):
            net({'x': X}, ['z'], train=False)
        with pytest.raises(TypeError, match="'foo'"):
            net({'x': X}, ['z'], foo=1)


def test_splits(path):
    net = load(
        path,
        layer('Split', 's', 'x', 'ab'), layer('Split', 't', 'a', 'cd'),
        layer('Sigmoid', 'f', 'c', 'e'))
    assert net.split_map == {name: 'x' for name in 'abcd'}
    e, d = net({'x': X}, ['e', 'd'])
    np.testing.assert_allclose(e.array, 1 / (1 + np.exp(-X)), rtol=1e-6)
    assert d is X


@pytest.fixture
def linear(path):
    return load(
        path, layer('InnerProduct', 'fc/1', blobs=[blob(2, 3), blob(2)]),
        layer('BatchNorm', 'bn', 'y', 'z', blobs=[blob(2), blob(2)],
              batch_norm_param={'use_global_stats': True}))


def test_children(linear):
    assert [name for name, _ in linear.namedparams()] == ['/fc/1/W', '/fc/1/b']
    assert isinstance(linear['fc/1'], links.Linear)
    y, = linear({'x': X}, ['y'])
    linear.cleargrads()
    y.grad = np.ones_like(y.array)
    y.backward()
    np.testing.assert_allclose(linear['fc/1'].W.grad, np.ones((2, 2)) @ X)


@pytest.mark.parametrize('duplicate', [
    lambda net: net.copy('copy'), copy.deepcopy,
    lambda net: pickle.loads(pickle.dumps(net))])
def test_copies_call_their_own_children(linear, duplicate):
    other = duplicate(linear)
    linear['fc/1'].W.array[...] = 0
    y, z = other({'x': X}, ['y', 'z'])
    expected = X @ np.arange(6).reshape(2, 3).T + [0, 1]
    np.testing.assert_allclose(y.array, expected)
    np.testing.assert_allclose(
        z.array, (expected - [0, 1]) / np.sqrt([1e-5, 1 + 1e-5]), rtol=1e-4)


def test_memory_returns_without_collector(path):
    net = load(path, layer('InnerProduct', blobs=[blob(2, 3), blob(2)]))
    alive = weakref.ref(net)
    gc.disable()
    try:
        del net
        assert alive() is None
    finally:
        gc.enable()


def test_types_of_a_program(path, monkeypatch):
    for name in '_type_to_method', '_oldname_to_method':
        table = getattr(module, name)
        for key in table:
            monkeypatch.setitem(table, key, table[key])     # to be put back

    @module._layer('Negative', 'TANH')
    def setup(net, layer):
        net.forwards[layer.name] = lambda x: -x
        net._add_layer(layer)

    try:
        np.testing.assert_array_equal(load(path, layer('Negative'))(
            {'x': X}, ['y'])[0], -X)
        net = CaffeFunction(write(
            path, old_layers=[v1_layer(caffe_pb.V1LayerParameter.TANH)]))
        np.testing.assert_array_equal(net({'x': X}, ['y'])[0], -X)
    finally:
        del module._type_to_method['Negative']
        del module._oldname_to_method[caffe_pb.V1LayerParameter.TANH]


@pytest.mark.parametrize('dtype', [np.float16, np.float64])
def test_dtype(path, dtype):
    with chainer.using_config('dtype', np.dtype(dtype)):
        net = load(path, layer('InnerProduct', blobs=[blob(2, 3), blob(2)]))
    assert net.l1.W.dtype == net.l1.b.dtype == dtype

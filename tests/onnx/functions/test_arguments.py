"""Exported functions for arguments that are not those of the example."""
import numpy
import pytest

import chainer_fast.functions as F
from chainer_fast import links as L
from chainer_fast import using_config
from chainer_fast.onnx.export import export
from tests.compare import assert_allclose
from tests.devices import to_cpu
from tests.onnx.exported import OPSETS, Model, arrays, run

RANDOM = numpy.random.RandomState(0)


def floats(*shape):
    return RANDOM.uniform(-1, 1, shape).astype(numpy.float32)


def ids(*shape):
    return RANDOM.randint(0, 3, shape).astype(numpy.int32)


W = floats(3, 2)

#: By name: a function, shapes of its arguments behind the batch, links.
FUNCTIONS = {
    'convolution': (lambda m, x: m.link(x), [(2, 4, 5)], L.Convolution2D(2, 3, 3)),
    'cumprod': (lambda m, x: F.cumprod(x, axis=1), [(3,)], None),
    'einsum': (lambda m, x: F.einsum('bij,jk->bik', x, W), [(4, 3)], None),
    'embed': (lambda m, x: m.link(x), [(None, 2)], L.EmbedID(3, 4, ignore_label=1)),
    'groups': (lambda m, x: m.link(x), [(4, 3)], L.GroupNormalization(2, 4)),
    'layers': (lambda m, x: m.link(x), [(4,)], L.LayerNormalization(4)),
    'lstm': (lambda m, c, x: F.lstm(c, x), [(3,), (12,)], None),
    'maxout': (lambda m, x: F.maxout(x, 2), [(4, 3)], None),
    'mean': (lambda m, x: F.mean(x, axis=(0, 2)), [(3, 4)], None),
    'sigmoid_cross_entropy': (
        lambda m, x, t: F.sigmoid_cross_entropy(x, t, normalize=False),
        [(3,), (None, 3)], None),
    'softmax': (lambda m, x: F.softmax(x, axis=1), [(3, 4)], None),
    'softmax_cross_entropy': (
        lambda m, x, t: F.softmax_cross_entropy(x, t, class_weight=W[:, 0] + 2),
        [(3,), (None,)], None),
    'tensordot': (lambda m, x: F.tensordot(x, W, 1), [(4, 3)], None),
    'unpooling': (lambda m, x: F.unpooling_2d(x, 3, 2), [(2, 4, 3)], None),
}


def arguments(shapes, batch):
    return [ids(batch, *shape[1:]) if shape[:1] == (None,) else floats(batch, *shape)
            for shape in shapes]


@pytest.mark.parametrize('name', sorted(FUNCTIONS))
def test_batches_of_another_length(name):
    function, shapes, link = FUNCTIONS[name]
    model = Model(function, **({} if link is None else {'link': link}))
    for opset in (9, 12, OPSETS[-1]):
        args = arguments(shapes, 2)
        made = export(model, args, opset_version=opset, input_shapes=[
            ('b', *arg.shape[1:]) for arg in args])
        args = arguments(shapes, 5)
        with using_config('train', False):
            expected = arrays(model(*args))
        for got, wanted in zip(run(made, args), expected, strict=True):
            assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)


ON_DEVICES = {
    'activations': (lambda m, x: F.rrelu(F.clipped_relu(m.link(x), .5)), [(4,)],
                    L.PReLU((4,))),
    'arithmetic': (lambda m, x: (x * 2 + 1) ** 2 - F.sign(x), [(3,)], None),
    'batches': (lambda m, x: m.link(x), [(3, 2)], L.BatchNormalization(3)),
    'embed': FUNCTIONS['embed'],
    'recurrent': (lambda m, x, y: m.link(None, [x, y])[0], [(3,), (3,)],
                  L.NStepGRU(1, 3, 4, 0.0)),
}


@pytest.mark.parametrize('train', [False, True])
@pytest.mark.parametrize('name', sorted(ON_DEVICES))
def test_models_of_a_device(device, name, train):
    function, shapes, link = ON_DEVICES[name]
    if name == 'activations' and train:
        train = False   # has random slopes
    if link is not None:
        link = link.copy(mode='copy')
    model = device.send(Model(function, **({} if link is None else {'link': link})))
    args = arguments(shapes, 4)
    with using_config('train', train):
        expected = to_cpu([each.array for each in [model(*device.send(args))]])
    for opset in (9, OPSETS[-1]):
        made = export(model, device.send(args), opset_version=opset, train=train)
        for got, wanted in zip(run(made, args), expected, strict=True):
            assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)


def test_class_weights_of_a_device(device):
    weight = device.send(numpy.float32([1, 2, 3]))
    model = Model(lambda self, x, t: F.softmax_cross_entropy(
        x, t, class_weight=weight))
    args = [floats(2, 3), ids(2)]
    expected = to_cpu(model(*device.send(args)).array)
    for opset in (9, OPSETS[-1]):
        got, = run(export(model, device.send(args), opset_version=opset), args)
        assert_allclose(got, expected, rtol=1e-4, atol=1e-5)

import numpy
import onnx
import pytest

import chainer_fast.functions as F
from chainer_fast import links as L
from chainer_fast.onnx.export import export
from tests.onnx.exported import Model, check

RANDOM = numpy.random.RandomState(0)


def floats(*shape, dtype=numpy.float32):
    return RANDOM.uniform(-1, 1, shape).astype(dtype)


def of(link):
    return Model(lambda self, x: self.link(x), link=link)


LINKS = {
    'convolution': (L.Convolution2D(3, 4, 3), (2, 3, 6, 5)),
    'convolution pad': (L.Convolution2D(3, 4, 3, 2, 1), (2, 3, 6, 5)),
    'convolution groups': (
        L.Convolution2D(4, 6, (1, 3), (2, 1), (0, 1), True, groups=2), (2, 4, 6, 5)),
    'convolution dilated': (L.Convolution2D(3, 4, 2, dilate=2), (2, 3, 6, 5)),
    'dilated': (L.DilatedConvolution2D(3, 4, 2, 1, 1, 2), (2, 3, 6, 5)),
    'depthwise': (L.DepthwiseConvolution2D(3, 2, 3), (2, 3, 6, 5)),
    'convolution 1d': (L.Convolution1D(3, 4, 3, 2, 1), (2, 3, 7)),
    'convolution 3d': (L.Convolution3D(3, 4, 2, 2, 1), (2, 3, 4, 5, 3)),
    'convolution nd groups': (
        L.ConvolutionND(3, 4, 2, 2, groups=2, dilate=2), (2, 4, 4, 5, 3)),
    'deconvolution': (L.Deconvolution2D(3, 4, 3), (2, 3, 4, 5)),
    'deconvolution stride': (L.Deconvolution2D(3, 4, 4, 2, 1), (2, 3, 4, 5)),
    'deconvolution larger': (
        L.Deconvolution2D(3, 4, 3, 2, 1, outsize=(8, 10)), (2, 3, 4, 5)),
    'deconvolution smaller': (
        L.Deconvolution2D(3, 4, 3, 2, 0, outsize=(8, 10)), (2, 3, 4, 5)),
    'deconvolution groups': (
        L.Deconvolution2D(4, 6, 2, 2, 0, True, groups=2, dilate=2), (2, 4, 3, 5)),
    'deconvolution 1d': (L.Deconvolution1D(3, 4, 3, 2, 1), (2, 3, 7)),
    'deconvolution 3d': (L.Deconvolution3D(3, 4, 2, 2, 0), (2, 3, 2, 3, 2)),
    'linear': (L.Linear(6, 4), (2, 6)),
    'linear no bias': (L.Linear(6, 4, nobias=True), (2, 6)),
    'linear of images': (L.Linear(6, 4), (2, 3, 2)),
    'inception': (L.Inception(3, 2, 2, 2, 2, 2, 2), (1, 3, 5, 5)),
    'highway': (L.Highway(4), (3, 4)),
    'attention': (L.MultiHeadAttention(2, 4), (2, 3, 4)),
    'mlp': (L.MLPConvolution2D(3, (4, 2), 1), (2, 3, 3, 3)),
    'maxout': (L.Maxout(4, 3, 2), (2, 4)),
    'scale': (L.Scale(W_shape=(3,), bias_term=True), (2, 3, 4)),
    'bias': (L.Bias(shape=(3,)), (2, 3, 4)),
}


def test_attention_to_another_sequence():
    link = L.MultiHeadAttention(2, 4, 6, key_size=3)
    mask = numpy.tri(3, 5, 1, dtype=bool)
    model = Model(
        lambda self, x, key: self.link(x, key, mask=mask), link=link)
    check(model, [floats(2, 3, 4), floats(2, 5, 3)], first=9)


@pytest.mark.parametrize('name', LINKS)
def test_links(name):
    link, shape = LINKS[name]
    if name in ('scale', 'bias'):
        link(floats(*shape))
    check(of(link), [floats(*shape)], first=8 if name in ('scale', 'bias') else 7)


@pytest.mark.parametrize('cover_all', [False, True])
@pytest.mark.parametrize('stride', [1, 2, 3])
def test_convolution_that_covers_all(cover_all, stride):
    W = floats(2, 3, 2, 3)
    check(lambda x: F.convolution_2d(
        x, W, stride=stride, pad=(0, 1), cover_all=cover_all), [floats(1, 3, 8, 6)])
    check(lambda x: F.convolution_nd(
        x, W, stride=stride, pad=(0, 1), cover_all=cover_all), [floats(1, 3, 8, 6)])


def test_linear_of_several_batch_axes():
    W, b = floats(4, 3), floats(4)
    check(lambda x: F.linear(x, W, b, n_batch_axes=2), [floats(2, 5, 3)])


def test_bias_of_linear_functions():
    model = of(L.Linear(6, 4, nobias=True))
    made = check(model, [floats(2, 6)])
    # Zeros where the operator needs a bias, and where Chainer wrote them.
    assert [len(made[opset].graph.node[0].input) for opset in (10, 11, 12)] == [3, 3, 2]


@pytest.mark.parametrize('dtype', [numpy.int8, numpy.int32, numpy.int64])
@pytest.mark.parametrize('ignore_label', [None, -1, 2])
def test_embed_id(dtype, ignore_label):
    ids = numpy.array([[0, 2, 1], [4, 2, 0]], dtype)
    if ignore_label == -1:
        ids[0, 1] = -1
    check(of(L.EmbedID(5, 3, ignore_label=ignore_label)), [ids])


def test_rows_of_other_ids():
    link = of(L.EmbedID(5, 3, ignore_label=2))
    check(link, [numpy.array([0, 1])], inputs=[numpy.array([2, 4])])


@pytest.mark.parametrize('nobias', [False, True])
@pytest.mark.parametrize('shape', [(3, 4), (3, 2, 2)])
def test_bilinear(nobias, shape):
    model = Model(lambda self, x, y: self.link(x, y),
                  link=L.Bilinear(4, 2, 5, nobias=nobias))
    check(model, [floats(*shape), floats(3, 2)])


@pytest.mark.parametrize('dtype, tolerance', [('float16', 1e-2), ('float64', 1e-6)])
def test_dtypes(dtype, tolerance):
    for function, *shapes in (
            (F.convolution_2d, (1, 2, 4, 4), (2, 2, 3, 3), (2,)),
            (F.linear, (2, 3), (4, 3))):
        check(function, [floats(*shape, dtype=dtype) for shape in shapes],
              tolerance=tolerance, opsets=[9, 13, 22])


def test_attributes_of_convolutions():
    # Graphs of these versions are the same as Chainer's.
    made = export(of(L.Deconvolution2D(3, 4, 3, 2, 1)), [floats(1, 3, 4, 5)],
                  opset_version=9)
    node, = made.graph.node
    attributes = {
        each.name: onnx.helper.get_attribute_value(each) for each in node.attribute}
    assert attributes == {
        'group': 1, 'kernel_shape': [3, 3], 'output_shape': [7, 9],
        'pads': [1, 1, 1, 1], 'strides': [2, 2]}


def test_what_cannot_be_exported():
    xs = [floats(1, 2, 3, 3), floats(2, 2, 2, 2, 2, 2)]
    with pytest.raises(ValueError, match='LocalConvolution2DFunction.*filters'):
        export(Model(lambda self, *xs: F.local_convolution_2d(*xs)), xs)

import numpy
import onnx
import pytest

import chainer_fast.functions as F
from chainer_fast.onnx.export import export
from tests.onnx.exported import OPSETS, Model, check

LEAST = float(numpy.finfo(numpy.float32).min)
RANDOM = numpy.random.RandomState(0)


def floats(*shape, dtype=numpy.float32):
    return RANDOM.uniform(-1, 1, shape).astype(dtype)


@pytest.mark.parametrize('ksize, stride, pad', [
    (2, None, 0), (3, 2, 1), ((2, 3), (1, 2), (0, 1)), (2, 3, 0), (1, 2, 1)])
def test_average_pooling(ksize, stride, pad):
    check(lambda x: F.average_pooling_2d(x, ksize, stride, pad), [floats(2, 3, 7, 6)])


@pytest.mark.parametrize('function, shape', [
    (F.average_pooling_1d, (2, 3, 7)), (F.average_pooling_3d, (1, 2, 5, 4, 3))])
@pytest.mark.parametrize('pad_value', [0, None])
def test_average_pooling_of_other_dimensions(function, shape, pad_value):
    check(lambda x: function(x, 3, 2, 1, pad_value), [floats(*shape)])


@pytest.mark.parametrize('length', [5, 6, 7])
@pytest.mark.parametrize('ksize, stride, pad', [
    (2, 2, 0), (3, 2, 1), (2, 2, 1), (3, 1, 1), (2, 3, 0), (2, 3, 1), (1, 2, 0),
    (1, 3, 1)])
@pytest.mark.parametrize('cover_all', [False, True])
def test_max_pooling(ksize, stride, pad, cover_all, length):
    # The outputs' shape tells whether all is covered. A window may see pads only: there
    # ONNX Runtime has the least finite number.
    check(lambda x: F.clip(
        F.max_pooling_nd(x, ksize, stride, pad, cover_all=cover_all), LEAST, None),
        [floats(1, 2, length, 7)])


@pytest.mark.parametrize('function, shape', [
    (F.max_pooling_1d, (2, 3, 7)), (F.max_pooling_3d, (1, 2, 5, 4, 3))])
def test_max_pooling_of_other_dimensions(function, shape):
    check(lambda x: function(x, 3, 2, 1), [floats(*shape)])


def test_attributes_of_max_pooling():
    x = floats(1, 1, 6, 6)
    model = Model(lambda self, x: F.max_pooling_2d(x, 3, 2, 1, cover_all=True))
    for opset, pads in ((7, [1, 1, 2, 2]), (10, [1, 1, 2, 2]), (11, [1, 1, 1, 1])):
        node, = export(model, [x], opset_version=opset).graph.node
        attributes = {each.name: onnx.helper.get_attribute_value(each)
                      for each in node.attribute}
        assert attributes['pads'] == pads
        assert attributes.get('ceil_mode') == (1 if opset == 11 else None)


def test_spatial_pyramid_pooling():
    check(lambda x: F.spatial_pyramid_pooling_2d(x, 2, 'max'), [floats(2, 3, 5, 6)])


@pytest.mark.parametrize('cover_all', [False, True])
@pytest.mark.parametrize('ksize, stride, pad', [
    (3, None, 0), (2, 2, 0), ((2, 3), None, 0), (3, 2, 1), (2, 3, 0)])
def test_unpooling(ksize, stride, pad, cover_all):
    check(lambda x: F.unpooling_2d(x, ksize, stride, pad, cover_all=cover_all),
          [floats(1, 2, 4, 3)])


def test_unpooling_of_given_lengths():
    for outsize, cover_all in (((8, 6), True), ((7, 6), True), ((9, 7), False)):
        check(lambda x, s=outsize, c=cover_all: F.unpooling_2d(
            x, 2, outsize=s, cover_all=c), [floats(1, 2, 4, 3)])


@pytest.mark.parametrize('function, shape', [
    (F.unpooling_1d, (2, 3, 4)), (F.unpooling_3d, (1, 2, 2, 3, 2))])
def test_unpooling_of_other_dimensions(function, shape):
    check(lambda x: function(x, 2, cover_all=False), [floats(*shape)])
    check(lambda x: function(x, 3, 2), [floats(*shape)])


# ------------------------------------------------------------------ regions of interest

ROIS = numpy.float32([[1, 1, 6, 6], [2, 0, 7, 3], [0, 3, 5, 5]])


def test_roi_pooling():
    rois = numpy.float32([
        [0, 1, 1, 6, 6], [1, 2, 0, 7, 3], [0, 0, 3, 5, 5], [1, 3, 3, 3, 3],
        [0, -4, -4, 20, 20], [1, 30, 30, 40, 40]])
    model = Model(lambda self, x, rois: F.roi_pooling_2d(x, rois, 3, 2, 0.6))
    with pytest.warns(UserWarning, match='Runtimes differ'):
        check(model, [abs(floats(2, 3, 6, 8)), rois[:4]])
    # Without the operator, the results are right for negative numbers, too.
    check(model, [floats(2, 3, 6, 8), rois], opsets=OPSETS[15:])


@pytest.mark.parametrize('function', [F.roi_max_pooling_2d, F.roi_average_pooling_2d])
def test_pooling_of_bins(function):
    rois = numpy.vstack([ROIS, numpy.float32([[-4, -4, 20, 20], [3, 2, 3, 2]])])
    indices = numpy.int32([0, 1, 0, 1, 1])
    check(lambda x, rois, indices: function(x, rois, indices, (3, 2), 0.6),
          [floats(2, 3, 6, 8), rois, indices], first=11)


@pytest.mark.parametrize('ratio', [None, 2])
def test_roi_average_align(ratio):
    indices = numpy.int32([0, 1, 0])
    check(lambda x, rois, indices: F.roi_average_align_2d(
        x, rois, indices, (3, 2), 0.6, ratio),
        [floats(2, 3, 6, 8), ROIS, indices], first=10)


def test_dtypes():
    for dtype, tolerance in ((numpy.float16, 3e-3), (numpy.float64, 1e-6)):
        x = floats(1, 2, 5, 4, dtype=dtype)
        for function in (F.max_pooling_2d, F.average_pooling_2d):
            check(lambda x, f=function: f(x, 2, 2, 1), [x], opsets=[9, 12, 22],
                  tolerance=tolerance)


def test_what_cannot_be_exported():
    x, indices = floats(2, 3, 6, 8), numpy.int32([0, 1, 0])
    for function in (
            lambda x: F.roi_max_align_2d(x, ROIS, indices, 2, 1.0),
            lambda x: F.roi_average_align_2d(x, ROIS, indices, 2, 1.0, (2, 3)),
            lambda x: F.upsampling_2d(
                *F.max_pooling_2d(x, 2, return_indices=True), 2)):
        with pytest.raises(ValueError, match='cannot be exported'):
            export(Model(lambda self, x, f=function: f(x)), [x])

import numpy
import pytest

import chainer_fast.functions as F
from chainer_fast.onnx.export import export
from tests.onnx.exported import Model, check

RANDOM = numpy.random.RandomState(0)


def floats(*shape, dtype=numpy.float32):
    return RANDOM.uniform(-2, 2, shape).astype(dtype)


@pytest.mark.parametrize('function', [
    F.mean_squared_error, F.mean_absolute_error, F.squared_error, F.absolute_error])
def test_errors(function):
    check(function, [floats(2, 3), floats(2, 3)])


@pytest.mark.parametrize('reduce', ['sum_along_second_axis', 'no'])
def test_huber_loss(reduce):
    check(lambda x, t: F.huber_loss(x, t, 0.7, reduce), [floats(4, 3), floats(4, 3)])


@pytest.mark.parametrize('norm', ['L1', 'L2'])
@pytest.mark.parametrize('reduce', ['mean', 'no'])
def test_hinge(norm, reduce):
    t = numpy.int32([0, 2, 1, 0])
    check(lambda x, t: F.hinge(x, t, norm, reduce), [floats(4, 3), t], first=9)


@pytest.mark.parametrize('kwargs', [
    {}, {'normalize': False}, {'reduce': 'no'}])
@pytest.mark.parametrize('dtype', [numpy.int8, numpy.int32, numpy.int64])
def test_sigmoid_cross_entropy(kwargs, dtype):
    t = numpy.array([[0, 1, -1], [1, 1, 0]], dtype)
    check(lambda x, t: F.sigmoid_cross_entropy(x, t, **kwargs), [floats(2, 3), t])


def test_sigmoid_cross_entropy_without_labels():
    t = numpy.full((2, 3), -1, numpy.int32)
    check(F.sigmoid_cross_entropy, [floats(2, 3), t])


WEIGHT = numpy.float32([0.5, 2, 1])


@pytest.mark.parametrize('kwargs', [
    {}, {'normalize': False}, {'reduce': 'no'}, {'class_weight': WEIGHT},
    {'class_weight': WEIGHT, 'reduce': 'no'}, {'ignore_label': 1},
    {'class_weight': WEIGHT, 'normalize': False, 'ignore_label': 2}])
@pytest.mark.parametrize('dtype', [numpy.int8, numpy.int32, numpy.int64])
def test_softmax_cross_entropy(kwargs, dtype):
    def function(x, t):
        return F.softmax_cross_entropy(x, t, **kwargs)

    ignored = kwargs.get('ignore_label', -1)
    t = numpy.array([0, ignored, 1, 2], dtype)
    check(function, [floats(4, 3), t], first=9)
    images = numpy.array([[[0, ignored]], [[2, 1]]], dtype)
    check(function, [floats(2, 3, 1, 2), images], first=9)


def test_softmax_cross_entropy_as_chainer_exports_it():
    t = numpy.int32([0, 2, 1, 2])
    made = check(F.softmax_cross_entropy, [floats(4, 3), t], first=9)
    for opset in (9, 10, 11):
        assert [node.op_type for node in made[opset].graph.node] == [
            'Constant', 'Constant', 'LogSoftmax', 'OneHot', 'Mul', 'Neg', 'ReduceSum',
            'ReduceMean']
        assert not made[opset].graph.initializer


def test_softmax_cross_entropy_of_other_labels():
    t = numpy.int32([0, 2, 1, 2])
    check(F.softmax_cross_entropy, [floats(4, 3), t], first=9, opsets=range(12, 20),
          inputs=[floats(4, 3), numpy.int32([-1, 2, -1, 0])])


def test_softmax_cross_entropy_without_labels():
    t = numpy.full(4, -1, numpy.int32)
    check(F.softmax_cross_entropy, [floats(4, 3), t], first=9)


@pytest.mark.parametrize('kwargs', [
    {}, {'reduce': 'no'}, {'soft_target_loss': 'kl-divergence'}])
def test_soft_targets(kwargs):
    t = abs(floats(4, 3, 2))
    t /= t.sum(axis=1, keepdims=True)
    check(lambda x, t: F.softmax_cross_entropy(x, t, **kwargs), [floats(4, 3, 2), t])


def test_dtypes():
    t = numpy.int32([0, 2, -1, 2])
    check(F.softmax_cross_entropy, [floats(4, 3, dtype=numpy.float64), t],
          opsets=[9, 12, 13, 22])
    check(F.sigmoid_cross_entropy, [
        floats(2, 3, dtype=numpy.float64), numpy.int32([[0, 1, -1], [1, 1, 0]])],
        opsets=[9, 13, 22])


@pytest.mark.parametrize('name', [
    'gaussian_kl_divergence', 'bernoulli_nll'])
@pytest.mark.parametrize('reduce', ['sum', 'mean', 'no'])
def test_losses_of_autoencoders(name, reduce):
    check(lambda x, y: getattr(F, name)(x, y, reduce), [floats(2, 3), floats(2, 3)])


def test_what_cannot_be_exported():
    xs = [floats(2, 3) for _ in range(3)]
    t, length = numpy.int32([[1], [2]]), numpy.int32([3, 3])
    model = Model(lambda self, *xs: F.connectionist_temporal_classification(
        xs, t, 0, length))
    with pytest.raises(ValueError, match='cannot be exported'):
        export(model, xs)

"""What is computed of other types where types are not checked: the same numbers."""

import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast import grad, links, using_config
from chainer_fast.backend import CpuDevice
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare

X = np.sin(np.arange(12)).reshape(4, 3).astype('f')
W = np.cos(np.arange(15)).reshape(5, 3).astype('f')
IMAGES = np.sin(np.arange(48)).reshape(2, 1, 6, 4).astype('f')
REGIONS = np.array([[0, 0, 3, 3], [1, 1, 3, 5], [0, 2, 2, 4]], 'f')


@pytest.fixture(autouse=True)
def _no_check():
    with using_config('type_check', False):
        yield


def softmax(device, t):
    return F.softmax_cross_entropy(device.send(X), t, enable_double_backprop=True)


def black_out(device, t):
    samples = device.send(np.array([[1, 3], [0, 2], [4, 4], [2, 1]], 'i'))
    return F.black_out(device.send(X), t, device.send(W), samples)


def samples_of_black_out(device, t):
    targets = device.send(np.array([1, 3, 4, 0], 'i'))
    return F.black_out(device.send(X), targets, device.send(W), t[:, None])


@pytest.mark.parametrize('dtype', 'BHQ')
@pytest.mark.parametrize('f', [softmax, black_out, samples_of_black_out])
def test_labels_without_sign(device, f, dtype):
    labels = np.array([2, 0, 1, 1], 'i')
    expected = f(device, device.send(labels))
    y = f(device, device.send(labels.astype(dtype)))
    compare.assert_allclose(y.array, expected.array)


def test_labels_without_sign_are_refused_where_types_are_checked():
    t = np.array([2, 0, 1, 1], 'B')
    for f in softmax, black_out:
        with using_config('type_check', True), pytest.raises(type_check.InvalidType):
            f(CpuDevice(), t)


@pytest.mark.host
@pytest.mark.parametrize('dtype', 'efd')
def test_summary_of_labels_that_are_floats(dtype):
    labels = np.array([2, 0, 1, 1], 'i')
    expected = F.classification_summary(X, labels)
    for y, each in zip(
            F.classification_summary(X, labels.astype(dtype)), expected, strict=True):
        compare.assert_array_equal(y.array, each.array)
    # What is not whole is no label.
    between = np.array([2, 0, .5, 1], dtype)
    *_, support = F.classification_summary(X, between)
    compare.assert_array_equal(support.array, [1, 1, 1])


@pytest.mark.parametrize('f', [
    F.roi_max_pooling_2d, F.roi_average_pooling_2d, F.roi_max_align_2d,
    F.roi_average_align_2d])
@pytest.mark.parametrize('numbers', [
    np.array([0., 1., 1.]), np.array([False, True, True]),
    np.array([0, 1, 1, 0, 1], 'i')])
def test_numbers_of_images(device, f, numbers):
    def outcome(numbers):
        x = Variable(device.send(IMAGES))
        y = f(x, *device.send((REGIONS, numbers)), 2, 1.)
        y.grad = y.array
        y.backward()
        return y.array, x.grad

    expected = outcome(np.array([0, 1, 1], 'i'))
    for found, each in zip(outcome(numbers), expected, strict=True):
        compare.assert_allclose(found, each)


@pytest.mark.parametrize('x_type, w_type', ['fe', 'ef', 'fd', 'df'])
def test_gradients_have_the_types_of_their_variables(device, x_type, w_type):
    x, w = [
        Variable(device.send(each)) for each in (X.astype(x_type), W.astype(w_type))]
    t = device.send(np.array([1, 3, -1, 0], 'i'))
    F.negative_sampling(
        x, t, w, lambda shape: device.send(np.ones(shape, 'i')), 2).backward()
    assert (x.grad.dtype, w.grad.dtype) == (x.dtype, w.dtype)
    same = [Variable(device.send(each.astype('d'))) for each in (X, W)]
    F.negative_sampling(
        same[0], t, same[1], lambda shape: device.send(np.ones(shape, 'i')), 2
    ).backward()
    for v, each in zip((x, w), same, strict=True):
        compare.assert_allclose(v.grad, each.grad, 5e-3)


@pytest.mark.parametrize('x_type, w_type', ['fe', 'ef', 'fd', 'df'])
@pytest.mark.parametrize('f, w', [
    (lambda device, x, w: F.prelu(x, w), W[0]),
    (lambda device, x, w: device.send(links.BinaryHierarchicalSoftmax(
        3, ((0, 1), ((2, 3), (4, 5)))))._func(
            x, device.send(np.array([4, 0, 1, 3], 'i')), w), W)])
def test_gradients_have_the_types_of_slopes_and_nodes(device, f, w, x_type, w_type):
    found = []
    for types in (x_type, w_type), 'dd':
        both = [Variable(device.send(each.astype(dtype)))
                for each, dtype in zip((X, w), types, strict=True)]
        F.sum(f(device, *both)).backward()
        assert [each.grad.dtype for each in both] == [each.dtype for each in both]
        found.append([each.grad for each in both])
    for each, expected in zip(*found, strict=True):
        compare.assert_allclose(each, expected, 2e-2)


@pytest.mark.parametrize('other', 'ed')
@pytest.mark.parametrize('i', range(6))
def test_forms_of_factors_of_several_types(device, i, other):
    shapes = (2, 3), (2, 4), (3, 4, 5), (3, 5), (4, 5), (5,)
    factors = [np.sin(np.arange(np.prod(s))).reshape(s).astype('f') for s in shapes]
    found = []
    for dtype in other, 'f':
        xs = [Variable(device.send(x.astype(dtype) if k == i else x))
              for k, x in enumerate(factors)]
        grads = grad([F.bilinear(*xs)], xs, enable_double_backprop=True)
        F.sum(sum([F.sum(F.cast(g, 'd') ** 2) for g in grads])).backward()
        for x, g in zip(xs, grads, strict=True):
            assert g.dtype == x.dtype
            assert x.grad is None or x.grad.dtype == x.dtype
        found.append([each for x, g in zip(xs, grads, strict=True)
                      for each in (g.array, x.grad) if each is not None])
    for each, expected in zip(*found, strict=True):
        compare.assert_allclose(each, expected, 2e-2)


@pytest.mark.parametrize('other', 'ed')
@pytest.mark.parametrize('i', [0, 3, 4])        # factors and offsets are of one type
def test_moments_of_several_types(device, i, other):
    values = [X, *[np.sin(np.arange(3.) + k).astype('f') ** 2 for k in range(4)]]
    found = []
    for dtype in other, 'f':
        xs = [Variable(device.send(x.astype(dtype) if k == i else x))
              for k, x in enumerate(values)]
        y = F.fixed_batch_normalization(*xs, eps=1.)
        y.grad = device.xp.ones_like(y.array)
        y.backward()
        found.append([x.grad for x in xs])
        assert [x.grad.dtype for x in xs] == [x.dtype for x in xs]
    for each, expected in zip(*found, strict=True):
        compare.assert_allclose(each, expected, 2e-2)


def test_a_pyramid_of_no_images(device):
    x = device.send(np.zeros((0, 3, 8, 6), 'f'))
    assert F.spatial_pyramid_pooling_2d(x, 2, 'max').shape == (0, 15, 1, 1)

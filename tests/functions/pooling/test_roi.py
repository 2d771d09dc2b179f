import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
from chainer_fast import gradient_check
from chainer_fast.functions.pooling import roi_max_align_2d, roi_pooling_2d
from chainer_fast.utils import type_check
from tests import compare
from tests.functions import gradients

ROIS = np.array([[0, 1, 4, 5], [2, 0, 5.5, 3], [1.2, 1.3, 1.3, 1.4]])
INDICES = np.array([1, 0, 1], 'i')
POOLING = [F.roi_max_pooling_2d, F.roi_average_pooling_2d]
ALIGN = [F.roi_max_align_2d, F.roi_average_align_2d]


def fast_rcnn(rois, indices):
    """Regions as ``roi_pooling_2d`` takes them."""
    return np.column_stack([indices, rois[:, [1, 0, 3, 2]]]).astype(rois.dtype)


@pytest.mark.parametrize('dtype', 'efd')
def test_roi_pooling(device, dtype):
    x = np.arange(2 * 6 * 5, dtype=dtype).reshape(2, 1, 6, 5)
    rois = np.array([[1, 0, 1, 3, 4]], dtype)
    y = F.roi_pooling_2d(device.send(x), device.send(rois), 2, 3, 1.)
    # Rows 1 to 4 and columns 0 to 3 with their last ones; bins of columns overlap.
    assert y.dtype == dtype
    compare.assert_array_equal(y.array[0, 0], 30 + np.array([[11, 12, 13],
                                                                [21, 22, 23]]))


@pytest.mark.parametrize('dtype', 'efd')
def test_max_and_average(device, dtype):
    x = np.arange(2 * 6 * 5, dtype=dtype).reshape(2, 1, 6, 5)
    # In the scale of the image, rows 1 to 4 without the last, columns 0 to 4.
    rois = np.array([[2, 0, 8, 8]], dtype)
    indices = np.array([1], 'i')
    y = F.roi_max_pooling_2d(*device.send((x, rois, indices)), (1, 2), .5)
    assert y.dtype == dtype
    compare.assert_array_equal(y.array[0, 0], [[46, 48]])
    y = F.roi_average_pooling_2d(*device.send((x, rois, indices)), (1, 2), .5)
    assert y.dtype == dtype
    compare.assert_array_equal(y.array[0, 0], [[40.5, 42.5]])


def test_align(device):
    # Interpolation of a plane is the plane.
    row, column = np.mgrid[:6, :5].astype('f')
    x = device.send((2 * row + 3 * column)[None, None])
    rois = device.send(np.array([[1, 1, 4, 3.5]], 'f'))
    indices = device.send(np.zeros(1, 'i'))
    y = F.roi_average_align_2d(x, rois, indices, (3, 1), 1., 2)
    compare.assert_allclose(
        y.array[0, 0, :, 0], 2 * np.array([1.5, 2.5, 3.5]) + 3 * 2.25, 1e-6)
    y = F.roi_max_align_2d(x, rois, indices, (3, 1), 1., 2)
    compare.assert_allclose(
        y.array[0, 0, :, 0], 2 * np.array([1.75, 2.75, 3.75]) + 3 * 2.875, 1e-6)
    # By default there are samples for each pixel.
    compare.assert_array_equal(
        F.roi_max_align_2d(x, rois, indices, (3, 1), 1.).array,
        F.roi_max_align_2d(x, rois, indices, (3, 1), 1., (1, 3)).array)


@pytest.mark.parametrize('bad', [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize('function', ALIGN)
def test_pixels_without_a_part_in_a_sample_do_not_count(device, function, bad):
    x = np.arange(25, dtype='f').reshape(1, 1, 5, 5)
    expected = x[:, :, 1:4:2, 1:4:2].copy()
    # The samples are at whole pixels.
    x[:, :, 2::2], x[:, :, :, 2::2] = bad, bad
    rois = np.array([[0, 0, 4, 4]], 'f'), np.zeros(1, 'i')
    y = function(*device.send((x, *rois)), 2, 1., sampling_ratio=1)
    compare.assert_array_equal(y.array, expected)


def test_outside_of_the_image(device):
    x = np.ones((1, 2, 4, 4), 'f')
    rois = np.array([[50, 50, 60, 60]], 'f')
    indices = np.zeros(1, 'i')
    for function in (F.roi_max_pooling_2d, F.roi_average_pooling_2d,
                     F.roi_max_align_2d, F.roi_average_align_2d):
        x_ = chainer.Variable(device.send(x))
        y = function(x_, *device.send((rois, indices)), 2, 1.)
        compare.assert_array_equal(y.array, np.zeros((1, 2, 2, 2)))
        y.grad = np.ones_like(y.array)
        y.backward()
        compare.assert_array_equal(x_.grad, np.zeros_like(x))
    y = F.roi_pooling_2d(*device.send((x, fast_rcnn(rois, indices))), 2, 2, 1.)
    compare.assert_array_equal(y.array, np.zeros((1, 2, 2, 2)))


# Where the largest element occurs more than once, Chainer's choice.
@pytest.mark.parametrize('function, options, expected', [
    (F.roi_max_align_2d, {'sampling_ratio': 2}, [
        [0, 0, 0, 12], [3, 3, 0, 12], [3, 12, 9, 24], [0, 9, 9, 24], [0, 0, 0, 0]]),
    (F.roi_max_align_2d, {'sampling_ratio': (1, 3)}, [
        [0, 0, 0, 0], [8, 4, 16, 8], [0, 0, 0, 0], [24, 12, 0, 48], [0, 0, 0, 0]]),
    (F.roi_max_pooling_2d, {}, [
        [0, 0, 0, 24], [12, 0, 0, 0], [0, 36, 48, 0], [0, 0, 0, 0], [0, 0, 0, 0]]),
    (F.roi_pooling_2d, {}, [
        [0, 0, 0, 24], [12, 0, 0, 0], [0, 36, 48, 0], [0, 0, 0, 0], [0, 0, 0, 0]])])
def test_several_largest_elements(device, function, options, expected):
    array = (np.arange(20) // 3 % 2).reshape(1, 1, 5, 4).astype('f')
    x = chainer.Variable(device.send(array))
    if function is F.roi_pooling_2d:
        regions = np.array([[0, 0, 0, 3, 4]], 'f')
        y = function(x, device.send(regions), 2, 2, 1.)
    else:
        regions = np.array([[0, 0, 4, 4]], 'f'), np.zeros(1, 'i')
        y = function(x, *device.send(regions), 2, 1., **options)
    y.grad = device.send(12 * np.arange(1, 5, dtype='f').reshape(1, 1, 2, 2))
    y.backward()
    compare.assert_allclose(x.grad[0, 0], expected, 1e-5)


@pytest.mark.parametrize('function', POOLING)
def test_gradients(device, function):
    gradients.check(
        device, lambda x: function(x, device.send(ROIS), device.send(INDICES), (2, 3),
        .8), gradients.spread((2, 2, 6, 5)), double=False)


def test_gradients_of_roi_pooling(device):
    gradients.check(
        device, lambda x: F.roi_pooling_2d(
            x, device.send(fast_rcnn(ROIS, INDICES)), 2, 3, .8),
        gradients.spread((2, 2, 6, 5)), double=False)


@pytest.mark.parametrize('function', ALIGN)
@pytest.mark.parametrize('ratio', [None, 2, (None, 1)])
def test_gradients_of_align(device, function, ratio):
    x = gradients.spread((2, 2, 6, 5), 'f')
    gy = gradients.uniform((3, 2, 2, 3), dtype='f')
    gradient_check.check_backward(
        lambda x: function(x, device.send(ROIS.astype('f')), device.send(INDICES),
        (2, 3), .8, ratio), device.send(x), device.send(gy), eps=1e-2, rtol=1e-3,
        atol=1e-3)


def test_no_gradients_of_regions(device):
    x = chainer.Variable(device.send(gradients.spread((2, 2, 6, 5), 'f')))
    rois = chainer.Variable(device.send(ROIS.astype('f')))
    y = F.roi_average_pooling_2d(x, rois, device.send(INDICES), 2, 1.)
    y.grad = np.ones_like(y.array)
    y.backward()
    assert rois.grad is None and x.grad is not None

    rois = chainer.Variable(device.send(fast_rcnn(ROIS, INDICES).astype('f')))
    y = F.roi_pooling_2d(x, rois, 2, 2, 1.)
    y.grad = np.ones_like(y.array)
    y.backward()
    assert rois.grad is None


def test_double_backward_of_roi_pooling(device):
    x = chainer.Variable(device.send(gradients.spread((2, 2, 6, 5), 'f')))
    rois = device.send(fast_rcnn(ROIS, INDICES).astype('f'))
    y = F.roi_pooling_2d(x, rois, 2, 2, 1.)
    gy = chainer.Variable(np.ones_like(y.array))
    gx, = chainer.grad([y], [x], [gy], enable_double_backprop=True)
    with pytest.raises(NotImplementedError):
        chainer.grad([gx], [gy], [x])


def test_function_objects(device):
    x = chainer.Variable(device.send(gradients.spread((2, 2, 6, 5), 'f')))
    rois = ROIS.astype('f')
    y = F.roi_pooling_2d(x, device.send(fast_rcnn(rois, INDICES)), 2, 3, 1.)
    f = y.creator
    assert type(f) is roi_pooling_2d.ROIPooling2D
    assert (f.outh, f.outw, f.spatial_scale) == (2, 3, 1.)
    image = x.array.reshape(2, 2, 30)
    for r, c, i, j in np.ndindex(y.shape):
        where = f.argmax_data[r, c, i, j]
        assert image[INDICES[r], c, where] == y.array[r, c, i, j]

    y = F.roi_max_align_2d(x, device.send(rois), device.send(INDICES), 2, 1, (None, 3))
    f = y.creator
    assert type(f) is roi_max_align_2d.ROIMaxAlign2D
    assert (f.outh, f.outw, f.sampling_ratio) == (2, 2, (None, 3))
    assert type(f.spatial_scale) is float and f.argmax_data.dtype == np.int32


@pytest.mark.parametrize('function', POOLING + ALIGN)
@pytest.mark.parametrize(('size', 'scale', 'error'), [
    (0, 1., TypeError), (2., 1., TypeError), ((2, -1), 1., TypeError),
    (True, 1., TypeError), ((2, 2, 2), 1., ValueError), (2, 'a', TypeError),
    (2, 0., TypeError), (2, -1, TypeError)])
def test_arguments(device, function, size, scale, error):
    x = np.zeros((2, 2, 6, 5), 'f')
    with pytest.raises(error):
        function(*device.send((x, ROIS.astype('f'), INDICES)), size, scale)


@pytest.mark.parametrize('function', ALIGN)
@pytest.mark.parametrize('ratio', [0, -1, 1., (0, 1), 'a', (1., 2)])
def test_sampling_ratio(device, function, ratio):
    x = np.zeros((2, 2, 6, 5), 'f')
    with pytest.raises(TypeError, match='sampling_ratio'):
        function(*device.send((x, ROIS.astype('f'), INDICES)), 2, 1., ratio)


@pytest.mark.parametrize('function', POOLING + ALIGN)
@pytest.mark.parametrize('number', [np.int32(2), np.float32(2), 2])
def test_numbers_of_numpy(device, function, number):
    x = gradients.spread((2, 2, 6, 5), 'f')
    size = np.int32(2), np.int64(3)
    compare.assert_array_equal(
        function(*device.send((x, ROIS.astype('f'), INDICES)), size, number).array,
        function(*device.send((x, ROIS.astype('f'), INDICES)), (2, 3), 2.).array)


@pytest.mark.parametrize('function', POOLING + ALIGN)
@pytest.mark.parametrize('change', [
    {'x': np.zeros((2, 2, 6, 5), 'i')}, {'x': np.zeros((2, 6, 5), 'f')},
    {'rois': ROIS.astype('e')}, {'rois': np.zeros((3, 5), 'f')},
    {'indices': INDICES.astype('l')}, {'indices': INDICES[:, None]},
    {'indices': INDICES[:2]}])
def test_types(device, function, change):
    arrays = {'x': np.zeros((2, 2, 6, 5), 'f'), 'rois': ROIS.astype('f'),
              'indices': INDICES, **change}
    with pytest.raises(type_check.InvalidType):
        function(*device.send(list(arrays.values())), 2, 1.)


@pytest.mark.parametrize('function', ALIGN)
@pytest.mark.parametrize('dtype', 'ed')
def test_align_takes_single_precision(device, function, dtype):
    with pytest.raises(type_check.InvalidType):
        function(
            *device.send((np.zeros((2, 2, 6, 5), dtype), ROIS.astype(dtype), INDICES)),
            2, 1.)


@pytest.mark.parametrize(('x', 'rois'), [
    (np.zeros((2, 2, 6, 5), 'i'), np.zeros((3, 5), 'i')),
    (np.zeros((2, 2, 6, 5), 'f'), np.zeros((3, 5), 'd')),
    (np.zeros((2, 2, 6, 5), 'f'), np.zeros((3, 4), 'f')),
    (np.zeros((2, 6, 5), 'f'), np.zeros((3, 5), 'f'))])
def test_types_of_roi_pooling(device, x, rois):
    with pytest.raises(type_check.InvalidType):
        F.roi_pooling_2d(device.send(x), device.send(rois), 2, 2, 1.)


@pytest.mark.parametrize(('size', 'error'), [
    ((0, 2), ZeroDivisionError), ((2, -1), ValueError), ((2., 2), TypeError)])
def test_sizes_of_roi_pooling(device, size, error):
    x, rois = np.zeros((2, 2, 6, 5)), fast_rcnn(ROIS, INDICES)
    with pytest.raises(error):
        F.roi_pooling_2d(*device.send((x, rois)), *size, 1.)


@pytest.mark.parametrize('function', POOLING + ALIGN)
def test_regions_that_are_not(device, function):
    x, rois = np.zeros((2, 2, 6, 5), 'f'), ROIS.astype('f')
    if device.xp is np:     # No kernel looks whether there is such an image.
        with pytest.raises(IndexError):
            function(x, rois, INDICES + 1, 2, 1.)
        with pytest.raises(ValueError):
            function(x, rois * np.float32(np.nan), INDICES, 2, 1.)
    assert function(*device.send((x, rois[:0], INDICES[:0])), 2, 1.).shape == (
        0, 2, 2, 2)


@pytest.mark.parametrize('f', ALIGN)
def test_a_far_region_is_soon_done(device, f):
    x = chainer.Variable(device.send(np.ones((1, 1, 4, 4), 'f')))
    rois = device.send(np.array([[0, 0, 1e8, 1e8], [0, -1e9, 2, 4]], 'f'))
    y = f(x, rois, device.send(np.zeros(2, 'i')), 2, 1.)
    F.sum(y).backward()
    # Sums of shares of samples, which are few of many, or of largest samples.
    total = 3 if f is F.roi_max_align_2d else 1e-8
    assert abs(float(x.grad.sum()) - total) < 1e-7 * max(total, 1)

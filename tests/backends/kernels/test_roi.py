"""Compiled and CUDA forms of kernels on regions, against the reference."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chainer_fast.backends.kernels import roi
from tests import devices
from tests.backends.kernels import forms

TOLERANCE = {'f': 2e-6, 'd': 1e-14}


@st.composite
def cases(draw):
    """Images, their numbers and regions, which may lie outside; and sizes."""
    rng = np.random.RandomState(draw(st.integers(0, 999)))
    dtype = draw(st.sampled_from('fd'))
    shape = (2, 3, draw(st.integers(1, 9)), draw(st.integers(1, 9)))
    x = rng.randint(-8, 9, shape) / 4
    if draw(st.booleans()):
        x[rng.uniform(size=shape) < .1] = np.nan
    low = rng.uniform(-4, 10, (3, 2))
    boxes = np.concatenate([low, low + rng.uniform(-2, 9, (3, 2))], axis=1)
    if draw(st.booleans()):
        # Halves are where rounding matters.
        boxes = np.round(boxes * 2) / 2
    size = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    ratio = draw(st.integers(0, 3)), draw(st.integers(0, 3))
    return (x.astype(dtype), rng.randint(-2, 2, 3).astype('i'), boxes, size,
            draw(st.integers(0, 1)), ratio)


def check(case, form):
    """Compare all kernels, of which ``form`` gives another form, with the reference."""
    x, numbers, boxes, size, extra, ratio = case
    tolerance = TOLERANCE[x.dtype.char]

    def compare(kernel, *args, exact=False):
        results, expected = form(kernel)(*args), kernel.reference(*args)
        if not isinstance(expected, tuple):
            results, expected = (results,), (expected,)
        for a, b in zip(results, expected, strict=True):
            assert (a.dtype, a.shape) == (b.dtype, b.shape)
            if exact:
                np.testing.assert_array_equal(a, b)
            else:
                np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)
        return expected

    gy = np.random.RandomState(0).randint(-8, 9, (3, 3, *size)).astype(x.dtype) / 4
    _, found = compare(
        roi.cell_max, x, numbers, boxes, size, extra, -1., exact=True)
    compare(roi.cell_put, gy, found, numbers, x.shape)
    _, found = compare(roi.sample_max, x, numbers, boxes, size, ratio, exact=True)
    compare(roi.sample_put, gy, found, numbers, boxes, ratio, x.shape)
    x = np.nan_to_num(x)
    compare(roi.cell_mean, x, numbers, boxes, size, extra)
    compare(roi.sample_mean, x, numbers, boxes, size, ratio)
    compare(roi.cell_spread, gy, numbers, boxes, extra, x.shape)
    compare(roi.sample_spread, gy, numbers, boxes, ratio, x.shape)


@settings(max_examples=100)
@given(cases())
def test_compiled(case):
    check(case, lambda kernel: kernel.compiled)


@pytest.mark.gpu
@settings(max_examples=40)
@given(cases(), st.booleans())
def test_on_gpu(case, scaled):
    x, numbers, boxes, *rest = case
    device = devices.Device('@cupy:0')
    boxes_sent = device.send(boxes)
    if scaled:
        boxes_sent = roi.Boxes(device.send((2 * boxes).astype(x.dtype)), .5)
        # The corners have been rounded.
        boxes = boxes_sent.in_pixels().get()

    def on_gpu(kernel):
        def run(*args):
            return devices.to_cpu(kernel.device(*[
                boxes_sent if arg is boxes else device.send(arg) for arg in args]))
        return run

    check((x, numbers, boxes, *rest), on_gpu)


@pytest.mark.gpu
def test_halves_on_gpu():
    x = np.arange(72, dtype='e').reshape(1, 2, 6, 6)
    numbers, boxes = np.zeros(1, 'i'), np.array([[0., 1, 5, 4]])
    forms.check(roi.cell_max, x, numbers, boxes, (2, 2), 1, -1.)
    forms.check(roi.cell_mean, x, numbers, boxes, (2, 2), 1)
    forms.check(roi.sample_mean, x, numbers, boxes, (2, 2), (2, 2))
    _, found = forms.check(roi.sample_max, x, numbers, boxes, (2, 2), (2, 2))
    gy = np.arange(8, dtype='e').reshape(1, 2, 2, 2)
    forms.check(roi.cell_spread, gy, numbers, boxes, 0, x.shape)
    forms.check(roi.sample_put, gy, found, numbers, boxes, (2, 2), x.shape)


@pytest.mark.gpu
@pytest.mark.parametrize('shape', [(2, 3, 4, 5), (0, 3, 4, 5), (2, 0, 4, 5)])
def test_no_regions_on_gpu(shape):
    gy, numbers = np.zeros((0, shape[1], 2, 2), 'f'), np.zeros(0, 'i')
    forms.check(roi.cell_spread, gy, numbers, np.zeros((0, 4)), 0, shape)
    forms.check(roi.cell_put, gy, gy.astype('i'), numbers, shape)


@pytest.mark.parametrize('kernel', [roi.cell_mean, roi.sample_mean])
def test_halves(kernel):
    # They are computed in single precision, where they do not overflow.
    x = np.full((1, 2, 6, 6), 6e4, 'e')
    last = 0 if kernel is roi.cell_mean else (2, 2)
    args = np.zeros(1, 'i'), np.array([[0., 1, 5, 4]]), (2, 2), last
    for form in kernel.compiled, kernel.reference:
        y = form(x, *args)
        assert y.dtype == 'e'
        np.testing.assert_array_equal(y, np.full(y.shape, 6e4, 'e'))


def test_infinity_stays_where_it_is():
    x = np.zeros((1, 1, 4, 4), 'f')
    x[0, 0, 3, 3] = np.inf
    boxes = np.array([[3., 3., 3., 3.], [0, 0, 0, 0]])
    numbers = np.zeros(2, 'i')
    # The last pixel has no neighbour whose weight is zero times infinity.
    y = roi.sample_mean(x, numbers, boxes, (1, 1), (1, 1))
    np.testing.assert_array_equal(y.ravel(), [np.inf, 0])


@pytest.mark.parametrize(('value', 'error'), [
    (np.nan, ValueError), (np.inf, OverflowError)])
def test_boxes_without_size(value, error):
    x = np.zeros((1, 1, 4, 4), 'f')
    boxes = np.full((1, 4), value)
    with pytest.raises(error):
        roi.cell_mean(x, np.zeros(1, 'i'), boxes, (2, 2), 0)


def far_boxes():
    """Boxes that are far larger than an image, or far away from it."""
    far = 3e8, 1.5e9
    boxes = [[-1., 0, low, 3] for low in far] + [[0., -low, 5, 2] for low in far]
    boxes += [[-low, -low, low, low] for low in far] + [[9e8, 0, 9e8 + 2, 3]]
    return np.array(boxes + [[0., 0, 40, 30], [-25, -31, 4, 3], [-8, 3, 9, 17]])


@pytest.mark.parametrize('ratio', [(0, 0), (0, 2), (500, 0)])
def test_samples_of_far_boxes(ratio):
    x = np.random.RandomState(0).uniform(-1, 1, (1, 2, 5, 4))
    for box in far_boxes():
        args = x, np.zeros(1, 'i'), box[None], (2, 3), ratio
        y, found = roi.sample_max(*args)
        expected, where = roi.sample_max.reference(*args)
        np.testing.assert_allclose(y, expected, 1e-12)
        np.testing.assert_array_equal(found, where)
        mean = roi.sample_mean(*args)
        np.testing.assert_allclose(mean, roi.sample_mean.reference(*args), 1e-12)
        assert (np.abs(mean) <= 1).all()
        gy = np.ones_like(y)
        for kernel, *some in (roi.sample_put, gy, found), (roi.sample_spread, gy):
            some += [args[1], args[2], ratio, x.shape]
            np.testing.assert_allclose(kernel(*some), kernel.reference(*some), 1e-12)


def test_a_mean_counts_samples_outside():
    x = np.ones((1, 1, 6, 6))
    y = roi.sample_mean(x, np.zeros(1, 'i'), np.array([[0., 0, 1000, 1000]]), (1, 1),
                        (0, 0))
    # Those at .5, 1.5, ..., 5.5 are in the image.
    np.testing.assert_allclose(y, [[[[36e-6]]]])


@pytest.mark.parametrize('box', [[0, 0, 1e30, 3], [0, -1e18, 3, 3]])
@pytest.mark.parametrize('kernel', [roi.sample_max, roi.sample_mean])
def test_more_samples_than_can_be_counted(kernel, box):
    x = np.zeros((1, 1, 4, 4), 'f')
    args = np.zeros(1, 'i'), np.array([box]), (2, 2)
    with pytest.raises(ValueError, match='clip the region to the image, or choose'):
        kernel(x, *args, (0, 0))
    assert kernel(x, *args, (1, 1)) is not None


def test_no_such_image():
    x = np.zeros((2, 1, 4, 4), 'f')
    boxes = np.array([[0., 0, 2, 2]])
    for number in 2, -3:
        with pytest.raises(IndexError):
            roi.cell_mean(x, np.full(1, number, 'i'), boxes, (2, 2), 0)


def test_no_regions():
    x = np.zeros((2, 3, 4, 4), 'f')
    y, found = roi.cell_max(
        x, np.zeros(0, 'i'), np.zeros((0, 4)), (2, 5), 0, 0.)
    assert y.shape == found.shape == (0, 3, 2, 5)
    gx = roi.cell_put(y, found, np.zeros(0, 'i'), x.shape)
    np.testing.assert_array_equal(gx, x)

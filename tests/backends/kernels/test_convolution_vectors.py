"""Convolutions with channels last in memory, for every width of vectors."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chainer_fast
from chainer_fast._cpu import shared
from chainer_fast.backends.kernels import convolution as kernels
from tests.backends.kernels import forms
from tests.backends.kernels.convolution_cases import (
    LAYOUTS,
    laid,
    random,
    windows,
)

# Of the largest element; the reference is in double precision.
EPSILON = {'f': 3e-6, 'd': 1e-14}


@pytest.fixture(params=[0, 32, 64], autouse=True)
def width(request):
    """Bytes of the longest vectors; at 0, patches are multiplied."""
    kernels._compiled._limit_vectors(request.param, 0)
    yield request.param
    kernels._compiled._limit_vectors(64)


def check(window, dtype, n, groups, channels, filters, bias=True, how='plain'):
    ksize, stride, pad, dilate, lengths, outs = window
    x = laid(random((n, groups * channels, *lengths), dtype, 0), how)
    W = random((groups * filters, channels, *ksize), dtype, 1)
    gy = laid(random((n, groups * filters, *outs), dtype, 2), how)
    b = random((groups * filters,), dtype, 3) if bias else None
    c = random((groups * channels,), dtype, 4) if bias else None
    geometry = stride, pad, dilate, groups
    for kernel, args in (
            (kernels.convolve, (x, W, b, *geometry, outs)),
            (kernels.convolve_transposed, (gy, W, c, *geometry, lengths)),
            (kernels.correlate, (x, gy, ksize, *geometry))):
        wide = [a.astype('d') if isinstance(a, np.ndarray) else a for a in args]
        if kernel is kernels.correlate:
            args, wide = (*args, np.dtype(dtype)), (*wide, np.dtype('d'))
        found, expected = kernel.compiled(*args), kernel.reference(*wide)
        assert (found.shape, found.dtype) == (expected.shape, dtype)
        np.testing.assert_allclose(
            found, expected, 0, EPSILON[dtype] * max(np.abs(expected).max(), 1),
            kernel.__name__)


@settings(max_examples=100, deadline=None)
@given(windows(), st.sampled_from('fd'), st.integers(1, 5), st.integers(1, 3),
       st.integers(1, 20), st.integers(1, 40), st.booleans(), st.sampled_from(LAYOUTS))
def test_any_window(window, dtype, n, groups, channels, filters, bias, how):
    check(window, dtype, n, groups, channels, filters, bias, how)


@settings(max_examples=40, deadline=None)
@given(windows(), st.sampled_from('fd'), st.integers(1, 3), st.integers(2, 90),
       st.integers(1, 3), st.booleans(), st.sampled_from(LAYOUTS))
def test_filters_for_each_channel(window, dtype, n, groups, filters, bias, how):
    check(window, dtype, n, groups, 1, filters, bias, how)


def square(k, s, p, length, dilate=1):
    out = (length + 2 * p - (k - 1) * dilate - 1) // s + 1
    return (k, k), (s, s), (p, p), (dilate, dilate), (length, length), (out, out)


@pytest.mark.parametrize('window, n, groups, channels, filters', [
    (square(3, 1, 1, 40), 2, 1, 20, 33),        # several blocks, the last one short
    (square(3, 1, 1, 4), 3, 1, 100, 200),       # few pixels: filters packed one by one
    (square(3, 1, 1, 2), 13, 1, 40, 130),       # all images side by side
    (square(4, 2, 1, 16), 3, 1, 40, 30),        # transposed in parts
    (square(1, 2, 0, 15), 3, 1, 40, 30),        # parts that no tap reaches
    (square(1, 1, 0, 9), 3, 2, 130, 70),
    (square(7, 2, 3, 40), 2, 1, 3, 40),         # few channels
    (square(5, 1, 2, 20), 2, 1, 1, 4),
    (square(3, 4, 1, 20), 2, 1, 3, 4),          # a stride that leaves pixels out
    (square(3, 1, 2, 20, 2), 2, 1, 20, 20),
    (square(9, 2, 4, 30), 2, 1, 20, 3),         # few filters, pixels in parts
    (square(5, 2, 3, 17), 3, 1, 16, 8),         # all of the padding that is possible
    (square(3, 1, 0, 12), 2, 1, 33, 1),
    (square(3, 1, 1, 30), 3, 70, 1, 1),         # a filter for each channel
    (square(3, 3, 2, 40, 2), 3, 7, 1, 1),       # planes in parts, with pixels left out
    (square(5, 2, 0, 15), 30, 5, 1, 2),         # several planes together
    (square(3, 1, 1, 12), 3, 7, 5, 6),
])
@pytest.mark.parametrize('how', ['plain', 'channels last'])
def test_sizes(window, n, groups, channels, filters, how):
    check(window, 'f', n, groups, channels, filters, True, how)


def rectangle(pad, height, width):
    outs = height + 2 * pad[0] - 2, width + 2 * pad[1] - 2
    return (3, 3), (1, 1), pad, (1, 1), (height, width), outs


@pytest.mark.parametrize('window, n, channels, filters', [
    (rectangle((1, 1), 28, 24), 3, 32, 40),     # several blocks, squares that fit
    (rectangle((1, 1), 14, 15), 2, 50, 33),     # squares that stick out
    (rectangle((0, 0), 16, 22), 2, 64, 47),
    (rectangle((2, 2), 18, 13), 2, 37, 64),
    (rectangle((0, 2), 18, 14), 2, 256, 48),    # larger blocks
    (rectangle((1, 1), 20, 17), 2, 16, 20),     # channels that could be padded
])
@pytest.mark.parametrize('how', ['plain', 'channels last', 'part of the channels'])
def test_polynomials(window, n, channels, filters, how):
    check(window, 'f', n, 1, channels, filters, True, how)


@pytest.mark.parametrize('window, n, channels, filters', [
    (square(3, 1, 2, 28, 2), 3, 3, 8),          # few channels, divided by columns
    (square(5, 1, 3, 25, 2), 4, 2, 20),         # other remainders of the pixels
    (square(3, 1, 2, 30, 2), 3, 32, 40),        # polynomials of each part
    (square(3, 1, 1, 35, 2), 2, 40, 33),        # parts of different lengths
    (square(3, 1, 4, 40, 3), 3, 33, 32),
    (square(5, 1, 4, 30, 2), 3, 20, 3),         # few filters
    (((3, 3), (1, 1), (1, 2), (1, 2), (24, 34), (24, 34)), 2, 32, 32),
])
@pytest.mark.parametrize('how', ['plain', 'channels last', 'part of the channels'])
def test_dilated_windows_in_parts(window, n, channels, filters, how):
    check(window, 'f', n, 1, channels, filters, True, how)


def test_polynomials_of_infinite_numbers():
    """A square has infinite numbers where the sums do, no more."""
    geometry = (1, 1), (1, 1), (1, 1), 1
    x, W, gy = (random((2, 40, 16, 16), 'f', 0), random((40, 40, 3, 3), 'f', 1),
                random((2, 40, 16, 16), 'f', 2))
    x[1, 3, 2, 2] = np.inf
    for kernel, args in (
            (kernels.convolve, (x, W, None, *geometry, (16, 16))),
            (kernels.convolve_transposed, (x, W, None, *geometry, (16, 16))),
            (kernels.correlate, (x, gy, (3, 3), *geometry))):
        wide = [a.astype('d') if isinstance(a, np.ndarray) else a for a in args]
        if kernel is kernels.correlate:
            args, wide = (*args, np.dtype('f')), (*wide, np.dtype('d'))
        np.testing.assert_array_equal(np.isfinite(kernel.compiled(*args)),
                                      np.isfinite(kernel.reference(*wide)))


def test_results_have_their_channels_last(width):
    x, W = random((2, 8, 6, 6), 'f', 0), random((16, 8, 3, 3), 'f', 1)
    y = kernels.convolve(x, W, None, (1, 1), (1, 1), (1, 1), 1, (6, 6))
    gx = kernels.convolve_transposed(y, W, None, (1, 1), (1, 1), (1, 1), 1, (6, 6))
    has_vectors = width > 0 and shared.level() != 'base'
    for array in y, gx:
        last = np.moveaxis(array, 1, -1)
        assert last.flags.c_contiguous == has_vectors and array.flags.owndata
    gW = kernels.correlate(x, y, (3, 3), (1, 1), (1, 1), (1, 1), 1, x.dtype)
    assert gW.flags.c_contiguous


@pytest.mark.parametrize('filters, stride, side', [(1, 1, 12), (3, 1, 5), (2, 2, 9)])
def test_planes_with_filters_of_their_own_keep_c_order(filters, stride, side):
    window = square(3, stride, 1, side)
    check(window, 'f', 5, 3, 1, filters)
    x, W = random((2, 3, side, side), 'f', 0), random((3 * filters, 1, 3, 3), 'f', 1)
    geometry, outs = (*window[1:4], 3), window[5]
    y = kernels.convolve(x, W, None, *geometry, outs)
    gx = kernels.convolve_transposed(y, W, None, *geometry, window[4])
    assert y.flags.c_contiguous and gx.flags.c_contiguous


def test_gradients_of_planes_with_infinite_numbers():
    """Only the elements of the window that meet such a number are not finite."""
    x, gy = random((3, 2, 12, 12), 'f', 0), random((3, 2, 12, 12), 'f', 1)
    x[1, 1, 5, 0] = np.inf
    geometry = (3, 3), (1, 1), (1, 1), (1, 1), 2
    found = kernels.correlate(x, gy, *geometry, x.dtype)
    wide = kernels.correlate.reference(x.astype('d'), gy.astype('d'), *geometry, 'd')
    np.testing.assert_array_equal(np.isfinite(found), np.isfinite(wide))
    assert np.isfinite(found[1, 0, :, 2]).all() and not np.isfinite(found[1]).all()


def test_infinite_numbers_stay_where_they_are_seen():
    x = np.zeros((1, 4, 12, 12), 'f')
    x[0, 0, 6, 6] = np.inf
    W = random((16, 4, 3, 3), 'f', 1)
    y = kernels.convolve(x, W, None, (1, 1), (1, 1), (1, 1), 1, (12, 12))
    seen = np.zeros((12, 12), bool)
    seen[5:8, 5:8] = True
    np.testing.assert_array_equal(np.isfinite(y).all((0, 1)), ~seen)


@pytest.mark.parametrize('window, n, groups, channels, filters', [
    (square(3, 1, 1, 24), 8, 1, 64, 64), (square(1, 1, 0, 20), 8, 1, 96, 128),
    (square(4, 2, 1, 32), 16, 1, 3, 64), (square(3, 1, 1, 4), 4, 1, 256, 256),
    (square(3, 1, 1, 64), 8, 64, 1, 1), (square(3, 1, 1, 32), 8, 1, 20, 20),
    (square(3, 1, 2, 32, 2), 8, 1, 32, 32), (square(3, 2, 1, 16), 8, 1, 16, 24),
    (square(3, 2, 1, 16), 8, 48, 1, 1), (square(7, 2, 3, 64), 1, 1, 3, 64),
    (square(9, 2, 4, 40), 1, 1, 32, 3), (square(5, 1, 2, 30), 8, 1, 16, 2),
    (square(1, 2, 0, 40), 8, 1, 48, 40), (square(5, 1, 2, 40), 2, 1, 7, 20),
    (((3,), (1,), (1,), (1,), (100,), (100,)), 16, 1, 40, 60)])
@pytest.mark.parametrize('width', [32, 64], indirect=True)
def test_threads_do_not_change_results(window, n, groups, channels, filters):
    ksize, stride, pad, dilate, lengths, outs = window
    x = random((n, groups * channels, *lengths), 'f', 0)
    W = random((groups * filters, channels, *ksize), 'f', 1)
    gy = random((n, groups * filters, *outs), 'f', 2)
    geometry = stride, pad, dilate, groups

    def run(threads):
        with chainer_fast.using_config('num_threads', threads):
            return (kernels.convolve(x, W, None, *geometry, outs),
                    kernels.convolve_transposed(gy, W, None, *geometry, lengths),
                    kernels.correlate(x, gy, ksize, *geometry, x.dtype))

    for one, two, three in zip(run(1), run(2), run(3), strict=True):
        forms.assert_threads_agree(one, two)
        forms.assert_threads_agree(one, three)

"""Convolutions by windows of one pixel, as products of matrices."""
import numpy as np
import pytest

import chainer_fast
from chainer_fast._cpu import shared
from chainer_fast.backends.kernels import convolution as kernels
from tests.backends.kernels.convolution_cases import LAYOUTS, laid, random


@pytest.fixture(autouse=True)
def also_small_ones():
    kernels._compiled._limit_vectors(64, 0)
    yield
    kernels._compiled._limit_vectors(64)


def sums(subscripts, *operands):
    return np.einsum(subscripts, *[each.astype('d') for each in operands])


def is_last(y):
    return np.moveaxis(y, 1, -1).flags.c_contiguous


@pytest.mark.parametrize('lengths', [(40,), (13, 11), (5, 6, 7), (2, 3), (1, 1)])
@pytest.mark.parametrize('images, channels, filters', [
    (3, 5, 4), (3, 1, 7), (3, 7, 1), (1, 4, 9), (1, 1, 1)])
@pytest.mark.parametrize('of_places', ['plain', 'channels last', 'reversed'])
@pytest.mark.parametrize('how', LAYOUTS)
@pytest.mark.parametrize('threads', [1, 3])
def test_results(lengths, images, channels, filters, of_places, how, threads):
    nd = len(lengths)
    x = laid(random((images, channels, *lengths), 'f', 0), how)
    W = random((filters, channels, *[1] * nd), 'f', 1)
    gy = laid(random((images, filters, *lengths), 'f', 2), of_places)
    b, c = random((filters,), 'f', 3), random((channels,), 'f', 4)
    window = (1,) * nd, (0,) * nd, (1,) * nd, 1
    flat = W.reshape(filters, channels)
    with chainer_fast.using_config('num_threads', threads):
        y = kernels.convolve(x, W, b, *window, lengths)
        gx = kernels.convolve_transposed(gy, W, c, *window, lengths)
        gW = kernels.correlate(x, gy, (1,) * nd, *window, x.dtype)
    shape = (-1, *[1] * nd)
    for found, expected in (
            (y, sums('mc,nc...->nm...', flat, x) + b.reshape(shape)),
            (gx, sums('mc,nm...->nc...', flat, gy) + c.reshape(shape)),
            (gW, sums('nm...,nc...->mc...', gy, x).sum(
                tuple(range(2, 2 + nd))).reshape(W.shape))):
        assert found.dtype == 'f' and found.shape == expected.shape
        np.testing.assert_allclose(found, expected, 1e-4, 1e-5)
    assert gW.flags.c_contiguous
    # Without vectors, BLAS multiplies, which leaves the channels where they were.
    if shared.level() != 'base':
        assert is_last(y) and is_last(gx)


@pytest.mark.parametrize('how', LAYOUTS)
@pytest.mark.parametrize('groups, dtype', [(1, 'f'), (1, 'd'), (2, 'f')])
def test_pixels_between_strides_are_left_out(how, groups, dtype):
    x = laid(random((3, 6, 11, 13), dtype, 0), how)
    W, b = random((8, 6 // groups, 1, 1), dtype, 1), random((8,), dtype, 2)
    gy = random((3, 8, 5, 5), dtype, 3)
    met = x[:, :, :9:2, ::3].copy()
    for images, stride in (x, (2, 3)), (met, (1, 1)):
        window = stride, (0, 0), (1, 1), groups
        y = kernels.convolve(images, W, b, *window, (5, 5))
        gW = kernels.correlate(images, gy, (1, 1), *window, dtype)
        if images is x:
            strided = y, gW
    for found, expected in zip(strided, (y, gW), strict=True):
        np.testing.assert_allclose(found, expected, 1e-4, 1e-5)


@pytest.mark.parametrize('how', ['plain', 'channels last'])
def test_numbers_that_are_too_large(how, recwarn):
    x = laid(abs(random((2, 4, 12, 12), 'f', 0)), how)
    W = np.full((3, 4, 1, 1), 2e38, 'f')
    y = kernels.convolve(x, W, None, (1, 1), (0, 0), (1, 1), 1, (12, 12))
    assert not recwarn.list
    expected = sums('mc,nchw->nmhw', W[:, :, 0, 0], x)
    np.testing.assert_array_equal(np.isinf(y), expected > np.finfo('f').max)
    assert np.isinf(y).any() and np.isfinite(y).any()

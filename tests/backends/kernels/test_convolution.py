"""The compiled forms of kernels of images, against the reference."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chainer_fast.backends.kernels import convolution as kernels
from tests.backends.kernels.convolution_cases import random, strided, windows

EPSILON = {'f': 2e-6, 'd': 4e-15}


@settings(max_examples=150, deadline=None)
@given(windows(), st.sampled_from('efdiB'), st.sampled_from([0, -1]),
       st.sampled_from(['plain', 'fortran', 'gaps', 'reversed']))
def test_gather(window, dtype, pval, how):
    ksize, stride, pad, dilate, lengths, outs = window
    values = 9 * random((2, 3, *lengths), 'd', 0)
    if dtype == 'B':
        values = abs(values)        # what others become depends on the processor
    img = strided(values.astype(dtype), how)
    col = kernels.gather.compiled(img, ksize, stride, pad, dilate, outs, pval)
    expected = kernels.gather.reference(img, ksize, stride, pad, dilate, outs, pval)
    assert (col.dtype, col.flags.c_contiguous) == (img.dtype, True)
    np.testing.assert_array_equal(col, expected)


@settings(max_examples=100, deadline=None)
@given(windows(), st.sampled_from('fd'), st.sampled_from(['plain', 'fortran', 'gaps']))
def test_scatter(window, dtype, how):
    ksize, stride, pad, dilate, lengths, outs = window
    col = strided(random((2, 3, *ksize, *outs), dtype, 0), how)
    kept = col.copy()
    img = kernels.scatter.compiled(col, stride, pad, lengths, dilate)
    # In the same order, so that not even the rounding differs.
    np.testing.assert_array_equal(
        img, kernels.scatter.reference(col, stride, pad, lengths, dilate))
    assert img.dtype == dtype
    np.testing.assert_array_equal(col, kept)


def check_all(window, dtype, n, groups, channels, filters, bias=True, how='plain'):
    ksize, stride, pad, dilate, lengths, outs = window
    x = strided(random((n, groups * channels, *lengths), dtype, 0), how)
    W = strided(random((groups * filters, channels, *ksize), dtype, 1), how)
    gy = strided(random((n, groups * filters, *outs), dtype, 2), how)
    b = strided(random((groups * filters,), dtype, 3), how) if bias else None
    c = strided(random((groups * channels,), dtype, 4), how) if bias else None
    geometry = stride, pad, dilate, groups
    for kernel, args in (
            (kernels.convolve, (x, W, b, *geometry, outs)),
            (kernels.convolve_transposed, (gy, W, c, *geometry, lengths)),
            (kernels.correlate, (x, gy, ksize, *geometry, np.dtype(dtype)))):
        found, expected = kernel.compiled(*args), kernel.reference(*args)
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
        size = max(np.abs(expected).max(), 1)
        np.testing.assert_allclose(
            found, expected, 0, EPSILON[dtype] * size * 10, kernel.__name__)


@settings(max_examples=150, deadline=None)
@given(windows(), st.sampled_from('fd'), st.integers(1, 3), st.integers(1, 3),
       st.integers(1, 3), st.integers(1, 3), st.booleans(),
       st.sampled_from(['plain', 'fortran', 'gaps', 'reversed']))
def test_convolutions(window, dtype, n, groups, channels, filters, bias, how):
    check_all(window, dtype, n, groups, channels, filters, bias, how)


@pytest.mark.parametrize('window, n, groups', [
    # several tiles in an image, the last of them smaller
    (((3, 3), (1, 1), (1, 1), (1, 1), (40, 33), (40, 33)), 2, 1),
    (((3, 2), (2, 3), (0, 1), (1, 2), (61, 97), (30, 33)), 2, 2),
    # several images in a tile, and fewer in the last
    (((3, 3), (1, 1), (1, 1), (1, 1), (11, 10), (11, 10)), 7, 2),
    # images that are their own patches, long ones and short ones
    (((1, 1), (1, 1), (0, 0), (1, 1), (17, 16), (17, 16)), 3, 2),
    (((1, 1), (1, 1), (0, 0), (1, 1), (5, 4), (5, 4)), 3, 2),
    (((5,), (2,), (2,), (1,), (700,), (350,)), 2, 1),
])
@pytest.mark.parametrize('dtype', ['f', 'd'])
def test_tiles(window, n, groups, dtype):
    check_all(window, dtype, n, groups, 20, 21)


def test_mixed_dtypes_are_computed_in_the_wider():
    window = (1, 1), (1, 1), (1, 1), 1
    x, W = random((2, 3, 4, 4), 'f', 0), random((2, 3, 3, 3), 'd', 1)
    y = kernels.convolve(x, W, None, *window, (4, 4))
    wide = kernels.convolve(x.astype('d'), W, None, *window, (4, 4))
    np.testing.assert_array_equal(y, wide.astype('f'))


def test_halves_are_added_up_in_single_precision():
    x = np.ones((1, 4096, 1, 1), 'e')
    window = (1, 1), (0, 0), (1, 1), 1
    y = kernels.convolve(x, np.ones((1, 4096, 1, 1), 'e'), None, *window, (1, 1))
    assert (y.item(), y.dtype) == (4096, 'e')
    # Without a warning, as a product of halves.
    y = kernels.convolve(np.float16(60000) * x[:, :2], x[:, :2], None, *window, (1, 1))
    assert y.item() == np.inf


def test_nothing_is_done_with_other_arrays():
    geometry = (1, 1), (0, 0), (1, 1), 1
    x, W = np.ones((1, 2, 3, 3), 'f'), np.ones((2, 2, 2, 2), 'f')
    for args in ((x.astype('e'), W.astype('e'), None), (x, W.astype('d'), None),
                 (x, W, np.ones(2, 'd')), (x, W, np.ones(1, 'f')), (x[:0], W, None),
                 (x[:, :1], W, None), (x[0], W, None)):
        assert kernels.convolve.compiled(*args, *geometry, (2, 2)) is NotImplemented
    assert kernels.gather.compiled(
        x, (2, 2), (0, 1), (0, 0), (1, 1), (2, 2)) is NotImplemented
    assert kernels.scatter.compiled(
        np.ones((1, 1, 2, 2, 2, 2), 'e'), (1, 1), (0, 0), (3, 3), (1, 1)
    ) is NotImplemented

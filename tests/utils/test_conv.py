"""Patches of images: against a plain loop over every element."""
import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from chainer_fast.utils import conv, conv_nd
from chainer_fast.utils.conv import get_conv_outsize, get_deconv_outsize
from chainer_fast.variable import Parameter, Variable


@given(st.integers(1, 40), st.integers(1, 5), st.integers(1, 5), st.integers(0, 5),
       st.integers(1, 4))
def test_conv_outsize(size, k, s, p, d):
    def places(cover_all):
        return get_conv_outsize(size, k, s, p, cover_all, d)

    window = (k - 1) * d + 1
    whole = size + 2 * p
    assume(window <= whole)
    starts = range(0, whole - window + 1, s)
    assert places(False) == len(starts)
    # The last window covers the last element, and the one before it did not.
    last = (places(True) - 1) * s
    assert last + window >= whole
    assert places(True) == 1 or last - s + window < whole


@given(st.integers(1, 40), st.integers(1, 5), st.integers(1, 5), st.integers(0, 5),
       st.booleans(), st.integers(1, 4))
def test_deconv_outsize_is_the_least_that_fits(size, k, s, p, cover_all, d):
    length = get_deconv_outsize(size, k, s, p, cover_all, d)
    assert get_conv_outsize(length, k, s, p, cover_all, d) == size
    assert get_conv_outsize(length - 1, k, s, p, cover_all, d) == size - 1


def gather_by_hand(img, ksize, stride, pad, dilate, outs, pval):
    nd = len(ksize)
    col = np.full((*img.shape[:2], *ksize, *outs), pval, img.dtype)
    for index in itertools.product(*map(range, (*ksize, *outs))):
        at = [index[nd + i] * stride[i] + index[i] * dilate[i] - pad[i]
              for i in range(nd)]
        if all(0 <= a < n for a, n in zip(at, img.shape[2:], strict=True)):
            col[(slice(None), slice(None), *index)] = img[(..., *at)]
    return col


@st.composite
def windows(draw, nd=None):
    """Lengths of images, and a window that fits in: length, stride, padding, dilation.
    """
    def numbers(least, most):
        return tuple(draw(st.lists(
            st.integers(least, most), min_size=nd, max_size=nd)))

    if nd is None:
        nd = draw(st.integers(1, 3))
    lengths, ksize = numbers(1, 5), numbers(1, 3)
    stride, pad, dilate = numbers(1, 3), numbers(0, 2), numbers(1, 2)
    cover_all = draw(st.booleans())
    outs = tuple([get_conv_outsize(n, k, s, p, cover_all, d) for n, k, s, p, d
                  in zip(lengths, ksize, stride, pad, dilate, strict=True)])
    assume(min(outs) > 0)
    return lengths, ksize, stride, pad, dilate, cover_all, outs


@settings(max_examples=60, deadline=None)
@given(windows(), st.sampled_from('efdib'), st.sampled_from([0, -1]))
def test_im2col_nd(window, dtype, pval):
    lengths, ksize, stride, pad, dilate, cover_all, outs = window
    img = np.random.RandomState(0).uniform(-9, 9, (2, 2, *lengths)).astype(dtype)
    kept = img.copy()
    col = conv_nd.im2col_nd_cpu(img, ksize, stride, pad, pval, cover_all, dilate)
    assert col.dtype == img.dtype
    assert col.flags.c_contiguous
    assert not np.may_share_memory(col, img)
    np.testing.assert_array_equal(
        col, gather_by_hand(img, ksize, stride, pad, dilate, outs, pval))
    np.testing.assert_array_equal(img, kept)


@settings(max_examples=60, deadline=None)
@given(windows())
def test_col2im_nd_is_the_adjoint(window):
    lengths, ksize, stride, pad, dilate, cover_all, outs = window
    random = np.random.RandomState(0)
    img = random.randint(-9, 9, (2, 2, *lengths))
    col = random.randint(-9, 9, (2, 2, *ksize, *outs))
    gathered = conv_nd.im2col_nd(img, ksize, stride, pad, cover_all, dilate)
    scattered = conv_nd.col2im_nd(col, stride, pad, lengths, dilate)
    assert scattered.shape == img.shape
    assert scattered.dtype == col.dtype
    assert (gathered * col).sum() == (img * scattered).sum()


@settings(max_examples=30, deadline=None)
@given(windows(nd=2))
def test_two_dimensions_agree_with_any(window):
    lengths, ksize, stride, pad, dilate, cover_all, _ = window
    dy, dx = dilate
    img = np.random.RandomState(0).rand(2, 3, *lengths)
    col = conv.im2col(img, *ksize, *stride, *pad, cover_all=cover_all, dy=dy, dx=dx)
    np.testing.assert_array_equal(
        col, conv_nd.im2col_nd(img, ksize, stride, pad, cover_all, dilate))
    np.testing.assert_array_equal(
        conv.col2im(col, *stride, *pad, *lengths, dy=dy, dx=dx),
        conv_nd.col2im_nd(col, stride, pad, lengths, dilate))


def test_places_can_be_given():
    img = np.arange(12.).reshape(1, 1, 3, 4)
    whole = conv.im2col(img, 2, 2, 1, 1, 0, 0)
    part = conv.im2col(img, 2, 2, 1, 1, 0, 0, out_h=1, out_w=2)
    np.testing.assert_array_equal(part, whole[..., :1, :2])
    with pytest.raises(ValueError, match=r'not \[2, 4\]'):
        conv.im2col(img, 2, 2, 1, 1, 0, 0, out_w=4)


def test_padding_of_unsigned_images():
    col = conv.im2col_cpu(np.zeros((1, 1, 1, 1), 'B'), 1, 2, 1, 1, 0, 1, pval=-1)
    np.testing.assert_array_equal(col.reshape(2, 2), [[255, 0], [0, 255]])


def test_images_of_an_empty_batch():
    assert conv.im2col(np.zeros((0, 2, 3, 4)), 2, 2, 1, 1, 0, 0).shape == (
        0, 2, 2, 2, 2, 3)


@pytest.mark.parametrize('kh, kw, side', [(4, 2, 'Height'), (2, 5, 'Width')])
def test_window_that_does_not_fit(kh, kw, side):
    with pytest.raises(AssertionError, match=side + r'.*\(3, 4\)'):
        conv.im2col(np.zeros((1, 1, 3, 4)), kh, kw, 1, 1, 0, 0)
    with pytest.raises(AssertionError, match='positive'):
        conv_nd.im2col_nd(np.zeros((1, 1, 3, 4)), (kh, kw), (1, 1), (0, 0))


@pytest.mark.parametrize('name, arguments', [
    ('ksize', ((2,), (1, 1), (0, 0))),
    ('stride', ((2, 2), (1, 1, 1), (0, 0))),
    ('pad', ((2, 2), (1, 1), (0,))),
])
def test_window_of_another_dimension(name, arguments):
    with pytest.raises(AssertionError, match=name):
        conv_nd.im2col_nd(np.zeros((1, 1, 3, 4)), *arguments)


def test_patches_of_another_dimension():
    col = np.zeros((1, 1, 2, 2, 2, 3))
    for col_, stride, pad, lengths in (
            (col[0], (1, 1), (0, 0), (3, 4)), (col, (1,), (0, 0), (3, 4)),
            (col, (1, 1), (0,), (3, 4)), (col, (1, 1), (0, 0), (3,))):
        with pytest.raises(AssertionError):
            conv_nd.col2im_nd(col_, stride, pad, lengths)


def test_as_tuple():
    assert conv_nd.as_tuple(2, 3) == (2, 2, 2)
    assert conv_nd.as_tuple([1, 2], 2) == (1, 2)
    assert conv_nd.as_tuple(np.array([1, 2]), 2) == (1, 2)
    with pytest.raises(AssertionError):
        conv_nd.as_tuple((1, 2), 3)


@pytest.mark.parametrize('function, shape, args', [
    (conv.im2col, (1, 1, 4, 4), (2, 2, 1, 1, 0, 0)),
    (conv.im2col_cpu, (1, 1, 4, 4), (2, 2, 1, 1, 0, 0)),
    (conv_nd.im2col_nd, (1, 1, 4, 4), ((2, 2), (1, 1), (0, 0))),
    (conv_nd.im2col_nd_cpu, (1, 1, 4, 4), ((2, 2), (1, 1), (0, 0))),
    (conv.col2im, (1, 1, 2, 2, 3, 3), (1, 1, 0, 0, 4, 4)),
    (conv.col2im_cpu, (1, 1, 2, 2, 3, 3), (1, 1, 0, 0, 4, 4)),
    (conv_nd.col2im_nd, (1, 1, 2, 2, 3, 3), ((1, 1), (0, 0), (4, 4))),
    (conv_nd.col2im_nd_cpu, (1, 1, 2, 2, 3, 3), ((1, 1), (0, 0), (4, 4)))])
def test_variables_are_no_arrays(function, shape, args):
    for x in Variable(np.ones(shape, 'f')), Parameter(np.ones(shape, 'f')):
        with pytest.raises(TypeError, match=r'but this is a \w+: pass its array'):
            function(x, *args)


@pytest.mark.parametrize('cover_all', [False, True])
@pytest.mark.parametrize('stride', [0, np.int32(0), False])
def test_a_stride_of_zero_is_named(stride, cover_all):
    with pytest.raises(
            ZeroDivisionError, match='stride must not be zero, for a window of 3 in 9'):
        get_conv_outsize(9, 3, stride, 1, cover_all)

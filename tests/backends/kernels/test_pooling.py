"""Compiled and CUDA forms of pooling kernels, against the reference."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chainer_fast.backends.kernels import pooling
from chainer_fast.functions.pooling.max_pooling_nd_kernel import (
    MaxPoolingNDKernelForwardWithIndexes1,
)
from chainer_fast.functions.pooling.upsampling_2d import Upsampling2D, Upsampling2DGrad
from tests.compare import assert_allclose, assert_array_equal


def random(shape, dtype, seed=0, special=None):
    rng = np.random.RandomState(seed)
    # Few different values, so that there are ties.
    x = rng.randint(-8, 9, shape) / 4
    if special is not None:
        x[rng.uniform(size=shape) < .2] = special
    return x.astype(dtype)


def strided(array, how):
    if how == 'fortran':
        return np.asfortranarray(array)
    if how == 'reversed':
        return array[..., ::-1].copy()[..., ::-1]
    return array


@st.composite
def windows(draw):
    """Lengths of images, window, stride, padding, and cover_all; one place at least."""
    nd = draw(st.integers(1, 3))
    usual = draw(st.sampled_from([None, (2, 2), (3, 2), (3, 1), (3, 3), (2, 1)]))

    def numbers(least, most):
        return tuple(draw(st.lists(
            st.integers(least, most), min_size=nd, max_size=nd)))

    ksize, stride = numbers(1, 4), numbers(1, 4)
    if usual:
        ksize, stride = [(number,) * nd for number in usual]
    pad = numbers(0, 2)
    # Long enough for vectors, and for what is left of them.
    lengths = tuple(max(n, k) for n, k in zip(
        numbers(1, 45 if nd == 2 else 7), ksize, strict=True))
    return lengths, (ksize, stride, pad), draw(st.booleans())


@st.composite
def wide_windows(draw, longest=23):
    """The same, of windows that are side by side, apart, or overlap much."""
    nd = draw(st.integers(1, 2))
    ksize = tuple(draw(st.lists(st.integers(1, longest), min_size=nd, max_size=nd)))
    stride = draw(st.sampled_from([ksize, (1,) * nd, (2,) * nd, tuple(
        [k + 1 for k in ksize])]))
    pad = tuple([draw(st.integers(0, k + 1)) for k in ksize])
    lengths = tuple([draw(st.integers(max(1, k - p), 90)) for k, p in zip(
        ksize, pad, strict=True)])
    return lengths, (ksize, stride, pad), draw(st.booleans())


HOW = st.sampled_from(['plain', 'fortran', 'reversed'])


def check_same(results, expected):
    for a, b in zip(results, expected, strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        assert a.flags.c_contiguous
        # Elements are added up in the same order: not even the rounding differs.
        np.testing.assert_array_equal(a, b)


@settings(max_examples=150)
@given(windows(), st.sampled_from('efd'), HOW,
       st.sampled_from([None, np.nan, -np.inf, np.inf]))
def test_max_pool(case, dtype, how, special):
    lengths, window, cover_all = case
    x = strided(random((2, 2, *lengths), dtype, special=special), how)
    check_same(pooling.max_pool.compiled(x, *window, cover_all),
               pooling.max_pool.reference(x, *window, cover_all))


@settings(max_examples=200)
@given(wide_windows(longest=50), st.sampled_from('efd'),
       st.sampled_from([None, np.nan, -np.inf, -0.]))
def test_the_first_of_equal_elements_is_the_largest(case, dtype, special):
    lengths, window, cover_all = case
    x = random((2, 2, *lengths), dtype, special=special).round()
    results = [form(x, *window, cover_all) for form in (
        pooling.max_pool.compiled, pooling.max_pool.reference)]
    check_same(*results)
    np.testing.assert_array_equal(*[np.signbit(y) for y, _ in results])


@settings(max_examples=150)
@given(windows(), st.sampled_from('efd'), st.sampled_from('il'), HOW)
def test_put_and_pick(case, dtype, index_dtype, how):
    lengths, window, cover_all = case
    outs = pooling.places(lengths, *window, cover_all)
    x = strided(random((2, 2, *lengths), dtype), how)
    gy = strided(random((2, 2, *outs), dtype, 1), how)
    count = np.prod(window[0])
    indexes = np.random.RandomState(2).randint(0, count, gy.shape).astype(index_dtype)
    check_same([pooling.put.compiled(gy, indexes, *window, lengths)],
               [pooling.put.reference(gy, indexes, *window, lengths)])
    check_same([pooling.pick.compiled(x, indexes, *window)],
               [pooling.pick.reference(x, indexes, *window)])


@settings(max_examples=300)
@given(st.one_of(windows(), wide_windows()), st.sampled_from('efd'), HOW,
       st.integers(1, 9), st.sampled_from([(2, 2), (3, 5), (4, 2)]),
       st.sampled_from([None, np.nan, -np.inf, np.inf, -0.]))
def test_sum_and_spread(case, dtype, how, divisor, planes, special):
    lengths, window, cover_all = case
    outs = pooling.places(lengths, *window, cover_all)
    x = strided(random((*planes, *lengths), dtype, special=special), how)
    gy = strided(random((*planes, *outs), dtype, 1, special), how)
    check_same([pooling.window_sum.compiled(x, *window, outs, divisor)],
               [pooling.window_sum.reference(x, *window, outs, divisor)])
    check_same([pooling.window_spread.compiled(gy, *window, lengths, divisor)],
               [pooling.window_spread.reference(gy, *window, lengths, divisor)])


@pytest.mark.filterwarnings('ignore:.*encountered:RuntimeWarning')
@settings(max_examples=100)
@given(wide_windows(), st.sampled_from([np.nan, 1e38, -1e38, 1e-38, -0.]))
def test_wide_windows_round_as_the_reference_does(case, special):
    lengths, window, cover_all = case
    outs = pooling.places(lengths, *window, cover_all)
    x, gy = [np.random.RandomState(seed).normal(size=(3, 3, *n)).astype('f')
             for seed, n in enumerate([lengths, outs])]
    for each in x, gy:
        each[each > 1] = special
    check_bits(pooling.window_sum, x, *window, outs, 7)
    check_bits(pooling.window_spread, gy, *window, lengths, 7)


def check_bits(kernel, *args):
    a, b = kernel.compiled(*args), kernel.reference(*args)
    number = ~np.isnan(b)
    np.testing.assert_array_equal(np.isnan(a), ~number)
    np.testing.assert_array_equal(a.view('i')[number], b.view('i')[number])


@given(windows())
def test_places(case):
    lengths, window, cover_all = case
    outs = pooling.places(lengths, *window, cover_all)
    # All that lie in the padded images, and with cover_all those that begin in front of
    # the end as well, but for what another window has seen.
    for length, k, s, p, out in zip(lengths, *window, outs, strict=True):
        last = (out - 1) * s + k
        assert last < length + 2 * p + s if cover_all else last <= length + 2 * p
        assert last >= length + 2 * p if cover_all else last > length + 2 * p - s


@pytest.mark.parametrize('numbers', [
    ((0, 1), (1, 1), (0, 0)), ((1, 1), (1, 0), (0, 0)), ((1, 1), (1, 1), (0, -1)),
    ((9, 1), (1, 1), (0, 0)), ((1,), (1,), (0,)), ([1, 1], (1, 1), (0, 0))])
def test_what_the_loops_cannot_do(numbers):
    x = random((1, 1, 4, 4), 'f')
    assert pooling.max_pool.compiled(x, *numbers, False) is NotImplemented


@pytest.mark.parametrize('x', [
    random((1, 1, 4, 4), 'i'), random((0, 1, 4, 4), 'f'), random((1, 1, 4, 4), '>f4')])
def test_arrays_the_loops_cannot_do(x):
    window = (2, 2), (2, 2), (0, 0)
    result = pooling.window_sum.compiled(x, *window, (2, 2), 1)
    if result is not NotImplemented:
        # Copied to native byte order.
        np.testing.assert_array_equal(
            result, pooling.window_sum.reference(x, *window, (2, 2), 1))
        assert x.dtype == '>f4'


@pytest.mark.parametrize('number', [4, -5])
def test_indexes_out_of_range(number):
    indexes = np.full((1, 1, 2, 2), number)
    window = (2, 2), (2, 2), (0, 0)
    with pytest.raises(IndexError, match='4 elements'):
        pooling.put(random(indexes.shape, 'f'), indexes, *window, (4, 4))
    with pytest.raises(IndexError, match='4 elements'):
        pooling.pick(random((1, 1, 4, 4), 'f'), indexes, *window)


def test_negative_indexes_count_from_the_end():
    x = random((1, 1, 4, 4), 'f')
    window = (2, 2), (2, 2), (0, 0)
    indexes = np.array([[[[0, 1], [2, 3]]]])
    np.testing.assert_array_equal(
        pooling.pick(x, indexes - 4, *window), pooling.pick(x, indexes, *window))


@pytest.mark.gpu
@pytest.mark.parametrize(('lengths', 'window', 'cover_all'), [
    ((9,), ((3,), (2,), (1,)), True),
    ((7, 8), ((3, 2), (2, 3), (1, 0)), True),
    ((7, 8), ((2, 4), (1, 3), (0, 2)), False),
])
@pytest.mark.parametrize(('dtype', 'special'), [
    ('f', None), ('f', np.nan), ('e', None), ('d', -np.inf)])
def test_cuda_code(device, lengths, window, cover_all, dtype, special):
    host = random((2, 3, *lengths), dtype, special=special)
    expected, places = pooling.max_pool.reference(host, *window, cover_all)
    outs = expected.shape[2:]
    x = device.send(host)
    y, indexes = pooling.max_pool.device(x, *window, cover_all)
    assert_array_equal(y, expected)
    assert_array_equal(indexes, places)

    host = random(x.shape, dtype, 1)
    other = device.send(host)
    picked = pooling.pick.reference(host, places, *window)
    assert_array_equal(pooling.pick.device(other, indexes, *window), picked)
    MaxPoolingNDKernelForwardWithIndexes1.launch(
        x, lengths, outs, window, (other,), (y,))
    assert_array_equal(y, picked)
    assert_array_equal(pooling.window_sum.device(other, *window, outs, 4),
                       pooling.window_sum.reference(host, *window, outs, 4))

    host = random(y.shape, dtype, 2)
    gy = device.send(host)
    assert_array_equal(pooling.put.device(gy, indexes, *window, lengths),
                       pooling.put.reference(host, places, *window, lengths))
    assert_array_equal(pooling.window_spread.device(gy, *window, lengths, 4),
                       pooling.window_spread.reference(host, *window, lengths, 4))


@pytest.mark.gpu
@pytest.mark.parametrize(('lengths', 'window'), [
    ((9,), ((3,), (2,), (1,))), ((7, 8), ((3, 2), (2, 3), (1, 0)))])
@pytest.mark.parametrize(('dtype', 'tolerance'), [('e', 4e-3), ('f', 0), ('d', 0)])
def test_means(device, lengths, window, dtype, tolerance):
    host = random((2, 3, *lengths), dtype)
    outs = pooling.places(lengths, *window, True)
    assert_allclose(
        pooling.window_mean.device(device.send(host), *window, outs),
        pooling.window_mean.reference(host, *window, outs), tolerance, tolerance)
    host = random((2, 3, *outs), dtype, 1)
    assert_allclose(
        pooling.mean_spread.device(device.send(host), *window, lengths),
        pooling.mean_spread.reference(host, *window, lengths), tolerance, tolerance)


@pytest.mark.gpu
def test_indexes_on_a_gpu_are_integers(device):
    x = device.send(random((1, 1, 4, 4), 'f'))
    window = (2, 2), (2, 2), (0, 0)
    with pytest.raises(IndexError, match='array of integers'):
        pooling.put(x[..., :2, :2], x[..., :2, :2], *window, (4, 4))
    with pytest.raises(IndexError, match='array of integers'):
        pooling.pick(x, x[..., :2, :2], *window)


@pytest.mark.gpu
def test_upsampling_takes_indexes_of_the_host(device):
    x = random((2, 3, 4, 4), 'f')
    y, indexes = pooling.max_pool.reference(x, (2, 2), (2, 2), (0, 0), False)
    function = Upsampling2D(indexes.astype('i'), 2, outsize=(4, 4))
    up, = function.forward_gpu(device.send((y,)))
    assert_array_equal(up, pooling.put.reference(y, indexes, *function._window, (4, 4)))
    assert_array_equal(
        Upsampling2DGrad(function).forward_gpu(device.send((x,)))[0], y)

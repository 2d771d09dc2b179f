"""Large products of single precision, in whatever code serves the processor."""
import numpy as np
import pytest

import chainer_fast
from chainer_fast.backends.kernels import matmul


def random(*shape):
    return np.random.RandomState(sum(shape)).uniform(-1, 1, shape).astype('f')


def orders(x):
    """Return a matrix in both orders, and as part of a larger one."""
    part = np.zeros((x.shape[0] + 3, x.shape[1] + 5), 'f')[2:-1, 3:-2]
    part[...] = x
    return x, np.asfortranarray(x), part


# Rows, terms and columns around the sizes of tiles, panels, and of what is packed at a
# time; more rows than columns and the other way round.
@pytest.mark.parametrize('m, k, n', [
    (100, 784, 100), (100, 100, 784), (8, 256, 32), (9, 257, 33), (17, 600, 531),
    (531, 600, 17), (129, 15, 513), (40, 3, 1100), (8, 4000, 8), (64, 1, 1000),
    (7, 500, 300), (300, 500, 7), (300, 0, 300),
    # Results of two megabytes and more, whose lines are fetched first.
    (1100, 33, 701), (20, 5, 27000)])
def test_sizes_and_orders(m, k, n):
    a, b = random(m, k), random(k, n)
    expected = a.astype('d') @ b.astype('d')
    tolerance = 1e-6 * max(1, k) ** .5
    for x in orders(a):
        for y in orders(b):
            found = matmul.dot(x, y)
            assert found.dtype == 'f'
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=tolerance)


def keeps_bits(a, b):
    """Whether the code that serves gives a part of a product the bits of the whole.

    Ours does, and OpenBLAS's for AVX-512; that for AVX2 does not, but for some cuts: an
    element depends on its place there, and so on the cuts between threads.
    """
    m, n = a.shape[0], b.shape[1]
    half = max(m, n) // 64 * 32
    with chainer_fast.using_config('num_threads', 1):
        whole = matmul.dot(a, b)
        for cut in range(max(8, half - 32), half + 1, 8):
            if m > n:
                parts = [matmul.dot(a[:cut], b), matmul.dot(a[cut:], b)]
            else:
                parts = [matmul.dot(a, b[:, :cut]), matmul.dot(a, b[:, cut:])]
            if (np.concatenate(parts, 0 if m > n else 1) != whole).any():
                return False
    return True


# More and fewer terms than columns, few rows, and one row or column beyond a whole
# number of parts; a million multiplications in each half.
@pytest.mark.parametrize('m, k, n', [
    (300, 700, 1000), (1000, 700, 300), (65, 300, 64), (3, 900, 800), (2, 1000, 1000),
    (65, 3000, 65), (97, 1500, 33), (2, 1100, 1000)])
def test_threads_change_no_more_than_the_cuts_do(m, k, n):
    a, b = random(m, k), random(k, n)
    found = []
    for threads in 1, 2, 3:
        with chainer_fast.using_config('num_threads', threads):
            found.append(matmul.dot(a, b))
    for other in found[1:]:
        if keeps_bits(a, b):
            np.testing.assert_array_equal(found[0], other)
        else:
            # Sums of k products, in some order.
            bound = 2 * k * np.finfo('f').eps * (abs(a) @ abs(b))
            assert (abs(found[0] - other) <= bound).all()


def test_threads_do_not_change_a_product_with_a_vector():
    a, b = random(1, 900), random(900, 800)
    found = []
    for threads in 1, 2, 3:
        with chainer_fast.using_config('num_threads', threads):
            found.append(matmul.dot(a, b))
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


def test_numbers_that_are_not_finite():
    a, b = random(40, 50), random(50, 45)
    a[3, 4], a[5, 6], b[7, 8] = np.nan, np.inf, -np.inf
    with np.errstate(invalid='ignore'):
        np.testing.assert_allclose(
            matmul.dot(a, b), a.astype('d') @ b.astype('d'), rtol=1e-5, atol=1e-5)

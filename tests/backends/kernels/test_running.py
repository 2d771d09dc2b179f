"""Loops along an axis beside their references: running sums and products, gradients of
products, and positions of the largest elements."""
import itertools

import numpy as np
import pytest

from chainer_fast.backends.kernels import reduction as kernels
from chainer_fast.backends.kernels.common.axes import adjacent
from tests.functions import gradients

# Lines along an axis, in groups of eight, of four and of one, and strips of columns.
SHAPES = [(1,), (40,), (13, 30), (30, 13), (4, 50, 7), (2, 3, 4, 5), (3, 4, 1100),
          (11, 97)]
TOLERANCE = {'e': 1e-3, 'f': 1e-5, 'd': 1e-13}


def orders(x):
    """Yield an array in C order, with gaps, and in other orders of axes in memory."""
    yield x
    yield np.repeat(x, 2, -1)[..., ::2]
    for order in itertools.permutations(range(x.ndim)):
        yield np.ascontiguousarray(x.transpose(order)).transpose(np.argsort(order))


@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('shape', SHAPES)
def test_running_products(shape, dtype):
    plain = gradients.uniform(shape, 0, dtype, -1.5, 1.5)
    plain.flat[plain.size // 2] = 0
    for axis in [None, *range(-plain.ndim, plain.ndim)]:
        y = kernels.running_product.reference(plain, axis)
        g = gradients.uniform(y.shape, 1, dtype)
        gx = kernels.running_product_grad.reference(plain, y, g, axis)
        for i, x in enumerate(orders(plain)):
            found = (kernels.running_product.compiled(x, axis),
                     kernels.running_product_grad.compiled(x, y, g, axis))
            for one, other in zip(found, (y, gx), strict=True):
                if one is NotImplemented:
                    assert i > 1        # Some orders are left to the reference.
                    continue
                assert (one.dtype, one.shape) == (dtype, other.shape)
                np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('shape', SHAPES)
def test_gradients_of_products(shape, dtype):
    plain = gradients.uniform(shape, 0, dtype, .8, 1.2)
    plain.flat[plain.size // 2] = 0
    axes = [axis for n in range(1, plain.ndim + 1)
            for axis in itertools.combinations(range(plain.ndim), n)]
    for axis in [None, *axes, *range(-plain.ndim, plain.ndim)]:
        g = gradients.uniform(plain.max(axis, keepdims=True).shape, 1, dtype)
        gx = kernels.product_grad.reference(plain, g, axis)
        for i, x in enumerate(orders(plain)):
            found = kernels.product_grad.compiled(x, g, axis)
            if found is NotImplemented:
                assert i > 1 or len(adjacent(axis, plain.ndim)) > 1
                continue
            assert (found.dtype, found.shape) == (dtype, shape)
            np.testing.assert_allclose(
                found, gx, TOLERANCE[dtype], TOLERANCE[dtype])


@pytest.mark.parametrize('axis', [0, 1])
@pytest.mark.parametrize('row, whole', [
    ([1e-25, 1e-25, 1e18, 1e18], False),        # the first two are too small together
    ([1e18, 1e18, 1e-25, 1e-25], False),
    ([1e30, 1e30, 1e-30, 1e-30], False),        # these are too large
    ([1e-30, 1e-30, .5, .5], True),             # as all of them are too small
    ([1e-30, 0, 1e-30, 1e30], True), ([0, 1e-30, 1e30, 1e-30], True),
    ([0, 2, 0, 3], True), ([0, 2, 5, 3], True), ([2, 5, 3, 0], True)])
def test_products_that_leave_the_range(row, whole, axis):
    x = np.array([row, [1, 2, 3, 4]], 'f')
    x = x if axis else np.ascontiguousarray(x.T)
    g = np.ones(x.max(axis, keepdims=True).shape, 'f')
    expected = np.array([
        [np.prod(np.delete(each, i)) for i in range(4)]
        for each in (x if axis else x.T).astype('d')])
    found = kernels.product_grad.compiled(x, g, axis)
    assert (found is not NotImplemented) == whole
    if whole:
        np.testing.assert_allclose(found if axis else found.T, expected, 1e-5, 1e-37)


@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('n', [4095, 4096, 4097, 4159, 10000])
def test_gradients_of_products_of_long_rows(n, dtype):
    x = gradients.uniform((n,), 0, dtype, .99, 1.01)
    g = np.array([3], dtype)
    for zeros in ([], [n // 2], [n - 1], [0, n - 1]):
        x[zeros] = 0
        expected = kernels.product_grad.reference(x, g, None)
        for each in (x, x[::-1].copy()[::-1]):
            np.testing.assert_allclose(
                kernels.product_grad(each, g, None), expected, TOLERANCE[dtype],
                TOLERANCE[dtype])


# By places of numbers in a long row of ones. Numbers 64 places apart are in one column.
@pytest.mark.parametrize('numbers', [
    {0: 1e-30, 64: 1e-30, 128: 1e30, 192: 1e30},
    {0: 1e30, 64: 1e30, 1: 1e-30, 2: 1e-30},
    {0: 1e-25, 1: 1e-25, 2: 1e20, 3: 1e20}, {0: 1e-25, 64: 1e-25, 1: 1e20, 65: 1e20},
    {0: 1e-25, 1: 1e-25, 4099: 1e20, 4098: 1e20}, {0: 1e-20, 64: 1e-18, 128: 1e8},
    {0: .5, 64: 1e-30, 3: 1e-30}, {0: 0, 64: 1e-30, 128: 1e-30, 4099: 1e30},
    {0: np.inf}, {0: np.nan, 100: 2}, {0: 1e-35, 64: 1e5, 4099: 1e3, 5: .01}])
@pytest.mark.parametrize('g', [1, 1e-20, 1e20])
@pytest.mark.parametrize('rows, n', [(1, 4100), (3, 100)])
def test_long_products_that_leave_the_range(rows, n, numbers, g):
    x = np.ones((rows, n), 'f')
    for at, number in numbers.items():
        if n == 100:    # with 16 columns
            at = at % 64 + at // 64 * 16 if at < 4000 else at - 4000
        x[-1, at] = number
    g = np.full((len(x), 1), g, 'f')
    with np.errstate(all='ignore'):
        found = kernels.product_grad(x, g, 1)
        expected = kernels.product_grad.reference(
            x.astype('d'), g.astype('d'), 1).astype('f')
        by_halves = kernels.product_grad.reference(x, g, 1)
    # The reference may round what is too small, or too large, for a number.
    right = np.isclose(found, expected, 1e-5, 1e-37, True)
    same = np.isclose(found, by_halves, 1e-5, 1e-37, True)
    assert (right | same).all()


@pytest.mark.parametrize('axis, groups', [
    (None, [(0, 1, 2, 3)]), (1, [(1,)]), (-1, [(3,)]), ((0, 2, 3), [(2, 3), (0,)]),
    ((3, 0), [(3,), (0,)]), ((1, -1, 2), [(1, 2, 3)]), ((0, -4), []), ((4,), []),
    ((), [])])
def test_groups_of_axes(axis, groups):
    assert adjacent(axis, 4) == groups


@pytest.mark.parametrize('of_smallest', [False, True])
@pytest.mark.parametrize('dtype', 'fd')
@pytest.mark.parametrize('shape', SHAPES)
def test_positions(shape, dtype, of_smallest):
    # Of equal elements the first one counts.
    plain = gradients.uniform(shape, 0, dtype, -3, 3).round()
    plain.flat[::5] = -np.inf if of_smallest else np.inf
    for axis in range(-plain.ndim, plain.ndim):
        expected = kernels.positions.reference(plain, axis, of_smallest)
        for i, x in enumerate(orders(plain)):
            found = kernels.positions.compiled(x, axis, of_smallest)
            if found is NotImplemented:
                assert i > 1
                continue
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize('of_smallest', [False, True])
def test_positions_of_nan(of_smallest):
    x = gradients.uniform((5, 40), 0, 'f')
    x[3, 39] = x[4, 39] = np.nan
    assert kernels.positions.compiled(x, 0, of_smallest) is NotImplemented
    assert kernels.positions(x, 0, of_smallest)[39] == 3
    rows = gradients.uniform((3, 20000), 0, 'f')
    rows[1, 17000] = rows[1, 18000] = rows[2, 9000] = np.nan
    expected = kernels.positions.reference(rows, 1, of_smallest)
    found = kernels.positions.compiled(rows, 1, of_smallest)
    np.testing.assert_array_equal(found, expected)


def test_positions_that_a_float_does_not_have():
    x = np.broadcast_to(np.zeros((1, 2), 'f'), ((1 << 24) + 2, 2)).copy()
    x[-1, 1] = 1
    assert kernels.positions(x, 0, False).tolist() == [0, (1 << 24) + 1]

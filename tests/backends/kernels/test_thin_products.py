"""Batches of products with a single row, column or depth, computed without BLAS."""
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainer_fast import configuration
from chainer_fast.backends.kernels.matmul import compiled
from tests.backends.kernels import forms
from tests.functions import gradients

LENGTHS = st.sampled_from([1, 2, 7, 16, 63, 64, 65, 130])


def operands(m, n, k, dtype='f'):
    return [gradients.uniform(shape, i, dtype)
            for i, shape in enumerate([(5, m, k), (5, k, n)])]


def swapped(x):
    return np.ascontiguousarray(x.swapaxes(1, 2)).swapaxes(1, 2)


@given(st.permutations(['one', 'first', 'second']), LENGTHS, LENGTHS,
       st.sampled_from('fd'))
def test_all_layouts(order, first, second, dtype):
    lengths = {'one': 1, 'first': first, 'second': second}
    check_layouts(*operands(*[lengths[name] for name in order], dtype))


@pytest.mark.parametrize('sizes', [(64, 64, 64), (41, 50, 40), (33, 65, 31)])
def test_layouts_of_batches_of_doubles(sizes):
    check_layouts(*operands(*sizes, 'd'))


def check_layouts(a, b):
    tolerance = 1e-5 if a.dtype == 'f' else 1e-13
    for x in (*forms.layouts(a), swapped(a), a[:1], np.broadcast_to(a[:1], a.shape)):
        for y in (*forms.layouts(b), swapped(b), b[:1]):
            expected = np.matmul(x.astype('d'), y.astype('d'))
            found = compiled.matmul(x, y)
            assert found.dtype == a.dtype and found.shape == expected.shape
            np.testing.assert_allclose(found, expected, tolerance, tolerance)


@pytest.mark.parametrize('shapes', [
    ((0, 1), (1, 3)), ((3, 1), (1, 0)), ((3, 1), (1, 4)), ((0, 1, 3), (0, 3, 4)),
    ((0, 3, 1), (0, 1, 4)), ((1, 3, 1), (1, 1, 4)), ((5, 1, 0), (5, 0, 4)),
    ((5, 0, 1), (5, 1, 4)), ((2, 1, 1, 3), (4, 3, 6)), ((1, 3), (5, 3, 4)),
    ((5, 1, 3), (3, 4))])
def test_shapes(shapes):
    a, b = [gradients.uniform(shape, 0, 'f') for shape in shapes]
    expected = np.matmul(a, b)
    found = compiled.matmul(a, b)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize('value', [np.inf, 3e38])
@pytest.mark.parametrize('sizes', [(1, 70, 20), (70, 1, 20), (20, 70, 1)])
def test_numbers_that_are_too_large(sizes, value):
    a, b = operands(*sizes)
    a[2, 0, 0], b[2, 0, 0] = value, -value
    with np.errstate(all='ignore'):
        expected = np.matmul(a, b)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter('always')
        found = compiled.matmul(a, b)
    # An infinite operand overflows nothing, though a BLAS may multiply it by zero.
    overflows = ['overflow' in str(each.message) for each in seen]
    assert overflows == [True] * (value < np.inf)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize('dtype', 'fd')
@pytest.mark.parametrize('m', [1, 33])
def test_threads_share_a_batch(m, dtype):
    a = gradients.uniform((301, m, 90), 0, dtype)
    b = gradients.uniform((301, 90, 200), 1, dtype)
    found = []
    for threads in 1, 2, 3:
        with configuration.using_config('num_threads', threads):
            found.append(compiled.matmul(a, b))
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])

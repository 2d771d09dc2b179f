"""Sparse products: the compiled form against the reference and dense matrices."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainer_fast.backends.kernels import sparse

SIZES = st.integers(0, 40)


def elements(batch, nnz, m, n, seed):
    """Coordinates, some of them repeated and a few of them padding."""
    random = np.random.RandomState(seed)
    shape = (nnz,) if batch is None else (batch, nnz)
    row = random.randint(0, max(m, 1), shape)
    col = random.randint(0, max(n, 1), shape)
    padding = random.rand(*shape) < .2
    if m == 0 or n == 0:
        padding[...] = True
    row[padding] = col[padding] = -1
    return random, row, col, shape


@given(st.none() | st.integers(0, 3), st.integers(0, 9), SIZES, SIZES, SIZES,
       st.sampled_from('fd'), st.booleans())
def test_product(batch, nnz, m, k, n, dtype, strided):
    random, row, col, shape = elements(batch, nnz, m, k, 0)
    data = random.uniform(-1, 1, shape).astype(dtype)
    lead = () if batch is None else (batch,)
    dense = random.uniform(-1, 1, (*lead, k, n)).astype(dtype)
    if strided:
        dense = np.ascontiguousarray(dense.swapaxes(-1, -2)).swapaxes(-1, -2)
    y = sparse.product(data, row, col, m, dense)
    expected = sparse.product.reference(data, row, col, m, dense)
    assert (y.dtype, y.shape) == (expected.dtype, (*lead, m, n))
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-5)


@given(st.none() | st.integers(0, 3), st.integers(0, 9), SIZES, SIZES, SIZES,
       st.sampled_from('fd'))
def test_sampled_product(batch, nnz, m, n, k, dtype):
    random, row, col, _ = elements(batch, nnz, m, n, 1)
    lead = () if batch is None else (batch,)
    a = random.uniform(-1, 1, (*lead, m, k)).astype(dtype)
    b = random.uniform(-1, 1, (*lead, n, k)).astype(dtype)
    y = sparse.sampled_product(a, row, col, b)
    expected = sparse.sampled_product.reference(a, row, col, b)
    assert (y.dtype, y.shape) == (expected.dtype, row.shape)
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-5)


def test_products_of_dense_matrices():
    a, b = np.arange(6.).reshape(2, 3), np.arange(12.).reshape(3, 4)
    row, col = np.nonzero(a)
    np.testing.assert_allclose(sparse.product(a[row, col], row, col, 2, b), a @ b)
    np.testing.assert_allclose(
        sparse.sampled_product(a, row, col, b.T), (a @ b)[row, col])


def test_coordinates_beyond_the_matrix():
    ones, at = np.ones(2), np.array([0, 5])
    with pytest.raises(ValueError, match='row index 5'):
        sparse.product(ones, at, at * 0, 2, np.ones((1, 3)))
    with pytest.raises(ValueError, match='column index 5'):
        sparse.sampled_product(np.ones((2, 3)), at * 0, at, np.ones((4, 3)))

"""Products with sparse matrices given by coordinates.

Coordinates are arrays of integers of shape ``(nnz,)``, or ``(batch, nnz)``; an element
with a negative one is padding.
"""
from __future__ import annotations

import typing as tp

from chainer_fast.backends.cuda import get_array_module
from chainer_fast.backends.kernels import kernel
from chainer_fast.backends.kernels.array import compiled as _compiled
from chainer_fast.types import NdArray


def _places(xp, row, col):
    """Indexes of the elements that are not padding, and their coordinates.

    The index of the batch, if any, is the first of the indexes, rows and columns.
    """
    known = xp.nonzero((row >= 0) & (col >= 0))
    batch = known[:-1]
    return known, (*batch, row[known]), (*batch, col[known])


@kernel(compiled=_compiled.product, in_single=True)
def product(
        data: NdArray, row: tp.Any, col: NdArray, height: int,
        dense: NdArray) -> NdArray:
    """Multiply a sparse matrix by a dense one.

    Parameters
    ----------
    data : array, shape (nnz,) or (batch, nnz)
        Values of the elements. Elements of the same coordinates are summed.
    row, col : array of int, same shape
        Coordinates.
    height : int
        Number of rows of the sparse matrix.
    dense : array, shape (k, n) or (batch, k, n)
        The dense matrix, in the dtype of the values.

    Returns
    -------
    array, shape (height, n) or (batch, height, n)
    """
    xp = get_array_module(data)
    known, rows, columns = _places(xp, row, col)
    y = xp.zeros((*dense.shape[:-2], height, dense.shape[-1]), data.dtype)
    xp.add.at(y, rows, data[known][:, None] * dense[columns])
    return y


@kernel(compiled=_compiled.sampled_product, in_single=True)
def sampled_product(a: NdArray, row: NdArray, col: NdArray, b: NdArray) -> NdArray:
    """Multiply a dense matrix by a transposed one, only at given coordinates.

    Parameters
    ----------
    a : array, shape (m, k) or (batch, m, k)
        Left matrix.
    row, col : array of int, shape (nnz,) or (batch, nnz)
        Coordinates of the elements of the product to compute.
    b : array, shape (n, k) or (batch, n, k)
        Transpose of the right matrix, in the dtype of the left one.

    Returns
    -------
    array, shape (nnz,) or (batch, nnz)
        The elements; they are zero for padding.
    """
    xp = get_array_module(a)
    known, rows, columns = _places(xp, row, col)
    values = xp.zeros(row.shape, a.dtype)
    values[known] = (a[rows] * b[columns]).sum(axis=-1)
    return values

"""Sparse matrices in the coordinate (COO) format."""
from __future__ import annotations

import numpy

from chainer_fast import backend
from chainer_fast.types import NdArray
from chainer_fast.variable import Variable

_ORDERS = ('C', 'F', 'other', None)


class CooMatrix:
    """A sparse matrix, or a batch of them, as coordinates and values of its elements.

    Parameters
    ----------
    data : array, shape (nnz,) or (batch, nnz)
        Values. In a batch, matrices with fewer elements than others are padded: with
        zeros in ``data``, and with -1 in ``row`` and ``col``.
    row, col : array of int, same shape
        Coordinates.
    shape : tuple of int
        Shape of the matrix, or of each matrix in a batch.
    order : {'C', 'F', 'other'}, optional
        Whether the elements are sorted by row (``'C'``), by column (``'F'``) or not;
        determined from the elements if None.
    requires_grad : bool
        Whether ``data`` requires a gradient.

    Attributes
    ----------
    data : Variable
        The values.

    Raises
    ------
    ValueError
        If shapes do not match, or ``order`` is unknown.

    See Also
    --------
    chainer_fast.utils.to_coo
    chainer_fast.functions.sparse_matmul

    Examples
    --------
    >>> matrix = chainer.utils.CooMatrix(
    ...     np.array([1, 2], np.float32), np.array([0, 1]), np.array([2, 0]), (2, 3))
    >>> matrix.to_dense()
    array([[0., 0., 1.],
           [2., 0., 0.]], dtype=float32)
    """

    def __init__(
            self, data: NdArray, row: NdArray, col: NdArray, shape: tuple[int, ...],
            order: str | None = None, requires_grad: bool = False) -> None:
        if data.ndim not in (1, 2):
            raise ValueError('ndim of data must be 1 or 2, not %d.' % data.ndim)
        if data.ndim != row.ndim or data.ndim != col.ndim:
            raise ValueError('ndim of data, row and col must be the same: %d, %d, %d.'
                             % tuple(map(numpy.ndim, (data, row, col))))
        if len(shape) != 2:
            raise ValueError(
                'length of shape must be 2 (of a batch, give the shape of one matrix): '
                '%s' % (shape,))
        if not all(length > 0 for length in shape):
            raise ValueError(
                'numbers in shape must be greater than 0: %s' % (tuple(shape),))
        if order not in _ORDERS:
            raise ValueError(
                "order must be 'C', 'F', 'other' or None, not %r." % (order,))
        self.data: Variable = Variable(data, requires_grad=requires_grad)
        _check_same_shape(row, col)
        self.row = row
        self.col = col
        self.shape = shape
        self.order: str = get_order(row, col) if order is None else order

    def to_dense(self) -> NdArray:
        """Return the matrix, or the batch, as an array, without building a graph.

        Values of elements that occur more than once are summed.

        Returns
        -------
        array
            The matrix, or the batch, of the dtype of ``data``.
        """
        data = self.data.array
        xp = backend.get_array_module(data)
        dense = xp.zeros(data.shape[:-1] + tuple(self.shape), data.dtype)
        # There may be more coordinates than values, not fewer.
        used = tuple([slice(length) for length in data.shape])
        where = row, col = self.row[used], self.col[used]
        if row.shape != data.shape:
            lacks_rows = data.ndim > 1 and len(row) < len(data)
            raise (IndexError if lacks_rows else ValueError)(
                'each of the values in data of shape %s needs a row and a column, but '
                'there are %s of these' % (data.shape, self.row.shape))
        if data.ndim > 1:
            where = xp.arange(len(data))[:, None], row, col
        xp.add.at(dense, where, data)
        return dense


def to_coo(
        x: NdArray, ldnz: int | None = None, requires_grad: bool = False) -> CooMatrix:
    """Convert a matrix, or a batch of matrices, to a sparse one.

    Parameters
    ----------
    x : array, shape (m, n) or (batch, m, n)
        The matrix.
    ldnz : int, optional
        Minimum number of elements, which is reached by padding.
    requires_grad : bool
        See :class:`CooMatrix`.

    Returns
    -------
    CooMatrix
        The sparse matrix.

    Raises
    ------
    ValueError
        If ``x`` does not have two or three axes.

    Examples
    --------
    >>> matrix = chainer.utils.to_coo(np.array([[0, 0, 1], [2, 0, 0]], np.float32))
    >>> matrix.data.array
    array([1., 2.], dtype=float32)
    >>> matrix.row, matrix.col
    (array([0, 1], dtype=int32), array([2, 0], dtype=int32))
    """
    if x.ndim not in (2, 3):
        raise ValueError('ndim of x must be 2 or 3, not %d.' % x.ndim)
    xp = backend.get_array_module(x)
    matrices = x if x.ndim == 3 else x[None]
    found = [(matrix, *xp.nonzero(matrix)) for matrix in matrices]
    nnz = max([len(row) for _, row, _ in found], default=0)
    if ldnz is not None:
        nnz = max(nnz, ldnz)
    data = xp.zeros((len(found), nnz), x.dtype)
    rows, cols = xp.full((2, len(found), nnz), -1, numpy.int32)
    for i, (matrix, row, col) in enumerate(found):
        n = len(row)
        data[i, :n] = matrix[row, col]
        rows[i, :n] = row
        cols[i, :n] = col
    if x.ndim == 2:
        data, rows, cols = data[0], rows[0], cols[0]
    return CooMatrix(data, rows, cols, x.shape[-2:], 'C', requires_grad)


def get_order(row: NdArray, col: NdArray) -> str:
    """Return the order of the elements of a sparse matrix.

    Parameters
    ----------
    row, col : array of int
        Coordinates; for a batch, one row for each matrix. Padding is ignored.

    Returns
    -------
    {'C', 'F', 'other'}
        Sorted by row, by column, or neither (or differently within a batch); ``'C'`` if
        sorted both ways.

    Raises
    ------
    ValueError
        If shapes differ, or only one of an element's coordinates is negative.

    Examples
    --------
    >>> chainer.utils.get_order(np.array([0, 1]), np.array([2, 0]))
    'C'
    """
    _check_same_shape(row, col)
    if _is_c_order(row, col):
        return 'C'
    return 'F' if _is_c_order(col, row) else 'other'


def _check_same_shape(row, col):
    if row.shape != col.shape:
        raise ValueError('shape of row and col must be the same: %s, %s.'
                         % (row.shape, col.shape))


def _is_c_order(row, col):
    """Return whether elements are sorted by row, and within a row by column."""
    if row.ndim > 1:
        return all(_is_c_order(r, c) for r, c in zip(row, col, strict=True))
    padding = row < 0
    if (padding != (col < 0)).any():
        raise ValueError('invalid index combination of row and col.')
    row, col = row[~padding], col[~padding]
    down = row[1:] - row[:-1]
    return bool(((down > 0) | (down == 0) & (col[1:] >= col[:-1])).all())

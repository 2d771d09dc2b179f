"""Rows of matrices, found by their numbers."""
from chainer_fast.backends.cuda import get_array_module
from chainer_fast.backends.kernels import kernel
from chainer_fast.backends.kernels.embed_id import shortcuts as _compiled


@kernel(compiled=_compiled.add_rows)
def add_rows(ids, gy, shape, ignore_label):
    """Sum rows up in a matrix of zeros, each in the row that its id names.

    Parameters
    ----------
    ids : array of integers
        Ids, counted from the end if negative.
    gy : array, shape (*ids.shape, columns)
        Rows.
    shape : tuple of int
        Shape of the matrix, ``(rows, columns)``.
    ignore_label : int or None
        Id whose rows are left out.

    Returns
    -------
    array
        The matrix, in the dtype of ``gy``.
    """
    xp = get_array_module(gy)
    if ignore_label is not None:
        counted = ids != ignore_label
        ids, gy = ids[counted], gy[counted]
    out = xp.zeros(shape, gy.dtype)
    xp.add.at(out, ids, gy)
    return out

"""Scores of a few classes out of many, for losses that draw samples.

Each sample has candidates, the rows of ``ids``: numbers of rows of a matrix ``W``,
counted from the end if negative. If ``counted`` is given, samples for which it is false
are left out.
"""
import numpy

from chainer_fast.backends.cuda import get_array_module
from chainer_fast.backends.kernels import kernel
from chainer_fast.backends.kernels.negative_sampling import compiled


def _kept(counted, *arrays):
    return arrays if counted is None else [a[counted] for a in arrays]


def _placed(rows, counted, n):
    """Rows for all of ``n`` samples, zero for those that are left out."""
    if counted is None:
        return rows
    xp = get_array_module(rows)
    out = xp.zeros((n, *rows.shape[1:]), rows.dtype)
    out[counted] = rows
    return out


def _wide(x):
    # Halves are multiplied and summed up in single precision.
    return x.astype(numpy.float32) if x.dtype == numpy.float16 else x


@kernel(compiled=compiled.scores)
def scores(x, W, ids, counted):
    """Products of each sample with the rows of its candidates.

    Parameters
    ----------
    x : array, shape (samples, width)
    W : array, shape (classes, width)
    ids : array of integers, shape (samples, n)
    counted : array of bool, shape (samples,), or None

    Returns
    -------
    array, shape (samples, n)
    """
    kept, rows = _kept(counted, x, ids)
    products = (_wide(W[rows]) @ _wide(kept)[:, :, None])[:, :, 0]
    xp = get_array_module(x)
    dtype = xp.result_type(x, W)
    return _placed(products.astype(dtype, copy=False), counted, len(ids))


@kernel(compiled=compiled.sum_rows)
def sum_rows(g, W, ids, counted):
    """Sum the rows of each sample's candidates.

    Parameters
    ----------
    g : array, shape (samples, n)
        Factors.
    W, ids, counted
        As for :func:`scores`.

    Returns
    -------
    array, shape (samples, width)
        In the dtype of ``g``.
    """
    kept, rows = _kept(counted, g, ids)
    sums = (_wide(kept)[:, None, :] @ _wide(W[rows]))[:, 0, :]
    return _placed(sums.astype(g.dtype, copy=False), counted, len(ids))


@kernel(compiled=compiled.spread_rows)
def spread_rows(g, x, ids, counted, rows):
    """Add each sample to the rows of its candidates.

    Parameters
    ----------
    g : array, shape (samples, n)
        Factors.
    x, ids, counted
        As for :func:`scores`.
    rows : int
        Number of classes.

    Returns
    -------
    array, shape (rows, width)
        In the dtype of ``g``.
    """
    xp = get_array_module(g)
    g_kept, x_kept, ids = _kept(counted, g, x, ids)
    products = _wide(g_kept)[:, :, None] * _wide(x_kept)[:, None, :]
    out = xp.zeros((rows, x.shape[1]), products.dtype)
    xp.add.at(out, ids, products)
    return out.astype(g.dtype, copy=False)

"""Rows and elements of matrices, selected by their numbers."""
from __future__ import annotations

import typing as tp

from chainer_fast.backends.cuda import get_array_module
from chainer_fast.backends.kernels import kernel
from chainer_fast.backends.kernels.common.halves import in_single
from chainer_fast.backends.kernels.common import negative
from chainer_fast.backends.kernels.embed_id import cuda as _device
from chainer_fast.backends.kernels.array import compiled as _compiled
from chainer_fast.types import NdArray


@kernel(device=_device.look_up)
def look_up(ids: NdArray, W: NdArray, ignore_label: int | None) -> NdArray:
    """Rows of a matrix.

    Parameters
    ----------
    ids : array of integers
        Numbers of rows, counted from the end if negative.
    W : array, shape (rows, columns)
        The matrix.
    ignore_label : int or None
        Number whose row is zero.

    Returns
    -------
    array, shape (*ids.shape, columns)
    """
    if ignore_label is None:
        y = W[ids]
    else:
        ignored = ids == ignore_label
        y = W[get_array_module(W).where(ignored, 0, ids)]
        y[ignored] = 0
    negative.warn('x', ids, ignore_label, len(W), 'rows')
    return y


@kernel(compiled=_compiled.add_rows, device=_device.add_rows, in_single=True)
@in_single
def add_rows(
        ids: NdArray, gy: NdArray, shape: tuple[int, ...],
        ignore_label: int | None) -> NdArray:
    """Add rows to a matrix of zeros, each to the row that its id names.

    Parameters
    ----------
    ids : array of integers
        Ids, counted from the end if negative.
    gy : array, shape (*ids.shape, columns)
        Rows.
    shape : tuple of int
        Shape of the matrix, ``(rows, columns)``.
    ignore_label : int or None
        Id whose rows are not added.

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


@kernel(device=_device.select)
def select(x: NdArray, t: NdArray) -> NdArray:
    """Select from each row of ``x`` the element that ``t`` names."""
    return x[get_array_module(x).arange(t.size), t]


@kernel(device=_device.place)
def place(y: NdArray, t: NdArray, columns: int) -> NdArray:
    """Set elements in the rows of a matrix of zeros, at the columns in ``t``."""
    xp = get_array_module(y)
    x = xp.zeros((len(t), columns), y.dtype)
    x[xp.arange(t.size), t] = y
    return x

"""Products of all other elements along axes, without division."""
from __future__ import annotations

import typing as tp

import numpy

from chainer_fast.backends.cuda import get_array_module
from chainer_fast.backends.kernels import array as kernels
from chainer_fast.types import NdArray


def in_rows(
        shape: tuple[int, ...], axis: int | tuple[int, ...] | None,
) -> tuple[list[int], list[int], tuple[int, int]]:
    """Return how to move the reduced axes of an array to the front.

    Parameters
    ----------
    shape : tuple of int
        Shape of the array.
    axis : int, tuple of int or None
        The reduced axes; all axes if None.

    Returns
    -------
    order, back : list of int
        The transposition that moves them to the front, and its inverse.
    shape : tuple of int
        Shape of the transposed array as a matrix, whose rows are reduced.
    """
    ndim = len(shape)
    named = range(ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    reduced = sorted({each % ndim for each in named})
    order = reduced + [i for i in range(ndim) if i not in reduced]
    lengths = [shape[i] for i in order]
    rows, columns = [numpy.prod(each, dtype=int) for each in (
        lengths[:len(reduced)], lengths[len(reduced):])]
    return order, [order.index(i) for i in range(ndim)], (int(rows), int(columns))


def of_others(x: NdArray, axis: int | tuple[int, ...] | None) -> NdArray:
    """Return for each element the product of the others that it is reduced with."""
    order, back, shape = in_rows(x.shape, axis)
    moved = x.transpose(order)
    rest = of_other_rows(moved.reshape(shape), _split_rows, _join_rows)
    result = get_array_module(x).empty_like(x)
    result[...] = rest.reshape(moved.shape).transpose(back)
    return result


def _split_rows(x, places, axis=0):
    # NumPy's own function is slower.
    return [x[i:j] for i, j in zip([0, *places], [*places, len(x)], strict=True)]


def _join_rows(arrays, axis=0):
    return kernels.join(arrays[0], arrays, axis)


def of_other_rows(x: tp.Any, split: tp.Any, concat: tp.Any) -> tp.Any:
    """Return for each row of a matrix the product of all other rows.

    Division by the row would fail for zeros. Instead, the upper half of the rows is
    multiplied by the lower half. For the resulting rows, half as many, the products of
    all others are computed, which then lack only the row of the other half.

    ``split`` and ``concat`` are the functions for the type of ``x``, variable or array.
    """
    n = x.shape[0]
    if n < 2:
        xp = get_array_module(x)
        return xp.ones(x.shape, x.dtype)
    half = n // 2
    upper, lower, *odd = split(x, [half, 2 * half] if n % 2 else [half], axis=0)
    rest = of_other_rows(
        concat([upper * lower, *odd], axis=0), split, concat)
    if odd:
        rest, last = split(rest, [half], axis=0)
        odd = [last]
    return concat([lower * rest, upper * rest, *odd], axis=0)

"""Indexes of several axes, as the numbers of rows in a matrix."""
from __future__ import annotations

import functools
import math
import typing as tp

import numpy

from chainer_fast.types import NdArray

Form = tp.Callable[[NdArray, tuple[tp.Any, ...], tp.Any], tp.Any]

#: Number of values from which on finding the rows costs less than it saves.
LEAST = 1024


def _is_whole(entry: tp.Any) -> bool:
    return type(entry) is slice and entry == slice(None)


def _are_integers(entry: tp.Any) -> bool:
    if type(entry) is numpy.ndarray:
        return entry.dtype.kind in 'iu'
    return isinstance(entry, (int, numpy.integer)) and not isinstance(entry, bool)


def rows_of(
        index: tuple[tp.Any, ...], shape: tuple[int, ...],
) -> tuple[NdArray, tuple[int, ...]] | None:
    """Return the rows that an index selects, if an array is seen as a matrix.

    Parameters
    ----------
    index : tuple
        Integers and arrays of integers for adjacent axes; all other axes are whole.
    shape : tuple of int
        Shape of the array that is indexed.

    Returns
    -------
    tuple or None
        The numbers of the rows, and the shape of a row, which is that of the axes
        behind those that are indexed. None for other indexes, and for integers that
        are out of range.
    """
    first = 0
    while first < len(index) and _is_whole(index[first]):
        first += 1
    end = len(index)
    while end > first and _is_whole(index[end - 1]):
        end -= 1
    if (first == end or len(index) > len(shape)
            or not all(map(_are_integers, index[first:end]))):
        return None
    rows: tp.Any = 0
    try:
        for length, entry in zip(shape[first:end], index[first:end], strict=True):
            rows = rows * length + numpy.arange(length)[entry]
    except (IndexError, ValueError):    # out of range, or of shapes that do not match
        return None
    if first:
        # Of the whole axes in front, each index has as many rows.
        size = math.prod(shape[first:end])
        blocks = numpy.arange(math.prod(shape[:first])).reshape(shape[:first])
        rows = numpy.add.outer(blocks * size, rows)
    return rows, shape[end:]


def at_rows(form: Form) -> Form:
    """Return a form of `add_at` for indexes of which `rows_of` finds the rows.

    Parameters
    ----------
    form : callable
        Takes an index of one array; returns ``NotImplemented`` for others.
    """
    @functools.wraps(form)
    def add_at(values, index, base):
        found = form(values, index, base)
        if found is not NotImplemented or not (
                type(values) is numpy.ndarray and type(index) is tuple
                and values.size >= LEAST):
            return found
        shape = base if type(base) is tuple else base.shape
        selected = rows_of(index, shape)
        if selected is None:
            return NotImplemented
        rows, row = selected
        if values.shape != numpy.shape(rows) + row:
            return NotImplemented
        matrix = math.prod(shape) // math.prod(row), math.prod(row)
        found = form(
            values.reshape(-1, matrix[1]), (numpy.ravel(rows),),
            matrix if base is shape else base.reshape(matrix))
        return found if found is NotImplemented else found.reshape(shape)
    return add_at

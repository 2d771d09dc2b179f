"""Joining, splitting and repeating arrays."""
from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy

from chainer_fast.chainerx import (
    _array,
    _dtypes,
    _errors,
    _functions,
    _manipulation,
    _routines,
)
from chainer_fast.chainerx._array import ndarray
from chainer_fast.functions.array import concat, split_axis
from chainer_fast.functions.array import repeat as repeat_

__all__ = [
    'concatenate', 'dsplit', 'dstack', 'hsplit', 'hstack', 'repeat', 'split', 'stack',
    'vsplit', 'vstack']

_Sections: TypeAlias = Any


def _given(arrays):
    arrays = list(arrays)
    if not arrays:
        raise _errors.DimensionError('no arrays to join')
    _routines.check(*arrays)
    return arrays


def concatenate(arrays: Sequence[ndarray], axis: int | None = 0) -> ndarray:
    """Return arrays joined along an axis.

    Parameters
    ----------
    arrays : sequence of ndarray
        Arrays with the same lengths along all other axes.
    axis : int, optional
        None flattens all arrays first.

    Raises
    ------
    DimensionError
        If there are none, or their shapes or the axis do not match.
    """
    arrays = _given(arrays)
    if axis is None:
        arrays, axis = [a.ravel() for a in arrays], 0
    i = _functions.one_axis(axis, arrays[0].ndim)
    if len({a.shape[:i] + a.shape[i + 1:] + (a.ndim,) for a in arrays}) > 1:
        raise _errors.DimensionError('arrays of shapes %s cannot be joined along axis '
                                     '%d'
                                     % ([a.shape for a in arrays], i))
    return _routines.compute(
        arrays, lambda xp, *arrays: xp.concatenate(arrays, i),
        lambda *arrays: concat.concat(arrays, i),
        _dtypes.result_type([a.dtype for a in arrays]))


def stack(arrays: Sequence[ndarray], axis: int = 0) -> ndarray:
    """Return arrays of one shape joined along a new axis.

    Parameters
    ----------
    arrays : sequence of ndarray
    axis : int
        Its position in the result.

    Raises
    ------
    DimensionError
        If there are none, or their shapes or the axis do not match.
    """
    arrays = [_manipulation.expand_dims(a, axis) for a in _given(arrays)]
    if any([a.shape != arrays[0].shape for a in arrays]):
        raise _errors.DimensionError('only arrays of one shape can be stacked')
    return concatenate(arrays, axis)


def hstack(arrays: Sequence[ndarray]) -> ndarray:
    """Return arrays joined along the second axis, or the only one."""
    arrays = [a if a.ndim else a.reshape(1) for a in _given(arrays)]
    return concatenate(arrays, 0 if arrays[0].ndim == 1 else 1)


def vstack(arrays: Sequence[ndarray]) -> ndarray:
    """Return arrays joined along the first of two or more axes."""
    return concatenate([_manipulation.atleast_2d(a) for a in _given(arrays)], 0)


def dstack(arrays: Sequence[ndarray]) -> ndarray:
    """Return arrays joined along the third of three or more axes."""
    return concatenate([_manipulation.atleast_3d(a) for a in _given(arrays)], 2)


def _cuts(given, length):
    """Return the positions where an axis is split, in any order."""
    if isinstance(given, str):
        raise TypeError('split positions must be integers, not %r' % (given,))
    if numpy.ndim(given):
        cuts = given.tolist() if isinstance(given, numpy.ndarray) else given
        if numpy.ndim(given) > 1:
            raise _errors.DimensionError('split positions must be one-dimensional')
        return [min(max(cut + length if cut < 0 else cut, 0), length)
                for cut in map(operator.index, cuts)]
    sections = int(given)
    if sections != given:
        raise TypeError('the number of sections must be an integer, not %s' % (given,))
    if sections <= 0 or length % sections:
        raise _errors.DimensionError(
            'an axis of length %s cannot be split into %s parts' % (length, sections))
    return list(range(length // sections, length, length // sections or 1))


def split(ary: ndarray, indices_or_sections: _Sections, axis: int = 0) -> list[ndarray]:
    """Return parts of an array along an axis, which are views.

    Parameters
    ----------
    ary : ndarray
    indices_or_sections : int or sequence of int
        Number of equal parts, or the positions where the axis is split.
    axis : int

    Raises
    ------
    DimensionError
        If the array does not have the axis, or it cannot be split so.
    TypeError
        If a number is not an integer.
    """
    _routines.check(ary)
    axis = _functions.one_axis(axis, ary.ndim)
    cuts = _cuts(indices_or_sections, ary.shape[axis])
    before = (slice(None),) * axis
    pieces = [(*before, slice(start, stop)) for start, stop in zip(
        [0, *cuts], [*cuts, None], strict=True)]
    return list(_routines.compute(
        [ary], lambda xp, a: [a[piece] for piece in pieces],
        lambda a: split_axis.split_axis(a, cuts, axis)))


def hsplit(ary: ndarray, indices_or_sections: _Sections) -> list[ndarray]:
    """Return parts along the second axis, or the only one: see :func:`split`."""
    _routines.check(ary)
    return split(ary, indices_or_sections, 0 if ary.ndim == 1 else 1)


def vsplit(ary: ndarray, indices_or_sections: _Sections) -> list[ndarray]:
    """Return parts along the first of two or more axes: see :func:`split`."""
    return _split_of(ary, indices_or_sections, 2, 0)


def dsplit(ary: ndarray, indices_or_sections: _Sections) -> list[ndarray]:
    """Return parts along the third axis: see :func:`split`."""
    return _split_of(ary, indices_or_sections, 3, 2)


def _split_of(ary, indices_or_sections, ndim, axis):
    _routines.check(ary)
    if ary.ndim < ndim:
        raise _errors.DimensionError(
            'the array has %d axes, but needs %d or more' % (ary.ndim, ndim))
    return split(ary, indices_or_sections, axis)


@_array.method
def repeat(a: ndarray, repeats: _Sections, axis: int | None = None) -> ndarray:
    """Return the array with each part along an axis repeated.

    Parameters
    ----------
    a : ndarray
    repeats : int or sequence of int
        Number of repetitions, for all or for each part.
    axis : int, optional
        None flattens the array first.

    Raises
    ------
    DimensionError
        If the array does not have the axis, or not that many parts, or a number is
        negative.
    """
    _routines.check(a)
    if axis is None:
        a, axis = a.ravel(), 0
    axis = _functions.one_axis(axis, a.ndim)
    counts = _dtypes.shape(repeats)
    if len(counts) not in (1, a.shape[axis]) or min(counts, default=0) < 0:
        raise _errors.DimensionError(
            '%d parts cannot be repeated %s times' % (a.shape[axis], counts))
    times = counts[0] if len(counts) == 1 else counts
    return _routines.compute(
        [a], lambda xp, a: xp.repeat(a, times, axis),
        lambda a: repeat_.repeat(a, times, axis))

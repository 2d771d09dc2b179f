"""Shapes and orders of axes."""
from __future__ import annotations

import math
import operator
import typing as tp

from chainer_fast.chainerx import _dtypes, _errors, _routines
from chainer_fast.chainerx._array import ndarray
from chainer_fast.functions.array import reshape as reshape_
from chainer_fast.functions.array import transpose as transpose_

__all__ = ['reshape', 'transpose']


def _whole_shape(shape, size):
    """Return a shape with the length that is left open filled in."""
    unknown = [i for i, length in enumerate(shape) if length < 0]
    known = math.prod([length for length in shape if length >= 0])
    if len(unknown) > 1 or (
            unknown and (not known or size % known)) or (
            not unknown and known != size):
        raise _errors.DimensionError(
            '%d elements are not an array of shape %s' % (size, shape))
    if unknown:
        shape = tuple([size // known if n < 0 else n for n in shape])
    return shape


def reshape(a: ndarray, newshape: tp.Any) -> ndarray:
    """Return the elements in another shape, a view where that is possible.

    Parameters
    ----------
    a : ndarray
    newshape : int or sequence of int
        One length may be negative, which is worked out.

    Raises
    ------
    DimensionError
        If the array does not have that many elements.
    """
    _routines.check(a)
    shape = _whole_shape(_dtypes.shape(newshape), a.size)
    return _routines.compute(
        [a], lambda xp, a: a.reshape(shape), lambda a: reshape_.reshape(a, shape))


def _reshape_method(a, *newshape):
    if not newshape:
        raise TypeError('reshape needs a shape')
    return reshape(a, newshape[0] if len(newshape) == 1 else newshape)


def _axis(axis, ndim):
    """Return an axis counted from the first."""
    found = operator.index(axis)
    if not -ndim <= found < ndim:
        raise _errors.DimensionError('an array of %d axes has no axis %d' % (ndim, axis))
    return found % ndim


def _permutation(axes, ndim):
    found = tuple([_axis(axis, ndim) for axis in axes])
    if len(found) != ndim or len(set(found)) != ndim:
        raise _errors.DimensionError(
            '%s is no order of %d axes' % (axes, ndim))
    return found


def transpose(a: ndarray, axes: tp.Any = None) -> ndarray:
    """Return a view with the axes in another order.

    Parameters
    ----------
    a : ndarray
    axes : int or sequence of int, optional
        By default all axes the other way round.

    Raises
    ------
    DimensionError
        If these are not all axes of the array.
    """
    _routines.check(a)
    if axes is not None:
        axes = _permutation(_dtypes.shape(axes), a.ndim)
    return _routines.compute(
        [a], lambda xp, a: a.transpose(axes), lambda a: transpose_.transpose(a, axes))


def _transpose_method(a, *axes):
    return transpose(a, axes[0] if len(axes) == 1 else axes or None)


ndarray.reshape = _reshape_method
ndarray.transpose = _transpose_method
ndarray.T = property(transpose, doc='A view with the axes the other way round.')

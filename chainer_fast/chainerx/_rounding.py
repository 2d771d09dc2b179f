"""Elementwise rounding, signs and bounds."""
from __future__ import annotations

from chainer_fast import functions as F
from chainer_fast.chainerx import _array, _elementwise, _routines
from chainer_fast.chainerx._array import ndarray
from chainer_fast.chainerx._elementwise import Operand, binary, of_arrays, unary

__all__ = [
    'ceil', 'clip', 'floor', 'maximum', 'minimum', 'sign']


def floor(x: ndarray) -> ndarray:
    """Round floats down; the result has no gradient."""
    return unary(x, 'floor', _elementwise.floating)


def ceil(x: ndarray) -> ndarray:
    """Round floats up; the result has no gradient."""
    return unary(x, 'ceil', _elementwise.floating)


def sign(x: ndarray) -> ndarray:
    """Return the signs, -1, 0 or 1, in the dtype of the array, without gradient.

    Raises
    ------
    DtypeError
        If the elements are bools.
    """
    return unary(x, 'sign', _elementwise.numeric)


def maximum(x1: Operand, x2: Operand) -> ndarray:
    """Return the larger of two elements; for equal ones, the first gets the gradient.

    Parameters
    ----------
    x1, x2 : ndarray or number
        At least one array; shapes must broadcast, and either all or none must
        be bools.

    Raises
    ------
    DtypeError, DimensionError
    """
    return binary(x1, x2, 'maximum', _elementwise.comparable, of_arrays(F.maximum))


def minimum(x1: Operand, x2: Operand) -> ndarray:
    """Return the smaller of two elements; for equal ones, the first gets the gradient.

    Parameters
    ----------
    x1, x2 : ndarray or number
        At least one array; shapes must broadcast, and either all or none must
        be bools.

    Raises
    ------
    DtypeError, DimensionError
    """
    return binary(x1, x2, 'minimum', _elementwise.comparable, of_arrays(F.minimum))


@_array.method
def clip(a: ndarray, a_min: float | None, a_max: float | None) -> ndarray:
    """Clip elements to bounds.

    Parameters
    ----------
    a : ndarray
        The array, which must not be of bools.
    a_min, a_max : number or None
        The bounds; None for no bound.

    Raises
    ------
    DtypeError
    """
    _routines.check(a)
    bounds = [_elementwise.typed(x) for x in (a_min, a_max) if x is not None]
    return _routines.compute(
        (a,), lambda xp, a: xp.clip(a, a_min, a_max),
        lambda a: F.clip(a, a_min, a_max), _elementwise.numeric(a.dtype, *bounds))

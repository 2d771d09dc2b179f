"""Comparisons, logical and bitwise operations."""
from __future__ import annotations

from chainer_fast.chainerx import _elementwise
from chainer_fast.chainerx._array import ndarray
from chainer_fast.chainerx._elementwise import Operand, binary, compare, unary

__all__ = [
    'bitwise_and', 'bitwise_or', 'bitwise_xor', 'equal', 'greater', 'greater_equal',
    'isfinite', 'isinf', 'isnan', 'left_shift', 'less', 'less_equal', 'logical_and',
    'logical_not', 'logical_or', 'logical_xor', 'not_equal', 'right_shift']


def equal(x1: Operand, x2: Operand) -> ndarray:
    """Return where elements are equal.

    Parameters
    ----------
    x1, x2 : ndarray or number
        At least one array; shapes must broadcast, and either all or none must
        be bools.

    Raises
    ------
    DtypeError, DimensionError
    """
    return compare(x1, x2, 'equal')


def not_equal(x1: Operand, x2: Operand) -> ndarray:
    """Return where elements differ: see :func:`equal`."""
    return compare(x1, x2, 'not_equal')


def less(x1: Operand, x2: Operand) -> ndarray:
    """Return where the first elements are less: see :func:`equal`."""
    return compare(x1, x2, 'less')


def less_equal(x1: Operand, x2: Operand) -> ndarray:
    """Return where the first elements are less or equal: see :func:`equal`."""
    return compare(x1, x2, 'less_equal')


def greater(x1: Operand, x2: Operand) -> ndarray:
    """Return where the first elements are greater: see :func:`equal`."""
    return compare(x1, x2, 'greater')


def greater_equal(x1: Operand, x2: Operand) -> ndarray:
    """Return where the first elements are greater or equal: see :func:`equal`."""
    return compare(x1, x2, 'greater_equal')


def logical_and(x1: Operand, x2: Operand) -> ndarray:
    """Return where both elements are true, that is, nonzero.

    Parameters
    ----------
    x1, x2 : ndarray or number
        At least one array; shapes must broadcast.

    Raises
    ------
    DimensionError
    """
    return compare(x1, x2, 'logical_and', _elementwise.common)


def logical_or(x1: Operand, x2: Operand) -> ndarray:
    """Return where at least one element is true, that is, nonzero.

    Parameters
    ----------
    x1, x2 : ndarray or number
        At least one array; shapes must broadcast.

    Raises
    ------
    DimensionError
    """
    return compare(x1, x2, 'logical_or', _elementwise.common)


def logical_xor(x1: Operand, x2: Operand) -> ndarray:
    """Return where exactly one element is true, that is, nonzero.

    Parameters
    ----------
    x1, x2 : ndarray or number
        At least one array; shapes must broadcast.

    Raises
    ------
    DimensionError
    """
    return compare(x1, x2, 'logical_xor', _elementwise.common)


def logical_not(x: ndarray) -> ndarray:
    """Return where elements are false, that is, zero."""
    return unary(x, 'logical_not', _elementwise.as_they_are)


def isnan(x: ndarray) -> ndarray:
    """Return where elements are NaN."""
    return unary(x, 'isnan', _elementwise.as_they_are)


def isinf(x: ndarray) -> ndarray:
    """Return where elements are infinite."""
    return unary(x, 'isinf', _elementwise.as_they_are)


def isfinite(x: ndarray) -> ndarray:
    """Return where elements are neither infinite nor NaN."""
    return unary(x, 'isfinite', _elementwise.as_they_are)


def bitwise_and(x1: Operand, x2: Operand) -> ndarray:
    """Return the bits that are set in both elements.

    Parameters
    ----------
    x1, x2 : ndarray or number
        At least one array; shapes must broadcast; floats are not supported.

    Raises
    ------
    DtypeError, DimensionError
    """
    return binary(x1, x2, 'bitwise_and', _elementwise.integral)


def bitwise_or(x1: Operand, x2: Operand) -> ndarray:
    """Return the bits that are set in at least one element: see :func:`bitwise_and`."""
    return binary(x1, x2, 'bitwise_or', _elementwise.integral)


def bitwise_xor(x1: Operand, x2: Operand) -> ndarray:
    """Return the bits that are set in exactly one element: see :func:`bitwise_and`."""
    return binary(x1, x2, 'bitwise_xor', _elementwise.integral)


def left_shift(x1: Operand, x2: Operand) -> ndarray:
    """Return integers with their bits shifted to the left.

    Parameters
    ----------
    x1 : ndarray or int
        The result has its dtype, or int64 if it is a number.
    x2 : ndarray or int
        Numbers of bits.

    Raises
    ------
    DtypeError, DimensionError
    """
    return binary(x1, x2, 'left_shift', _elementwise.shifted)


def right_shift(x1: Operand, x2: Operand) -> ndarray:
    """Return integers with their bits shifted to the right.

    Parameters
    ----------
    x1 : ndarray or int
        The result has its dtype, or int64 if it is a number.
    x2 : ndarray or int
        Numbers of bits.

    Raises
    ------
    DtypeError, DimensionError
    """
    return binary(x1, x2, 'right_shift', _elementwise.shifted)

"""Elementwise arithmetic: sums, products, quotients, powers and the like."""
from __future__ import annotations

import operator

from chainer_fast import functions as F
from chainer_fast.chainerx import _elementwise
from chainer_fast.chainerx._array import ndarray
from chainer_fast.chainerx._elementwise import Operand, binary, unary
from chainer_fast.functions.math import basic_math
from chainer_fast.variable import Variable

__all__ = [
    'abs', 'absolute', 'add', 'divide', 'fabs', 'floor_divide', 'fmod', 'mod',
    'multiply', 'negative', 'power', 'reciprocal', 'remainder', 'square',
    'squared_difference', 'subtract', 'true_divide']


def negative(x: ndarray) -> ndarray:
    """Return the negative values.

    Raises
    ------
    DtypeError
        If the elements are bools.
    """
    return unary(x, 'negative', _elementwise.numeric, operator.neg)


def absolute(x: ndarray) -> ndarray:
    """Return the absolute values, in the dtype of the array."""
    return unary(x, 'absolute', _elementwise.as_they_are, F.absolute)


abs = absolute  # noqa: A001


def fabs(x: ndarray) -> ndarray:
    """Return the absolute values as floats: float32 for integers and bools."""
    return unary(x, 'fabs', _elementwise.floating, F.absolute)


def add(x1: Operand, x2: Operand) -> ndarray:
    """Return the sums of elements.

    Parameters
    ----------
    x1, x2 : ndarray or number
        At least one array; shapes must broadcast; bools are not supported.

    Raises
    ------
    DtypeError, DimensionError
    """
    return binary(x1, x2, 'add', _elementwise.numeric, operator.add)


def subtract(x1: Operand, x2: Operand) -> ndarray:
    """Return the differences of elements: see :func:`add`."""
    return binary(x1, x2, 'subtract', _elementwise.numeric, operator.sub)


def multiply(x1: Operand, x2: Operand) -> ndarray:
    """Return the products of elements, which may be bools.

    Parameters
    ----------
    x1, x2 : ndarray or number
        At least one array; shapes must broadcast.

    Raises
    ------
    DimensionError
    """
    return binary(x1, x2, 'multiply', _elementwise.common, operator.mul)


def divide(x1: Operand, x2: Operand) -> ndarray:
    """Return the quotients of elements as floats: float32 for integers.

    Parameters
    ----------
    x1, x2 : ndarray or number
        At least one array; shapes must broadcast; bools are not supported.

    Raises
    ------
    DtypeError, DimensionError
    """
    return binary(x1, x2, 'true_divide', _elementwise.quotient,
                  _elementwise.of_arrays(operator.truediv))


true_divide = divide


def floor_divide(x1: Operand, x2: Operand) -> ndarray:
    """Return the quotients of elements, rounded down; they have no gradient.

    Parameters
    ----------
    x1, x2 : ndarray or number
        At least one array; shapes must broadcast; bools are not supported.

    Raises
    ------
    DtypeError, DimensionError
    """
    return binary(x1, x2, 'floor_divide', _elementwise.numeric)


def remainder(x1: Operand, x2: Operand) -> ndarray:
    """Return the remainders of divisions, with the signs of the divisors.

    Parameters
    ----------
    x1, x2 : ndarray or number
        Dividends and divisors, at least one array; shapes must broadcast; bools are
        not supported.

    Raises
    ------
    DtypeError, DimensionError
    """
    return binary(x1, x2, 'remainder', _elementwise.numeric,
                  _elementwise.of_arrays(_remainder))


mod = remainder


def _remainder(x1, x2):
    x1, x2 = F.broadcast(x1, x2)
    y = F.fmod(x1, x2)
    other_sign = (y.array != 0) & ((y.array < 0) != (x2.array < 0))
    return F.where(other_sign, y + x2, y)


def fmod(x1: Operand, x2: Operand) -> ndarray:
    """Return the remainders of divisions, with the signs of the dividends.

    Parameters
    ----------
    x1, x2 : ndarray or number
        Dividends and divisors, at least one array; shapes must broadcast; bools are
        not supported.

    Raises
    ------
    DtypeError, DimensionError
    """
    return binary(x1, x2, 'fmod', _elementwise.numeric, _elementwise.of_arrays(F.fmod))


def power(x1: Operand, x2: Operand) -> ndarray:
    """Return the powers of elements.

    Parameters
    ----------
    x1, x2 : ndarray or number
        Bases and exponents, at least one array; shapes must broadcast; bools are
        not supported.

    Raises
    ------
    DtypeError, DimensionError
    """
    return binary(x1, x2, 'power', _elementwise.numeric, _power)


def _power(x1, x2):
    if isinstance(x1, Variable) or x1 > 0:
        return operator.pow(x1, x2)
    return basic_math.pow(_elementwise.constant(x1, x2), x2)


def reciprocal(x: ndarray) -> ndarray:
    """Return the reciprocals as floats: float32 for integers.

    Raises
    ------
    DtypeError
        If the elements are bools.
    """
    return unary(x, 'reciprocal', _elementwise.quotient, lambda x: 1 / x)


def square(x: ndarray) -> ndarray:
    """Return the squares, with the dtypes of :func:`power`."""
    return unary(x, 'square', _elementwise.numeric, F.square)


def squared_difference(x1: Operand, x2: Operand) -> ndarray:
    """Return the squares of the differences of elements: see :func:`add`."""
    return square(subtract(x1, x2))

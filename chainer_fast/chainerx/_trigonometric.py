"""Elementwise trigonometric and hyperbolic functions; results are floats."""
from __future__ import annotations

from chainer_fast import functions as F
from chainer_fast.chainerx._array import ndarray
from chainer_fast.chainerx._elementwise import (
    Operand,
    binary,
    floating,
    of_arrays,
    unary,
)
from chainer_fast.functions.math import _unary
from chainer_fast.variable import Variable

__all__ = [
    'arccos', 'arccosh', 'arcsin', 'arcsinh', 'arctan', 'arctan2', 'arctanh', 'cos',
    'cosh', 'sin', 'sinh', 'tan', 'tanh']


def sin(x: ndarray) -> ndarray:
    """Return the sines."""
    return unary(x, 'sin', floating, F.sin)


def cos(x: ndarray) -> ndarray:
    """Return the cosines."""
    return unary(x, 'cos', floating, F.cos)


def tan(x: ndarray) -> ndarray:
    """Return the tangents."""
    return unary(x, 'tan', floating, F.tan)


def arcsin(x: ndarray) -> ndarray:
    """Return the inverse sines."""
    return unary(x, 'arcsin', floating, F.arcsin)


def arccos(x: ndarray) -> ndarray:
    """Return the inverse cosines."""
    return unary(x, 'arccos', floating, F.arccos)


def arctan(x: ndarray) -> ndarray:
    """Return the inverse tangents."""
    return unary(x, 'arctan', floating, F.arctan)


def sinh(x: ndarray) -> ndarray:
    """Return the hyperbolic sines."""
    return unary(x, 'sinh', floating, F.sinh)


def cosh(x: ndarray) -> ndarray:
    """Return the hyperbolic cosines."""
    return unary(x, 'cosh', floating, F.cosh)


def tanh(x: ndarray) -> ndarray:
    """Return the hyperbolic tangents."""
    return unary(x, 'tanh', floating, F.tanh)


def arctan2(x1: Operand, x2: Operand) -> ndarray:
    """Return the angles of points with the first axis.

    Parameters
    ----------
    x1, x2 : ndarray or number
        Second and first coordinates, at least one array; shapes must broadcast.

    Raises
    ------
    DimensionError
    """
    return binary(x1, x2, 'arctan2', floating, of_arrays(F.arctan2))


class Arcsinh(_unary.FloatUfunc):
    """Inverse of the hyperbolic sine."""

    ufunc = 'arcsinh'

    def gradient(self, x: Variable, gy: Variable) -> Variable:
        return gy / F.sqrt(x * x + 1)


def arcsinh(x: ndarray) -> ndarray:
    """Return the inverse of the hyperbolic sine."""
    return unary(x, 'arcsinh', floating, lambda x: Arcsinh().apply((x,))[0])


class Arccosh(_unary.FloatUfunc):
    """Inverse of the hyperbolic cosine."""

    ufunc = 'arccosh'

    def gradient(self, x: Variable, gy: Variable) -> Variable:
        return gy / F.sqrt(x * x - 1)


def arccosh(x: ndarray) -> ndarray:
    """Return the inverse of the hyperbolic cosine."""
    return unary(x, 'arccosh', floating, lambda x: Arccosh().apply((x,))[0])


def arctanh(x: ndarray) -> ndarray:
    """Return the inverse of the hyperbolic tangent."""
    return unary(x, 'arctanh', floating, F.arctanh)

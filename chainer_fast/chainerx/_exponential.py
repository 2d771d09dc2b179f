"""Elementwise exponentials, logarithms and roots; results are floats."""
from __future__ import annotations

from chainer_fast import functions as F
from chainer_fast.chainerx import _routines
from chainer_fast.chainerx._array import ndarray
from chainer_fast.chainerx._elementwise import floating, unary

__all__ = [
    'erf', 'exp', 'exp2', 'expm1', 'log', 'log10', 'log1p', 'log2', 'sqrt']


def exp(x: ndarray) -> ndarray:
    """Return the exponential of elements."""
    return unary(x, 'exp', floating, F.exp)


def exp2(x: ndarray) -> ndarray:
    """Return two to the power of elements."""
    return unary(x, 'exp2', floating, lambda x: 2 ** x)


def expm1(x: ndarray) -> ndarray:
    """Return the exponential of elements, minus one."""
    return unary(x, 'expm1', floating, F.expm1)


def log(x: ndarray) -> ndarray:
    """Return the natural logarithms."""
    return unary(x, 'log', floating, F.log)


def log2(x: ndarray) -> ndarray:
    """Return the logarithms to base two."""
    return unary(x, 'log2', floating, F.log2)


def log10(x: ndarray) -> ndarray:
    """Return the logarithms to base ten."""
    return unary(x, 'log10', floating, F.log10)


def log1p(x: ndarray) -> ndarray:
    """Return the natural logarithms of one plus elements."""
    return unary(x, 'log1p', floating, F.log1p)


def sqrt(x: ndarray) -> ndarray:
    """Return the square roots."""
    return unary(x, 'sqrt', floating, F.sqrt)


def erf(x: ndarray) -> ndarray:
    """Return the Gauss error function of elements."""
    _routines.check(x)
    return _routines.compute(
        (x,), lambda xp, x: F.erf(x).array, F.erf, floating(x.dtype))

"""Hyperbolic sine and cosine."""
from __future__ import annotations

from chainer_fast.functions.math import _unary
from chainer_fast.types import VariableOrArray
from chainer_fast.variable import Variable


class Cosh(_unary.FloatUfunc):
    """Hyperbolic cosine."""

    label = 'cosh'
    ufunc = 'cosh'

    def gradient(self, x: Variable, gy: Variable) -> Variable:
        return sinh(x) * gy


def cosh(x: VariableOrArray) -> Variable:
    """Elementwise hyperbolic cosine.

    Parameters
    ----------
    x : Variable or array
        Floating-point elements.

    Returns
    -------
    Variable
        ``(e ** x + e ** -x) / 2``, of the shape and dtype of ``x``.
    """
    return Cosh().apply((x,))[0]


class Sinh(_unary.FloatUfunc):
    """Hyperbolic sine."""

    label = 'sinh'
    ufunc = 'sinh'

    def gradient(self, x: Variable, gy: Variable) -> Variable:
        return cosh(x) * gy


def sinh(x: VariableOrArray) -> Variable:
    """Elementwise hyperbolic sine.

    Parameters
    ----------
    x : Variable or array
        Floating-point elements.

    Returns
    -------
    Variable
        ``(e ** x - e ** -x) / 2``, of the shape and dtype of ``x``.
    """
    return Sinh().apply((x,))[0]

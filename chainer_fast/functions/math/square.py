"""Squares."""
from __future__ import annotations

from chainer_fast.functions.math import _unary
from chainer_fast.types import VariableOrArray
from chainer_fast.variable import Variable


class Square(_unary.FloatUfunc):
    """``x ** 2``."""

    label = 'square'
    ufunc = 'square'

    def gradient(self, x: Variable, gy: Variable) -> Variable:
        return gy * 2.0 * x


def square(x: VariableOrArray) -> Variable:
    """Elementwise square.

    Parameters
    ----------
    x : Variable or array
        Floating-point elements.

    Returns
    -------
    Variable
        ``x * x``, of the shape and dtype of ``x``.
    """
    return Square().apply((x,))[0]

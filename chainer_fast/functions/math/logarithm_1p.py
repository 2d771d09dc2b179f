"""The logarithm of one plus x."""
from __future__ import annotations

from chainer_fast.functions.math import _unary
from chainer_fast.types import VariableOrArray
from chainer_fast.variable import Variable


class Log1p(_unary.FloatUfunc):
    """``log(1 + x)``."""

    label = 'log1p'
    ufunc = 'log1p'

    def gradient(self, x: Variable, gy: Variable) -> Variable:
        return gy / (x + 1.0)


def log1p(x: VariableOrArray) -> Variable:
    """Elementwise ``log(1 + x)``, exact for small ``x`` too.

    Parameters
    ----------
    x : Variable or array
        Floating-point elements above -1.

    Returns
    -------
    Variable
        Values of the shape and dtype of ``x``.
    """
    return Log1p().apply((x,))[0]

"""The inverse hyperbolic tangent."""
from __future__ import annotations

from chainer_fast.functions.math import _unary
from chainer_fast.types import VariableOrArray
from chainer_fast.variable import Variable


class Arctanh(_unary.FloatUfunc):
    """Inverse hyperbolic tangent."""

    ufunc = 'arctanh'

    def gradient(self, x: Variable, gy: Variable) -> Variable:
        return 1 / (1 - x * x) * gy


def arctanh(x: VariableOrArray) -> Variable:
    """Elementwise inverse hyperbolic tangent.

    Parameters
    ----------
    x : Variable or array
        Floating-point elements between -1 and 1.

    Returns
    -------
    Variable
        ``log((1 + x) / (1 - x)) / 2``, of the shape and dtype of ``x``.
    """
    return Arctanh().apply((x,))[0]

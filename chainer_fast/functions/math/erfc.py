"""The complementary error function."""
from __future__ import annotations

import math

from chainer_fast.functions.math import _special, exponential
from chainer_fast.types import VariableOrArray
from chainer_fast.variable import Variable


class Erfc(_special.SpecialFunction):
    """Complementary error function."""

    label = 'erfc'
    ufunc = 'erfc'

    def gradient(self, x: Variable, gy: Variable) -> Variable:
        return exponential.exp(-(x * x)) * (-2 / math.sqrt(math.pi)) * gy


def erfc(x: VariableOrArray) -> Variable:
    """Elementwise complementary error function.

    Parameters
    ----------
    x : Variable or array
        Floating-point elements.

    Returns
    -------
    Variable
        ``1 - erf(x)``, exact for large ``x`` too, of the shape and dtype of ``x``.
    """
    return Erfc().apply((x,))[0]

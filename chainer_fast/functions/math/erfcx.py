"""The scaled complementary error function."""
from __future__ import annotations

import math

from chainer_fast.functions.math import _special
from chainer_fast.types import VariableOrArray
from chainer_fast.variable import Variable


class Erfcx(_special.SpecialFunction):
    """Scaled complementary error function."""

    label = 'erfcx'
    ufunc = 'erfcx'
    keeps = 'xy'

    def gradient(self, x: Variable, y: Variable, gy: Variable) -> Variable:
        return (x * y - 1 / math.sqrt(math.pi)) * 2 * gy


def erfcx(x: VariableOrArray) -> Variable:
    """Elementwise scaled complementary error function.

    Parameters
    ----------
    x : Variable or array
        Floating-point elements.

    Returns
    -------
    Variable
        ``exp(x ** 2) * erfc(x)``, of the shape and dtype of ``x``.
    """
    return Erfcx().apply((x,))[0]

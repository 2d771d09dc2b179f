"""The error function."""
from __future__ import annotations

import math

from chainer_fast.functions.math import _special, exponential
from chainer_fast.types import VariableOrArray
from chainer_fast.variable import Variable


class Erf(_special.SpecialFunction):
    """Error function."""

    label = 'erf'
    ufunc = 'erf'

    def gradient(self, x: Variable, gy: Variable) -> Variable:
        return exponential.exp(-(x * x)) * (2 / math.sqrt(math.pi)) * gy


def erf(x: VariableOrArray) -> Variable:
    """Elementwise error function.

    Parameters
    ----------
    x : Variable or array
        Floating-point elements.

    Returns
    -------
    Variable
        ``2 / sqrt(pi)`` times the integral of ``exp(-t ** 2)`` from 0 to ``x``,
        of the shape and dtype of ``x``.
    """
    return Erf().apply((x,))[0]

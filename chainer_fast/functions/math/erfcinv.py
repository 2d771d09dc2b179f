"""The inverse of the complementary error function."""
from __future__ import annotations

import math

from chainer_fast.functions.math import _special, exponential
from chainer_fast.types import VariableOrArray
from chainer_fast.variable import Variable


class ErfcInv(_special.SpecialFunction):
    """Inverse of the complementary error function."""

    label = 'erfcinv'
    ufunc = 'erfcinv'
    keeps = 'y'

    def gradient(self, y: Variable, gy: Variable) -> Variable:
        return exponential.exp(y * y) * (-math.sqrt(math.pi) / 2) * gy


def erfcinv(x: VariableOrArray) -> Variable:
    """Elementwise inverse of the complementary error function.

    Parameters
    ----------
    x : Variable or array
        Floating-point elements between 0 and 2.

    Returns
    -------
    Variable
        Values whose complementary error function is ``x``,
        of the shape and dtype of ``x``.
    """
    return ErfcInv().apply((x,))[0]

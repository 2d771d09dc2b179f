"""The distribution function of the normal distribution."""
from __future__ import annotations

import math

from chainer_fast.functions.math import _special, exponential
from chainer_fast.types import VariableOrArray
from chainer_fast.variable import Variable


class Ndtr(_special.SpecialFunction):
    """Distribution function of the standard normal distribution."""

    label = 'ndtr'
    ufunc = 'ndtr'

    def gradient(self, x: Variable, gy: Variable) -> Variable:
        density = exponential.exp(x * x * -0.5) * (1 / math.sqrt(2 * math.pi))
        return density * gy


def ndtr(x: VariableOrArray) -> Variable:
    """Elementwise distribution function of the standard normal distribution.

    Parameters
    ----------
    x : Variable or array
        Floating-point elements.

    Returns
    -------
    Variable
        Probabilities of a value below ``x``, of the shape and dtype of ``x``.
    """
    return Ndtr().apply((x,))[0]

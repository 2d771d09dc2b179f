"""The logarithm of the gamma function."""
from __future__ import annotations

from chainer_fast.functions.math import _special
from chainer_fast.functions.math import digamma as digamma_mod
from chainer_fast.types import VariableOrArray
from chainer_fast.variable import Variable


class LGamma(_special.SpecialFunction):
    """Logarithm of the absolute value of the gamma function."""

    label = 'lgamma'
    ufunc = 'gammaln'

    def gradient(self, x: Variable, gy: Variable) -> Variable:
        return digamma_mod.digamma(x) * gy


def lgamma(x: VariableOrArray) -> Variable:
    """Elementwise logarithm of the absolute value of the gamma function.

    Parameters
    ----------
    x : Variable or array
        Floating-point elements.

    Returns
    -------
    Variable
        Values of the shape and dtype of ``x``.
    """
    return LGamma().apply((x,))[0]

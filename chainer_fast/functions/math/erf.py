"""The error function."""
import math

from chainer_fast.functions.math import _special, exponential


class Erf(_special.SpecialFunction):
    """Error function."""

    label = 'erf'
    ufunc = 'erf'

    def gradient(self, x, gy):
        return exponential.exp(-(x * x)) * (2 / math.sqrt(math.pi)) * gy


def erf(x):
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

"""The logarithm of the gamma function."""
from chainer_fast.functions.math import _special
from chainer_fast.functions.math import digamma as digamma_mod


class LGamma(_special.SpecialFunction):
    """Logarithm of the absolute value of the gamma function."""

    label = 'lgamma'
    ufunc = 'gammaln'

    def gradient(self, x, gy):
        return digamma_mod.digamma(x) * gy


def lgamma(x):
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

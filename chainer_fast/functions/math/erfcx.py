"""The scaled complementary error function."""
import math

from chainer_fast.functions.math import _special


class Erfcx(_special.SpecialFunction):
    """Scaled complementary error function."""

    label = 'erfcx'
    ufunc = 'erfcx'
    keeps = 'xy'

    def gradient(self, x, y, gy):
        return (x * y - 1 / math.sqrt(math.pi)) * 2 * gy


def erfcx(x):
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

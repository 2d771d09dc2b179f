"""Hyperbolic sine and cosine."""
from chainer_fast.functions.math import _unary


class Cosh(_unary.FloatUfunc):
    """Hyperbolic cosine."""

    label = 'cosh'
    ufunc = 'cosh'

    def gradient(self, x, gy):
        return sinh(x) * gy


def cosh(x):
    """Elementwise hyperbolic cosine.

    Parameters
    ----------
    x : Variable or array
        Floating-point elements.

    Returns
    -------
    Variable
        ``(e ** x + e ** -x) / 2``, of the shape and dtype of ``x``.
    """
    return Cosh().apply((x,))[0]


class Sinh(_unary.FloatUfunc):
    """Hyperbolic sine."""

    label = 'sinh'
    ufunc = 'sinh'

    def gradient(self, x, gy):
        return cosh(x) * gy


def sinh(x):
    """Elementwise hyperbolic sine.

    Parameters
    ----------
    x : Variable or array
        Floating-point elements.

    Returns
    -------
    Variable
        ``(e ** x - e ** -x) / 2``, of the shape and dtype of ``x``.
    """
    return Sinh().apply((x,))[0]

"""Squares."""
from chainer_fast.functions.math import _unary


class Square(_unary.FloatUfunc):
    """``x ** 2``."""

    label = 'square'
    ufunc = 'square'

    def gradient(self, x, gy):
        return gy * 2.0 * x


def square(x):
    """Elementwise square.

    Parameters
    ----------
    x : Variable or array
        Floating-point elements.

    Returns
    -------
    Variable
        ``x * x``, of the shape and dtype of ``x``.
    """
    return Square().apply((x,))[0]

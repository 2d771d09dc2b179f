"""Rounding down."""
from chainer_fast.functions.math import _rounding


def floor(x):
    """Elementwise greatest integer that is not above the element.

    The gradient is not propagated: the function is constant between its jumps.

    Parameters
    ----------
    x : Variable or array

    Returns
    -------
    Variable
        Integers, of the shape and dtype of ``x``, that require no gradient.
    """
    return _rounding.piecewise_constant(x, 'floor')

"""Rounding towards zero."""
from chainer_fast.functions.math import _rounding


def fix(x):
    """Elementwise nearest integer on the way to zero.

    The gradient is not propagated: the function is constant between its jumps.

    Parameters
    ----------
    x : Variable or array

    Returns
    -------
    Variable
        Integers, of the shape and dtype of ``x``, that require no gradient.
    """
    # ``fix`` is the same, and NumPy has deprecated it.
    return _rounding.piecewise_constant(x, 'trunc')

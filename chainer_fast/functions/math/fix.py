"""Rounding towards zero."""
from __future__ import annotations

from chainer_fast.functions.math import _rounding
from chainer_fast.types import VariableOrArray
from chainer_fast.variable import Variable


def fix(x: VariableOrArray) -> Variable:
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

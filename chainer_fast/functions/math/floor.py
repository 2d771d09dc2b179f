"""Rounding down."""
from __future__ import annotations

from chainer_fast.functions.math import _rounding
from chainer_fast.types import VariableOrArray
from chainer_fast.variable import Variable


def floor(x: VariableOrArray) -> Variable:
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

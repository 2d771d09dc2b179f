"""Rounding up."""
from __future__ import annotations

from chainer_fast.functions.math import _rounding
from chainer_fast.types import VariableOrArray
from chainer_fast.variable import Variable


def ceil(x: VariableOrArray) -> Variable:
    """Elementwise least integer that is not below the element.

    The gradient is not propagated: the function is constant between its jumps.

    Parameters
    ----------
    x : Variable or array

    Returns
    -------
    Variable
        Integers, of the shape and dtype of ``x``, that require no gradient.
    """
    return _rounding.piecewise_constant(x, 'ceil')

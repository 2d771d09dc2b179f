"""Signs."""
from __future__ import annotations

from chainer_fast.functions.math import _rounding
from chainer_fast.types import VariableOrArray
from chainer_fast.variable import Variable


def sign(x: VariableOrArray) -> Variable:
    """Elementwise sign.

    The gradient is not propagated: the function is constant between its jumps.

    Parameters
    ----------
    x : Variable or array

    Returns
    -------
    Variable
        -1, 0 or 1, of the shape and dtype of ``x``, that require no gradient.
    """
    return _rounding.piecewise_constant(x, 'sign')

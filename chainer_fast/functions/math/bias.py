"""Sum with an array of fewer axes."""
from __future__ import annotations

from chainer_fast.functions.math import _axes
from chainer_fast.types import VariableOrArray
from chainer_fast.variable import Variable


def bias(x: VariableOrArray, y: VariableOrArray, axis: int = 1) -> Variable:
    """Elementwise sum with an array that lacks some axes.

    Parameters
    ----------
    x : Variable or array
        Array to add to.
    y : Variable or array
        Terms. Its axes are those of ``x`` from ``axis`` on.
    axis : int
        First axis of ``x`` that ``y`` has.

    Returns
    -------
    Variable
        Sums, of the shape of ``x``.
    """
    return x + _axes.align(y, x.shape, axis)

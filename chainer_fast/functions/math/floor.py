"""Rounding down."""
from __future__ import annotations

from chainer_fast.functions.math import _rounding
from chainer_fast.variable import Variable, VariableOrArray


def floor(x: VariableOrArray) -> Variable:
    """Elementwise rounding down, to the greatest integer not above the element.

    The gradient is not propagated: the function is constant between its jumps.

    .. math:: y = \\lfloor x \\rfloor

    Parameters
    ----------
    x : Variable or array
        Numbers of any shape and dtype.

    Returns
    -------
    Variable
        Integers, of the shape and dtype of ``x``, that require no gradient.

    See Also
    --------
    chainer_fast.functions.ceil
    numpy.floor

    Examples
    --------
    >>> F.floor(np.array([-1.5, 1.5], np.float32)).array
    array([-2.,  1.], dtype=float32)
    """
    return _rounding.piecewise_constant(x, 'floor')

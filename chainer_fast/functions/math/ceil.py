"""Rounding up."""
from __future__ import annotations

from chainer_fast.functions.math import _rounding
from chainer_fast.variable import Variable, VariableOrArray


def ceil(x: VariableOrArray) -> Variable:
    """Elementwise rounding up, to the least integer not below the element.

    The gradient is not propagated: the function is constant between its jumps.

    .. math:: y = \\lceil x \\rceil

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
    chainer_fast.functions.floor
    numpy.ceil

    Examples
    --------
    >>> F.ceil(np.array([-1.5, 1.5], np.float32)).array
    array([-1.,  2.], dtype=float32)
    """
    return _rounding.piecewise_constant(x, 'ceil')

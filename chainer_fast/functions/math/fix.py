"""Rounding towards zero."""
from __future__ import annotations

from chainer_fast.functions.math import _rounding
from chainer_fast.variable import Variable, VariableOrArray


def fix(x: VariableOrArray) -> Variable:
    """Elementwise rounding towards zero.

    The gradient is not propagated: the function is constant between its jumps.

    .. math:: y = \\operatorname{sign}(x) \\lfloor |x| \\rfloor

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
    numpy.fix

    Examples
    --------
    >>> F.fix(np.array([-1.5, 1.5], np.float32)).array
    array([-1.,  1.], dtype=float32)
    """
    # ``fix`` is the same, and NumPy has deprecated it.
    return _rounding.piecewise_constant(x, 'trunc')

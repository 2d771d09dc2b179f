"""The inverse hyperbolic tangent."""
from __future__ import annotations

from chainer_fast.functions.math import _unary
from chainer_fast.variable import Variable, VariableOrArray


class Arctanh(_unary.FloatUfunc):
    """Inverse hyperbolic tangent."""

    ufunc = 'arctanh'
    keeps_dtype = True

    def gradient(self, x: Variable, gy: Variable) -> Variable:
        return 1 / (1 - x * x) * gy


def arctanh(x: VariableOrArray) -> Variable:
    """Elementwise inverse hyperbolic tangent.

    .. math:: y = \\frac{1}{2} \\log \\frac{1 + x}{1 - x}

    Parameters
    ----------
    x : Variable or array
        Floating-point elements between -1 and 1, of any shape.

    Returns
    -------
    Variable
        Values of the shape and dtype of ``x``; infinite at -1 and 1, NaN beyond.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point.

    See Also
    --------
    chainer_fast.functions.tanh

    Examples
    --------
    >>> F.arctanh(np.array([0., 0.5], np.float32)).array
    array([0.    , 0.5493], dtype=float32)
    """
    return Arctanh().apply((x,))[0]

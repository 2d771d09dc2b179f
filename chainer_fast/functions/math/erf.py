"""The error function."""
from __future__ import annotations

import math

from chainer_fast.functions.math import _special, exponential
from chainer_fast.variable import Variable, VariableOrArray


class Erf(_special.SpecialFunction):
    """Error function."""

    label = 'erf'
    ufunc = 'erf'
    keeps_dtype = True

    def gradient(self, x: Variable, gy: Variable) -> Variable:
        return exponential.exp(-(x * x)) * (2 / math.sqrt(math.pi)) * gy


def erf(x: VariableOrArray) -> Variable:
    """Elementwise error function.

    .. math:: y = \\frac{2}{\\sqrt{\\pi}} \\int_0^x e^{-t^2} \\, dt

    Parameters
    ----------
    x : Variable or array
        Floating-point elements of any shape.

    Returns
    -------
    Variable
        Values of the shape and dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point.

    See Also
    --------
    chainer_fast.functions.erfc
    chainer_fast.functions.erfinv
    chainer_fast.functions.ndtr
    scipy.special.erf

    Examples
    --------
    >>> F.erf(np.array([0., 1., 100.], np.float32)).array
    array([0.    , 0.8427, 1.    ], dtype=float32)
    """
    return Erf().apply((x,))[0]

"""The inverse of the error function."""
from __future__ import annotations

import math

from chainer_fast.functions.math import _special, exponential
from chainer_fast.variable import Variable, VariableOrArray


class ErfInv(_special.SpecialFunction):
    """Inverse of the error function."""

    label = 'erfinv'
    ufunc = 'erfinv'
    keeps = 'y'

    def gradient(self, y: Variable, gy: Variable) -> Variable:
        return exponential.exp(y * y) * (math.sqrt(math.pi) / 2) * gy


def erfinv(x: VariableOrArray) -> Variable:
    """Elementwise inverse of the error function.

    .. math:: y = \\operatorname{erf}^{-1}(x)

    Parameters
    ----------
    x : Variable or array
        Floating-point elements between -1 and 1, of any shape.

    Returns
    -------
    Variable
        Values whose error function is ``x``, of the shape and dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point.

    See Also
    --------
    chainer_fast.functions.erf
    chainer_fast.functions.erfcinv
    chainer_fast.functions.ndtri
    scipy.special.erfinv

    Examples
    --------
    >>> F.erfinv(np.array([0., 0.5], np.float32)).array
    array([0.    , 0.4769], dtype=float32)
    """
    return ErfInv().apply((x,))[0]

"""The inverse of the complementary error function."""
from __future__ import annotations

import math

from chainer_fast.functions.math import _special, exponential
from chainer_fast.variable import Variable, VariableOrArray


class ErfcInv(_special.SpecialFunction):
    """Inverse of the complementary error function."""

    label = 'erfcinv'
    ufunc = 'erfcinv'
    keeps = 'y'

    def gradient(self, y: Variable, gy: Variable) -> Variable:
        return exponential.exp(y * y) * (-math.sqrt(math.pi) / 2) * gy


def erfcinv(x: VariableOrArray) -> Variable:
    """Elementwise inverse of the complementary error function.

    .. math:: y = \\operatorname{erfc}^{-1}(x)

    Parameters
    ----------
    x : Variable or array
        Floating-point elements between 0 and 2, of any shape.

    Returns
    -------
    Variable
        Values whose complementary error function is ``x``, of its shape and dtype.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point.

    See Also
    --------
    chainer_fast.functions.erfc
    chainer_fast.functions.erfinv
    scipy.special.erfcinv

    Examples
    --------
    >>> F.erfcinv(np.array([0.5, 1.5], np.float32)).array
    array([ 0.4769, -0.4769], dtype=float32)
    """
    return ErfcInv().apply((x,))[0]

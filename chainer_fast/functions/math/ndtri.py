"""Quantiles of the normal distribution."""
from __future__ import annotations

import math

from chainer_fast.functions.math import _special, exponential
from chainer_fast.variable import Variable, VariableOrArray


class Ndtri(_special.SpecialFunction):
    """Quantile function of the standard normal distribution."""

    label = 'ndtri'
    ufunc = 'ndtri'
    keeps = 'y'

    def gradient(self, y: Variable, gy: Variable) -> Variable:
        return exponential.exp(y * y * 0.5) * math.sqrt(2 * math.pi) * gy


def ndtri(x: VariableOrArray) -> Variable:
    """Elementwise quantile function of the standard normal distribution.

    .. math:: y = \\Phi^{-1}(x)

    Parameters
    ----------
    x : Variable or array
        Probabilities, floating-point, of any shape.

    Returns
    -------
    Variable
        Values such that a standard normal variable is less with probability ``x``, of
        the shape and dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point.

    See Also
    --------
    chainer_fast.functions.ndtr
    chainer_fast.functions.erfinv
    scipy.special.ndtri

    Examples
    --------
    >>> F.ndtri(np.array([0.5, 0.975], np.float32)).array
    array([0.  , 1.96], dtype=float32)
    """
    return Ndtri().apply((x,))[0]

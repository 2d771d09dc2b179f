"""The distribution function of the normal distribution."""
from __future__ import annotations

import math

from chainer_fast.functions.math import _special, exponential
from chainer_fast.variable import Variable, VariableOrArray


class Ndtr(_special.SpecialFunction):
    """Distribution function of the standard normal distribution."""

    label = 'ndtr'
    ufunc = 'ndtr'
    keeps_dtype = True

    def gradient(self, x: Variable, gy: Variable) -> Variable:
        density = exponential.exp(x * x * -0.5) * (1 / math.sqrt(2 * math.pi))
        return density * gy


def ndtr(x: VariableOrArray) -> Variable:
    """Elementwise distribution function of the standard normal distribution.

    .. math::

        y = \\Phi(x) = \\frac{1}{\\sqrt{2 \\pi}} \\int_{-\\infty}^x e^{-t^2 / 2} \\, dt

    Parameters
    ----------
    x : Variable or array
        Floating-point elements of any shape.

    Returns
    -------
    Variable
        Probabilities of a value less than ``x``, of the shape and dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point.

    See Also
    --------
    chainer_fast.functions.ndtri
    chainer_fast.functions.log_ndtr
    chainer_fast.functions.erf
    scipy.special.ndtr

    Examples
    --------
    >>> F.ndtr(np.array([0., 1.96], np.float32)).array
    array([0.5  , 0.975], dtype=float32)
    """
    return Ndtr().apply((x,))[0]

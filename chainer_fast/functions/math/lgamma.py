"""The logarithm of the gamma function."""
from __future__ import annotations

from chainer_fast.functions.math import _special
from chainer_fast.functions.math import digamma as digamma_mod
from chainer_fast.variable import Variable, VariableOrArray


class LGamma(_special.SpecialFunction):
    """Logarithm of the absolute value of the gamma function."""

    label = 'lgamma'
    ufunc = 'gammaln'

    def gradient(self, x: Variable, gy: Variable) -> Variable:
        return digamma_mod.digamma(x) * gy


def lgamma(x: VariableOrArray) -> Variable:
    """Elementwise logarithm of the absolute value of the gamma function.

    .. math:: y = \\ln |\\Gamma(x)|

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
    chainer_fast.functions.digamma
    scipy.special.gammaln

    Examples
    --------
    >>> F.lgamma(np.array([1., 2., 5.], np.float32)).array    # log 4! is the last
    array([0.    , 0.    , 3.1781], dtype=float32)
    """
    return LGamma().apply((x,))[0]

"""The complementary error function."""
from __future__ import annotations

import math

from chainer_fast.functions.math import _special, exponential
from chainer_fast.variable import Variable, VariableOrArray


class Erfc(_special.SpecialFunction):
    """Complementary error function."""

    label = 'erfc'
    ufunc = 'erfc'
    keeps_dtype = True

    def gradient(self, x: Variable, gy: Variable) -> Variable:
        return exponential.exp(-(x * x)) * (-2 / math.sqrt(math.pi)) * gy


def erfc(x: VariableOrArray) -> Variable:
    """Elementwise complementary error function.

    .. math:: y = 1 - \\operatorname{erf}(x)

    Parameters
    ----------
    x : Variable or array
        Floating-point elements of any shape.

    Returns
    -------
    Variable
        Values of the shape and dtype of ``x``, precise even for large ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point.

    See Also
    --------
    chainer_fast.functions.erf
    chainer_fast.functions.erfcx
    chainer_fast.functions.erfcinv
    scipy.special.erfc

    Examples
    --------
    >>> F.erfc(np.array([0., 1., 100.], np.float32)).array
    array([1.    , 0.1573, 0.    ], dtype=float32)
    """
    return Erfc().apply((x,))[0]

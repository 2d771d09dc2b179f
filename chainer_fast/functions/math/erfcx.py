"""The scaled complementary error function."""
from __future__ import annotations

import math

from chainer_fast.functions.math import _special
from chainer_fast.variable import Variable, VariableOrArray


class Erfcx(_special.SpecialFunction):
    """Scaled complementary error function."""

    label = 'erfcx'
    ufunc = 'erfcx'
    keeps = 'xy'

    def gradient(self, x: Variable, y: Variable, gy: Variable) -> Variable:
        return (x * y - 1 / math.sqrt(math.pi)) * 2 * gy


def erfcx(x: VariableOrArray) -> Variable:
    """Elementwise scaled complementary error function.

    .. math:: y = e^{x^2} \\operatorname{erfc}(x)

    Parameters
    ----------
    x : Variable or array
        Floating-point elements of any shape.

    Returns
    -------
    Variable
        Values of the shape and dtype of ``x``, which do not underflow for large ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point.

    See Also
    --------
    chainer_fast.functions.erfc
    chainer_fast.functions.log_ndtr
    scipy.special.erfcx

    Examples
    --------
    >>> F.erfcx(np.array([0., 10.], np.float32)).array
    array([1.    , 0.0561], dtype=float32)
    """
    return Erfcx().apply((x,))[0]

"""The digamma function."""
from __future__ import annotations

import numpy

from chainer_fast import backend
from chainer_fast.functions.math import _special
from chainer_fast.functions.math import polygamma as polygamma_mod
from chainer_fast.variable import Variable, VariableOrArray


class DiGamma(_special.SpecialFunction):
    """Digamma function."""

    label = 'digamma'
    ufunc = 'digamma'

    def gradient(self, x: Variable, gy: Variable) -> Variable:
        xp = backend.get_array_module(x)
        first = xp.asarray(1, dtype=numpy.int64)
        return polygamma_mod.polygamma(first, x) * gy


def digamma(x: VariableOrArray) -> Variable:
    """Elementwise digamma function, the derivative of :func:`lgamma`.

    .. math:: \\psi(x) = \\frac{\\Gamma'(x)}{\\Gamma(x)}

    Its value at 1 is minus Euler's constant.

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
    chainer_fast.functions.lgamma
    chainer_fast.functions.polygamma
    scipy.special.digamma

    Examples
    --------
    >>> F.digamma(np.array([1., 2.], np.float32)).array
    array([-0.5772,  0.4228], dtype=float32)
    """
    return DiGamma().apply((x,))[0]

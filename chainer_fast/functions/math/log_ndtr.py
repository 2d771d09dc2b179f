"""The logarithm of the distribution function of the normal distribution."""
from __future__ import annotations

import math

from chainer_fast.functions.math import _special
from chainer_fast.functions.math import erfcx as erfcx_mod
from chainer_fast.variable import Variable, VariableOrArray


class LogNdtr(_special.SpecialFunction):
    """Logarithm of :class:`Ndtr`."""

    label = 'log_ndtr'
    ufunc = 'log_ndtr'

    def gradient(self, x: Variable, gy: Variable) -> Variable:
        # The density divided by the distribution function, without their tails.
        ratio = math.sqrt(2 / math.pi) / erfcx_mod.erfcx(x * -math.sqrt(0.5))
        return ratio * gy


def log_ndtr(x: VariableOrArray) -> Variable:
    """Elementwise logarithm of the normal distribution function.

    .. math:: y = \\ln \\Phi(x)

    Parameters
    ----------
    x : Variable or array
        Floating-point elements of any shape.

    Returns
    -------
    Variable
        Logarithms of the shape and dtype of ``x``, precise even for very negative
        ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point.

    See Also
    --------
    chainer_fast.functions.ndtr
    scipy.special.log_ndtr

    Examples
    --------
    >>> F.log_ndtr(np.array([0., -40.], np.float32)).array
    array([  -0.6931, -804.6085], dtype=float32)
    """
    return LogNdtr().apply((x,))[0]

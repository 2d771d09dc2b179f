"""Hyperbolic sine and cosine."""
from __future__ import annotations

from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.arithmetic import elementwise
from chainer_fast.functions.math import _unary
from chainer_fast.variable import Variable, VariableOrArray


@record(elementwise('cosh', ('Cosh::grad', 0)))
class Cosh(_unary.FloatUfunc):
    """Hyperbolic cosine."""

    label = 'cosh'
    ufunc = 'cosh'

    def gradient(self, x: Variable, gy: Variable) -> Variable:
        return sinh(x) * gy


def cosh(x: VariableOrArray) -> Variable:
    """Elementwise hyperbolic cosine.

    .. math:: y = \\frac{e^x + e^{-x}}{2}

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
    chainer_fast.functions.sinh
    chainer_fast.functions.tanh
    numpy.cosh

    Examples
    --------
    >>> F.cosh(np.array([0., 1.], np.float32)).array
    array([1.    , 1.5431], dtype=float32)
    """
    return Cosh().apply((x,))[0]


@record(elementwise('sinh', ('Sinh::grad', 0)))
class Sinh(_unary.FloatUfunc):
    """Hyperbolic sine."""

    label = 'sinh'
    ufunc = 'sinh'

    def gradient(self, x: Variable, gy: Variable) -> Variable:
        return cosh(x) * gy


def sinh(x: VariableOrArray) -> Variable:
    """Elementwise hyperbolic sine.

    .. math:: y = \\frac{e^x - e^{-x}}{2}

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
    chainer_fast.functions.cosh
    chainer_fast.functions.tanh
    numpy.sinh

    Examples
    --------
    >>> F.sinh(np.array([0., 1.], np.float32)).array
    array([0.    , 1.1752], dtype=float32)
    """
    return Sinh().apply((x,))[0]

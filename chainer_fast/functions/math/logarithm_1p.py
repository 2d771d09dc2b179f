"""The logarithm of one plus x."""
from __future__ import annotations

from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.arithmetic import elementwise
from chainer_fast.functions.math import _unary
from chainer_fast.variable import Variable, VariableOrArray


@record(elementwise('log1p', ('Log1p::grad', 0)))
class Log1p(_unary.FloatUfunc):
    """``log(1 + x)``."""

    label = 'log1p'
    ufunc = 'log1p'

    def gradient(self, x: Variable, gy: Variable) -> Variable:
        return gy / (x + 1.0)


def log1p(x: VariableOrArray) -> Variable:
    """Elementwise ``log(1 + x)``, precise even for small ``x``.

    .. math:: y = \\ln(1 + x)

    Parameters
    ----------
    x : Variable or array
        Floating-point elements greater than -1, of any shape.

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
    chainer_fast.functions.log
    chainer_fast.functions.expm1
    numpy.log1p

    Examples
    --------
    >>> F.log1p(np.array([0., 1.], np.float32)).array
    array([0.    , 0.6931], dtype=float32)
    """
    return Log1p().apply((x,))[0]

"""The exponential function minus one."""
from __future__ import annotations

from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.arithmetic import elementwise
from chainer_fast.functions.math import _unary
from chainer_fast.variable import Variable, VariableOrArray


@record(elementwise('expm1', ('Expm1::grad', 'y')))
class Expm1(_unary.FloatUfunc):
    """``e ** x - 1``."""

    label = 'expm1'
    ufunc = 'expm1'
    keeps = 'y'

    def gradient(self, y: Variable, gy: Variable) -> Variable:
        return (y + 1.0) * gy


def expm1(x: VariableOrArray) -> Variable:
    """Elementwise ``e ** x - 1``, precise even for small ``x``.

    .. math:: y = e^x - 1

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
    chainer_fast.functions.exp
    chainer_fast.functions.log1p
    numpy.expm1

    Examples
    --------
    >>> F.expm1(np.array([0., 1.], np.float32)).array
    array([0.    , 1.7183], dtype=float32)
    """
    return Expm1().apply((x,))[0]

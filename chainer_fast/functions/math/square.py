"""Squares."""
from __future__ import annotations

from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.arithmetic import elementwise
from chainer_fast.functions.math import _unary
from chainer_fast.variable import Variable, VariableOrArray


@record(elementwise('Square::of', ('Square::grad', 0)))
class Square(_unary.FloatUfunc):
    """``x ** 2``."""

    label = 'square'
    ufunc = 'square'

    def gradient(self, x: Variable, gy: Variable) -> Variable:
        return gy * 2.0 * x


def square(x: VariableOrArray) -> Variable:
    """Elementwise square.

    .. math:: y = x^2

    Parameters
    ----------
    x : Variable or array
        Floating-point elements of any shape.

    Returns
    -------
    Variable
        Squares, of the shape and dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point.

    See Also
    --------
    chainer_fast.functions.sqrt
    numpy.square

    Examples
    --------
    >>> F.square(np.array([-3., 2.], np.float32)).array
    array([9., 4.], dtype=float32)
    """
    return Square().apply((x,))[0]

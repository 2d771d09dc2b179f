"""Square roots and their reciprocals."""
from __future__ import annotations

from chainer_fast import variable
from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.arithmetic import elementwise, unary
from chainer_fast.functions.math import _unary
from chainer_fast.types import NdArray
from chainer_fast.variable import Variable, VariableOrArray


@record(elementwise('sqrt', ('Sqrt::grad', 'y')))
class Sqrt(_unary.FloatUfunc):
    """``x ** 0.5``."""

    label = 'sqrt'
    ufunc = 'sqrt'
    keeps = 'y'

    def gradient(self, y: Variable, gy: Variable) -> Variable:
        return gy / (y * 2.0)


class RsqrtGPU(_unary.FloatUfunc):
    """``x ** -0.5`` on the GPU, which has an instruction for it."""

    label = 'rsqrt'
    ufunc = 'rsqrt'
    keeps = 'xy'

    def compute(self, x: NdArray) -> NdArray:
        return unary.rsqrt(x)

    def gradient(self, x: Variable, y: Variable, gy: Variable) -> Variable:
        return gy * y / x * -0.5


def sqrt(x: VariableOrArray) -> Variable:
    """Elementwise square root.

    .. math:: y = \\sqrt{x}

    Parameters
    ----------
    x : Variable or array
        Nonnegative floating-point elements; the result is NaN for others.

    Returns
    -------
    Variable
        Roots, of the shape and dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point.

    See Also
    --------
    chainer_fast.functions.rsqrt
    chainer_fast.functions.square
    numpy.sqrt

    Examples
    --------
    >>> F.sqrt(np.array([4., 9.], np.float32)).array
    array([2., 3.], dtype=float32)
    """
    return Sqrt().apply((x,))[0]


def rsqrt(x: VariableOrArray) -> Variable:
    """Elementwise reciprocal of the square root.

    .. math:: y = \\frac{1}{\\sqrt{x}}

    Parameters
    ----------
    x : Variable or array
        Positive floating-point elements of any shape; the result is infinite for zero.

    Returns
    -------
    Variable
        Reciprocals, of the shape and dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point.

    See Also
    --------
    chainer_fast.functions.sqrt

    Examples
    --------
    >>> F.rsqrt(np.array([4., 0.25], np.float32)).array
    array([0.5, 2. ], dtype=float32)
    """
    if unary.has_rsqrt(variable.as_array(x)):
        return RsqrtGPU().apply((x,))[0]
    return 1.0 / sqrt(x)

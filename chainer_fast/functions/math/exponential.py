"""The exponential function and logarithms."""
from __future__ import annotations

import math

from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.arithmetic import elementwise
from chainer_fast.backends.kernels.common import exponential
from chainer_fast.functions.math import _unary
from chainer_fast.types import NdArray
from chainer_fast.variable import Variable, VariableOrArray


@record(elementwise('exp', ('Mul::of', 'y')))
class Exp(_unary.FloatUfunc):
    """``e ** x``."""

    label = 'exp'
    ufunc = 'exp'
    keeps = 'y'

    def compute(self, x: NdArray) -> NdArray:
        return exponential.exp(x)

    def gradient(self, y: Variable, gy: Variable) -> Variable:
        return y * gy


def exp(x: VariableOrArray) -> Variable:
    """Elementwise exponential function.

    .. math:: y = e^x

    Parameters
    ----------
    x : Variable or array
        Floating-point elements of any shape.

    Returns
    -------
    Variable
        Powers, of the shape and dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point.

    See Also
    --------
    chainer_fast.functions.expm1
    chainer_fast.functions.log
    numpy.exp

    Examples
    --------
    >>> F.exp(np.array([0., 1.], np.float32)).array
    array([1.    , 2.7183], dtype=float32)
    """
    return Exp().apply((x,))[0]


@record(elementwise('log', ('Log::grad', 0)))
class Log(_unary.FloatUfunc):
    """Natural logarithm."""

    label = 'log'
    ufunc = 'log'

    def gradient(self, x: Variable, gy: Variable) -> Variable:
        return gy / x


def log(x: VariableOrArray) -> Variable:
    """Elementwise natural logarithm.

    .. math:: y = \\ln x

    Parameters
    ----------
    x : Variable or array
        Positive floating-point elements of any shape.

    Returns
    -------
    Variable
        Logarithms, of the shape and dtype of ``x``; minus infinity at zero, NaN below.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point.

    See Also
    --------
    chainer_fast.functions.exp
    chainer_fast.functions.log1p
    numpy.log

    Examples
    --------
    >>> F.log(np.array([1., 10.], np.float32)).array
    array([0.    , 2.3026], dtype=float32)
    """
    return Log().apply((x,))[0]


class Log2(_unary.FloatUfunc):
    """Logarithm to the base 2."""

    label = 'log2'
    ufunc = 'log2'

    def gradient(self, x: Variable, gy: Variable) -> Variable:
        return gy / x * (1 / math.log(2))


def log2(x: VariableOrArray) -> Variable:
    """Elementwise logarithm to the base 2.

    .. math:: y = \\log_2 x

    Parameters
    ----------
    x : Variable or array
        Positive floating-point elements of any shape.

    Returns
    -------
    Variable
        Logarithms, of the shape and dtype of ``x``; minus infinity at zero, NaN below.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point.

    See Also
    --------
    chainer_fast.functions.log
    numpy.log2

    Examples
    --------
    >>> F.log2(np.array([1., 2., 8.], np.float32)).array
    array([0., 1., 3.], dtype=float32)
    """
    return Log2().apply((x,))[0]


class Log10(_unary.FloatUfunc):
    """Logarithm to the base 10."""

    label = 'log10'
    ufunc = 'log10'

    def gradient(self, x: Variable, gy: Variable) -> Variable:
        return gy / x * (1 / math.log(10))


def log10(x: VariableOrArray) -> Variable:
    """Elementwise logarithm to the base 10.

    .. math:: y = \\log_{10} x

    Parameters
    ----------
    x : Variable or array
        Positive floating-point elements of any shape.

    Returns
    -------
    Variable
        Logarithms, of the shape and dtype of ``x``; minus infinity at zero, NaN below.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point.

    See Also
    --------
    chainer_fast.functions.log
    numpy.log10

    Examples
    --------
    >>> F.log10(np.array([1., 10., 1000.], np.float32)).array
    array([0., 1., 3.], dtype=float32)
    """
    return Log10().apply((x,))[0]

"""The exponential function and logarithms."""
from __future__ import annotations

import math

from chainer_fast.backends.kernels import shortcut
from chainer_fast.backends.kernels.arithmetic import shortcuts
from chainer_fast.backends.kernels.common import exponential
from chainer_fast.functions.math import _unary
from chainer_fast.types import NdArray, VariableOrArray
from chainer_fast.variable import Variable


@shortcut(shortcuts.ExpShortcut())
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

    Parameters
    ----------
    x : Variable or array
        Floating-point elements.

    Returns
    -------
    Variable
        ``e ** x``, of the shape and dtype of ``x``.
    """
    return Exp().apply((x,))[0]


class Log(_unary.FloatUfunc):
    """Natural logarithm."""

    label = 'log'
    ufunc = 'log'

    def gradient(self, x: Variable, gy: Variable) -> Variable:
        return gy / x


def log(x: VariableOrArray) -> Variable:
    """Elementwise natural logarithm.

    Parameters
    ----------
    x : Variable or array
        Positive floating-point elements.

    Returns
    -------
    Variable
        Logarithms, of the shape and dtype of ``x``.
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

    Parameters
    ----------
    x : Variable or array
        Positive floating-point elements.

    Returns
    -------
    Variable
        Logarithms, of the shape and dtype of ``x``.
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

    Parameters
    ----------
    x : Variable or array
        Positive floating-point elements.

    Returns
    -------
    Variable
        Logarithms, of the shape and dtype of ``x``.
    """
    return Log10().apply((x,))[0]

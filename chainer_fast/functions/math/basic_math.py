"""The operators of variables.

The functions behind them stand in modules of their own, by operation; all of them are
part of this module.
"""
import numpy

from chainer_fast import backend, function_node, utils, variable
from chainer_fast._core import grad_table, graph
from chainer_fast.functions import _checks
from chainer_fast.functions.math import _operands
from chainer_fast.functions.math import floor as _floor
from chainer_fast.functions.math import matmul as _matmul
from chainer_fast.functions.math._additive import (
    Add,
    AddConstant,
    MultiAdd,
    Neg,
    Sub,
    SubFromConstant,
)
from chainer_fast.functions.math._multiplicative import (
    Div,
    DivFromConstant,
    Mul,
    MulConstant,
)
from chainer_fast.functions.math._operands import (
    _convert_value_to_string as _convert_value_to_string,
)
from chainer_fast.functions.math._operands import _preprocess_const as _preprocess_const
from chainer_fast.functions.math._operands import _preprocess_rhs
from chainer_fast.functions.math._power import (
    PowConstVar,
    PowVarConst,
    PowVarVar,
)
from chainer_fast.utils import type_check


class Absolute(_operands.UnaryOperator):
    """``|x|``."""

    label = '|_|'
    floating = True

    def forward(self, x):
        self.retain_inputs((0,))
        operand, = x
        return utils.force_array(abs(operand)),

    def backward(self, indexes, grad_outputs):
        x, = self.get_retained_inputs()
        return AbsoluteGrad(x.array).apply(grad_outputs)


class AbsoluteGrad(function_node.FunctionNode):
    """Gradient of ``|x|``: ``sign(x) * gy``. It is linear in its input ``gy``."""

    is_elementwise = True

    def __init__(self, x):
        self.x = x

    def check_type_forward(self, in_types):
        _checks.floats(in_types, 'gy')
        type_check.expect(in_types[0].shape == self.x.shape)

    def forward(self, inputs):
        xp = backend.get_array_module(self.x)
        return utils.force_array(xp.sign(self.x) * inputs[0]),

    def backward(self, indexes, grad_outputs):
        return AbsoluteGrad(self.x).apply(grad_outputs)


def neg(self):
    """Elementwise ``-x``, the operator ``-``.

    Returns
    -------
    Variable
        Of the shape and dtype of the operand.
    """
    return Neg().apply((self,))[0]


def absolute(self):
    """Elementwise absolute value, of ``abs(x)``.

    Returns
    -------
    Variable
        Of the shape and dtype of the floating-point operand.
    """
    return Absolute().apply((self,))[0]


def _apply(x, other, with_constant, with_array, reflected=False):
    """Applies one of two functions, as ``other`` is a scalar or not.

    ``reflected`` puts ``x`` on the right.
    """
    if _operands.is_constant(other):
        y, = with_constant(other).apply((x,))
        return y
    other = _preprocess_rhs(x, other)
    y, = with_array().apply((other, x) if reflected else (x, other))
    return y


def add(*xs):
    """Elementwise sum.

    Parameters
    ----------
    xs : Variable or array
        Arrays of one dtype and of shapes that broadcast. The second of two may be a
        scalar, or an array of another dtype: it is cast to the dtype of the first.

    Returns
    -------
    Variable
        ``xs[0] + xs[1] + ...``
    """
    if len(xs) != 2:
        return MultiAdd().apply(xs)[0]
    return _apply(*xs, AddConstant, Add)


def _add_negative(value):
    if isinstance(value, numpy.unsignedinteger):
        value = int(value)  # the negative of an unsigned integer wraps around
    return AddConstant(-value)


def sub(self, rhs):
    """Elementwise difference, the operator ``-``.

    Parameters
    ----------
    rhs : Variable, array or scalar
        What is subtracted; arrays and scalars are cast to the dtype on the left.

    Returns
    -------
    Variable
    """
    return _apply(self, rhs, _add_negative, Sub)


def rsub(self, rhs):
    """Elementwise ``rhs - self``: :func:`sub` with its operands exchanged."""
    return _apply(self, rhs, SubFromConstant, Sub, reflected=True)


def mul(self, rhs):
    """Elementwise product, the operator ``*``.

    Parameters
    ----------
    rhs : Variable, array or scalar
        The other factor; arrays and scalars are cast to the dtype on the left.

    Returns
    -------
    Variable
    """
    return _apply(self, rhs, MulConstant, Mul)


def _multiply_by_reciprocal(value):
    return MulConstant(1. / value)


def div(self, rhs):
    """Elementwise quotient, the operator ``/``.

    Parameters
    ----------
    rhs : Variable, array or scalar
        The divisor; arrays and scalars are cast to the dtype on the left.

    Returns
    -------
    Variable
    """
    return _apply(self, rhs, _multiply_by_reciprocal, Div)


def rdiv(self, rhs):
    """Elementwise ``rhs / self``: :func:`div` with its operands exchanged."""
    return _apply(self, rhs, DivFromConstant, Div, reflected=True)


def floordiv(self, rhs):
    """Elementwise quotient rounded down, the operator ``//``; it has no gradient."""
    return _floor.floor(div(self, rhs))


def rfloordiv(self, rhs):
    """Elementwise ``rhs // self``, without gradient."""
    return _floor.floor(rdiv(self, rhs))


def pow(self, rhs):
    """Elementwise power, the operator ``**``.

    Parameters
    ----------
    rhs : Variable, array or scalar
        The exponent; arrays and scalars are cast to the dtype on the left.

    Returns
    -------
    Variable
    """
    return _apply(self, rhs, PowVarConst, PowVarVar)


def rpow(self, rhs):
    """Elementwise ``rhs ** self``: :func:`pow` with its operands exchanged."""
    return _apply(self, rhs, PowConstVar, PowVarVar, reflected=True)


def matmul(self, rhs):
    """Matrix product, the operator ``@``.

    Parameters
    ----------
    rhs : Variable or array
        Matrices; an array is cast to the dtype on the left.

    Returns
    -------
    Variable
    """
    return _matmul.matmul(self, _preprocess_rhs(self, rhs))


def rmatmul(self, rhs):
    """Matrix product ``rhs @ self``: :func:`matmul` with its operands exchanged."""
    return _matmul.matmul(_preprocess_rhs(self, rhs), self)


def install_variable_arithmetics():
    """Gives :class:`~chainer_fast.Variable` its arithmetic operators."""
    graph.bind_operators(
        functions={
            'add': add, 'sub': sub, 'mul': mul, 'truediv': div, 'floordiv': floordiv,
            'pow': pow, 'matmul': matmul},
        reflected={
            'add': add, 'sub': rsub, 'mul': mul, 'truediv': rdiv,
            'floordiv': rfloordiv, 'pow': rpow, 'matmul': rmatmul},
        of_variables={'add': Add, 'sub': Sub, 'mul': Mul},
        of_constant={'add': AddConstant, 'mul': MulConstant},
        of_constant_reflected={
            'add': AddConstant, 'sub': SubFromConstant, 'mul': MulConstant},
        neg=neg, neg_class=Neg)
    variable.Variable.__abs__ = absolute
    # The names that Python 2 had.
    variable.Variable.__div__ = div
    variable.Variable.__rdiv__ = rdiv


grad_table.bind_add(add)

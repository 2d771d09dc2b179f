"""The operators of variables: functions for sums, products and powers.

The gradient of a function that is not composed of others is also a function.
"""
from __future__ import annotations

import math
from typing import Any

import numpy

from chainer_fast import backend, function_node, utils, variable
from chainer_fast._core.graphs import graph
from chainer_fast.backends.kernels import arithmetic as kernels
from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.arithmetic import elementwise, unary
from chainer_fast.backends.kernels.common import halves
from chainer_fast.functions import _checks
from chainer_fast.functions.math import _gradients, _operands, exponential
from chainer_fast.functions.math import floor as _floor
from chainer_fast.functions.math import matmul as _matmul
from chainer_fast.functions.math._operands import (
    _convert_value_to_string as _convert_value_to_string,
)
from chainer_fast.functions.math._operands import _preprocess_const as _preprocess_const
from chainer_fast.functions.math._operands import _preprocess_rhs
from chainer_fast.types import NdArray, Xp
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray

# Sums and differences
#


@record(elementwise('Neg::of', ('Neg::of', 'g')))
class Neg(_operands.UnaryOperator):
    """``-x``."""

    label = '__neg__'

    def forward(self, x: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs(())
        operand, = x
        return utils.force_array(-operand),

    def backward(
            self, indexes: tuple[int, ...],
            gy: GradOutputs) -> tuple[Variable | None, ...]:
        return -gy[0],


@record(elementwise('Add::of', None, None, broadcasts=True))
class Add(_operands.BinaryOperator):
    """``lhs + rhs``."""

    label = '_ + _'
    floating = False

    @halves.forward_in_single
    def forward(self, x: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        lhs, rhs = x
        return utils.force_array(lhs + rhs),

    def backward(
            self, indexes: tuple[int, ...],
            gy: GradOutputs) -> tuple[Variable | None, ...]:
        return tuple([_gradients.fit(gy[0], self.inputs[i]) for i in indexes])


@record(elementwise('AddConstant::of', None, parameters=('value',), casts=True))
class AddConstant(_operands.ConstantOperator):
    """``x + value`` in the dtype of ``x``."""

    text = '_ + {}'

    def forward(self, x: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        lhs, = x
        return utils.force_array(lhs + _operands._preprocess_const(lhs, self.value)),

    def backward(
            self, indexes: tuple[int, ...],
            gy: GradOutputs) -> tuple[Variable | None, ...]:
        return gy


class MultiAdd(function_node.FunctionNode):
    """Sum of any number of arrays, added from left to right."""

    is_elementwise = True

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        names = [f'x{i}' for i in range(len(in_types))]
        type_check._argname(in_types, names)
        for in_type in in_types[1:]:
            type_check.expect(in_types[0].dtype == in_type.dtype)

    @halves.forward_in_single
    def forward(self, xs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.len: int = len(xs)
        first, *rest = xs
        if not rest:
            return first,
        total = unary.apply(backend.get_array_module(*xs).add, first, rest[0])
        for x in rest[1:]:
            if total.ndim and total.shape == x.shape:
                total += x
            else:
                total = total + x
        return utils.force_array(total),

    def backward(
            self, indexes: tuple[int, ...],
            gy: GradOutputs) -> tuple[Variable | None, ...]:
        return tuple([_gradients.fit(gy[0], self.inputs[i]) for i in indexes])


@record(elementwise('Sub::of', None, ('Neg::of', 'g'), broadcasts=True))
class Sub(_operands.BinaryOperator):
    """``lhs - rhs``."""

    label = '_ - _'
    floating = False

    @halves.forward_in_single
    def forward(self, x: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        lhs, rhs = x
        return utils.force_array(lhs - rhs),

    def backward(
            self, indexes: tuple[int, ...],
            gy: GradOutputs) -> tuple[Variable | None, ...]:
        grads = []
        for i in indexes:
            g = _gradients.fit(gy[0], self.inputs[i])
            grads.append(-g if i == 1 else g)
        return tuple(grads)


@record(elementwise(
    'SubFromConstant::of', ('Neg::of', 'g'), parameters=('value',), casts=True))
class SubFromConstant(_operands.ConstantOperator):
    """``value - x`` in the dtype of ``x``."""

    text = '{} - _'

    def forward(self, x: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        rhs, = x
        return utils.force_array(_operands._preprocess_const(rhs, self.value) - rhs),

    def backward(
            self, indexes: tuple[int, ...],
            gy: GradOutputs) -> tuple[Variable | None, ...]:
        return -gy[0],


# Products and quotients
#

@record(elementwise('Mul::of', ('Mul::of', 1), ('Mul::of', 0), broadcasts=True))
class Mul(_operands.BinaryOperator):
    """``lhs * rhs``."""

    label = '_ * _'

    @halves.forward_in_single
    def forward(self, x: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1))
        lhs, rhs = x
        return utils.force_array(lhs * rhs),

    def backward(
            self, indexes: tuple[int, ...],
            gy: GradOutputs) -> tuple[Variable | None, ...]:
        factors = self.get_retained_inputs()
        return tuple([
            _gradients.fit(gy[0] * factors[1 - i], factors[i]) for i in indexes])


@record(elementwise(
    'MulConstant::of', ('MulConstant::of', 'g'), parameters=('value',), casts=True))
class MulConstant(_operands.ConstantOperator):
    """``x * value`` in the dtype of ``x``."""

    text = '_ * {}'

    def forward(self, x: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        lhs, = x
        return utils.force_array(lhs * _operands._preprocess_const(lhs, self.value)),

    def backward(
            self, indexes: tuple[int, ...],
            gy: GradOutputs) -> tuple[Variable | None, ...]:
        return gy[0] * self.value,


@record(elementwise('Div::of', 'Div::grads', broadcasts=True))
class Div(_operands.BinaryOperator):
    """``lhs / rhs``."""

    label = '_ / _'

    @halves.forward_in_single
    def forward(self, x: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1))
        lhs, rhs = x
        return utils.force_array(lhs / rhs),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        operands = self.get_retained_inputs()
        same_shape = operands[0].shape == operands[1].shape
        return DivGrad(same_shape).apply((*operands, *grad_outputs))


class DivGrad(function_node.FunctionNode):
    """Gradients of ``x0 / x1``: ``gy / x1`` and ``-gy * x0 / x1 ** 2``."""

    def __init__(self, is_elementwise: bool) -> None:
        self.is_elementwise = is_elementwise

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x0, x1, gy = inputs
        self.retain_inputs((0, 1, 2))
        gx0, gx1 = kernels.div_grads(x0, x1, gy)
        return (utils.force_array(utils.sum_to(gx0, x0.shape)),
                utils.force_array(utils.sum_to(gx1, x1.shape)))

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        # With q = x0 / x1 the gradients of <ggx0, gx0> + <ggx1, gx1>, which is the sum
        # of gy / x1 * (ggx0 - ggx1 * q).
        x0, x1, gy = inputs = self.get_retained_inputs()
        ggx0, ggx1 = grad_outputs
        q = x0 / x1
        grads = []
        for i in indexes:
            if i == 0:
                g = _gradients.combine((ggx1, -gy / (x1 * x1)))
            elif i == 1:
                slope = gy / (x1 * x1)
                g = _gradients.combine((ggx0, -slope), (ggx1, 2 * q * slope))
            else:
                g = _gradients.combine((ggx0, 1 / x1), (ggx1, -q / x1))
            grads.append(None if g is None else _gradients.fit(g, inputs[i]))
        return tuple(grads)


@record(elementwise(
    'DivFromConstant::of', ('DivFromConstant::grad', 0), parameters=('value',),
    casts=True))
class DivFromConstant(_operands.ConstantOperator):
    """``value / x`` in the dtype of ``x``."""

    text = '{} / _'
    floating = True

    def forward(self, x: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0,))
        rhs, = x
        return utils.force_array(_operands._preprocess_const(rhs, self.value) / rhs),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        x, = self.get_retained_inputs()
        return DivFromConstantGrad(self.value).apply((x, grad_outputs[0]))


class DivFromConstantGrad(function_node.FunctionNode):
    """Gradient of ``value / x``: ``-value * gy / x ** 2``."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1))
        x, gy = inputs
        value = _operands._preprocess_const(x, self.value)
        return kernels.div_from_constant_grad(x, gy, value),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        # Linear in gy, so its own derivative in gy; that of x ** -2 is -2 * x ** -3.
        x, gy = self.get_retained_inputs()
        ggx, = grad_outputs
        grads = []
        for i in indexes:
            g, = DivFromConstantGrad(self.value).apply((x, ggx))
            grads.append(-2 * g * gy / x if i == 0 else g)
        return tuple(grads)


# Powers
#

def _exponent(x, value):
    """Return the exponent of a power of ``x``, in the dtype of ``x``.

    Scalars are passed to NumPy as Python numbers, since NumPy has shortcuts for
    squares, square roots and reciprocals only for these.
    """
    if _operands._is_array(value):
        return value.astype(x.dtype, copy=False)
    return float(value)


class PowVarVar(_operands.BinaryOperator):
    """``lhs ** rhs``."""

    label = '_ ** _'

    def forward(self, x: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        lhs, rhs = x
        self.y: NdArray = kernels.power(lhs, rhs)
        self.retain_inputs((0, 1))
        return self.y,

    def backward(
            self, indexes: tuple[int, ...],
            gy: GradOutputs) -> tuple[Variable | None, ...]:
        operands = self.get_retained_inputs()
        shapes = {v.shape for v in (*operands, *gy)}
        return PowVarVarGrad(len(shapes) == 1, self.y).apply((*operands, *gy))


class PowVarVarGrad(function_node.FunctionNode):
    """Gradients of ``y = x0 ** x1``.

    They are ``x1 * x0 ** (x1 - 1) * gy`` and ``log(x0) * y * gy``.
    """

    def __init__(self, is_elementwise: bool, y: NdArray) -> None:
        self.is_elementwise = is_elementwise
        self.y = y

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'lhs', 'rhs', 'gy')

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1, 2))
        x0, x1, gy = inputs
        gx0, gx1 = kernels.pow_grads(x0, x1, self.y, gy)
        return (utils.force_array(utils.sum_to(gx0, x0.shape)),
                utils.force_array(utils.sum_to(gx1, x1.shape)))

    def backward(
            self, indexes: tuple[int, ...],
            ggx: GradOutputs) -> tuple[Variable | None, ...]:
        # The gradients of u * b * p * gy + v * log(a) * a * p * gy, p = a ** (b - 1).
        a, b, gy = inputs = self.get_retained_inputs()
        u, v = ggx
        p = a ** (b - 1)
        if v is not None or 1 in indexes:
            log_a = exponential.log(a)
            log_y = log_a * a ** b
            mixed = p * (b * log_a + 1)
        else:
            log_y = mixed = None  # avoids the logarithm of a negative base
        grads = []
        for i in indexes:
            if i == 0:
                # b * (b - 1) by itself may be infinite where the power is zero.
                twice = b * ((b - 1) * a ** (b - 2))
                g = _gradients.combine((u, twice), (v, mixed)) * gy
            elif i == 1:
                g = _gradients.combine((u, mixed), (v, log_a * log_y)) * gy
            else:
                g = _gradients.combine((u, b * p), (v, log_y))
            grads.append(_gradients.fit(g, inputs[i]))
        return tuple(grads)


@record(elementwise(
    'Pow::of', ('Pow::grad', 0), parameters=('value',), casts=True, lessens=True))
class PowVarConst(_operands.ConstantOperator):
    """``x ** value`` in the dtype of ``x``."""

    text = '_ ** {}'
    floating = True

    def forward(self, x: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0,))
        return kernels.power(x[0], _exponent(x[0], self.value)),

    def backward(
            self, indexes: tuple[int, ...],
            gy: GradOutputs) -> tuple[Variable | None, ...]:
        inputs = *self.get_retained_inputs(), *gy
        return PowVarConstGrad(self.value).apply(inputs)


class PowVarConstGrad(function_node.FunctionNode):
    """Gradient of ``x ** value``: ``value * x ** (value - 1) * gy``."""

    is_elementwise = True

    def __init__(self, value: Any) -> None:
        # Subtracting one from the smallest number of the type would wrap around.
        self.value = int(value) if isinstance(value, numpy.integer) else value

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'x', 'gy')

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1))
        x, gy = inputs
        value = _operands._preprocess_const(x, self.value)
        return kernels.pow_grad(x, gy, value, _exponent(x, self.value - 1)),

    def backward(
            self, indexes: tuple[int, ...],
            ggx: GradOutputs) -> tuple[Variable | None, ...]:
        x, gy = self.get_retained_inputs()
        ggx, = ggx
        grads = []
        for i in indexes:
            if i == 0 and numpy.isscalar(self.value) and self.value == 1:
                grads.extend(_ZeroGradient().apply((x,)))
            elif i == 0:
                # Differentiate value * x ** (value - 1) by the same rule.
                rule = PowVarConstGrad(self.value - 1)
                grads.extend(rule.apply((x, ggx * self.value * gy)))
            else:
                grads.extend(PowVarConstGrad(self.value).apply((x, ggx)))
        return tuple(grads)


class _ZeroGradient(function_node.FunctionNode):
    """Gradient of a constant instead of ``0 * x ** -1``, which is NaN if ``x`` is 0."""

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0,))
        return backend.get_array_module(*inputs).zeros_like(inputs[0]),

    def backward(
            self, indexes: tuple[int, ...],
            gy: GradOutputs) -> tuple[Variable | None, ...]:
        return _ZeroGradient().apply(self.get_retained_inputs())


class PowConstVar(_operands.ConstantOperator):
    """``value ** x`` in the dtype of ``x``."""

    text = '{} ** _'
    floating = True

    def forward(self, x: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_outputs((0,))
        exponent, = x
        base = _operands._preprocess_const(exponent, self.value)
        return kernels.power_of_constant(exponent, base),

    def backward(
            self, indexes: tuple[int, ...],
            gy: GradOutputs) -> tuple[Variable | None, ...]:
        y, = self.get_retained_outputs()
        return PowConstVarGrad(self.value).apply((y, gy[0]))


def _log(value, y):
    """Return the logarithm of a base whose powers are ``y``.

    NumPy warns if the logarithm is undefined. For the base zero it is defined as 0
    where the power is 0, since the power is constant there.
    """
    if _operands._is_array(value):
        return backend.get_array_module(y).log(value)
    if value > 0:
        return math.log(value)
    if value == 0:
        return backend.get_array_module(y).where(y == 0, 0, -math.inf)
    return float(numpy.log(float(value)))


class PowConstVarGrad(function_node.FunctionNode):
    """Gradient of ``y = value ** x``: ``log(value) * y * gy``."""

    log_value: Xp | float

    is_elementwise = True

    def __init__(self, value: Any) -> None:
        self.value = value

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'y', 'gy')

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1))
        y, gy = inputs
        self.log_value = _log(self.value, y)
        log_value = _operands._preprocess_const(y, self.log_value)
        return kernels.pow_from_constant_grad(y, gy, log_value),

    def backward(
            self, indexes: tuple[int, ...],
            ggx: GradOutputs) -> tuple[Variable | None, ...]:
        y, gy = self.get_retained_inputs()
        grads = []
        for i in indexes:
            if i == 0:
                grads.append(ggx[0] * self.log_value * gy)
            else:
                grads.append(PowConstVarGrad(self.value).apply((y, ggx[0]))[0])
        return tuple(grads)


# Absolute values
#

@record(elementwise('Abs::of', ('Abs::grad', 0)))
class Absolute(_operands.UnaryOperator):
    """``|x|``."""

    label = '|_|'
    floating = True

    def forward(self, x: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0,))
        operand, = x
        return utils.force_array(abs(operand)),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        x, = self.get_retained_inputs()
        return AbsoluteGrad(x.array).apply(grad_outputs)


@record(elementwise('Abs::grad', ('Abs::grad', 'held'), held='x'))
class AbsoluteGrad(function_node.FunctionNode):
    """Gradient of ``|x|``: ``sign(x) * gy``. It is linear in its input ``gy``."""

    is_elementwise = True

    def __init__(self, x: NdArray) -> None:
        self.x = x

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'gy')
        type_check.expect(in_types[0].shape == self.x.shape)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        return kernels.abs_grad(self.x, inputs[0]),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        return AbsoluteGrad(self.x).apply(grad_outputs)


# The operators
#

def neg(self: VariableOrArray) -> Variable:
    """Elementwise ``-x``, the operator ``-``.

    Returns
    -------
    Variable
        Of the shape and dtype of the operand.
    """
    return Neg().apply((self,))[0]


def absolute(self: VariableOrArray) -> Variable:
    """Elementwise absolute value, for ``abs(x)``.

    .. math:: y = |x|

    Parameters
    ----------
    self : Variable or array
        Floating-point elements of any shape.

    Returns
    -------
    Variable
        Values of the shape and dtype of the operand. The gradient at zero is zero.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If the operand is not floating-point.

    See Also
    --------
    chainer_fast.functions.sign
    numpy.absolute

    Examples
    --------
    >>> x = np.array([-1., 2.], np.float32)
    >>> F.absolute(x).array
    array([1., 2.], dtype=float32)
    >>> abs(chainer.Variable(x)).array
    array([1., 2.], dtype=float32)
    """
    return Absolute().apply((self,))[0]


def _apply(x, other, with_constant, with_array, reflected=False):
    """Apply one of two functions, depending on whether ``other`` is a scalar.

    ``reflected`` makes ``x`` the right operand.
    """
    if _operands.is_constant(other):
        y, = with_constant(other).apply((x,))
        return y
    other = _preprocess_rhs(x, other)
    y, = with_array().apply((other, x) if reflected else (x, other))
    return y


def add(*xs: VariableOrArray) -> Variable:
    """Elementwise sum.

    .. math:: y = \\sum_k x^k

    Parameters
    ----------
    *xs : Variables or arrays
        Arrays of one dtype and of shapes that can be broadcast. If there are two
        arguments, the second one may be a scalar or an array of another dtype, which is
        cast to the dtype of the first one.

    Returns
    -------
    Variable
        Sums, of the common shape and the dtype of the first argument.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If the shapes cannot be broadcast, or the dtypes of variables, or of three or
        more arrays, differ.
    ValueError
        If there is no argument.
    TypeError
        If an argument is neither a number nor an array.

    See Also
    --------
    chainer_fast.functions.bias
    numpy.add

    Examples
    --------
    >>> x = np.array([1., 2.], np.float32)
    >>> F.add(x, x, x).array
    array([3., 6.], dtype=float32)
    >>> F.add(x, 10).array
    array([11., 12.], dtype=float32)
    """
    if len(xs) != 2:
        return MultiAdd().apply(xs)[0]
    return _apply(*xs, AddConstant, Add)


def _add_negative(value):
    if isinstance(value, numpy.unsignedinteger):
        value = int(value)  # the negative of an unsigned integer wraps around
    return AddConstant(-value)


def sub(self: VariableOrArray, rhs: Variable | NdArray | float) -> Variable:
    """Elementwise difference, the operator ``-``.

    Parameters
    ----------
    rhs : Variable, array or scalar
        The subtrahend; arrays and scalars are cast to the dtype of the left operand.

    Returns
    -------
    Variable
    """
    return _apply(self, rhs, _add_negative, Sub)


def rsub(self: VariableOrArray, rhs: VariableOrArray | float) -> Variable:
    """Elementwise ``rhs - self``: :func:`sub` with its operands exchanged."""
    return _apply(self, rhs, SubFromConstant, Sub, reflected=True)


def mul(self: VariableOrArray, rhs: Variable | NdArray | float) -> Variable:
    """Elementwise product, the operator ``*``.

    Parameters
    ----------
    rhs : Variable, array or scalar
        The other factor; arrays and scalars are cast to the dtype of the left operand.

    Returns
    -------
    Variable
    """
    return _apply(self, rhs, MulConstant, Mul)


def _multiply_by_reciprocal(value):
    return MulConstant(1. / value)


def div(self: VariableOrArray, rhs: Variable | NdArray | float) -> Variable:
    """Elementwise quotient, the operator ``/``.

    Parameters
    ----------
    rhs : Variable, array or scalar
        The divisor; arrays and scalars are cast to the dtype of the left operand.

    Returns
    -------
    Variable
    """
    return _apply(self, rhs, _multiply_by_reciprocal, Div)


def rdiv(self: VariableOrArray, rhs: VariableOrArray | float) -> Variable:
    """Elementwise ``rhs / self``: :func:`div` with its operands exchanged."""
    return _apply(self, rhs, DivFromConstant, Div, reflected=True)


def floordiv(self: VariableOrArray, rhs: VariableOrArray | float) -> Variable:
    """Elementwise quotient rounded down, the operator ``//``; it has no gradient."""
    return _floor.floor(div(self, rhs))


def rfloordiv(self: VariableOrArray, rhs: VariableOrArray | float) -> Variable:
    """Elementwise ``rhs // self``, without gradient."""
    return _floor.floor(rdiv(self, rhs))


def pow(self: VariableOrArray, rhs: Variable | NdArray | float) -> Variable:
    """Elementwise power, the operator ``**``.

    Parameters
    ----------
    rhs : Variable, array or scalar
        The exponent; arrays and scalars are cast to the dtype of the left operand.

    Returns
    -------
    Variable
    """
    return _apply(self, rhs, PowVarConst, PowVarVar)


def rpow(self: VariableOrArray, rhs: VariableOrArray | float) -> Variable:
    """Elementwise ``rhs ** self``: :func:`pow` with its operands exchanged."""
    return _apply(self, rhs, PowConstVar, PowVarVar, reflected=True)


def matmul(self: VariableOrArray, rhs: VariableOrArray) -> Variable:
    """Matrix product, the operator ``@``.

    Parameters
    ----------
    rhs : Variable or array
        Matrices; an array is cast to the dtype of the left operand.

    Returns
    -------
    Variable
    """
    return _matmul.matmul(self, _preprocess_rhs(self, rhs))


def rmatmul(self: VariableOrArray, rhs: VariableOrArray | float) -> Variable:
    """Matrix product ``rhs @ self``: :func:`matmul` with its operands exchanged."""
    return _matmul.matmul(_preprocess_rhs(self, rhs), self)


def install_variable_arithmetics() -> None:
    """Define the arithmetic operators of :class:`~chainer_fast.Variable`."""
    graph.bind_operators(
        functions={
            'add': add, 'sub': sub, 'mul': mul, 'truediv': div, 'floordiv': floordiv,
            'pow': pow, 'matmul': matmul},
        reflected={
            'add': add, 'sub': rsub, 'mul': mul, 'truediv': rdiv,
            'floordiv': rfloordiv, 'pow': rpow, 'matmul': rmatmul},
        of_variables={'add': Add, 'sub': Sub, 'mul': Mul, 'truediv': Div},
        of_constant={'add': AddConstant, 'mul': MulConstant, 'pow': PowVarConst},
        of_constant_reflected={
            'add': AddConstant, 'sub': SubFromConstant, 'mul': MulConstant,
            'truediv': DivFromConstant},
        neg=neg, neg_class=Neg)
    variable.Variable.__abs__ = absolute
    # Names in Python 2.
    variable.Variable.__div__ = div  # type: ignore[attr-defined]
    variable.Variable.__rdiv__ = rdiv  # type: ignore[attr-defined]


graph.bind_add(add, graph.registered(Add)[0])

"""Negation, addition and subtraction."""
from chainer_fast import function_node, utils
from chainer_fast.backends.kernels import shortcut
from chainer_fast.backends.kernels.arithmetic.shortcuts import (
    AddConstantShortcut,
    AddShortcut,
    NegShortcut,
    SubFromConstantShortcut,
    SubShortcut,
)
from chainer_fast.functions.math import _gradients, _operands
from chainer_fast.utils import type_check


@shortcut(NegShortcut())
class Neg(_operands.UnaryOperator):
    """``-x``."""

    label = '__neg__'

    def forward(self, x):
        self.retain_inputs(())
        operand, = x
        return utils.force_array(-operand),

    def backward(self, indexes, gy):
        return -gy[0],


@shortcut(AddShortcut())
class Add(_operands.BinaryOperator):
    """``lhs + rhs``."""

    label = '_ + _'
    floating = False

    def forward(self, x):
        lhs, rhs = x
        return utils.force_array(lhs + rhs),

    def backward(self, indexes, gy):
        return tuple([_gradients.fit(gy[0], self.inputs[i]) for i in indexes])


@shortcut(AddConstantShortcut())
class AddConstant(_operands.ConstantOperator):
    """``x + value`` in the dtype of ``x``."""

    text = '_ + {}'

    def forward(self, x):
        lhs, = x
        return utils.force_array(lhs + _operands._preprocess_const(lhs, self.value)),

    def backward(self, indexes, gy):
        return gy


class MultiAdd(function_node.FunctionNode):
    """Sum of any number of arrays, added from left to right."""

    is_elementwise = True

    def check_type_forward(self, in_types):
        names = [f'x{i}' for i in range(len(in_types))]
        type_check._argname(in_types, names)
        for in_type in in_types[1:]:
            type_check.expect(in_types[0].dtype == in_type.dtype)

    def forward(self, xs):
        self.len = len(xs)
        first, *rest = xs
        if not rest:
            return first,
        total = first + rest[0]
        for x in rest[1:]:
            if total.ndim and total.shape == x.shape:
                total += x
            else:
                total = total + x
        return utils.force_array(total),

    def backward(self, indexes, gy):
        return tuple([_gradients.fit(gy[0], self.inputs[i]) for i in indexes])


@shortcut(SubShortcut())
class Sub(_operands.BinaryOperator):
    """``lhs - rhs``."""

    label = '_ - _'
    floating = False

    def forward(self, x):
        lhs, rhs = x
        return utils.force_array(lhs - rhs),

    def backward(self, indexes, gy):
        grads = []
        for i in indexes:
            g = _gradients.fit(gy[0], self.inputs[i])
            grads.append(-g if i == 1 else g)
        return tuple(grads)


@shortcut(SubFromConstantShortcut())
class SubFromConstant(_operands.ConstantOperator):
    """``value - x`` in the dtype of ``x``."""

    text = '{} - _'

    def forward(self, x):
        rhs, = x
        return utils.force_array(_operands._preprocess_const(rhs, self.value) - rhs),

    def backward(self, indexes, gy):
        return -gy[0],

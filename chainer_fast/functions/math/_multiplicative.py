"""Multiplication and division, with the gradients of division."""
from chainer_fast import function_node, utils
from chainer_fast.backends.kernels import arithmetic as kernels
from chainer_fast.backends.kernels import shortcut
from chainer_fast.backends.kernels.arithmetic.shortcuts import (
    DivShortcut,
    MulConstantShortcut,
    MulShortcut,
)
from chainer_fast.functions.math import _gradients, _operands


@shortcut(MulShortcut())
class Mul(_operands.BinaryOperator):
    """``lhs * rhs``."""

    label = '_ * _'

    def forward(self, x):
        self.retain_inputs((0, 1))
        lhs, rhs = x
        return utils.force_array(lhs * rhs),

    def backward(self, indexes, gy):
        factors = self.get_retained_inputs()
        return tuple([
            _gradients.fit(gy[0] * factors[1 - i], factors[i]) for i in indexes])


@shortcut(MulConstantShortcut())
class MulConstant(_operands.ConstantOperator):
    """``x * value`` in the dtype of ``x``."""

    text = '_ * {}'

    def forward(self, x):
        lhs, = x
        return utils.force_array(lhs * _operands._preprocess_const(lhs, self.value)),

    def backward(self, indexes, gy):
        return gy[0] * self.value,


@shortcut(DivShortcut())
class Div(_operands.BinaryOperator):
    """``lhs / rhs``."""

    label = '_ / _'

    def forward(self, x):
        self.retain_inputs((0, 1))
        lhs, rhs = x
        return utils.force_array(lhs / rhs),

    def backward(self, indexes, grad_outputs):
        operands = self.get_retained_inputs()
        same_shape = operands[0].shape == operands[1].shape
        return DivGrad(same_shape).apply((*operands, *grad_outputs))


class DivGrad(function_node.FunctionNode):
    """Gradients of ``x0 / x1``: ``gy / x1`` and ``-gy * x0 / x1 ** 2``."""

    def __init__(self, is_elementwise):
        self.is_elementwise = is_elementwise

    def forward(self, inputs):
        x0, x1, gy = inputs
        self.retain_inputs((0, 1, 2))
        gx0, gx1 = kernels.div_grads(x0, x1, gy)
        return (utils.force_array(utils.sum_to(gx0, x0.shape)),
                utils.force_array(utils.sum_to(gx1, x1.shape)))

    def backward(self, indexes, grad_outputs):
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


class DivFromConstant(_operands.ConstantOperator):
    """``value / x`` in the dtype of ``x``."""

    text = '{} / _'
    floating = True

    def forward(self, x):
        self.retain_inputs((0,))
        rhs, = x
        return utils.force_array(_operands._preprocess_const(rhs, self.value) / rhs),

    def backward(self, indexes, grad_outputs):
        x, = self.get_retained_inputs()
        return DivFromConstantGrad(self.value).apply((x, grad_outputs[0]))


class DivFromConstantGrad(function_node.FunctionNode):
    """Gradient of ``value / x``: ``-value * gy / x ** 2``."""

    def __init__(self, value):
        self.value = value

    def forward(self, inputs):
        self.retain_inputs((0, 1))
        x, gy = inputs
        value = _operands._preprocess_const(x, self.value)
        return utils.force_array(-value * gy / (x * x)),

    def backward(self, indexes, grad_outputs):
        # Linear in gy, so its own derivative there; x ** -2 gives -2 * x ** -3.
        x, gy = self.get_retained_inputs()
        ggx, = grad_outputs
        grads = []
        for i in indexes:
            g, = DivFromConstantGrad(self.value).apply((x, ggx))
            grads.append(-2 * g * gy / x if i == 0 else g)
        return tuple(grads)

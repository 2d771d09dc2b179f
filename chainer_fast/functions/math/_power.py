"""Powers: of two arrays, of an array to a constant, of a constant to an array."""
import math

from chainer_fast import backend, function_node, utils
from chainer_fast.backends.kernels import shortcut
from chainer_fast.backends.kernels.arithmetic.shortcuts import PowVarConstShortcut
from chainer_fast.functions import _checks
from chainer_fast.functions.math import _gradients, _operands, exponential


def _raise(x, value):
    """``x ** value`` in the dtype of ``x``.

    Scalars go to NumPy as Python numbers: only these reach its short cuts for squares,
    square roots and reciprocals.
    """
    if _operands._is_array(value):
        value = value.astype(x.dtype, copy=False)
    else:
        value = float(value)
    return utils.force_array(x ** value, x.dtype)


class PowVarVar(_operands.BinaryOperator):
    """``lhs ** rhs``."""

    label = '_ ** _'

    def forward(self, x):
        lhs, rhs = x
        self.y = utils.force_array(lhs ** rhs)
        self.retain_inputs((0, 1))
        return self.y,

    def backward(self, indexes, gy):
        operands = self.get_retained_inputs()
        shapes = {v.shape for v in (*operands, *gy)}
        return PowVarVarGrad(len(shapes) == 1, self.y).apply((*operands, *gy))


class PowVarVarGrad(function_node.FunctionNode):
    """Gradients of ``y = x0 ** x1``.

    They are ``x1 * x0 ** (x1 - 1) * gy`` and ``log(x0) * y * gy``.
    """

    def __init__(self, is_elementwise, y):
        self.is_elementwise = is_elementwise
        self.y = y

    def check_type_forward(self, in_types):
        _checks.floats(in_types, 'lhs', 'rhs', 'gy')

    def forward(self, inputs):
        self.retain_inputs((0, 1, 2))
        x0, x1, gy = inputs
        xp = backend.get_array_module(x0)
        one = x1.dtype.type(1)
        gx0 = utils.force_array(x1 * (x0 ** (x1 - one)) * gy)
        gx1 = utils.force_array(xp.log(x0) * self.y * gy)
        return (utils.force_array(utils.sum_to(gx0, x0.shape)),
                utils.force_array(utils.sum_to(gx1, x1.shape)))

    def backward(self, indexes, ggx):
        # The gradients of u * b * p * gy + v * log(a) * a * p * gy, p = a ** (b - 1).
        a, b, gy = inputs = self.get_retained_inputs()
        u, v = ggx
        p = a ** (b - 1)
        if v is not None or 1 in indexes:
            log_a = exponential.log(a)
            log_y = log_a * a ** b
            mixed = p * (b * log_a + 1)
        else:
            log_y = mixed = None  # spares the logarithm of a base that is negative
        grads = []
        for i in indexes:
            if i == 0:
                g = _gradients.combine((u, b * (b - 1) * a ** (b - 2)), (v, mixed)) * gy
            elif i == 1:
                g = _gradients.combine((u, mixed), (v, log_a * log_y)) * gy
            else:
                g = _gradients.combine((u, b * p), (v, log_y))
            grads.append(_gradients.fit(g, inputs[i]))
        return tuple(grads)


@shortcut(PowVarConstShortcut())
class PowVarConst(_operands.ConstantOperator):
    """``x ** value`` in the dtype of ``x``."""

    text = '_ ** {}'
    floating = True

    def forward(self, x):
        self.retain_inputs((0,))
        return _raise(x[0], self.value),

    def backward(self, indexes, gy):
        inputs = *self.get_retained_inputs(), *gy
        return PowVarConstGrad(self.value).apply(inputs)


class PowVarConstGrad(function_node.FunctionNode):
    """Gradient of ``x ** value``: ``value * x ** (value - 1) * gy``."""

    is_elementwise = True

    def __init__(self, value):
        self.value = value

    def check_type_forward(self, in_types):
        _checks.floats(in_types, 'x', 'gy')

    def forward(self, inputs):
        self.retain_inputs((0, 1))
        x, gy = inputs
        value = _operands._preprocess_const(x, self.value)
        return utils.force_array(value * _raise(x, self.value - 1) * gy),

    def backward(self, indexes, ggx):
        x, gy = self.get_retained_inputs()
        ggx, = ggx
        grads = []
        for i in indexes:
            if i == 0:
                # value * x ** (value - 1) is differentiated by the rule once more.
                rule = PowVarConstGrad(self.value - 1)
                grads.extend(rule.apply((x, ggx * self.value * gy)))
            else:
                grads.extend(PowVarConstGrad(self.value).apply((x, ggx)))
        return tuple(grads)


class PowConstVar(_operands.ConstantOperator):
    """``value ** x`` in the dtype of ``x``."""

    text = '{} ** _'
    floating = True

    def forward(self, x):
        self.retain_outputs((0,))
        exponent, = x
        base = _operands._preprocess_const(exponent, self.value)
        return utils.force_array(base ** exponent),

    def backward(self, indexes, gy):
        y, = self.get_retained_outputs()
        return PowConstVarGrad(self.value).apply((y, gy[0]))


class PowConstVarGrad(function_node.FunctionNode):
    """Gradient of ``y = value ** x``: ``log(value) * y * gy``.

    Raises
    ------
    ValueError
        In the forward pass, if ``value`` is a scalar that is not positive.
    """

    is_elementwise = True

    def __init__(self, value):
        self.value = value

    def check_type_forward(self, in_types):
        _checks.floats(in_types, 'y', 'gy')

    def forward(self, inputs):
        self.retain_inputs((0, 1))
        y, gy = inputs
        if _operands._is_array(self.value):
            self.log_value = backend.get_array_module(y).log(self.value)
        else:
            self.log_value = math.log(self.value)
        return utils.force_array(
            _operands._preprocess_const(y, self.log_value) * y * gy),

    def backward(self, indexes, ggx):
        y, gy = self.get_retained_inputs()
        grads = []
        for i in indexes:
            if i == 0:
                grads.append(ggx[0] * self.log_value * gy)
            else:
                grads.append(PowConstVarGrad(self.value).apply((y, ggx[0]))[0])
        return tuple(grads)

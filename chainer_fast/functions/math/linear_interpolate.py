"""Linear interpolation."""
from __future__ import annotations

from chainer_fast import function_node
from chainer_fast.backends.kernels import arithmetic
from chainer_fast.functions import _checks
from chainer_fast.functions.math import _gradients
from chainer_fast.types import NdArray
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class LinearInterpolate(function_node.FunctionNode):
    """``p * x + (1 - p) * y``."""

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.similar_floats(in_types, 'p', 'x', 'y')

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1, 2))
        return arithmetic.interpolate(*inputs),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        inputs = self.get_retained_inputs()
        return LinearInterpolateGrad().apply((*inputs, *grad_outputs))


class LinearInterpolateGrad(function_node.FunctionNode):
    """Gradients ``(x - y) * gz``, ``p * gz`` and ``(1 - p) * gz``."""

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1, 2, 3))
        return arithmetic.interpolate_grads(*inputs)

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        p, x, y, gz = self.get_retained_inputs()
        ggp, ggx, ggy = grad_outputs
        grads = []
        for i in indexes:
            if i == 0:
                g = _gradients.combine((ggx, gz), (ggy, -gz))
            elif i == 3:
                g = _gradients.combine((ggp, x - y), (ggx, p), (ggy, 1 - p))
            else:
                g = _gradients.combine((ggp, gz if i == 1 else -gz))
            grads.append(g)
        return tuple(grads)


def linear_interpolate(
        p: VariableOrArray, x: VariableOrArray, y: VariableOrArray) -> Variable:
    """Elementwise interpolation between ``y`` at ``p = 0`` and ``x`` at ``p = 1``.

    .. math:: f(p, x, y) = p x + (1 - p) y

    Parameters
    ----------
    p, x, y : Variable or array
        Floating-point, of one dtype and shape.

    Returns
    -------
    Variable
        Values of the common shape and dtype.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If the arguments are not floating-point, or differ in dtype or shape.

    Examples
    --------
    >>> p = np.array([0., 0.25, 1.], np.float32)
    >>> x, y = np.full(3, 8., np.float32), np.full(3, 4., np.float32)
    >>> F.linear_interpolate(p, x, y).array
    array([4., 5., 8.], dtype=float32)
    """
    return LinearInterpolate().apply((p, x, y))[0]

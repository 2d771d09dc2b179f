from __future__ import annotations

from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels import softmax as kernels
from chainer_fast.backends.kernels.declared import Declared
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.functions.math import sum as sum_
from chainer_fast.types import NdArray
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


@record(Declared('softmax', ('softmax_grad', 'y', 'g')))
class Softmax(FunctionNode):
    """Softmax along one axis."""

    def __init__(self, axis: int = 1) -> None:
        super().__init__()
        self.axis = axis

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'x')
        _checks.axis(in_types[0], self.axis)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, = inputs
        self.retain_outputs((0,))
        return kernels.softmax(x, self.axis),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        y, = self.get_retained_outputs()
        return _SoftmaxGrad(self.axis).apply((y, grad_outputs[0]))


class _SoftmaxGrad(FunctionNode):
    """Gradient of :class:`Softmax`: :math:`y (g - \\sum_i y_i g_i)`.

    Parameters
    ----------
    axis : int
        Axis along which the softmax was computed.
    """

    def __init__(self, axis: int) -> None:
        super().__init__()
        self.axis = axis

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1))
        return kernels.softmax_grad(*inputs, self.axis),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        y, gy = self.get_retained_inputs()
        ggx, = grad_outputs
        # The gradient is linear and symmetric in gy. In y, it is a product of two
        # factors.
        y_ggx = y * ggx
        ggx_total = sum_.sum(y_ggx, axis=self.axis, keepdims=True)
        gy_total = sum_.sum(y * gy, axis=self.axis, keepdims=True)
        grad_y = gy * ggx - ggx * gy_total - gy * ggx_total
        return grad_y, y_ggx - y * ggx_total


def softmax(x: VariableOrArray, axis: int = 1) -> Variable:
    """Softmax along an axis.

    .. math:: f_i(x) = \\frac{\\exp(x_i)}{\\sum_j \\exp(x_j)}

    The largest element is subtracted first, so large values do not overflow.

    Parameters
    ----------
    x : Variable or array
        Array of a floating dtype and at least ``axis + 1`` dimensions.
    axis : int
        Axis whose elements sum to one in the result.

    Returns
    -------
    Variable
        Array of the shape and dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point or has no such axis.

    See Also
    --------
    chainer_fast.functions.log_softmax
    chainer_fast.functions.softmax_cross_entropy

    Examples
    --------
    >>> x = np.log(np.array([[1., 1., 2.], [3., 3., 6.]], np.float32))
    >>> F.softmax(x).array
    array([[0.25, 0.25, 0.5 ],
           [0.25, 0.25, 0.5 ]], dtype=float32)
    """
    return Softmax(axis=axis).apply((x,))[0]

from __future__ import annotations

from chainer_fast import utils
from chainer_fast.backends.kernels import activation as kernels
from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.common import exponential
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.types import NdArray
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


@record(kernels.elementwise('tanh', ('Tanh::grad', 'y')))
class Tanh(FunctionNode):
    """Hyperbolic tangent."""

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'x')

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_outputs((0,))
        return utils.force_array(exponential.tanh(inputs[0])),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        y, = self.get_retained_outputs()
        return TanhGrad(None).apply((y, grad_outputs[0]))


@record(kernels.elementwise('Tanh::grad', 'Tanh::grads'))
class TanhGrad(FunctionNode):
    """Gradient of :class:`Tanh`, from its output and the upstream gradient.

    Parameters
    ----------
    x : array or None
        Input of the forward pass. It is kept only for callers that access it; the
        computation needs only the output.
    """

    def __init__(self, x: NdArray | None) -> None:
        super().__init__()
        self.x = x

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1))
        return kernels.tanh_grad(*inputs),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        y, gy = self.get_retained_inputs()
        y_ggx = y * grad_outputs[0]
        return y_ggx * gy * -2, grad_outputs[0] - y_ggx * y


def tanh(x: VariableOrArray) -> Variable:
    """Hyperbolic tangent, elementwise.

    .. math:: f(x) = \\tanh(x) = \\frac{e^x - e^{-x}}{e^x + e^{-x}}

    Parameters
    ----------
    x : Variable or array
        Values of any shape and a floating dtype.

    Returns
    -------
    Variable
        Array of the shape and dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point.

    See Also
    --------
    chainer_fast.functions.sigmoid

    Examples
    --------
    >>> F.tanh(np.array([-100., 0., 0.5], np.float32)).array
    array([-1.    ,  0.    ,  0.4621], dtype=float32)
    """
    return Tanh().apply((x,))[0]

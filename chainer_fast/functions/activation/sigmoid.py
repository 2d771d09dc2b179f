from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chainer_fast.backends.kernels import activation as kernels
from chainer_fast.backends.kernels import record
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.types import NdArray
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


@record(kernels.elementwise('Sigmoid::of', ('Sigmoid::grad', 'y')))
class Sigmoid(FunctionNode):
    """Logistic sigmoid."""

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'x')

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_outputs((0,))
        return kernels.sigmoid(inputs[0]),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        # The input itself is not needed, so it was not retained.
        slope = SigmoidGrad((None,))
        return slope.apply(self.get_retained_outputs() + grad_outputs)


@record(kernels.elementwise('Sigmoid::grad', 'Sigmoid::grads'))
class SigmoidGrad(FunctionNode):
    """Gradient of :class:`Sigmoid`, from its output and the upstream gradient.

    Parameters
    ----------
    inputs : tuple
        One element: the input array of the forward pass, or ``None``. It is kept only
        for callers that access it.
    """

    def __init__(self, inputs: Sequence[Any]) -> None:
        super().__init__()
        self.x: Any = inputs[0]

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.similar_floats(in_types, 'y', 'gy')

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1))
        return kernels.sigmoid_grad(*inputs),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        y, gy = self.get_retained_inputs()
        ggx, = grad_outputs
        return ggx * gy * (1 - 2 * y), ggx * (y * (1 - y))


def sigmoid(x: VariableOrArray) -> Variable:
    """Logistic sigmoid, :math:`f(x) = (1 + \\exp(-x))^{-1}`, elementwise.

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
    chainer_fast.functions.hard_sigmoid

    Examples
    --------
    >>> F.sigmoid(np.array([-100., 0., 1.], np.float32)).array
    array([0.    , 0.5   , 0.7311], dtype=float32)
    """
    return Sigmoid().apply((x,))[0]

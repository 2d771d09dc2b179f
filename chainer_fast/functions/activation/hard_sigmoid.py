from __future__ import annotations

from chainer_fast.backends.kernels import activation as kernels
from chainer_fast.backends.kernels import record
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


@record(kernels.elementwise('HardSigmoid::of', ('HardSigmoid::grad', 0)))
class HardSigmoid(FunctionNode):
    """Piecewise linear approximation of the sigmoid."""

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'x')

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0,))
        return kernels.hard_sigmoid(inputs[0]),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        x, = self.get_retained_inputs()
        return HardSigmoidGrad(x.array).apply(grad_outputs)


class HardSigmoidGrad(FunctionNode):
    """Passes one fifth of a gradient where the function is not constant.

    Parameters
    ----------
    x : array
        Input of the forward pass.
    """

    def __init__(self, x: NdArray) -> None:
        super().__init__()
        self.x = x

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'gy')
        gy_type, = in_types
        for facet in 'dtype', 'shape':
            type_check.expect(
                getattr(gy_type, facet) == getattr(self.x, facet))

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        return kernels.hard_sigmoid_grad(self.x, inputs[0]),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        return HardSigmoidGrad(self.x).apply(grad_outputs)


def hard_sigmoid(x: VariableOrArray) -> Variable:
    """Piecewise linear approximation of the sigmoid, elementwise.

    .. math:: f(x) = \\min(\\max(0.2 x + 0.5, 0), 1)

    It is 0 up to -2.5 and 1 from 2.5.

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
    >>> F.hard_sigmoid(np.array([-9., -2., 0., 0.5, 9.])).array
    array([0. , 0.1, 0.5, 0.6, 1. ])
    """
    return HardSigmoid().apply((x,))[0]

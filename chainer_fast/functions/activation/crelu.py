from __future__ import annotations

from chainer_fast.backends.kernels import activation as kernels
from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.declared import Declared
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.functions.array import concat
from chainer_fast.types import NdArray
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


@record(Declared('crelu', ('crelu_grad', 0, 'g')))
class CReLU(FunctionNode):
    """Concatenation of the positive parts of the input and of its negative.

    Parameters
    ----------
    axis : int
        Axis along which the two are concatenated.
    """

    def __init__(self, axis: int = 1) -> None:
        if not isinstance(axis, int):
            raise TypeError(
                'axis of a concatenated ReLU must be an int, not %s'
                % type(axis).__name__)
        self.axis = axis

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'x')
        _checks.axis(in_types[0], self.axis)

    def get_output_shape(self, input_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape of the output, which has one axis of twice the length."""
        doubled = list(input_shape)
        doubled[self.axis] *= 2
        return tuple(doubled)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, = inputs
        self.retain_inputs((0,))
        return kernels.crelu(x, self.axis),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        x, = self.get_retained_inputs()
        return _CReLUGrad(self.axis, x.array).apply(grad_outputs)


class _CReLUGrad(FunctionNode):
    """Gradient of :class:`CReLU`: that of the half that is not zero, with its sign."""

    def __init__(self, axis: int, x: NdArray) -> None:
        self.axis = axis
        self.x = x

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        return kernels.crelu_grad(self.x, inputs[0], self.axis),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        ggx, = grad_outputs
        halves = (self.x > 0).astype(ggx.dtype), -(self.x < 0).astype(ggx.dtype)
        return concat.concat([ggx * half for half in halves], self.axis),


def crelu(x: VariableOrArray, axis: int = 1) -> Variable:
    """Concatenated rectified linear unit.

    .. math:: f(x) = (\\max(0, x), \\max(0, -x))

    See: `Understanding and improving convolutional neural networks via concatenated
    rectified linear units <https://arxiv.org/abs/1603.05201>`_

    Parameters
    ----------
    x : Variable or array
        Values of a floating dtype.
    axis : int
        Axis along which the two halves are concatenated. It must exist in ``x``.

    Returns
    -------
    Variable
        Array of the dtype of ``x`` and of its shape except for the axis. The axis is
        twice as long.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point or has no such axis.
    TypeError
        If ``axis`` is not an int.

    See Also
    --------
    chainer_fast.functions.relu

    Examples
    --------
    >>> x = np.array([[4., -5.]], np.float32)
    >>> F.crelu(x).array
    array([[4., 0., 0., 5.]], dtype=float32)
    """
    return CReLU(axis).apply((x,))[0]

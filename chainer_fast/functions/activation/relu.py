from __future__ import annotations

from chainer_fast import backend, utils
from chainer_fast.backends.kernels import activation as kernels
from chainer_fast.backends.kernels import record
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.types import NdArray
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


@record(kernels.elementwise('ReLU::of', ('ReLU::grad', 'y')))
class ReLU(FunctionNode):
    """Rectified linear unit."""

    is_elementwise = True

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'x')

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, = inputs
        xp = backend.get_array_module(x)
        self.retain_outputs((0,))
        return utils.force_array(xp.maximum(x, x.dtype.type(0))),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        # The sign of the output determines where the gradient passes, so the input is
        # not retained.
        y, = self.get_retained_outputs()
        return ReLUGrad2(y.array).apply(grad_outputs)

    def forward_ideep(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        return self.forward(inputs)


@record(kernels.elementwise('ReLU::grad', ('ReLU::grad', 'held'), held='b'))
class ReLUGrad2(FunctionNode):
    """Passes a gradient where ``b`` is positive.

    It is linear in its only input, and therefore serves as its own gradient.

    Parameters
    ----------
    b : array
        Output of :class:`ReLU`.
    """

    def __init__(self, b: NdArray) -> None:
        super().__init__()
        self.b = b

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        return kernels.relu_grad(self.b, inputs[0]),

    def forward_ideep(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        return self.forward(inputs)

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        xp = backend.get_array_module(self.b)
        mask = (self.b > 0).astype(grad_outputs[0].dtype)
        return grad_outputs[0] * xp.asarray(mask),


class ReLUGradCudnn(FunctionNode):
    """:class:`ReLUGrad2` under the name of Chainer's version for cuDNN.

    Parameters
    ----------
    y : array
        Output of :class:`ReLU`.
    """

    is_elementwise = True

    def __init__(self, y: NdArray) -> None:
        super().__init__()
        self.y = y

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        return ReLUGrad2(self.y).forward(inputs)

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        return ReLUGradCudnn(self.y).apply(grad_outputs)


def relu(x: VariableOrArray) -> Variable:
    """Rectified linear unit, :math:`f(x) = \\max(0, x)`.

    See: `Rectified Linear Units Improve Restricted Boltzmann Machines
    <https://icml.cc/Conferences/2010/papers/432.pdf>`_

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
    chainer_fast.functions.clipped_relu
    chainer_fast.functions.leaky_relu

    Examples
    --------
    >>> x = np.array([-2., 0., 3.], np.float32)
    >>> F.relu(x).array
    array([0., 0., 3.], dtype=float32)
    """
    return ReLU().apply((x,))[0]

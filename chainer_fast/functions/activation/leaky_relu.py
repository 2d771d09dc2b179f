from __future__ import annotations

from chainer_fast.backends.kernels import activation as kernels
from chainer_fast.backends.kernels import record
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.types import NdArray
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


# The sign of the output is that of the input unless the slope is negative.
@record(kernels.elementwise(
    'LeakyReLU::of', ('LeakyReLU::grad', 'y'), parameters=('slope',), least=0))
class LeakyReLU(FunctionNode):
    """Leaky rectified linear unit."""

    def __init__(self, slope: float = 0.2) -> None:
        super().__init__()
        self.slope = slope

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'x')

    @property
    def _keeps_sign(self):
        # A negative slope maps negative inputs to positive outputs, so the output does
        # not determine the sign of the input.
        return self.slope >= 0

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        if self._keeps_sign:
            self.retain_outputs((0,))
        else:
            self.retain_inputs((0,))
        return kernels.leaky_relu_grad(inputs[0], inputs[0], self.slope),

    def forward_ideep(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        return self.forward(inputs)

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        signs, = (
            self.get_retained_outputs() if self._keeps_sign
            else self.get_retained_inputs())
        return _LeakyReLUGrad(signs.array, self.slope).apply(grad_outputs)


class _LeakyReLUGrad(FunctionNode):
    """Gradient of :class:`LeakyReLU`. It is linear, so it is also its own gradient.

    Parameters
    ----------
    cond : array
        Array with the sign of the forward pass's input.
    slope : float
        Factor applied where ``cond`` is negative.
    """

    def __init__(self, cond: NdArray, slope: float) -> None:
        super().__init__()
        self.cond = cond
        self.slope = slope

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        return kernels.leaky_relu_grad(self.cond, inputs[0], self.slope),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        again = _LeakyReLUGrad(self.cond, self.slope)
        return again.apply(grad_outputs)


def leaky_relu(x: VariableOrArray, slope: float = 0.2) -> Variable:
    """Leaky rectified linear unit.

    .. math::

        f(x) = x \\quad (x \\ge 0), \\qquad f(x) = ax \\quad (x < 0)

    See: `Rectifier Nonlinearities Improve Neural Network Acoustic Models
    <https://ai.stanford.edu/~amaas/papers/relu_hybrid_icml2013_final.pdf>`_

    Parameters
    ----------
    x : Variable or array
        Values of any shape and a floating dtype.
    slope : float
        Slope :math:`a` for negative values.

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
    chainer_fast.functions.prelu
    chainer_fast.functions.rrelu

    Examples
    --------
    >>> x = np.array([-8., 0., 3.], np.float32)
    >>> F.leaky_relu(x, slope=0.25).array
    array([-2.,  0.,  3.], dtype=float32)
    """
    return LeakyReLU(slope).apply((x,))[0]

from __future__ import annotations

import sys

from chainer_fast import utils
from chainer_fast.backends.kernels import activation as kernels
from chainer_fast.backends.kernels import record
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.types import NdArray
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


# The sign of the output is that of the input unless alpha is negative. NumPy warns
# about an infinite alpha where the input is positive.
@record(kernels.elementwise('ELU::of', ('ELU::grad', 'y'), parameters=('alpha',),
                            least=0, most=sys.float_info.max))
class ELU(FunctionNode):
    """Exponential linear unit."""

    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__()
        self.alpha: float = _checks.as_float(alpha)

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'x')

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        # A negative alpha maps negative inputs to positive outputs, so the output does
        # not determine the sign of the input.
        if not self.alpha >= 0:
            self.retain_inputs((0,))
        self.retain_outputs((0,))
        return kernels.elu(inputs[0], self.alpha),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        y, = self.get_retained_outputs()
        cond = y if self.alpha >= 0 else self.get_retained_inputs()[0]
        return _ELUProduct(self.alpha, cond.array).apply((y, *grad_outputs))


class _ELUProduct(FunctionNode):
    """Gradient of :class:`ELU`, computed from its output and the upstream gradient.

    Parameters
    ----------
    alpha, cond
        As for :class:`ELUGrad`, which is one of the factors.
    """

    def __init__(self, alpha: float, cond) -> None:
        super().__init__()
        self.alpha = alpha
        self.cond = cond

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1))
        return kernels.elu_grad(*inputs, self.cond, self.alpha),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        y, gy = self.get_retained_inputs()
        ggx, = grad_outputs
        bent = utils.force_array(~(self.cond > 0), ggx.dtype)
        slope, = ELUGrad(self.alpha, self.cond).apply((y,))
        return ggx * gy * bent, slope * ggx


class ELUGrad(FunctionNode):
    """Derivative of :class:`ELU`, as a function of its output.

    For positive inputs it is one, otherwise :math:`\\alpha e^x = y + \\alpha`.

    Parameters
    ----------
    alpha : float
        Parameter of the function.
    cond : array
        Array with the sign of the forward pass's input.
    """

    def __init__(self, alpha: float, cond: NdArray) -> None:
        super().__init__()
        self.alpha = alpha
        self.cond = cond

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        return kernels.elu_slope(inputs[0], self.cond, self.alpha),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        ggx, = grad_outputs
        bent = utils.force_array(~(self.cond > 0), ggx.dtype)
        return ggx * bent,


def elu(x: VariableOrArray, alpha: float = 1.0) -> Variable:
    """Exponential linear unit, elementwise.

    .. math::

        f(x) = x \\quad (x \\ge 0), \\qquad
        f(x) = \\alpha (\\exp(x) - 1) \\quad (x < 0)

    See: `Fast and accurate deep network learning by exponential linear units
    <https://arxiv.org/abs/1511.07289>`_

    Parameters
    ----------
    x : Variable or array
        Values of any shape and a floating dtype.
    alpha : float
        The parameter :math:`\\alpha`; its negative is the limit for large negative
        values.

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
    chainer_fast.functions.selu

    Examples
    --------
    >>> x = np.array([-100., -1., 0., 3.], np.float32)
    >>> F.elu(x, alpha=2.).array
    array([-2.    , -1.2642,  0.    ,  3.    ], dtype=float32)
    """
    return ELU(alpha=alpha).apply((x,))[0]

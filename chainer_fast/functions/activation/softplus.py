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


@record(kernels.elementwise(
    'Softplus::of', ('Softplus::grad', 0), parameters=('beta', 'beta_inv')))
class Softplus(FunctionNode):
    """Softplus, a smooth approximation of ReLU."""

    def __init__(self, beta: float = 1.0) -> None:
        super().__init__()
        self.beta: float = _checks.as_float(beta)
        self.beta_inv: float = _checks.as_float(1.0 / beta)

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'x')

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0,))
        return kernels.softplus(inputs[0], self.beta, self.beta_inv),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        x, = self.get_retained_inputs()
        return SoftplusGrad((self.beta,)).apply((x, grad_outputs[0]))


class SoftplusGrad(FunctionNode):
    """Gradient of :class:`Softplus`: :math:`g \\, \\sigma(\\beta x)`.

    Parameters
    ----------
    inputs : tuple
        One element, the factor ``beta``.
    """

    def __init__(self, inputs: Sequence[Any]) -> None:
        super().__init__()
        self.beta: Any = inputs[0]

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.similar_floats(in_types, 'x', 'gy')

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1))
        return kernels.softplus_grad(*inputs, self.beta),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        x, gy = self.get_retained_inputs()
        ggx, = grad_outputs
        # With z = beta x, this is equally precise for small and large z: the derivative
        # of the sigmoid is its value at z times its value at -z.
        grad = SoftplusGrad((self.beta,))
        s_ggx, = grad.apply((x, ggx))
        slope, = SoftplusGrad((self.beta,)).apply((-x, s_ggx * gy))
        return self.beta * slope, s_ggx


def softplus(x: VariableOrArray, beta: float = 1.0) -> Variable:
    """Softplus, elementwise.

    .. math:: f(x) = \\frac{1}{\\beta} \\log(1 + \\exp(\\beta x))

    It approximates :func:`~chainer_fast.functions.relu` smoothly, and more closely the
    larger :math:`\\beta` is.

    See: `Incorporating Second-Order Functional Knowledge for Better Option Pricing
    <https://proceedings.neurips.cc/paper/2000/hash/44968aece94f667e4095002d140b5896-Abstract.html>`_

    Parameters
    ----------
    x : Variable or array
        Values of any shape and a floating dtype.
    beta : float
        The factor :math:`\\beta`.

    Returns
    -------
    Variable
        Array of the shape and dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point.
    ZeroDivisionError
        If ``beta`` is zero.

    See Also
    --------
    chainer_fast.functions.relu

    Examples
    --------
    >>> F.softplus(np.array([-1000., 0., 1000.])).array
    array([   0.    ,    0.6931, 1000.    ])
    """
    return Softplus(beta=beta).apply((x,))[0]

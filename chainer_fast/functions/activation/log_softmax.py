from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chainer_fast import backend
from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels import softmax as kernels
from chainer_fast.backends.kernels.declared import Declared
from chainer_fast.backends.kernels.softmax import logsumexp as logsumexp
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.functions.math import exponential
from chainer_fast.functions.math import sum as sum_
from chainer_fast.types import DTypeSpec, NdArray, Xp
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


def _log_softmax(x, axis=1):
    # Takes an array and returns one.
    return kernels.log_softmax(x, axis)


@record(Declared('log_softmax', ('log_softmax_grad', 'y', 'g')))
class LogSoftmax(FunctionNode):
    """Logarithm of the softmax along one axis."""

    def __init__(self, axis: int = 1) -> None:
        super().__init__()
        self.axis = axis

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'x')
        _checks.axis(in_types[0], self.axis)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, = inputs
        self.retain_outputs((0,))
        return _log_softmax(x, self.axis),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        y, = self.get_retained_outputs()
        gradient = LogSoftmaxGrad(
            backend.get_array_module(y), y.shape, y.dtype, self.axis)
        return gradient.apply((y, *grad_outputs))


class LogSoftmaxGrad(FunctionNode):
    """Gradient of :class:`LogSoftmax`: :math:`g - e^y \\sum_i g_i`.

    Parameters
    ----------
    x_xp
        Array module of the forward pass's input.
    x_shape : tuple
        Shape of that input.
    x_dtype
        Dtype of that input.
    axis : int
        Axis along which the softmax was computed.
    """

    def __init__(
            self, x_xp: Xp, x_shape: Sequence[Any], x_dtype: DTypeSpec,
            axis: int) -> None:
        super().__init__()
        self._x_shape = x_shape
        self.axis = axis

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        y, gy = inputs
        self.retain_inputs((0, 1))
        return kernels.log_softmax_grad(y, gy, self.axis),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        y, gy = self.get_retained_inputs()
        ggx, = grad_outputs
        prob_ggx = exponential.exp(y) * ggx
        grad_y = -prob_ggx * sum_.sum(gy, axis=self.axis, keepdims=True)
        grad_gy = ggx - sum_.sum(prob_ggx, axis=self.axis, keepdims=True)
        return grad_y, grad_gy


def log_softmax(x: VariableOrArray, axis: int = 1) -> Variable:
    """Logarithm of the softmax along an axis.

    .. math:: f_i(x) = x_i - \\log \\sum_j \\exp(x_j)

    It is precise even where the softmax underflows and ``log(softmax(x))`` would be
    minus infinity.

    Parameters
    ----------
    x : Variable or array
        Array of a floating dtype.
    axis : int
        Axis along which the softmax is computed.

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
    chainer_fast.functions.softmax
    chainer_fast.functions.logsumexp

    Examples
    --------
    >>> F.log_softmax(np.array([[0., 1000.]], np.float32)).array
    array([[-1000.,     0.]], dtype=float32)
    """
    return LogSoftmax(axis).apply((x,))[0]

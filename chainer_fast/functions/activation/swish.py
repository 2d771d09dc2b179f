from __future__ import annotations

from collections.abc import Sequence

from chainer_fast.backends.kernels import activation as kernels
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions.activation import _channels, sigmoid
from chainer_fast.functions.array import reshape
from chainer_fast.functions.math import sum as sum_
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class Swish(FunctionNode):
    """Input times its sigmoid."""

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x', 'beta'))
        _channels.check(*in_types)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1))
        return kernels.swish(*inputs),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        x, beta = self.get_retained_inputs()
        gradient = SwishGrad(
            kernels.extended_shape(beta, x), kernels.reduced_axes(beta, x))
        grads = gradient.apply((x, beta) + grad_outputs)
        return tuple([grads[i] for i in indexes])


class SwishGrad(FunctionNode):
    """Gradients of :class:`Swish` with respect to ``x`` and ``beta``.

    With :math:`s = \\sigma(\\beta x)` they are :math:`g (s + \\beta x s (1 - s))` and
    the sum of :math:`g x^2 s (1 - s)`. The inputs are ``x``, ``beta`` and the
    gradient of the output.

    Parameters
    ----------
    extended_shape : tuple of int
        Shape of ``beta`` with length one on the axes of ``x`` that it does not have.
    reduction_axes : tuple of int
        Axes of ``x`` that ``beta`` does not have.
    """

    def __init__(
            self, extended_shape: Sequence[int],
            reduction_axes: tuple[int, ...]) -> None:
        self.extended_shape = extended_shape
        self.reduction_axes = reduction_axes

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1, 2))
        return kernels.swish_grad(*inputs)

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        # L = sum(G g (s + b x s') + B g x^2 s'), with derivatives s' with respect to b
        # x; G and B are the incoming gradients.
        x, beta, gy = self.get_retained_inputs()
        ggx, ggbeta = grad_outputs
        b = reshape.reshape(beta, self.extended_shape)
        s = sigmoid.sigmoid(b * x)
        first = s * (1 - s)
        second = first * (1 - 2 * s)
        # These approach zero faster than b and x grow, whose products may be infinite.
        x_first, x_second = x * first, x * second
        curve = 2 * first + b * x_second
        terms = []
        if ggx is not None:
            terms.append((ggx * b, ggx * curve, ggx * (s + b * x_first)))
        if ggbeta is not None:
            ggb_x = reshape.reshape(ggbeta, self.extended_shape) * x
            terms.append((ggb_x, ggb_x * x_second, ggb_x * x_first))
        by_x, by_beta, by_gy = (
            part[0] if len(part) == 1 else part[0] + part[1]
            for part in zip(*terms, strict=True))
        by_beta = sum_.sum(gy * x * by_beta, axis=self.reduction_axes)
        return gy * by_x * curve, reshape.reshape(by_beta, beta.shape), by_gy


def swish(x: VariableOrArray, beta: VariableOrArray) -> Variable:
    """Input times its sigmoid.

    .. math:: f(x, \\beta) = x \\, \\sigma(\\beta x)

    See: `Searching for activation functions <https://arxiv.org/abs/1710.05941>`_

    Parameters
    ----------
    x : Variable or array
        Values of a floating dtype. The first axis is that of the batch.
    beta : Variable or array
        Parameter of the dtype of ``x``. Its axes are the axes of ``x`` after the first
        one, or only the first few of those; it is shared along the other axes.

    Returns
    -------
    Variable
        Array of the shape and dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point, the dtypes differ, or the shape of ``beta`` does
        not match the axes of ``x`` after the first one.

    See Also
    --------
    chainer_fast.links.Swish

    Examples
    --------
    >>> x = np.array([[-2., 0., 2.]], np.float32)
    >>> beta = np.array([1., 1., 0.], np.float32)
    >>> F.swish(x, beta).array
    array([[-0.2384,  0.    ,  1.    ]], dtype=float32)
    """
    return Swish().apply((x, beta))[0]

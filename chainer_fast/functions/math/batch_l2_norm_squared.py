"""Squared lengths of the samples of a batch."""
from __future__ import annotations

from chainer_fast import function_node, utils
from chainer_fast.functions import _checks
from chainer_fast.functions.array import broadcast, reshape
from chainer_fast.functions.math import sum as sum_mod
from chainer_fast.types import NdArray
from chainer_fast.utils import precision, type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class BatchL2NormSquared(function_node.FunctionNode):
    """Sum of squares over all axes except the first one."""

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'x')
        type_check.expect(in_types[0].ndim >= 2)

    @precision._fp16_mixed_precision_helper
    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0,))
        x, = inputs
        return (x * x).sum(axis=tuple(range(1, x.ndim))),

    def backward(
            self, indexes: tuple[int, ...],
            gy: GradOutputs) -> tuple[Variable | None, ...]:
        x, = self.get_retained_inputs()
        return BatchL2NormSquaredGrad().apply((x, gy[0]))


def _column(x, ndim):
    """Return the shape of a vector that broadcasts along all axes except the first."""
    return x.shape + (1,) * (ndim - 1)


class BatchL2NormSquaredGrad(function_node.FunctionNode):
    """Gradient of the squared length: ``2 * gy * x``."""

    @precision._fp16_mixed_precision_helper
    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1))
        x, gy = inputs
        return utils.force_array(gy.reshape(_column(gy, x.ndim)) * x * 2, x.dtype),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        x, gy = self.get_retained_inputs()
        ggx = grad_outputs[0] * 2
        grads = []
        for i in indexes:
            if i == 0:
                scale = reshape.reshape(gy, _column(gy, x.ndim))
                grads.append(broadcast.broadcast_to(scale, x.shape) * ggx)
            else:
                grads.append(sum_mod.sum(x * ggx, axis=tuple(range(1, x.ndim))))
        return tuple(grads)


def batch_l2_norm_squared(x: VariableOrArray) -> Variable:
    """Squared Euclidean length of each sample of a batch.

    .. math:: y_n = \\sum_i x_{ni}^2

    Parameters
    ----------
    x : Variable or array
        Floating-point samples, with two or more axes; the first one is the batch axis.

    Returns
    -------
    Variable
        Squared lengths, of shape ``(batch,)`` and the dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point, or has fewer than two axes.

    See Also
    --------
    chainer_fast.functions.normalize

    Examples
    --------
    >>> x = np.array([[3., 4.], [1., 2.]], np.float32)
    >>> F.batch_l2_norm_squared(x).array
    array([25.,  5.], dtype=float32)
    """
    return BatchL2NormSquared().apply((x,))[0]

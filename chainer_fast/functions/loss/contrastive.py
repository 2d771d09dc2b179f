from __future__ import annotations

import numpy

from chainer_fast import backend
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.functions.activation import relu
from chainer_fast.functions.array import cast, reshape
from chainer_fast.functions.loss import _reduction
from chainer_fast.functions.math import sqrt
from chainer_fast.functions.math import sum as sum_
from chainer_fast.types import NdArray
from chainer_fast.utils import precision, type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class Contrastive(FunctionNode):
    """Loss that decreases the distances of similar samples and separates others."""

    def __init__(self, margin: float, reduce: str = 'mean') -> None:
        super().__init__()
        if margin <= 0:
            raise ValueError('margin should be positive value, but is %s.' % (margin,))
        _reduction.check_mean_or_no(reduce)
        self.margin = margin
        self.reduce = reduce

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x0', 'x1', 'y'))
        x0_type, x1_type, y_type = in_types
        for each, kind, ndim in (x0_type, 'f', 2), (y_type, 'i', 1):
            type_check.expect(each.dtype.kind == kind, each.ndim == ndim)
            type_check.expect(x1_type.shape[0] == each.shape[0])
        type_check.expect(x0_type.dtype == x1_type.dtype)
        type_check.expect(x0_type.shape == x1_type.shape)
        type_check.expect(x1_type.shape[0] > 0)

    @precision._fp16_mixed_precision_helper
    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1, 2))
        x0, x1, y = inputs
        xp = backend.get_array_module(x0)
        diff = x0 - x1
        square = (diff * diff).sum(axis=1)
        missing = xp.maximum(
            _checks.as_float(self.margin) - xp.sqrt(square), 0)
        similar = y.astype(x0.dtype)
        losses = (similar * square + (1 - similar) * missing * missing) / 2
        if self.reduce == 'mean':
            losses = xp.asarray(losses.sum() / len(losses), dtype=x0.dtype)
        return losses,

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        x0, x1, y = self.get_retained_inputs()
        gy, = grad_outputs
        n, dtype = x0.shape[0], x0.dtype
        # Squares of float16 numbers overflow.
        if dtype.char == 'e':
            x0, x1, gy = [cast.cast(v, numpy.float32) for v in (x0, x1, gy)]
        if self.reduce == 'mean':
            gy = gy / n
        diff = x0 - x1
        square = sum_.sum(diff * diff, axis=1)
        # Equal samples have no gradient; only the distance must not be zero.
        distance = sqrt.sqrt(square + (square.array == 0).astype(square.dtype))
        margin = _checks.as_float(self.margin)
        push = relu.relu(margin - distance) / distance
        similar = y.array.astype(square.dtype)
        pull = similar - (1 - similar) * push
        gx0 = reshape.reshape(gy * pull, (n, 1)) * diff
        if gx0.dtype != dtype:
            gx0 = cast.cast(gx0, dtype)
        return tuple([(gx0, -gx0 if i == 1 else None, None)[i] for i in indexes])


def contrastive(
        x0: VariableOrArray, x1: VariableOrArray, y: VariableOrArray, margin: float = 1,
        reduce: str = 'mean') -> Variable:
    """Contrastive loss of pairs of samples, for learning a similarity.

    .. math::

        L_n = \\frac{1}{2} \\left( y_n d_n^2
            + (1 - y_n) \\max(\\mathrm{margin} - d_n, 0)^2 \\right), \\qquad
        d_n = \\| x_{0n} - x_{1n} \\|_2

    See: `Dimensionality Reduction by Learning an Invariant Mapping
    <https://doi.org/10.1109/CVPR.2006.100>`_

    Parameters
    ----------
    x0 : Variable or array
        First samples, of a floating dtype and shape ``(N, K)``; ``N`` is not zero.
    x1 : Variable or array
        Second samples, of the same dtype and shape.
    y : Variable or array
        1 for pairs of similar samples and 0 for others, of a signed integer dtype and
        shape ``(N,)``. No gradient flows to it.
    margin : float
        Positive distance at which dissimilar samples no longer have a loss.
    reduce : str
        ``'mean'`` for the mean over the pairs, ``'no'`` for the loss of each pair.

    Returns
    -------
    Variable
        The loss, of the dtype of ``x0``: a scalar, or an array of shape ``(N,)`` with
        ``reduce='no'``. Where two samples are equal, their gradients are zero.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If dtypes or shapes do not match, or there is no pair.
    ValueError
        If ``margin`` is not positive or ``reduce`` has another value.

    See Also
    --------
    chainer_fast.functions.triplet

    Examples
    --------
    >>> x0 = np.zeros((2, 2), np.float32)
    >>> x1 = np.array([[3., 4.], [3., 4.]], np.float32)     # at a distance of 5
    >>> y = np.array([1, 0], np.int32)
    >>> F.contrastive(x0, x1, y, margin=7, reduce='no').array
    array([12.5,  2. ], dtype=float32)
    """
    return Contrastive(margin, reduce).apply((x0, x1, y))[0]

from __future__ import annotations

import functools

from chainer_fast import backend
from chainer_fast.backends.kernels import losses as kernels
from chainer_fast.backends.kernels import reduction
from chainer_fast.backends.kernels.common import halves
from chainer_fast.configuration import config
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.functions.loss import _reduction
from chainer_fast.types import NdArray, Xp
from chainer_fast.utils import precision, type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class Triplet(FunctionNode):
    """Loss of anchors that are not closer to positive than to negative samples."""

    dist_hinge: Xp

    def __init__(self, margin: float, reduce: str = 'mean') -> None:
        super().__init__()
        if margin <= 0:
            raise ValueError('margin should be positive value, but is %s.' % (margin,))
        _reduction.check_mean_or_no(reduce)
        self.margin = margin
        self.reduce = reduce

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('anchor', 'positive', 'negative'))
        anchor = in_types[0]
        type_check.expect(anchor.dtype.kind == 'f')
        for other in in_types[1:]:
            type_check.expect(anchor.dtype == other.dtype)
        for other in in_types[1:]:
            type_check.expect(anchor.shape == other.shape)
        type_check.expect(anchor.shape[0] > 0)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1, 2))
        loss, self.dist_hinge = self._losses(inputs)
        return loss,

    @precision._fp16_mixed_precision_helper
    def _losses(self, inputs):
        anchor, positive, negative = inputs
        xp = backend.get_array_module(anchor)
        excess = reduction.total(kernels.excess(anchor, positive, negative), 1)
        excess = excess + _checks.as_float(self.margin)
        loss = dist_hinge = xp.maximum(excess, 0)
        if self.reduce == 'mean':
            loss = xp.asarray(loss.sum() / len(anchor), dtype=anchor.dtype)
        return loss, dist_hinge

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        inputs = (*self.get_retained_inputs(), *grad_outputs)
        if config.enable_backprop:
            return self._gradients(indexes, *inputs)
        arrays = [v.array for v in inputs]
        gradients = halves.in_single(functools.partial(self._gradients, indexes))
        return tuple([Variable(g) for g in gradients(*arrays)])

    def _gradients(self, indexes, anchor, positive, negative, gy):
        # Works on arrays and on variables. All three gradients share a factor, which is
        # zero for triples without a loss.
        n = anchor.shape[0]
        slopes = (self.dist_hinge > 0).astype(gy.dtype)
        slopes *= 2. / n if self.reduce == 'mean' else 2
        ways = (negative, positive), (positive, anchor), (anchor, negative)
        scale = gy * slopes
        if not config.enable_backprop:
            return tuple([
                kernels.scaled_difference(*ways[i], scale) for i in indexes])
        scale = scale.reshape(n, 1, *anchor.shape[2:])
        return tuple([scale * (ways[i][0] - ways[i][1]) for i in indexes])


def triplet(
        anchor: VariableOrArray, positive: VariableOrArray, negative: VariableOrArray,
        margin: float = 0.2, reduce: str = 'mean') -> Variable:
    """Triplet loss, for learning a distance.

    .. math::

        L_n = \\max \\left( \\| a_n - p_n \\|_2^2 - \\| a_n - n_n \\|_2^2
            + \\mathrm{margin}, 0 \\right)

    See: `FaceNet: A Unified Embedding for Face Recognition and Clustering
    <https://arxiv.org/abs/1503.03832>`_

    Parameters
    ----------
    anchor : Variable or array
        Anchors :math:`a`, of a floating dtype and shape ``(N, K)``; ``N`` is not zero.
    positive : Variable or array
        Samples :math:`p` that belong to the anchors, of the same dtype and shape.
    negative : Variable or array
        Other samples :math:`n`, of the same dtype and shape.
    margin : float
        Positive difference between the squared distances at which the loss becomes
        zero.
    reduce : str
        ``'mean'`` for the mean over the triples, ``'no'`` for the loss of each triple.

    Returns
    -------
    Variable
        The loss, of the dtype of ``anchor``: a scalar, or an array of shape ``(N,)``
        with ``reduce='no'``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If dtypes or shapes do not match, or there is no triple.
    ValueError
        If ``margin`` is not positive or ``reduce`` has another value.

    See Also
    --------
    chainer_fast.functions.contrastive

    Examples
    --------
    >>> anchor = np.zeros((1, 2), np.float32)
    >>> positive = np.array([[3., 0.]], np.float32)
    >>> negative = np.array([[0., 2.]], np.float32)
    >>> F.triplet(anchor, positive, negative, margin=1.).array      # 9 - 4 + 1
    array(6., dtype=float32)
    """
    return Triplet(margin, reduce).apply((anchor, positive, negative))[0]

from __future__ import annotations

import functools
from typing import Any

from chainer_fast import backend, utils
from chainer_fast.backends.kernels import activation
from chainer_fast.backends.kernels import losses as kernels
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions.activation import sigmoid
from chainer_fast.functions.loss import _reduction
from chainer_fast.functions.math import sum as sum_
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class SigmoidCrossEntropy(FunctionNode):
    """Cross entropy between the sigmoid of scores and binary labels."""

    ignore_label = -1

    def __init__(self, normalize: bool = True, reduce: str = 'mean') -> None:
        super().__init__()
        _reduction.check_mean_or_no(reduce)
        self.reduce = reduce
        self.normalize = normalize
        self.count: Any = None

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x', 't'))
        x_type, t_type = in_types
        for each, kind in ((x_type, 'f'), (t_type, 'i')):
            type_check.expect(each.dtype.kind == kind)
        type_check.expect(x_type.shape == t_type.shape)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, t = inputs
        self.retain_inputs((0, 1))
        if self.reduce == 'no':
            return kernels.sigmoid_losses(x, t, self.ignore_label),
        n = None if self.normalize else max(len(x), 1)
        loss, self.count = kernels.sigmoid_mean(x, t, self.ignore_label, n)
        return loss,

    @functools.cached_property
    def ignore_mask(self) -> bool:
        """Boolean array of the labels that are counted, after a forward pass."""
        return self.get_retained_inputs()[1].array != self.ignore_label

    def backward(
            self, inputs: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        x, t = self.get_retained_inputs()
        grad = SigmoidCrossEntropyGrad(self.reduce, self.count, None, t.array)
        grad.ignore_label = self.ignore_label
        return grad.apply((x, *grad_outputs))[0], None


class SigmoidCrossEntropyGrad(FunctionNode):
    """Gradient of :class:`SigmoidCrossEntropy` with respect to the scores.

    Parameters
    ----------
    reduce : str
        ``'mean'`` or ``'no'``.
    count : int
        Number of labels that were averaged.
    ignore_mask : array or None
        Boolean array of the labels that are counted; by default all except
        ``ignore_label``.
    t : array
        The labels.
    """

    ignore_label: int = SigmoidCrossEntropy.ignore_label

    def __init__(
            self, reduce: str, count: int, ignore_mask: NdArray | None,
            t: NdArray) -> None:
        super().__init__()
        self.reduce = reduce
        self.count = count
        self.ignore_mask = ignore_mask
        self.t = t

    def _scaled(self, values):
        # Both gradients are masked and divided by the count.
        xp = backend.get_array_module(values)
        mask = self.ignore_mask
        if mask is None:
            mask = self.t != self.ignore_label
        masked = values * xp.asarray(mask, dtype=values.dtype)
        return masked if self.reduce == 'no' else masked / self.count

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, gy = inputs
        self.retain_inputs((0, 1))
        if self.ignore_mask is None:
            return kernels.sigmoid_gradient(
                x, self.t, gy, self.ignore_label,
                1 if self.reduce == 'no' else self.count),
        gx = self._scaled(gy * (activation.sigmoid(x) - self.t))
        return utils.force_array(gx, x.dtype),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        x, gy = self.get_retained_inputs()
        ggx, = grad_outputs
        y = sigmoid.sigmoid(x)
        ggx = self._scaled(ggx)
        xp = backend.get_array_module(self.t)
        ggy = ggx * (y - xp.asarray(self.t, dtype=y.dtype))
        if self.reduce == 'mean':
            ggy = sum_.sum(ggy)
        return gy * ggx * (y * (1 - y)), ggy


def sigmoid_cross_entropy(
        x: VariableOrArray, t: VariableOrArray, normalize: bool = True,
        reduce: str = 'mean') -> Variable:
    """Cross entropy between the sigmoid of scores and binary labels.

    .. math:: L_i = -t_i \\log s(x_i) - (1 - t_i) \\log (1 - s(x_i))

    where :math:`s` is the sigmoid.

    Parameters
    ----------
    x : Variable or array
        Scores, before any sigmoid, of a floating dtype.
    t : Variable or array
        Labels 0 and 1, or -1 for elements that are ignored, of a signed integer dtype
        and the shape of ``x``.
    normalize : bool
        Whether to average over all labels that are not ignored, rather than over the
        samples along the first axis.
    reduce : str
        ``'mean'`` for the mean of the losses, ``'no'`` for the losses themselves.

    Returns
    -------
    Variable
        The loss, of the dtype of ``x``: a scalar, or an array of the shape of ``x``
        with ``reduce='no'``, where ignored elements are zero.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point, ``t`` not of a signed integer dtype, or the
        shapes differ.
    ValueError
        If ``reduce`` has another value.

    See Also
    --------
    chainer_fast.functions.softmax_cross_entropy
    chainer_fast.functions.bernoulli_nll

    Notes
    -----
    The sigmoid must not have been applied to ``x``.

    Examples
    --------
    >>> x = np.array([[0., 0., 100.]], np.float32)
    >>> t = np.array([[1, -1, 1]], np.int32)
    >>> F.sigmoid_cross_entropy(x, t, reduce='no').array    # log 2, ignored, none
    array([[0.6931, 0.    , 0.    ]], dtype=float32)
    >>> F.sigmoid_cross_entropy(x, t).array
    array(0.3466, dtype=float32)
    """
    return SigmoidCrossEntropy(normalize, reduce).apply((x, t))[0]

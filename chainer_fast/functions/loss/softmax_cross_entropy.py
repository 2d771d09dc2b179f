from __future__ import annotations

import functools
from typing import Any

import numpy

from chainer_fast.backends.kernels import cross_entropy as kernels
from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.cross_entropy import compiled
from chainer_fast.configuration import config
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions.activation import log_softmax
from chainer_fast.functions.array import cast, reshape, rollaxis, select_item
from chainer_fast.functions.loss import _reduction
from chainer_fast.functions.math import sum as sum_
from chainer_fast.types import NdArray
from chainer_fast.utils import _labels, type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray, as_variable


def _check_class_weight_option(class_weight):
    if class_weight is None:
        return
    if isinstance(class_weight, Variable):
        raise ValueError(
            'class_weight must be a numpy.ndarray or cupy.ndarray, not a '
            'Variable: no gradient flows to it')
    if class_weight.ndim != 1 or class_weight.dtype.kind != 'f':
        raise ValueError(
            'class_weight must have one dimension and a floating dtype, but '
            'has %d and %s' % (class_weight.ndim, class_weight.dtype))


def _check_input_values(x, t, ignore_label):
    valid = ((t >= 0) & (t < x.shape[1])) | (t == ignore_label)
    if not valid.all():
        where = _labels.where_outside('t', t, 0, x.shape[1], ignore_label)
        raise ValueError(
            'Each label `t` need to satisfy `0 <= t < x.shape[1] or t == %s`: %s, and '
            'there are %d classes' % (ignore_label, where, x.shape[1]))


def _as_weights(class_weight, classes, is_double=False):
    """Return a weight for each class; a single weight applies to all classes."""
    if class_weight is None or len(class_weight) == classes:
        return class_weight
    count = len(class_weight)
    if count == 1:
        return class_weight.repeat(classes)
    text = 'class_weight must have a weight for each of the %s classes, but has %s' % (
        classes, count)
    if is_double:
        raise type_check.InvalidType(
            'len(class_weight) == x.shape[1]', '%s != %s' % (count, classes), text)
    raise ValueError(text)


@record(
    compiled.SoftmaxCrossEntropyShortcut(),
    fields=('cache_score', 'class_weight', '_coeff', 'ignore_label', '_kept',
            'normalize', 'reduce', 'soft_target'))
class SoftmaxCrossEntropy(FunctionNode):
    """Cross entropy between the softmax of scores and labels."""

    normalize: bool = True
    _kept = None
    _coeff = None
    soft_target: Any = False
    eps: float = 1e-7

    def __init__(
            self, normalize: bool = True, cache_score: bool = True,
            class_weight: NdArray | None = None, ignore_label: int | None = -1,
            reduce: str = 'mean', soft_target_loss: str = 'cross-entropy') -> None:
        super().__init__()
        _check_class_weight_option(class_weight)
        _reduction.check_mean_or_no(reduce)
        if soft_target_loss not in ('cross-entropy', 'kl-divergence'):
            raise ValueError(
                "soft_target_loss must be 'cross-entropy' or "
                "'kl-divergence', not %r" % (soft_target_loss,))
        self.reduce = reduce
        self.normalize = normalize
        self.ignore_label = ignore_label
        self.class_weight = class_weight
        self.cache_score = cache_score
        self.soft_target_loss = soft_target_loss

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x', 't'))
        x_type, t_type = in_types
        type_check.expect(x_type.dtype.kind == 'f')
        if type_check.eval(t_type.dtype.kind) == 'f':
            # A distribution over the classes replaces a label.
            type_check.expect(t_type.shape == x_type.shape)
            return
        type_check.expect(t_type.dtype.kind == 'i')
        type_check.expect(t_type.ndim == x_type.ndim - 1)
        type_check.expect(t_type.shape[0] == x_type.shape[0])
        type_check.expect(t_type.shape[1:] == x_type.shape[2:])

    def _advice(self, expect, x, *others):
        t, = others
        if expect == 't.shape == x.shape':
            return ('Labels are integers: t.astype(numpy.int32); a t of %s holds a '
                    'probability for each class' % t.dtype)
        if expect != 't.ndim == x.ndim - 1':
            return None
        wanted = 'Labels have the shape %s' % (x.shape[:1] + x.shape[2:],)
        if t.shape == x.shape:
            return wanted + ': t.argmax(axis=1)'
        if t.shape[1:] == (1,):
            return wanted + ': t[:, 0]'
        return wanted

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, t = inputs
        self.retain_inputs((0, 1))
        self.soft_target = t.dtype.kind == 'f'
        if self.soft_target:
            dtype = numpy.promote_types(x.dtype, t.dtype)
            eps = None if self.soft_target_loss == 'cross-entropy' else self.eps
            losses, kept = kernels.soft_losses(x, t, eps)
            n = losses.size
        else:
            dtype = x.dtype
            if config.debug:
                _check_input_values(x, t, self.ignore_label)
            self.class_weight = _as_weights(self.class_weight, x.shape[1])
            try:
                losses, kept = kernels.hard_losses(
                    x, t, self.class_weight, self.ignore_label)
            except IndexError as error:
                raise _labels.explain(
                    error, x.shape[1], 'classes', self.ignore_label, t=t) from None
            n = None if self.normalize else len(t)
        if self.cache_score:
            self._kept = kept
        if self.reduce == 'no':
            return losses.astype(dtype, copy=False),
        loss, self._coeff = kernels.mean(losses, t, self.ignore_label, n, dtype)
        return loss,

    @functools.cached_property
    def y(self) -> NdArray | None:
        """Softmax of the scores after a forward pass, if it was stored."""
        if self._kept is None:
            return None
        return kernels.shares(self.get_retained_inputs()[0].array, self._kept)

    def backward(
            self, input_indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        x, t = self.get_retained_inputs()
        grad = _SoftmaxCrossEntropyGrad_NoDoubleBackprop(
            self.ignore_label, self.class_weight, self._kept, self._coeff,
            self.soft_target)
        return grad.apply((x, t, *grad_outputs))[0], None


class _SoftmaxCrossEntropyGrad_NoDoubleBackprop(FunctionNode):
    """Gradient of :class:`SoftmaxCrossEntropy`; fast, but cannot be differentiated.

    Parameters
    ----------
    ignore_label : int or None
        Label of samples that are not counted.
    class_weight : array or None
        Weight of each class.
    kept : array, tuple of array or None
        Values derived from the scores that the kernel of the losses stored.
    coeff : float, array or None
        Factor of the mean, if the losses were averaged.
    soft_target : bool
        Whether the labels are distributions.
    """

    def __init__(
            self, ignore_label: int | None, class_weight: NdArray | None,
            kept: NdArray | tuple[NdArray, ...] | None, coeff: float | NdArray | None,
            soft_target: bool) -> None:
        super().__init__()
        self.ignore_label = ignore_label
        self.class_weight = class_weight
        self.kept = kept
        self.coeff = coeff
        self.soft_target = soft_target

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, t, gloss = inputs
        self.retain_inputs(())
        if self.soft_target:
            return kernels.soft_gradient(x, self.kept, t, gloss, self.coeff),
        return kernels.hard_gradient(
            x, self.kept, t, self.class_weight, self.ignore_label, gloss, self.coeff),

    def backward(
            self, input_indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        raise RuntimeError(
            'F.softmax_cross_entropy was called with '
            "'enable_double_backprop=False', its default, and its gradient "
            'cannot be differentiated; give it '
            "'enable_double_backprop=True' to have it differentiable twice.")


def _double_backward_softmax_cross_entropy(
        x, t, normalize, class_weight, ignore_label, reduce):
    """Return the loss of integer labels, computed by differentiable functions."""
    _check_class_weight_option(class_weight)
    _reduction.check_mean_or_no(reduce)
    x = as_variable(x)
    t = as_variable(t).array
    if t.dtype.kind == 'b' or t.dtype.kind == 'u' and not config.type_check:
        t = t.astype(numpy.int64)
    if t.dtype.kind != 'i':
        raise type_check.InvalidType(
            't.dtype.kind == i', '%s != i' % (t.dtype.kind,),
            'only integer labels have a loss that is differentiable twice')
    if config.debug:
        _check_input_values(x, t, ignore_label)

    log_p = log_softmax.log_softmax(x, axis=1)
    rows = reshape.reshape(
        rollaxis.rollaxis(log_p, 1, log_p.ndim),
        (log_p.size // max(log_p.shape[1], 1), log_p.shape[1]))
    class_weight = _as_weights(class_weight, x.shape[1], is_double=True)
    classes, factor = kernels.factors(x.array, t, class_weight, ignore_label)
    loss = select_item.select_item(rows, classes.ravel()) * factor.ravel()
    if reduce == 'no':
        return reshape.reshape(loss, t.shape)

    # A sum in half precision over a large batch overflows or stops growing.
    dtype = numpy.promote_types(x.dtype, numpy.float32)
    # Only the factor is used here, since the sum must be differentiable.
    _, coeff = kernels.mean(
        factor.astype(dtype, copy=False), t, ignore_label,
        None if normalize else len(t), dtype)
    if dtype == x.dtype:
        return sum_.sum(loss * coeff)
    total = sum_.sum(cast.cast(loss, dtype) * coeff)
    return cast.cast(total, x.dtype)


def softmax_cross_entropy(
        x: VariableOrArray, t: VariableOrArray, normalize: bool = True,
        cache_score: bool = True, class_weight: NdArray | None = None,
        ignore_label: int | None = -1, reduce: str = 'mean',
        enable_double_backprop: bool = False,
        soft_target_loss: str = 'cross-entropy') -> Variable:
    """Cross entropy between the softmax of scores and labels.

    .. math:: L = -\\log \\frac{\\exp(x_t)}{\\sum_c \\exp(x_c)}

    for a label :math:`t` and scores :math:`x`. With soft labels, which are
    probabilities :math:`t_c`, it is :math:`-\\sum_c t_c \\log
    \\operatorname{softmax}(x)_c`.

    Parameters
    ----------
    x : Variable or array
        Scores, before any softmax, of a floating dtype and shape ``(N, C, ...)``.
    t : Variable or array
        Labels of a signed integer dtype and shape ``(N, ...)``; or soft labels, of a
        floating dtype and the shape of ``x``, with a probability for each class. No
        gradient flows to them.
    normalize : bool
        Whether to average over all labels that are not ignored, rather than over the
        ``N`` samples. For soft labels, the mean is always over all losses.
    cache_score : bool
        Whether to store the softmax for the gradient, which is then faster but needs
        more memory. It has no effect with ``enable_double_backprop``.
    class_weight : array or None
        Vector of a floating dtype with the weight of the loss of each class. Soft
        labels are not weighted.
    ignore_label : int or None
        Label of samples that are not counted. None means that all samples count.
    reduce : str
        ``'mean'`` for the mean of the losses, ``'no'`` for the loss of each label.
    enable_double_backprop : bool
        Whether the loss can be differentiated twice, which needs more time and memory.
        It is not supported for soft labels.
    soft_target_loss : str
        Loss of soft labels, ``'cross-entropy'`` or ``'kl-divergence'``.

    Returns
    -------
    Variable
        The loss, of the dtype of ``x``: a scalar, or an array of shape ``(N, ...)``
        with ``reduce='no'``, where the loss of ignored labels is zero.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If dtypes or shapes do not match, or ``enable_double_backprop`` is true for soft
        labels.
    IndexError
        If a label is not a class.
    ValueError
        If ``reduce``, ``soft_target_loss`` or ``class_weight`` is not one of the above;
        in debug mode, if a label is neither a class nor ignored.

    Warns
    -----
    UserWarning
        Once, if a negative label is not ignored: it counts from the end.

    See Also
    --------
    chainer_fast.functions.softmax
    chainer_fast.functions.sigmoid_cross_entropy
    chainer_fast.links.Classifier

    Notes
    -----
    The softmax must not have been applied to ``x``.

    Examples
    --------
    >>> x = np.zeros((3, 4), np.float32)        # four classes, all equally likely
    >>> t = np.array([3, 0, -1], np.int32)      # the last sample does not count
    >>> F.softmax_cross_entropy(x, t, reduce='no').array    # log 4
    array([1.3863, 1.3863, 0.    ], dtype=float32)
    >>> F.softmax_cross_entropy(x, t).array
    array(1.3863, dtype=float32)
    """
    if enable_double_backprop:
        if soft_target_loss not in ('cross-entropy', 'kl-divergence'):
            SoftmaxCrossEntropy(soft_target_loss=soft_target_loss)
        return _double_backward_softmax_cross_entropy(
            x, t, normalize, class_weight, ignore_label, reduce)
    loss = SoftmaxCrossEntropy(
        normalize, cache_score, class_weight, ignore_label, reduce,
        soft_target_loss)
    return loss.apply((x, t))[0]

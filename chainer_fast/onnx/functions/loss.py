"""Converters of loss functions."""
from __future__ import annotations

from typing import Any

import numpy

from chainer_fast.onnx.functions._operators import emits, refuses


@emits
def convert_AbsoluteError(ops: Any, func: Any, x0: Any, x1: Any) -> None:
    ops.op('Abs', [ops.op('Sub', [x0, x1])])


@emits
def convert_SquaredError(ops: Any, func: Any, x0: Any, x1: Any) -> None:
    difference = ops.op('Sub', [x0, x1])
    ops.op('Mul', [difference, difference])


def _mean_of(op_name):
    def convert(ops, func, x0, x1):
        difference = ops.op('Sub', [x0, x1])
        errors = (ops.op('Abs', [difference]) if op_name == 'Abs'
                  else ops.op('Mul', [difference, difference]))
        ops.along('ReduceMean', errors, None, keepdims=0)
    return emits(convert)


convert_MeanAbsoluteError: Any = _mean_of('Abs')
convert_MeanSquaredError: Any = _mean_of('Mul')


@emits
def convert_HuberLoss(ops: Any, func: Any, x: Any, t: Any) -> None:
    # With m = min(|x - t|, delta), both branches are m * (|x - t| - m / 2).
    distance = ops.op('Abs', [ops.op('Sub', [x, t])])
    least = ops.clip(distance, None, float(func.delta))
    half = ops.op('Mul', [least, ops.const(0.5, 'half')])
    losses = ops.op('Mul', [least, ops.op('Sub', [distance, half])])
    if func.reduce != 'no':
        ops.along('ReduceSum', losses, [1], keepdims=0)


@emits
def convert_Hinge(ops: Any, func: Any, x: Any, t: Any) -> None:
    signs = _one_hot(ops, _labels(ops, t), (1, -1))
    margins = ops.op('Add', [ops.op('Mul', [x, signs]), ops.const(1, 'one')])
    losses = ops.op('Relu', [margins])
    if func.norm == 'L2':
        losses = ops.op('Mul', [losses, losses])
    if func.reduce == 'mean':
        total = ops.along('ReduceSum', losses, None, keepdims=0)
        ops.op('Div', [total, _length(ops, x)])


@emits
def convert_SigmoidCrossEntropy(
        ops: Any, func: Any, x: Any, t: Any) -> None:
    ignored = _ignored(ops, _labels(ops, t), func.ignore_label)
    chosen = ops.op('Mul', [x, ops.cast(t, ops.dtype())])
    losses = ops.op('Sub', [ops.op('Softplus', [x]), chosen])
    losses = ops.zero_where(ignored, losses, ops.dtype())
    if func.reduce == 'mean':
        _mean(ops, losses, _count(ops, ignored) if func.normalize else _length(ops, x))


def _label_dtype(ops):
    """Return the dtype of labels: one of the two that all operators support."""
    return numpy.int32 if ops.dtype(1) == numpy.int32 else numpy.int64


def _labels(ops, t):
    dtype = _label_dtype(ops)
    return t if ops.dtype(1) == dtype else ops.cast(t, dtype)


def _ignored(ops, labels, label):
    return ops.op(
        'Equal', [labels, ops.const(label, 'ignore_label', _label_dtype(ops))])


def _one_hot(ops, labels, values):
    """Numbers for each class, with the second one at the label."""
    # Runtimes support this operator for few dtypes.
    chosen = ops.op('OneHot', [
        labels, ops.const(ops.shape()[1], 'depth', _label_dtype(ops)),
        ops.const(values, 'values', numpy.float32)], axis=1)
    return chosen if ops.dtype() == numpy.float32 else ops.cast(chosen, ops.dtype())


def _length(ops, x):
    """Length of the batch, as a number."""
    length = ops.slice(ops.op('Shape', [x]), [0], [0], [1])
    length = ops.along('Squeeze', length, [0])
    return ops.clip(ops.cast(length, ops.dtype()), 1., None)


def _count(ops, ignored):
    """Number of labels that count, at least one."""
    counted = ops.cast(ops.op('Not', [ignored]), ops.dtype())
    count = ops.along('ReduceSum', counted, None, keepdims=0)
    return ops.clip(count, 1., None)


def _mean(ops, losses, count):
    ops.op('Div', [ops.along('ReduceSum', losses, None, keepdims=0), count])


@emits
def convert_SoftmaxCrossEntropy(
        ops: Any, func: Any, x: Any, t: Any) -> None:
    if func.soft_target:
        _soft_targets(ops, func, x, t)
        return
    ops.takes('OneHot', 'axis')     # without it, a class cannot be selected
    labels = _labels(ops, t)
    weights = None
    if func.class_weight is not None:
        weights = ops.context.add_param(
            func.class_weight.astype(ops.dtype()), 'class_weight')
    if _is_plain(func, ops) and ops.opset_version < 12:
        _as_chainer(ops, x, t)
        return
    ignored = _ignored(ops, labels, func.ignore_label)
    if ops.has('SoftmaxCrossEntropyLoss'):
        operands = [x, labels] if weights is None else [x, labels, weights]
        losses = ops.op(
            'SoftmaxCrossEntropyLoss', operands, reduction='none',
            ignore_index=func.ignore_label)
    else:
        losses = _picked(ops, _log_softmax(ops, x), labels, ignored, weights)
    if func.reduce == 'mean':
        _mean(ops, losses, _count(ops, ignored) if func.normalize else _length(ops, t))


def _is_plain(func, ops):
    """Return whether Chainer's converter, up to version 11, supports the example."""
    t = func.get_retained_inputs()[1].array
    return (func.normalize and func.class_weight is None and func.reduce == 'mean'
            and len(ops.shape()) == 2 and func.ignore_label == -1
            and not (t == func.ignore_label).any())


def _as_chainer(ops, x, t):
    depth = ops.const([ops.shape()[1]], 'depth', numpy.int32)
    zeroone = ops.const([0, 1], 'zeroone')
    scores = ops.op('LogSoftmax', [x])
    chosen = ops.op('OneHot', [t, depth, zeroone])
    losses = ops.op('Neg', [ops.op('Mul', [scores, chosen])])
    losses = ops.along('ReduceSum', losses, [1], keepdims=0)
    ops.along('ReduceMean', losses, [0], keepdims=0)


def _log_softmax(ops, x):
    """Logarithms of the softmax along the second axis."""
    if ops.opset_version >= 13:
        return ops.op('LogSoftmax', [x], axis=1)
    ndim = len(ops.shape())
    order = [0, *range(2, ndim), 1]
    back = [0, ndim - 1, *range(1, ndim - 1)]
    scores = ops.op('LogSoftmax', [ops.transpose(x, order)], axis=ndim - 1)
    return ops.transpose(scores, back)


def _picked(ops, scores, labels, ignored, weights):
    # Negative labels would be counted from the end.
    labels = ops.zero_where(ignored, labels, _label_dtype(ops))
    losses = ops.op('Mul', [scores, _one_hot(ops, labels, (0, -1))])
    if weights is not None:
        losses = ops.op('Mul', [
            losses, ops.beside_channels(weights, 1, len(ops.shape()))])
    losses = ops.along('ReduceSum', losses, [1], keepdims=0)
    return ops.zero_where(ignored, losses, ops.dtype())


def _soft_targets(ops, func, x, t):
    dtype = numpy.promote_types(ops.dtype(), ops.dtype(1))
    scores = _log_softmax(ops, x)
    scores, t = [
        name if ops.dtype(i) == dtype else ops.cast(name, dtype)
        for i, name in enumerate((scores, t))]
    if func.soft_target_loss == 'kl-divergence':
        # Chainer adds the term so that zeros have a logarithm.
        logs = ops.op('Log', [ops.op('Add', [t, ops.const(func.eps, 'eps', dtype)])])
        scores = ops.op('Sub', [scores, logs])
    losses = ops.op('Neg', [ops.op('Mul', [scores, t])])
    losses = ops.along('ReduceSum', losses, [1], keepdims=0)
    if func.reduce == 'mean':
        ops.along('ReduceMean', losses, None, keepdims=0)


convert_NegativeSamplingFunction = refuses('its samples are random')
convert_ConnectionistTemporalClassification = refuses(
    'ONNX has no loss over all alignments of sequences')

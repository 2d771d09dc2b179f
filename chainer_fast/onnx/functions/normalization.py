"""Converters of normalizations."""
from __future__ import annotations

from typing import Any

from chainer_fast.onnx.functions._operators import emits, emits_all, positive, refuses

# ------------------------------------------------------------------------------ batches

@emits_all
def convert_BatchNormalization(
        ops: Any, func: Any, x: Any, gamma: Any,
        beta: Any) -> list[Any]:
    if not _fits_operator(func):
        mean, var = _moments(ops, x, func.axis)
        return [_standardize(ops, func, x, gamma, beta, mean, var)]
    # The statistics of the example; in its training mode the operator computes them.
    parameters = [gamma, beta, *_add_statistics(ops, func, func.mean, func.var)]
    options = {'epsilon': func.eps, 'momentum': func.decay}
    if not ops.takes('BatchNormalization', 'training_mode'):
        return [_batch_operator(ops, x, parameters, **options)]
    # In this mode it also outputs the new statistics.
    return [_batch_operator(ops, x, parameters, 3, training_mode=1, **options)]


@emits
def convert_FixedBatchNormalization(
        ops: Any, func: Any, x: Any, gamma: Any, beta: Any, mean: Any,
        var: Any) -> None:
    implicit = ops.context.implicit_inputs
    if mean in implicit and var in implicit:
        mean, var = _add_statistics(
            ops, func, *[implicit.pop(name).data for name in (mean, var)])
    if _fits_operator(func):
        _batch_operator(
            ops, x, [gamma, beta, mean, var], epsilon=func.eps, momentum=0.0)
        return
    mean, var = [_spread(ops, func, each) for each in (mean, var)]
    _standardize(ops, func, x, gamma, beta, mean, var)


def _fits_operator(func):
    """Return whether the parameters belong to the second axis, as in ONNX."""
    return tuple(func.key_axis) == (1,)


def _batch_operator(ops, x, parameters, count=1, **attributes):
    """Add the operator, in the dtype of the parameters; returns its first output."""
    outer, inner = ops.dtype(0), ops.dtype(1)
    if outer != inner:
        x = ops.cast(x, inner)
    y = ops.op('BatchNormalization', [x, *parameters], count, **attributes)
    if count > 1:
        y = y[0]
    return y if outer == inner else ops.cast(y, outer)


def _add_statistics(ops, func, mean, var):
    """Add mean and variance as initializers, named after the link if any."""
    owner = None
    for node in func.inputs[1:3]:
        owner = owner or ops.context.get_link(node.get_variable_or_none())
    return [_add_statistic(ops.context, owner, array.astype(ops.dtype(1)), name)
            for array, name in ((mean, 'avg_mean'), (var, 'avg_var'))]


def _add_statistic(context, owner, array, name):
    # The array is a copy: the user may have passed one for several purposes.
    if owner is None:
        return context.add_param(array, name)
    of_link = '%s_%s' % (owner[0], name)
    # A link may be called several times, with other statistics in training.
    earlier = [each for each in context.parameters
               if context.get_name(each) == of_link]
    if not earlier:
        return context.add_param(array, of_link, use_original_name=True)
    if (earlier[0] == array).all():
        return of_link
    return context.add_param(array, name)


def _spread(ops, func, parameter):
    """Align a parameter with some axes of the values."""
    axes = [i for i in range(len(ops.shape())) if i not in func.key_axis]
    return ops.along('Unsqueeze', parameter, axes)


def _moments(ops, x, axes):
    mean = ops.along('ReduceMean', x, axes, keepdims=1)
    centered = ops.op('Sub', [x, mean])
    square = ops.op('Mul', [centered, centered])
    return mean, ops.along('ReduceMean', square, axes, keepdims=1)


def _standardize(ops, func, x, gamma, beta, mean, var):
    """Add the arithmetic for moments that broadcast to the values."""
    deviation = ops.op('Sqrt', [ops.op('Add', [var, ops.const(func.eps, 'eps')])])
    y = ops.op('Div', [ops.op('Sub', [x, mean]), deviation])
    y = ops.op('Mul', [y, _spread(ops, func, gamma)])
    return ops.op('Add', [y, _spread(ops, func, beta)])


convert_BatchRenormalizationFunction = refuses(
    'it corrects the statistics of a batch in training; export with train=False')


# -------------------------------------------------------------------- groups and layers

@emits
def convert_GroupNormalization(
        ops: Any, func: Any, x: Any, gamma: Any, beta: Any) -> None:
    # Before version 21, the operator had parameters per group, not per channel.
    if ops.opset_version >= 21:
        ops.op('GroupNormalization', [x, gamma, beta], epsilon=func.eps,
               num_groups=func.groups)
        return
    group, eps = ops.ints(func.groups, 'group'), ops.const(func.eps, 'eps')
    channel, rest = ops.ints([ops.shape()[1]], 'channel'), ops.ints([-1], 'neg_one')
    shape = ops.op('Shape', [x])
    batch = ops.slice(shape, [0], [0], [1])
    rows = ops.op('Concat', [ops.op('Mul', [batch, group]), rest], axis=0)
    y = _standard_rows(ops, ops.op('Reshape', [x, rows]), eps)
    channels = ops.op('Concat', [batch, channel, rest], axis=0)
    y = ops.op('Reshape', [y, channels])
    factor, offset = [ops.along('Unsqueeze', each, [1]) for each in (gamma, beta)]
    y = ops.op('Add', [ops.op('Mul', [y, factor]), offset])
    ops.op('Reshape', [y, shape])


def _standard_rows(ops, rows, eps):
    """Normalize each row to mean 0 and variance 1."""
    def mean(x):
        return ops.along('ReduceMean', x, [1], keepdims=0)

    def column(x):
        return ops.along('Unsqueeze', x, [1])

    rows = ops.op('Sub', [rows, column(mean(rows))])
    variance = ops.op('Add', [mean(ops.op('Mul', [rows, rows])), eps])
    factor = ops.op('Reciprocal', [ops.op('Sqrt', [variance])])
    return ops.op('Mul', [rows, column(factor)])


@emits
def convert_LayerNormalization(
        ops: Any, func: Any, x: Any, gamma: Any, beta: Any) -> None:
    if ops.has('LayerNormalization'):
        ops.op('LayerNormalization', [x, gamma, beta], axis=1, epsilon=func.eps)
        return
    y = _standard_rows(ops, x, ops.const(func.eps, 'eps'))
    ops.op('Add', [ops.op('Mul', [y, gamma]), beta])


# ------------------------------------------------------------------------------ lengths

@emits
def convert_LocalResponseNormalization(ops: Any, func: Any, x: Any) -> None:
    size = func.n // 2 * 2 + 1      # equally many channels on both sides
    ops.op('LRN', [x], size=size, bias=float(func.k), beta=float(func.beta),
           alpha=float(func.alpha) * size)


@emits
def convert_NormalizeL2(ops: Any, func: Any, x: Any) -> None:
    axes = positive(func.axis, len(ops.shape()))
    if len(axes) == 1 and ops.opset_version < 12:
        # As in Chainer: without the term that prevents a length of zero.
        ops.op('LpNormalization', [x], axis=axes[0], p=2)
        return
    length = ops.along('ReduceL2', x, axes, keepdims=1)
    ops.op('Div', [x, ops.op('Add', [length, ops.const(func.eps, 'eps')])])


convert_DecorrelatedBatchNormalization = refuses(
    'ONNX has no decomposition of matrices')

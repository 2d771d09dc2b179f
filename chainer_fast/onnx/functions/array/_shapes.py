"""Converters of functions that change shapes, dtypes or sizes."""
import numpy

from chainer_fast.onnx.functions._operators import (
    element_type,
    emits,
    emits_all,
    operator,
    positive,
)

convert_Copy = operator('Identity')
convert_Shape = operator('Shape')


@emits
def convert_Cast(ops, func, x):
    ops.op('Cast', [x], to=element_type(func.type))


@emits
def convert_Reshape(ops, func, x, shape=None):
    # A wrapped function may have the shape as an input.
    if shape is not None:
        ops.op('Reshape', [x, shape])
        return
    shape, options = list(func.shape), {}
    if 0 in shape and ops.takes('Reshape', 'allowzero'):
        options['allowzero'] = 1
    elif ops.context.has_named_sizes:
        # Zero means the size of the input, whatever it is.
        for axis, (before, after) in enumerate(zip(ops.shape(), shape, strict=False)):
            if before != after:
                break
            shape[axis] = 0
    ops.op('Reshape', [x, ops.ints(shape, 'shape')], **options)


@emits
def convert_ExpandDims(ops, func, x):
    ops.along('Unsqueeze', x, positive([func.axis], len(ops.shape()) + 1))


@emits
def convert_Squeeze(ops, func, x):
    shape = ops.shape()
    if func.axis is None:
        axes = [axis for axis, length in enumerate(shape) if length == 1]
    else:
        axes = positive(func.axis, len(shape))
    if axes:
        ops.along('Squeeze', x, sorted(axes))
    else:
        ops.op('Identity', [x])


@emits_all
def convert_Broadcast(ops, func, *xs):
    shape = numpy.broadcast_shapes(*[node.shape for node in func.inputs])
    return [
        x if node.shape == shape else ops.op('Expand', [x, ops.ints(shape, 'shape')])
        for x, node in zip(xs, func.inputs, strict=True)]


@emits
def convert_Tile(ops, func, x):
    reps, ndim = tuple(func.reps), len(ops.shape())
    if len(reps) > ndim:
        x = ops.along('Unsqueeze', x, range(len(reps) - ndim))
    reps = (1,) * (ndim - len(reps)) + reps
    ops.op('Tile', [x, ops.ints(reps, 'tiles')])


@emits
def convert_Repeat(ops, func, x):
    shape, axis = ops.shape(), func.axis
    if axis is None:
        if len(shape) != 1:
            x = ops.reshape(x, [-1])
        shape, axis = (numpy.prod(shape, dtype=int),), 0
    counts = numpy.broadcast_to(func.repeats, (shape[axis],))
    places = numpy.repeat(numpy.arange(shape[axis]), counts)
    ops.op('Gather', [x, ops.ints(places, 'indices')], axis=axis % len(shape))


# Modes of Pad; other modes select elements along each axis.
_PAD_MODES = ('constant', 'edge', 'reflect')


@emits
def convert_Pad(ops, func, x):
    widths = numpy.broadcast_to(func.pad_bw, (len(ops.shape()), 2))
    options = dict(func.keywords)
    value = options.pop('constant_values', 0)
    if options:
        raise ops.refusal('ONNX does not support padding with %s' % ', '.join(options))
    if func.mode not in (*_PAD_MODES, 'symmetric', 'wrap'):
        raise ops.refusal(
            'the padding mode %r cannot be exported: supported are constant, edge, '
            'reflect, symmetric and wrap' % (func.mode,))
    if func.mode == 'constant':
        _pad_with(ops, x, widths, numpy.broadcast_to(value, widths.shape))
    elif func.mode == 'edge' or (func.mode == 'reflect' and all(
            max(around) < length
            for around, length in zip(widths, ops.shape(), strict=True))):
        _pad(ops, x, widths, func.mode)
    else:
        _pad_by_choice(ops, x, widths, func.mode)


def _pad(ops, x, widths, mode, value=None):
    pads = [int(width) for width in widths.T.ravel()]
    if ops.takes('Pad', 'pads'):
        options = {} if value in (None, 0) else {'value': float(value)}
        return ops.op('Pad', [x], mode=mode, pads=pads, **options)
    inputs = [x, ops.ints(pads, 'pads')]
    if value not in (None, 0):
        inputs.append(ops.const(value, 'constant_value'))
    return ops.op('Pad', inputs, mode=mode)


def _pad_with(ops, x, widths, values):
    """Pad with constants: with one value at once, with several axis by axis."""
    used = values[widths > 0]
    if len(set(used.tolist())) <= 1:
        return _pad(ops, x, widths, 'constant', used[0].item() if used.size else 0)
    for place in numpy.argwhere(widths > 0):
        place = tuple(place)
        only = numpy.zeros_like(widths)
        only[place] = widths[place]
        x = _pad(ops, x, only, 'constant', values[place].item())
    return x


def _pad_by_choice(ops, x, widths, mode):
    for axis, around in enumerate(widths):
        if around.any():
            places = numpy.pad(numpy.arange(ops.shape()[axis]), tuple(around), mode)
            x = ops.op('Gather', [x, ops.ints(places, 'indices')], axis=axis)
    if not widths.any():
        ops.op('Identity', [x])

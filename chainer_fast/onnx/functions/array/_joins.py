"""Converters of functions that join or split arrays."""
import numpy

from chainer_fast.onnx.functions._operators import emits, emits_all


@emits
def convert_Concat(ops, func, *xs):
    ops.op('Concat', xs, axis=func.axis % len(ops.shape()))


@emits
def convert_Stack(ops, func, *xs):
    axis = func.axis % (len(ops.shape()) + 1)
    ops.op('Concat', [ops.along('Unsqueeze', x, [axis]) for x in xs], axis=axis)


def _joins(axis, new_axes):
    """Return the converter of a function that joins arrays after adding axes.

    Parameters
    ----------
    axis : int
        Axis along which they are joined, if they have enough axes.
    new_axes : list of list of int
        Axes to insert, by the number of axes of the arrays.
    """
    @emits
    def convert(ops, func, *xs):
        ndim = len(ops.shape())
        if ndim < len(new_axes):
            xs = [ops.along('Unsqueeze', x, new_axes[ndim]) for x in xs]
            ndim += len(new_axes[ndim])
        ops.op('Concat', xs, axis=min(axis, ndim - 1))
    return convert


convert_Vstack = _joins(0, [[0, 1], [0]])
convert_Hstack = _joins(1, [[0]])
convert_Dstack = _joins(2, [[0, 1, 2], [0, 2], [2]])


@emits_all
def convert_SplitAxis(ops, func, x):
    axis = func.axis % len(ops.shape())
    length = ops.shape()[axis]
    if func.indices is None:
        lengths = [length // func.sections] * func.sections
    else:
        # As NumPy interprets negative and large indices.
        lengths = [len(part) for part in numpy.split(
            numpy.empty(length), list(func.indices))]
        if sum(lengths) != length:
            raise ops.refusal('its parts overlap, or omit elements')
    return ops.split(x, axis, lengths)


@emits_all
def convert_Separate(ops, func, x):
    axis = func.axis % len(ops.shape())
    return [ops.along('Squeeze', part, [axis]) for part in ops.split(
        x, axis, [1] * ops.shape()[axis])]


@emits_all
def convert_TransposeSequence(ops, func, *xs):
    # Sequences are sorted by length, so that the first one has the most steps.
    steps = [[] for _ in range(ops.shape()[0])]
    for i, x in enumerate(xs):
        for t, part in enumerate(ops.split(x, 0, [1] * ops.shape(i)[0])):
            steps[t].append(part)
    return [ops.op('Concat', step, axis=0) for step in steps]


@emits
def convert_PadSequence(ops, func, *xs):
    length = func.length
    if length is None:
        length = max(node.shape[0] for node in func.inputs)
    padded = []
    for i, x in enumerate(xs):
        count, *rest = ops.shape(i)
        if count < length:
            filling = numpy.full((length - count, *rest), func.padding, ops.dtype())
            x = ops.op('Concat', [x, ops.const(filling, 'padding')], axis=0)
        padded.append(ops.along('Unsqueeze', x, [0]))
    ops.op('Concat', padded, axis=0)

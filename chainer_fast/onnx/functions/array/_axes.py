"""Converters of functions that reorder axes, or elements along them."""
import numpy

from chainer_fast.onnx.functions._operators import emits
from chainer_fast.onnx.functions.array._slices import add_slice


def _reorders(move):
    """Return the converter of a transposition.

    Parameters
    ----------
    move : callable
        Transposes an array; called with the array and the function.
    """
    @emits
    def convert(ops, func, x):
        # The shape of a transposed array whose lengths are axis numbers gives the
        # order.
        order = move(numpy.empty(range(len(ops.shape()))), func).shape
        ops.op('Transpose', [x], perm=order)
    return convert


convert_Transpose = _reorders(lambda x, func: x.transpose(func.axes))
convert_Swapaxes = _reorders(
    lambda x, func: numpy.swapaxes(x, func.axis1, func.axis2))
convert_Moveaxis = _reorders(
    lambda x, func: numpy.moveaxis(x, func.source, func.destination))
convert_Rollaxis = _reorders(
    lambda x, func: numpy.rollaxis(x, func.axis, func.start))


def _flip(ops, x, axis):
    axis %= len(ops.shape())
    if ops.takes('Slice', 'starts'):    # without strides
        places = numpy.arange(ops.shape()[axis])[::-1]
        ops.op('Gather', [x, ops.ints(places, 'indices')], axis=axis)
    else:
        add_slice(ops, x, [axis], [slice(None, None, -1)])


@emits
def convert_Flip(ops, func, x):
    _flip(ops, x, func.axis)


@emits
def convert_FlipLR(ops, func, x):
    _flip(ops, x, 1)


@emits
def convert_FlipUD(ops, func, x):
    _flip(ops, x, 0)


@emits
def convert_Diagonal(ops, func, x):
    shape = ops.shape()
    first, second = func.axis1 % len(shape), func.axis2 % len(shape)
    others = [axis for axis in range(len(shape)) if axis not in (first, second)]
    x = ops.transpose(x, [*others, first, second])
    x = ops.reshape(x, [0] * len(others) + [shape[first] * shape[second]])
    places = numpy.arange(shape[first] * shape[second]).reshape(
        shape[first], shape[second]).diagonal(func.offset)
    ops.op('Gather', [x, ops.ints(places, 'indices')], axis=len(others))

"""Operators that change shapes: the same elements in another arrangement."""
import math

import numpy

from chainer_fast import backend
from chainer_fast import functions as F
from chainer_fast.onnx._load.node import Unsupported
from chainer_fast.onnx._load.table import any_variable, ints, operator


def module_of(*xs):
    """Return the functions for variables if any value is one, else xp."""
    return F if any_variable(*xs) else backend.get_array_module(*xs)


@operator('Reshape', host=(1,))
def reshape(node):
    keeps_zeros = node.require('allowzero', 0, 1, default=0)

    def compute(x, shape):
        shape = ints(shape)
        if not keeps_zeros:
            shape = [n or x.shape[i] for i, n in enumerate(shape)]
        return x.reshape(shape)

    return compute


@operator('Flatten')
def flatten(node):
    axis = node.get('axis', 1)

    def compute(x):
        first = axis % x.ndim if axis < 0 else axis
        return x.reshape(math.prod(x.shape[:first]), math.prod(x.shape[first:]))

    return compute


def _axes(node):
    """Function that returns the axes of Squeeze and Unsqueeze; None without axes."""
    if node.opset >= 13:
        return ints
    fixed = node.get('axes', None)
    return lambda axes: fixed


@operator('Squeeze', host=(1,))
def squeeze(node):
    axes_of = _axes(node)

    def compute(x, axes=None):
        axes = axes_of(axes)
        if axes is None:
            axes = [i for i, n in enumerate(x.shape) if n == 1]
        axes = tuple([a % x.ndim for a in axes])
        if not axes:
            return x
        return module_of(x).squeeze(x, axes)

    return compute


@operator('Unsqueeze', host=(1,))
def unsqueeze(node):
    axes_of = _axes(node)
    if axes_of is not ints and axes_of(None) is None:
        raise Unsupported("its attribute 'axes' is missing")

    def compute(x, axes=None):
        axes = axes_of(axes)
        ndim = x.ndim + len(axes)
        if len(axes) == 1:
            return module_of(x).expand_dims(x, axes[0] % ndim)
        new = {a % ndim for a in axes}
        lengths = iter(x.shape)
        return x.reshape([1 if i in new else next(lengths) for i in range(ndim)])

    return compute


@operator('Transpose')
def transpose(node):
    perm = node.get('perm', None)
    if perm is None:
        return lambda x: x.transpose()
    return lambda x: x.transpose(perm)


@operator('Concat')
def concat(node):
    axis = node.get('axis')

    def compute(*xs):
        along = axis % xs[0].ndim
        if any_variable(*xs):
            return F.concat(xs, axis=along)
        return backend.get_array_module(*xs).concatenate(xs, axis=along)

    return compute


@operator('Split', host=(1,), outputs=math.inf)
def split(node):
    axis, count = node.get('axis', 0), len(node.outputs)
    fixed = None if node.opset >= 13 else node.get('split', None)
    if node.opset >= 18:
        node.get('num_outputs', count)

    def compute(x, lengths=None):
        along = axis % x.ndim
        lengths = fixed if lengths is None else ints(lengths)
        if lengths is None:
            most = -(-x.shape[along] // count)
            places = [most * i for i in range(1, count)]
        else:
            places = numpy.cumsum(lengths)[:-1].tolist()
        if count == 1:
            return x
        if any_variable(x):
            return F.split_axis(x, places, along)
        return backend.get_array_module(x).split(x, places, along)

    return compute


@operator('Expand', host=(1,))
def expand(node):
    def compute(x, shape):
        shape = numpy.broadcast_shapes(x.shape, tuple(ints(shape)))
        return x if x.shape == shape else module_of(x).broadcast_to(x, shape)

    return compute


@operator('Tile', host=(1,))
def tile(node):
    return lambda x, repeats: module_of(x).tile(x, tuple(ints(repeats)))


@operator('DepthToSpace')
def depth_to_space(node):
    size = node.get('blocksize')
    mode = node.require('mode', 'DCR', 'CRD', default='DCR')

    def compute(x):
        batch, depth, height, width = x.shape
        depth //= size * size
        if mode == 'DCR' and any_variable(x):
            return F.depth2space(x, size)
        if mode == 'DCR':
            x = x.reshape(batch, size, size, depth, height, width)
            x = x.transpose(0, 3, 4, 1, 5, 2)
        else:
            x = x.reshape(batch, depth, size, size, height, width)
            x = x.transpose(0, 1, 4, 2, 5, 3)
        return x.reshape(batch, depth, height * size, width * size)

    return compute


@operator('SpaceToDepth')
def space_to_depth(node):
    size = node.get('blocksize')
    mode = node.require('mode', 'DCR', 'CRD', default='DCR') if (
        node.opset >= 28) else 'DCR'

    def compute(x):
        if mode == 'DCR' and any_variable(x):
            return F.space2depth(x, size)
        batch, depth, height, width = x.shape
        x = x.reshape(batch, depth, height // size, size, width // size, size)
        order = (0, 3, 5, 1, 2, 4) if mode == 'DCR' else (0, 1, 3, 5, 2, 4)
        return x.transpose(order).reshape(
            batch, depth * size * size, height // size, width // size)

    return compute


def along_axis(x, axis, index):
    """Elements of a value at indices, or a slice, of one axis."""
    return F.get_item(x, (slice(None),) * axis + (index,)) if any_variable(x) else (
        x[(slice(None),) * axis + (index,)])


def _padded(x, axis, before, after, mode):
    # Indexing, unlike F.pad, propagates gradients to the copied elements.
    places = numpy.pad(numpy.arange(x.shape[axis]), (before, after), mode)
    return along_axis(x, axis, backend.get_array_module(
        x.array if any_variable(x) else x).asarray(places))


@operator('Pad', host=(1, 2, 3))
def pad(node):
    modes = ('constant', 'reflect', 'edge') + (('wrap',) if node.opset >= 19 else ())
    mode = node.require('mode', *modes, default='constant')
    fixed, number = None, 0.
    if node.opset < 11:
        fixed, number = node.get('pads'), node.get('value', 0.)

    def compute(x, pads=None, value=None, axes=None):
        pads = fixed if pads is None else ints(pads)
        axes = range(x.ndim) if axes is None else [a % x.ndim for a in ints(axes)]
        count = len(pads) // 2
        widths = dict(zip(axes, zip(pads[:count], pads[count:], strict=True),
                          strict=True))
        for axis, (before, after) in widths.items():
            if min(before, after) < 0:
                cut = slice(max(-before, 0), x.shape[axis] - max(-after, 0))
                x = along_axis(x, axis, cut)
                widths[axis] = max(before, 0), max(after, 0)
        widths = {a: width for a, width in widths.items() if any(width)}
        if not widths:
            return x
        if mode != 'constant':
            for axis, (before, after) in widths.items():
                x = _padded(x, axis, before, after, mode)
            return x
        return module_of(x).pad(
            x, [widths.get(i, (0, 0)) for i in range(x.ndim)], 'constant',
            constant_values=number if value is None else value.item())

    return compute

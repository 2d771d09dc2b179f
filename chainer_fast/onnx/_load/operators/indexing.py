"""Operators that select or set elements by position."""
import itertools

import numpy

from chainer_fast import backend
from chainer_fast import functions as F
from chainer_fast.onnx._load.operators.shape import along_axis
from chainer_fast.onnx._load.table import any_variable, ints, operator, raw


def _take(x, index):
    return F.get_item(x, index) if any_variable(x) else x[index]


@operator('Gather')
def gather(node):
    axis = node.get('axis', 0)

    def compute(x, indices):
        along = axis % x.ndim
        array = raw(indices)
        if any_variable(x) and along == 0 and x.ndim == 2 and array.ndim:
            if (array < 0).any():
                if (array < -len(x)).any():
                    raise IndexError(
                        'the smallest index is %d, but the array has %d rows' % (
                            int(array.min()), len(x)))
                indices = backend.get_array_module(array).where(
                    array < 0, array + len(x), array)
            return F.embed_id(indices, x)
        return along_axis(x, along, array if array.ndim else array.item())

    return compute


def _grid(xp, shape):
    """Indices of all positions of a shape, one array per axis, ready to broadcast."""
    return [
        xp.arange(n).reshape([-1 if i == j else 1 for j in range(len(shape))])
        for i, n in enumerate(shape)]


def _elements(x, indices, axis):
    """The index that selects or sets single elements along an axis."""
    array = raw(indices)
    places = _grid(backend.get_array_module(array), array.shape)
    places[axis % x.ndim] = array
    return tuple(places)


def _slices(indices, batch_dims=0):
    """The index for elements described by the last axis of ``indices``."""
    array = raw(indices)
    xp = backend.get_array_module(array)
    places = _grid(xp, array.shape[:-1])[:batch_dims]
    return tuple(places) + tuple([array[..., i] for i in range(array.shape[-1])])


@operator('GatherElements')
def gather_elements(node):
    axis = node.get('axis', 0)
    return lambda x, indices: _take(x, _elements(x, indices, axis))


@operator('GatherND')
def gather_nd(node):
    batch_dims = node.get('batch_dims', 0)
    return lambda x, indices: _take(x, _slices(indices, batch_dims))


def _set(x, places, updates, reduction):
    """Return a value with some elements set, incremented, multiplied, etc."""
    array = raw(x)
    xp = backend.get_array_module(array)
    if not any_variable(x, updates):
        y = array.copy()
        if reduction == 'none':
            y[places] = updates
        else:
            ufunc = {'add': xp.add, 'mul': xp.multiply, 'max': xp.maximum,
                     'min': xp.minimum}[reduction]
            ufunc.at(y, places, updates)
        return y
    if reduction == 'none':
        hit = xp.zeros(array.shape, bool)
        hit[places] = True
        x = F.where(hit, xp.zeros_like(array), x)
    return F.scatter_add(x, places, updates)


def _reduction(node, first):
    if node.opset < first:
        return 'none'
    # No differentiable function scatters products or extrema.
    return node.require('reduction', 'none', 'add', default='none')


@operator('Scatter', 'ScatterElements')
def scatter_elements(node):
    axis, reduction = node.get('axis', 0), _reduction(node, 16)
    return lambda x, indices, updates: _set(
        x, _elements(x, indices, axis), updates, reduction)


@operator('ScatterND')
def scatter_nd(node):
    reduction = _reduction(node, 16)
    return lambda x, indices, updates: _set(x, _slices(indices), updates, reduction)


@operator('Slice', host=(1, 2, 3, 4))
def slices(node):
    fixed = None, None, None
    if node.opset < 10:
        fixed = node.get('starts'), node.get('ends'), node.get('axes', None)

    def compute(x, *given):
        starts, ends, axes, steps = list(itertools.islice(
            itertools.chain([ints(each) for each in given], [None] * 4), 4))
        if starts is None:
            starts, ends, axes = fixed
        axes = range(len(starts)) if axes is None else axes
        steps = [1] * len(starts) if steps is None else steps
        index = [slice(None)] * x.ndim
        for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
            # In a slice of Python, -1 is counted from the end; in ONNX it may mean the
            # position before the first: the bounds are clipped to the array.
            first, last, _ = slice(start, end, step).indices(x.shape[axis])
            index[axis] = slice(first, None if last < 0 else last, step)
        return _take(x, tuple(index))

    return compute


@operator('Compress', host=(1,))
def compress(node):
    axis = node.get('axis', None)

    def compute(x, condition):
        places = numpy.flatnonzero(condition)
        xp = backend.get_array_module(raw(x))
        if axis is None:
            return _take(x.reshape(-1), xp.asarray(places))
        return along_axis(x, axis % x.ndim, xp.asarray(places))

    return compute

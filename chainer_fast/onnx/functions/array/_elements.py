"""Converters of functions that select or place elements."""
from typing import Any

import numpy

from chainer_fast.backends import cuda
from chainer_fast.backends.arrays import get_array_types
from chainer_fast.onnx.functions._operators import emits
from chainer_fast.onnx.functions.array._slices import add_slice


def _input_or_constant(ops, array, name):
    """Return the name of an array that is not an input of the function.

    It is the name of the network's input if the array is one, or that of a new
    constant.
    """
    if ops.context.is_pinned(array):
        return ops.context.get_name(array)
    return ops.const(cuda.to_cpu(array), name, array.dtype)


def _on_host(entry):
    return cuda.to_cpu(entry) if isinstance(entry, get_array_types()) else entry


@emits
def convert_Where(ops, func, x, y):
    ops.op('Where', [_input_or_constant(ops, func.condition, 'condition'), x, y])


@emits
def convert_Permutate(ops, func, x):
    axis, length = func.axis % len(ops.shape()), len(func.indices)
    if not ops.context.is_pinned(func.indices):
        order = cuda.to_cpu(func.indices)
        if func.inv:
            order = order.argsort()
        ops.op('Gather', [x, ops.ints(order % length, 'indices')], axis=axis)
        return
    indices = ops.context.get_name(func.indices)
    if func.inv:
        scatter = 'ScatterElements' if ops.has('ScatterElements') else 'Scatter'
        indices = ops.op(scatter, [
            ops.ints([0] * length, 'empty'), indices,
            ops.ints(range(length), 'range')])
    ops.op('Gather', [x, indices], axis=axis)


@emits
def convert_SelectItem(ops, func, x, t):
    column = ops.along('Unsqueeze', t, [1])
    if ops.has('GatherElements'):
        chosen = ops.op('GatherElements', [x, column], axis=1)
        ops.along('Squeeze', chosen, [1])
        return
    # With a mask, so that infinite values elsewhere have no effect.
    classes = ops.const(numpy.arange(ops.shape()[1])[None], 'classes', numpy.int64)
    distance = ops.op('Sub', [ops.cast(column, numpy.int64), classes])
    other = ops.cast(distance, numpy.bool_)
    ops.op('ReduceSum', [ops.op('Where', [other, ops.const(0, 'zero'), x])],
           axes=[1], keepdims=0)


@emits
def convert_GetItem(ops, func, x):
    entries = _entries(ops, func.slices, ops.shape())
    kept = [entry for entry in entries if not isinstance(entry, int)]
    arrays = [i for i, entry in enumerate(kept) if isinstance(entry, numpy.ndarray)]
    if len(arrays) > 1:
        _check_arrays(ops, entries)

    axes = [entry for entry in entries if entry is not None]
    cut = [i for i, entry in enumerate(axes)
           if isinstance(entry, int)
           or (isinstance(entry, slice) and entry != slice(None))]
    before = x
    if cut:
        x = add_slice(ops, x, cut, [_as_slice(axes[i]) for i in cut])
    gone = [i for i in cut if isinstance(axes[i], int)]
    if gone:
        x = ops.along('Squeeze', x, gone)
    new = [i for i, entry in enumerate(kept) if entry is None]
    if new:
        x = ops.along('Unsqueeze', x, new)
    if len(arrays) == 1:
        place, = arrays
        x = ops.op('Gather', [x, ops.ints(kept[place], 'indices')], axis=place)
        if place and _come_first(entries):
            count = kept[place].ndim
            ndim = len(kept) - 1 + count
            x = ops.transpose(x, [
                *range(place, place + count), *range(place),
                *range(place + count, ndim)])
    elif arrays:
        indices = numpy.stack(
            numpy.broadcast_arrays(*[kept[i] for i in arrays]), axis=-1)
        x = ops.op('GatherND', [x, ops.ints(indices, 'indices')])
    if x == before:
        ops.op('Identity', [x])


def _entries(ops, slices, shape):
    """Return an index as a list of int, slice, None and arrays, for all axes."""
    entries: list[Any] = []
    for entry in slices:
        if entry is None or entry is Ellipsis or isinstance(entry, slice):
            entries.append(entry)
            continue
        array = numpy.asarray(_on_host(entry))
        if array.dtype.kind == 'b' and array.ndim:
            entries.extend(array.nonzero())
        elif array.dtype.kind not in 'iu':
            raise ops.refusal('%r is an index of a kind that ONNX does not '
                              'support' % (entry,))
        elif array.ndim == 0:
            entries.append(int(array))
        else:
            entries.append(array)
    missing = len(shape) - sum(
        entry is not None and entry is not Ellipsis for entry in entries)
    if not any(entry is Ellipsis for entry in entries):
        entries.append(Ellipsis)
    # ``list.index`` would compare with arrays.
    place = next(i for i, entry in enumerate(entries) if entry is Ellipsis)
    entries[place:place + 1] = [slice(None)] * missing
    axis = 0
    for i, entry in enumerate(entries):
        if isinstance(entry, numpy.ndarray):
            entries[i] = entry.astype(numpy.int64) % max(shape[axis], 1)
        axis += entry is not None
    return entries


def _as_slice(entry):
    if isinstance(entry, int):
        return slice(entry, None if entry == -1 else entry + 1)
    return entry


def _check_arrays(ops, entries):
    """Reject an index with several arrays that GatherND does not support."""
    if not ops.has('GatherND'):
        raise ops.refusal(
            'indexing with several arrays needs opset version 11 or later, not %d'
            % ops.opset_version)
    places = [i for i, entry in enumerate(entries) if isinstance(entry, numpy.ndarray)]
    if not all(isinstance(entry, int) for entry in entries[:places[0]]) \
            or places[-1] - places[0] >= len(places):
        raise ops.refusal(
            'several arrays in an index must be adjacent, before slices and new axes; '
            'transpose the array, or index it in two steps')


def _come_first(entries):
    """Return whether NumPy puts the axes of index arrays before all others.

    It does if they are not adjacent, where integers count as index arrays.
    """
    places = [i for i, entry in enumerate(entries)
              if isinstance(entry, (int, numpy.ndarray))]
    return places[-1] - places[0] >= len(places)


@emits
def convert_ScatterAdd(ops, func, a, b):
    if not ops.has('ScatterElements') or not ops.takes('ScatterElements', 'reduction'):
        raise RuntimeError(
            'opset version %d does not support ScatterAdd, which adds at indices: '
            'export with opset_version=16 or later' % ops.opset_version)
    shape = ops.shape()
    places = numpy.arange(numpy.prod(shape, dtype=int)).reshape(shape)[
        tuple([_on_host(entry) for entry in func.slices])]
    flat = ops.op('ScatterElements', [
        ops.reshape(a, [-1]), ops.ints(places.ravel(), 'indices'),
        ops.reshape(b, [-1])], axis=0, reduction='add')
    ops.reshape(flat, shape)

"""Nodes that slice arrays."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy

from chainer_fast.onnx.functions._operators import Operators

if TYPE_CHECKING:
    from chainer_fast.onnx.context import Context

_LAST = numpy.iinfo(numpy.int64).max
_BEFORE_FIRST = numpy.iinfo(numpy.int64).min


def get_slice_node(
        gb: Any, opset_version: int, context: Context, input_names: list[str],
        axes: Any, starts: Any, ends: Any, steps: Any) -> str:
    """Add a node that takes slices along some axes.

    Parameters
    ----------
    gb : chainer_fast.onnx.onnx_helper.GraphBuilder
        Receives the node.
    opset_version : int
        Version of the operator set.
    context : chainer_fast.onnx.context.Context
        Receives the constants.
    input_names : list of str
        Name of the array, as a list of one element.
    axes, starts, ends, steps : list of int
        The axes, and the slice for each of them.

    Returns
    -------
    str
        Name of the result.

    Raises
    ------
    ValueError
        If a step is not 1 before opset version 10, which has none.
    """
    if opset_version < 10:
        if any(step != 1 for step in steps):
            raise ValueError(
                'a slice with a step other than 1 needs opset version 10 or later, '
                'not %d' % opset_version)
        return gb.op('Slice', input_names, axes=axes, starts=starts, ends=ends)
    parts = [('starts', starts), ('ends', ends), ('axes', axes)]
    if any(step != 1 for step in steps) or opset_version >= 11:
        parts.append(('steps', steps))
    add = context.add_const
    if isinstance(gb, Operators):   # which makes names of constants unique
        add = gb.ints
    return gb.op('Slice', [*input_names, *[
        add(numpy.array(values, numpy.int64), name) for name, values in parts]])


def add_slice(ops, x, axes, slices):
    """Add a node that takes slices, given as objects of Python.

    Parameters
    ----------
    ops : chainer_fast.onnx.functions._operators.Operators
        Receives the node.
    x : str
        The array.
    axes : list of int
        The axes.
    slices : list of slice
        A slice for each of them.

    Returns
    -------
    str
        Name of the result.
    """
    bounds = []
    for part in slices:
        step = 1 if part.step is None else int(part.step)
        start = part.start
        if start is None:
            start = 0 if step > 0 else _LAST
        stop = part.stop
        if stop is None:
            stop = _LAST if step > 0 else _BEFORE_FIRST
        bounds.append((int(start), int(stop), step))
    starts, ends, steps = zip(*bounds, strict=True)
    return get_slice_node(
        ops, ops.opset_version, ops.context, [x], list(axes), list(starts),
        list(ends), list(steps))

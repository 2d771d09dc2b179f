"""Sums and other reductions along axes."""
from collections.abc import Callable
from typing import Any

import numpy

from chainer_fast import functions as F
from chainer_fast.onnx._load.table import any_variable, ints, operator


def _log_sum_exp(x, axis, keepdims):
    y = F.logsumexp(x, axis=axis)
    if not keepdims:
        return y
    return F.reshape(y, [1 if i in axis else n for i, n in enumerate(x.shape)])


_ON_VARIABLES: dict[str, Callable[..., Any]] = {
    'ReduceSum': F.sum,
    'ReduceMean': F.mean,
    'ReduceMax': F.max,
    'ReduceMin': F.min,
    'ReduceProd': F.prod,
    'ReduceLogSumExp': _log_sum_exp,
    'ReduceL1': lambda x, **axes: F.sum(F.absolute(x), **axes),
    'ReduceL2': lambda x, **axes: F.sqrt(F.sum(x * x, **axes)),
    'ReduceLogSum': lambda x, **axes: F.log(F.sum(x, **axes)),
    'ReduceSumSquare': lambda x, **axes: F.sum(x * x, **axes),
}

_ON_ARRAYS: dict[str, Callable[..., Any]] = {
    'ReduceSum': lambda x, **axes: x.sum(dtype=x.dtype, **axes),
    'ReduceMax': lambda x, **axes: x.max(**axes),
    'ReduceMin': lambda x, **axes: x.min(**axes),
    'ReduceProd': lambda x, **axes: x.prod(dtype=x.dtype, **axes),
    'ReduceL1': lambda x, **axes: abs(x).sum(dtype=x.dtype, **axes),
    'ReduceSumSquare': lambda x, **axes: (x * x).sum(dtype=x.dtype, **axes),
}

#: For each operator, the opset in which its axes became an input.
_AXES_ARE_INPUT = dict.fromkeys(_ON_VARIABLES, 18) | {'ReduceSum': 13}


def _build(node):
    keepdims = bool(node.require('keepdims', 0, 1, default=1))
    fixed, noop = None, False
    if node.opset >= _AXES_ARE_INPUT[node.type]:
        noop = bool(node.require('noop_with_empty_axes', 0, 1, default=0))
    else:
        fixed = node.get('axes', None)
    on_variables = _ON_VARIABLES[node.type]
    of_arrays = _ON_ARRAYS.get(node.type, on_variables)

    def compute(x, axes=None):
        axes = fixed if axes is None else ints(axes)
        if not axes:
            axes = [] if noop else range(x.ndim)
        axes = tuple([a % x.ndim for a in axes])
        if not axes and node.type in ('ReduceMean', 'ReduceSum', 'ReduceMax',
                                      'ReduceMin', 'ReduceProd', 'ReduceLogSumExp'):
            return x
        function = on_variables if any_variable(x) else of_arrays
        return function(x, axis=axes, keepdims=keepdims)

    return compute


operator(*_ON_VARIABLES, host=(1,))(_build)


for _name, _function in ('ArgMax', F.argmax), ('ArgMin', F.argmin):
    @operator(_name)
    def arg(node, function=_function):
        axis = node.get('axis', 0)
        keepdims = node.require('keepdims', 0, 1, default=1)
        last = node.require('select_last_index', 0, 1, default=0)

        def compute(x):
            along = axis % x.ndim
            found = F.cast(function(F.flip(x, along) if last else x, along), 'int64')
            if last:
                found = x.shape[along] - 1 - found
            return F.expand_dims(found, along) if keepdims else found

        return compute


def _stable_order(array, axis):
    """Return the indices that sort an array; equal elements keep their order."""
    # CuPy's sort is always stable, and before version 14 it has no ``kind``.
    kind = {'kind': 'stable'} if isinstance(array, numpy.ndarray) else {}
    return array.argsort(axis=axis, **kind)


@operator('TopK', host=(1,), outputs=2)
def top_k(node):
    axis = node.get('axis', -1)
    largest = node.require('largest', 0, 1, default=1)
    node.require('sorted', 0, 1, default=1)
    fixed = node.get('k') if node.opset < 10 else None

    def compute(x, k=None):
        array = x.array if any_variable(x) else x
        along, k = axis % x.ndim, fixed if k is None else k.item()
        before = (slice(None),) * along
        back = before + (slice(None, None, -1),)
        if largest:     # among equal elements, those with the lowest index come first
            order = _stable_order(array[back], along)[back]
            order = x.shape[along] - 1 - order
        else:
            order = _stable_order(array, along)
        order = order[before + (slice(k),)].astype(numpy.int64)
        places = [
            numpy.arange(n).reshape([-1 if j == i else 1 for j in range(x.ndim)])
            for i, n in enumerate(order.shape)]
        places[along] = order
        values = F.get_item(x, tuple(places))
        return (values, order) if len(node.outputs) == 2 else values

    return compute

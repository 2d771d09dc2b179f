"""Nodes for a given operator set version, used by the converters.

Between versions of the operator set, arguments move from attributes to inputs. The
arguments of an operator are read from its schema, so that converters do not depend on
versions.
"""
from __future__ import annotations

import collections
import functools
from collections.abc import Callable
from typing import Any

import numpy

from chainer_fast.onnx import onnx_helper
from chainer_fast.onnx._library import onnx


class Operators(onnx_helper.GraphBuilder):
    """Builds the nodes of one function.

    Parameters
    ----------
    func : FunctionNode
        The function, for messages and dtypes.
    opset_version : int
        Version of the operator set.
    context : chainer_fast.onnx.context.Context
        Receives the constants.
    """

    def __init__(self, func, opset_version, context):
        super().__init__()
        self.opset_version = opset_version
        self.context = context
        self._func = func
        self._used = collections.Counter()

    def has(self, op_name):
        """Return whether the operator set has an operator."""
        return onnx.defs.has(op_name, self.opset_version)

    def takes(self, op_name, attribute):
        """Return whether an argument of an operator is an attribute."""
        self._require(op_name)
        schema = onnx.defs.get_schema(op_name, self.opset_version)
        return attribute in schema.attributes

    def _require(self, op_name):
        if self.has(op_name):
            return
        first = onnx.defs.get_schema(op_name)
        version = next((version for version in range(1, first.since_version + 1)
                        if onnx.defs.has(op_name, version)), first.since_version)
        raise RuntimeError(
            'opset version %d does not support %s, which needs the operator %s: export '
            'with opset_version=%d or later'
            % (self.opset_version, _name(self._func), op_name, version))

    def op_output_named(self, op_name, input_names, output_names, **kwargs):
        self._require(op_name)
        return super().op_output_named(op_name, input_names, output_names, **kwargs)

    def nodes(self, output_names=None):
        made = super().nodes(output_names)
        if len(made) == 1:
            made[0].name = onnx_helper.get_func_name()
        return made

    def nodes_of(self, results, output_names):
        """Return the nodes, after renaming results to the names of the outputs.

        Parameters
        ----------
        results, output_names : list of str
            Current and new names.

        Returns
        -------
        tuple of onnx.NodeProto
            The nodes.
        """
        made = {name for node in self._nodes for name in node.output}
        results = [name if name in made else self.op('Identity', [name])
                   for name in results]
        names = dict(zip(results, output_names, strict=True))
        for node in self._nodes:
            for field in (node.input, node.output):
                field[:] = [names.get(name, name) for name in field]
        return tuple(self._nodes)

    def const(self, value, name, dtype=None):
        """Add a constant; numbers have the dtype of the function's first input.

        Parameters
        ----------
        value : array, number or sequence of numbers
            Its values.
        name : str
            Its name, to which a number is appended if it is in use.
        dtype : dtype or None
            Its dtype; None for that of the first input.

        Returns
        -------
        str
            Its name in the graph.
        """
        count = self._used[name]
        self._used[name] += 1
        if count:
            name = '%s_%d' % (name, count)
        array = numpy.array(value, self.dtype() if dtype is None else dtype)
        return self.context.add_const(array, name)

    def ints(self, values, name):
        """Add a constant of 64-bit integers, such as axes or shapes."""
        return self.const(values, name, numpy.int64)

    def dtype(self, i=0):
        """Return the dtype of an input of the function."""
        return self._func.inputs[i].dtype

    def shape(self, i=0):
        """Return the shape of an input of the function."""
        return self._func.inputs[i].shape

    def cast(self, x, dtype):
        """Cast to a dtype."""
        return self.op('Cast', [x], to=element_type(dtype))

    def along(self, op_name, x, axes, **kwargs):
        """Add an operator with axes, as an attribute or an input.

        Parameters
        ----------
        op_name : str
            The operator, such as ``ReduceSum``, ``Squeeze`` or ``Unsqueeze``.
        x : str
            Its input.
        axes : sequence of int or None
            The axes, not negative; None for all of them.
        **kwargs
            Other attributes.

        Returns
        -------
        str
            Its output.
        """
        if axes is None:
            return self.op(op_name, [x], **kwargs)
        if self.takes(op_name, 'axes'):
            return self.op(op_name, [x], axes=list(axes), **kwargs)
        return self.op(op_name, [x, self.ints(axes, 'axes')], **kwargs)

    def reshape(self, x, shape, name='shape'):
        """Reshape; -1 means the remaining length, 0 the previous length."""
        return self.op('Reshape', [x, self.ints(shape, name)])

    def transpose(self, x, axes):
        """Transpose, unless the axes are already in order."""
        axes = [int(axis) for axis in axes]
        return x if axes == sorted(axes) else self.op('Transpose', [x], perm=axes)

    def split(self, x, axis, lengths):
        """Split along an axis into parts of given lengths; returns their names."""
        if len(lengths) == 1:
            return x,
        if len(set(lengths)) == 1 and not self.takes('Split', 'num_outputs'):
            return self.op('Split', [x], len(lengths), axis=axis)
        if self.takes('Split', 'split'):
            return self.op('Split', [x], len(lengths), axis=axis, split=list(lengths))
        return self.op(
            'Split', [x, self.ints(lengths, 'split')], len(lengths), axis=axis)

    def slice(self, x, axes, starts, ends):
        """Slice along some axes."""
        if self.takes('Slice', 'starts'):
            return self.op('Slice', [x], axes=axes, starts=starts, ends=ends)
        return self.op('Slice', [
            x, self.ints(starts, 'starts'), self.ints(ends, 'ends'),
            self.ints(axes, 'axes')])

    def pad(self, x, pads, value):
        """Pad with a constant; ``pads`` has those before all axes, then those after."""
        if self.takes('Pad', 'pads'):
            return self.op('Pad', [x], mode='constant', pads=pads, value=value)
        return self.op('Pad', [x, self.ints(pads, 'pads'), self.const(value, 'pad')])

    def clip(self, x, low, high, names=('min', 'max')):
        """Clip to bounds, of which one may be None."""
        bounds: dict[str, Any] = dict(
            zip(('min', 'max'), (low, high), strict=True))
        if self.takes('Clip', 'min'):
            given: dict[str, Any] = {
                key: float(bound) for key, bound in bounds.items()
                if bound is not None}
            return self.op('Clip', [x], **given)
        inputs = ['' if bound is None else self.const(bound, name)
                  for name, bound in zip(names, bounds.values(), strict=True)]
        return self.op('Clip', [x, *inputs[:2 if high is not None else 1]])

    def zero_where(self, condition, x, dtype):
        """Replace elements by zeros where a condition holds."""
        if self.has('Where'):
            return self.op('Where', [condition, self.const(0, 'zero', dtype), x])
        kept = self.cast(self.op('Not', [condition]), dtype)
        return self.op('Mul', [x, kept])

    def beside_channels(self, parameter, count, ndim):
        """Align the axes of a parameter with those from the second of ``ndim`` on."""
        behind = ndim - 1 - count
        if count == 0 or behind <= 0:
            return parameter
        return self.along('Unsqueeze', parameter, range(count, count + behind))

    def refusal(self, why):
        """Return the error of a function that cannot be expressed."""
        return _refusal(self._func, why)


def _name(func):
    wrapped = getattr(func, 'custom_function_node_name', None)
    return wrapped or type(old_style_or(func)).__name__


def _refusal(func, why):
    return ValueError('%s cannot be exported: %s' % (_name(func), why))


def element_type(dtype):
    """Return ONNX's constant for a dtype."""
    return onnx_helper.NP_TYPE_TO_TENSOR_TYPE[numpy.dtype(dtype)]


def positive(axes, ndim):
    """Return axes as a list of non-negative numbers, or None for None."""
    return None if axes is None else [axis % ndim for axis in axes]


def emits(build: Callable[..., Any]) -> Callable[..., Any]:
    """Return a converter, given a function that builds the nodes.

    Parameters
    ----------
    build : callable
        Called with an :class:`Operators`, the function and the names of its inputs. The
        last node that it adds makes the outputs.

    Returns
    -------
    callable
        ``convert(func, opset_version, input_names, output_names, context)``.
    """
    @functools.wraps(build)
    def convert(func, opset_version, input_names, output_names, context):
        operators = Operators(func, opset_version, context)
        build(operators, old_style_or(func), *input_names)
        return operators.nodes(output_names)
    del convert.__wrapped__     # its parameters differ from those of ``build``
    return convert


def emits_all(build: Callable[..., Any]) -> Callable[..., Any]:
    """Return a converter with several outputs, whose names ``build`` returns."""
    @functools.wraps(build)
    def convert(func, opset_version, input_names, output_names, context):
        operators = Operators(func, opset_version, context)
        results = build(operators, old_style_or(func), *input_names)
        return operators.nodes_of(results, output_names)
    del convert.__wrapped__
    return convert


def old_style_or(func):
    """Return the function of an adapter, or any other function itself."""
    function = getattr(func, 'function', None)
    return func if function is None else function


def operator(op_name: str) -> Callable[..., Any]:
    """Return the converter of a function that is one operator without attributes."""
    def convert(ops, func, *input_names):
        ops.op(op_name, input_names)
    return emits(convert)


def refuses(why: str) -> Callable[..., Any]:
    """Return the converter of a function that cannot be expressed."""
    def convert(func, opset_version, input_names, output_names, context):
        raise _refusal(func, why)
    convert.refuses = why   # type: ignore[attr-defined]
    return convert

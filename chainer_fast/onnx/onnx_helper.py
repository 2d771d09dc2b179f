"""Making nodes of ONNX graphs, and writing files of tensors."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

from chainer_fast.onnx._library import onnx
from chainer_fast.types import NdArray

#: Element types of ONNX by dtype; their values are part of the file format.
NP_TYPE_TO_TENSOR_TYPE = {numpy.dtype(name): number for name, number in (
    ('float32', 1), ('uint8', 2), ('int8', 3), ('uint16', 4), ('int16', 5),
    ('int32', 6), ('int64', 7), ('bool', 9), ('float16', 10), ('float64', 11),
    ('uint32', 12), ('uint64', 13), ('complex64', 14), ('complex128', 15))}

#: Names of these element types.
TENSOR_TYPE_TO_NAME = {
    number: {1: 'FLOAT', 11: 'DOUBLE'}.get(number, dtype.name.upper())
    for dtype, number in NP_TYPE_TO_TENSOR_TYPE.items()}

_func_name = None


def set_func_name(func_name: str) -> None:
    """Set the name of the function that is being converted.

    Parameters
    ----------
    func_name : str
        Name for the nodes that :func:`make_node` makes from now on.
    """
    global _func_name
    _func_name = func_name


def get_func_name() -> str | None:
    """Return the name (str) of the function that is being converted."""
    return _func_name


def make_node(*args: Any, **kwargs: Any) -> Any:
    """Make a node that is named after the function being converted.

    Parameters
    ----------
    op_type : str
        The operator.
    inputs, outputs : sequence of str
        Names of the inputs and outputs.
    **kwargs
        Attributes; ``domain`` is the operator's domain.

    Returns
    -------
    onnx.NodeProto
        The node.
    """
    return onnx.helper.make_node(*args, name=get_func_name(), **kwargs)


class GraphBuilder:
    """Makes the nodes of one function, with unique names for intermediate values."""

    def __init__(self) -> None:
        self._nodes = []
        self._func_name = get_func_name()
        assert self._func_name is not None, (
            'nodes are named after a function: call set_func_name first')

    def node_name(self) -> str:
        """Return the name (str) of the next node."""
        return '%s_tmp_%d' % (self._func_name, len(self._nodes))

    def op(
            self, op_name: str, input_names: Sequence[str], num_outputs: int = 1,
            **kwargs: Any) -> str | tuple[str, ...]:
        """Add a node.

        Parameters
        ----------
        op_name : str
            The operator.
        input_names : sequence of str
            Names of its inputs.
        num_outputs : int
            Number of outputs.
        **kwargs
            Attributes.

        Returns
        -------
        str or tuple of str
            Name of the output, or names of the outputs if there are several.
        """
        name = self.node_name()
        if num_outputs == 1:
            output_names = [name]
        else:
            output_names = ['%s_%d' % (name, i) for i in range(num_outputs)]
        return self.op_output_named(op_name, input_names, output_names, **kwargs)

    def op_output_named(
            self, op_name: str, input_names: Sequence[str],
            output_names: Sequence[str], **kwargs: Any) -> str | tuple[str, ...]:
        """Add a node like :meth:`op`, with given names of its outputs."""
        self._nodes.append(onnx.helper.make_node(
            op_name, input_names, output_names, name=self.node_name(), **kwargs))
        return output_names[0] if len(output_names) == 1 else tuple(output_names)

    def nodes(
            self,
            output_names: Sequence[str | None] | None = None) -> tuple[Any, ...]:
        """Return the nodes.

        Parameters
        ----------
        output_names : sequence of str or None
            New names for the outputs of the last node.

        Returns
        -------
        tuple of onnx.NodeProto
            The nodes in the order in which they were added.
        """
        if output_names is not None:
            last = self._nodes[-1]
            assert len(last.output) == len(output_names), (
                'the last node has %d outputs, not %d'
                % (len(last.output), len(output_names)))
            last.output[:] = output_names
        return tuple(self._nodes)


def write_tensor_pb(filename: str, name: str, value: NdArray) -> None:
    """Write an array to a file of one tensor.

    Parameters
    ----------
    filename : str
        Path of the file.
    name : str
        Name of the tensor.
    value : array
        The array.
    """
    tensor = onnx.numpy_helper.from_array(value, name)
    with open(filename, 'wb') as file:
        file.write(tensor.SerializeToString())


def cleanse_param_name(name: str) -> str:
    """Return the name of an initializer for the path of a parameter in its model.

    Parameters
    ----------
    name : str
        The path, such as ``'/conv1/W'``.

    Returns
    -------
    str
        The name, such as ``'param_conv1_W'``.
    """
    return 'param' + name.replace('/', '_')


def is_support_non_standard_domain() -> bool:
    """Return whether the checker of the installed ONNX accepts other domains: True."""
    return True

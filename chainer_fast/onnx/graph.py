"""Conversion of the functions of a graph to ONNX nodes."""
from __future__ import annotations

import collections
import difflib
import heapq
import itertools
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from chainer_fast.function import Function, FunctionAdapter
from chainer_fast.function_node import FunctionNode
from chainer_fast.onnx import onnx_helper
from chainer_fast.onnx.functions.converter import FunctionConverterParams
from chainer_fast.variable import Variable, VariableNode

if TYPE_CHECKING:
    from chainer_fast.onnx.context import Context


class Graph:
    """The functions that compute the network's outputs, and their conversion.

    Parameters
    ----------
    context : chainer_fast.onnx.context.Context
        Names and constants.
    converters : dict of callable
        Converters by function name.
    opset_version : int
        Version of the operator set.
    explicit_input_names : iterable of str
        Names of the network's inputs, where the graph ends.
    network_outputs : dict of Variable
        The network's outputs, by name.

    Attributes
    ----------
    graph : list of onnx.NodeProto
        The nodes, after :meth:`to_onnx_graph`.
    outputs : list of str
        Names of their outputs.
    used : dict
        Maps the name of each input of a function to a function and the input's
        index.
    locate : callable
        Returns a str that describes where a function was called; may be set before
        the conversion.
    is_recorded : callable
        Returns whether a function belongs to the network; may be set as well.
    """

    def __init__(
            self, context: Context, converters: dict[str, Callable[..., Any]],
            opset_version: int, explicit_input_names: Iterable[str],
            network_outputs: dict[str, Variable]) -> None:
        self.context = context
        self.converters = converters
        self.specified_opset_version = opset_version
        self.explicit_input_names: set[str] = set(explicit_input_names)
        self.network_outputs = network_outputs
        self.graph: list[Any] = []
        self.outputs: list[str] = []
        self.used: dict[Any, Any] = {}
        self.locate = lambda function: ''
        self.is_recorded = lambda function: True
        self._counts = {}

    def create_node(
            self, func_name: str, func: FunctionNode | Function, input_names: list[str],
            output_names: list[str]) -> tuple[Any, ...]:
        """Convert one function.

        Parameters
        ----------
        func_name : str
            Name of its converter.
        func : FunctionNode or Function
            The function.
        input_names, output_names : list of str
            Names of its inputs and outputs.

        Returns
        -------
        tuple of onnx.NodeProto
            Its nodes, including its constants.

        Raises
        ------
        ValueError
            If the function has no converter.
        """
        if func_name not in self.converters:
            raise ValueError(self._describe_unknown({func_name: func}))
        nodes = self.converters[func_name](FunctionConverterParams(
            func, self.specified_opset_version, input_names, output_names,
            self.context))
        try:
            nodes = tuple(nodes)
        except TypeError:
            raise TypeError(
                'the converter of %s must return a tuple of nodes, not %s'
                % (func_name, type(nodes).__name__)) from None
        nodes = (*self.context.constants, *nodes)
        self.context.constants.clear()
        return nodes

    def convert_to_onnx_node(self, function: FunctionNode) -> None:
        """Convert one function, and add its nodes to :attr:`graph`.

        Parameters
        ----------
        function : FunctionNode
            The function, applied.
        """
        func, func_name = _names_of(function)
        input_names = []
        for i, node in enumerate(function.inputs):
            name = self.context.get_name(node)
            if self.is_implicit(node):
                self.context.implicit_inputs[name] = node
            input_names.append(name)
            self.used[name] = function, i

        count = self._counts.get(func_name, 0)
        self._counts[func_name] = count + 1
        unique_name = '%s_%d' % (func_name, count)
        output_names = self._name_outputs(function, unique_name)

        onnx_helper.set_func_name(unique_name)
        try:
            nodes = self.create_node(func_name, func, input_names, output_names)
        except (ValueError, TypeError, RuntimeError, NotImplementedError) as error:
            place = self.locate(function)
            if not place or type(error).__module__ != 'builtins':
                raise
            raise type(error)('%s\n%s was called %s' % (
                error, func_name, place)) from error
        self.graph.extend(nodes)
        self.outputs.extend(output_names)

    def _name_outputs(self, function, unique_name):
        references = function.outputs
        names = []
        for i, reference in enumerate(references):
            name = unique_name if len(references) == 1 else '%s_%d' % (unique_name, i)
            node = reference()
            if node is not None:
                if self.context.is_pinned(node):
                    name = self.context.get_name(node)
                else:
                    self.context.set_name(node, name)
            names.append(name)
        return names

    def to_onnx_graph(self) -> None:
        """Convert all functions, in order of dependency.

        Raises
        ------
        ValueError
            If functions have no converter; the message lists them with the places
            where they were called.
        """
        functions = self._sort()
        unknown = {}
        for function in functions:
            func, name = _names_of(function)
            if name not in self.converters:
                unknown.setdefault(name, function)
        if unknown:
            raise ValueError(self._describe_unknown(unknown))
        for function in functions:
            self.convert_to_onnx_node(function)

    def sort_outputs(
            self,
            outputs: dict[str, Variable]) -> collections.OrderedDict[str, Variable]:
        """Sort outputs of the network by the functions that compute them.

        Parameters
        ----------
        outputs : dict of Variable
            The outputs.

        Returns
        -------
        OrderedDict of Variable
            The same outputs by their names in the graph, beginning with those that
            no function computes.
        """
        places = {name: i for i, name in enumerate(self.outputs)}
        named = [(self.context.get_name(y), y) for y in outputs.values()]
        return collections.OrderedDict(
            sorted(named, key=lambda item: places.get(item[0], -1)))

    def is_implicit(self, node: VariableNode) -> bool:
        """Return whether an array is neither computed nor an input or a parameter.

        Parameters
        ----------
        node : VariableNode
            The array.

        Returns
        -------
        bool
            True for constants.
        """
        name = self.context.get_name(node)
        return self._is_leaf(node) and name not in self.explicit_input_names \
            and name not in self.context.param_names

    def _is_leaf(self, node):
        """Return whether no function of the network computes an array."""
        function = node.creator_node
        return function is None or not self.is_recorded(function) or (
            self.context.is_pinned(node)
            and self.context.get_name(node) in self.explicit_input_names)

    def _sort(self):
        """Return the functions in order of dependency."""
        heap, seen, found = [], set(), []
        order = itertools.count()

        def add(node):
            function = node.creator_node
            if not self._is_leaf(node) and function not in seen:
                seen.add(function)
                heapq.heappush(heap, (-function.rank, next(order), function))

        for output in self.network_outputs.values():
            add(output.node)
        while heap:
            function = heapq.heappop(heap)[2]
            found.append(function)
            for node in function.inputs:
                add(node)
        return found[::-1]

    def _describe_unknown(self, unknown):
        """Return a message about functions without a converter, with advice."""
        lines = []
        for name, function in unknown.items():
            place = self.locate(function)
            near = difflib.get_close_matches(name, self.converters, 3)
            lines.append('%s is not supported: it has no converter to ONNX%s%s' % (
                name, ', and was called %s' % place if place else '',
                '; similar names that have one: %s' % ', '.join(near)
                if near else ''))
        lines.append(
            'Pass converters to export as external_converters={%r: converter}, or '
            'replace parts of the model with onnx_chainer.replace_func.as_funcnode.'
            % next(iter(unknown)))
        return '\n'.join(lines)


def _names_of(function):
    """Return a function in the form that converters get, and its converter's name.

    An old-style function replaces its adapter in the graph, and a wrapped function
    has its own name.
    """
    func = function.function if isinstance(function, FunctionAdapter) else function
    name = getattr(func, 'custom_function_node_name', None)
    return func, name or type(func).__name__

"""The graph of functions as ONNX nodes."""
import heapq
import itertools

from chainer_fast.onnx import onnx_helper
from chainer_fast.onnx.functions.converter import FunctionConverterParams


class Graph:
    """The functions that network outputs come from, and their conversion.

    Parameters
    ----------
    context : chainer_fast.onnx.context.Context
        Names and constants.
    converters : dict of callable
        Converters by the names of functions.
    opset_version : int
        Version of the operator set.
    explicit_input_names : iterable of str
        Names of the network's inputs.
    network_outputs : dict of Variable
        The network's outputs by their names.

    Attributes
    ----------
    graph : list of onnx.NodeProto
        The nodes, after :meth:`to_onnx_graph`.
    """

    def __init__(self, context, converters, opset_version, explicit_input_names,
                 network_outputs):
        self.context = context
        self.converters = converters
        self.opset_version = opset_version
        self.graph = []
        self.explicit_input_names = set(explicit_input_names)
        self.network_outputs = network_outputs
        self._counts = {}

    def create_node(self, func_name, func, input_names, output_names):
        """Convert one function.

        Parameters
        ----------
        func_name : str
            Name that its converter is found by.
        func : FunctionNode
            The function.
        input_names, output_names : list of str
            Names of its inputs and outputs.

        Returns
        -------
        tuple of onnx.NodeProto
            Its nodes.
        """
        converter = self.converters.get(func_name)
        if converter is None:
            raise ValueError('%s has no converter' % func_name)
        nodes = tuple(converter(FunctionConverterParams(
            func, self.opset_version, input_names, output_names, self.context)))
        nodes = (*self.context.constants, *nodes)
        self.context.constants.clear()
        return nodes

    def convert_to_onnx_node(self, function):
        """Convert one function, and add its nodes to :attr:`graph`."""
        func_name = function_name(function)
        input_names = []
        for node in function.inputs:
            name = self.context.get_name(node)
            if node.creator_node is None and not self._is_known(name):
                self.context.implicit_inputs[name] = node
            input_names.append(name)

        count = self._counts.get(func_name, 0)
        self._counts[func_name] = count + 1
        unique_name = '%s_%d' % (func_name, count)
        onnx_helper.set_func_name(unique_name)

        references = function.outputs
        output_names = []
        for i, reference in enumerate(references):
            name = unique_name if len(references) == 1 else '%s_%d' % (unique_name, i)
            node = reference()
            if node is not None:
                if self.context.is_pinned(node):
                    name = self.context.get_name(node)
                else:
                    self.context.set_name(node, name)
            output_names.append(name)
        self.graph.extend(self.create_node(
            func_name, function, input_names, output_names))

    def _is_known(self, name):
        return name in self.explicit_input_names or name.startswith('param')

    def to_onnx_graph(self):
        """Convert all functions, each after those that it depends on."""
        for function in _sort(self.network_outputs.values()):
            self.convert_to_onnx_node(function)


def function_name(function):
    """Return the name that the converter of a function is found by.

    Parameters
    ----------
    function : FunctionNode
        The function.

    Returns
    -------
    str
        Name of the class; of a wrapped function its own.
    """
    old_style = getattr(function, 'function', None)
    return getattr(function, 'custom_function_node_name', None) or type(
        function if old_style is None else old_style).__name__


def _sort(outputs):
    """Return functions such that each comes after those that it depends on."""
    heap, seen, found = [], set(), []
    order = itertools.count()

    def add(function):
        if function is not None and function not in seen:
            seen.add(function)
            heapq.heappush(heap, (-function.rank, next(order), function))

    for output in outputs:
        add(output.creator_node)
    while heap:
        function = heapq.heappop(heap)[2]
        found.append(function)
        for node in function.inputs:
            add(node.creator_node)
    return found[::-1]

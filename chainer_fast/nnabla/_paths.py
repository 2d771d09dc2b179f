"""The part of a graph that outputs depend on, before it is differentiated."""
from chainer_fast.function import Function, FunctionAdapter
from chainer_fast.function_node import FunctionNode


class Reached:
    """Nodes and functions that the gradients of given nodes propagate to.

    Parameters
    ----------
    nodes : iterable of VariableNode
        Nodes to start from.

    Attributes
    ----------
    nodes : set of VariableNode
        Nodes that require a gradient, the first ones included.
    functions : list of FunctionNode
        Functions that computed the nodes. A function with several outputs may occur
        repeatedly.
    """

    def __init__(self, nodes):
        self.nodes = set()
        self.functions = []
        pending = list(nodes)
        while pending:
            node = pending.pop()
            if node in self.nodes or not node.requires_grad:
                continue
            self.nodes.add(node)
            function = node.creator_node
            if function is not None:
                self.functions.append(function)
                pending.extend(function.inputs or ())

    def leaves_by_array(self):
        """Return the leaves as variables, ``{id of the array: [variable, ...]}``."""
        found = {}
        for node in self.nodes:
            if node.creator_node is None:
                variable = node.get_variable()
                if variable.array is not None:
                    found.setdefault(id(variable.array), []).append(variable)
        return found


def check_differentiable(reached, inputs):
    """Raise an error if a function between inputs and outputs has no gradient."""
    wanted = {x.node for x in inputs}
    for function in reached.functions:
        if _has_backward(function):
            continue
        if wanted & Reached(function.inputs or ()).nodes:
            raise NotImplementedError(
                '%s has no gradient: define its backward, or compute a gradient that '
                'does not depend on it' % (function.label,))


def _has_backward(node):
    if isinstance(node, FunctionAdapter):
        kind = type(node.function)
        return any(getattr(kind, name) is not getattr(Function, name)
                   for name in ('backward', 'backward_cpu', 'backward_gpu'))
    kind = type(node)
    return (kind.backward is not FunctionNode.backward
            or kind.backward_accumulate is not FunctionNode.backward_accumulate)

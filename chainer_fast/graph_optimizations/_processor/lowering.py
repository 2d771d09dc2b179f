"""Lowering: how each function of a graph becomes steps of plans.

A lowering appends the steps of a function, and of its gradient, as
:class:`.builders.Affine` does.
"""
import collections

from chainer_fast._core.graphs.graph import registered
from chainer_fast.backends.kernels.common import elementwise
from chainer_fast.graph_optimizations._processor import plans
from chainer_fast.graph_optimizations._processor.builders import builder_of


def lower(graph, values):
    """Return the lowering of each node.

    Parameters
    ----------
    graph : Graph
    values : Values

    Returns
    -------
    list
    """
    uses = collections.Counter(
        [value for node in graph.nodes for value in node.inputs])
    return [_lower(index, node, graph, values, uses)
            for index, node in enumerate(graph.nodes)]


def _lower(index, node, graph, values, uses):
    if values.fits(*node.inputs, *node.outputs):
        record = elementwise.elementwise_of(node.function, len(node.inputs))
        if record is not None:
            return Loops(*record)
    builder = builder_of(node.function, values, node.inputs, node.outputs, uses)
    if builder is not None:
        return builder
    shortcut, _ = registered(type(node.function)) or (None, None)
    short = shortcut is not None and len(node.outputs) == 1 and (
        len(node.inputs) <= plans.MOST_INPUTS)
    return Function(
        index, short, getattr(shortcut, 'gives_rows', False),
        type(node.function) in graph.drawing, not short or bool(graph.updated))


class Loops:
    """Lowers an elementwise function to the loops of its record."""

    def __init__(self, record, constants):
        self._record = record
        self._constants = constants

    def forward(self, planner, node):
        planner.loop(
            self._record.loop, node.inputs, *node.outputs, constants=self._constants)

    def backward(self, planner, node, grads, targets, sums):
        gradients, grad = self._record.gradients, grads[0]
        if isinstance(gradients, elementwise.Loop):
            found = [planner.values.like(value) for value in node.inputs]
            planner.loop(gradients, (*node.inputs, grad), *found)
            return found
        found = {}
        for i in targets:
            found[i] = grad
            if gradients[i] is not None:
                loop, operand = gradients[i]
                kept = () if operand == 'g' else (
                    node.outputs[0] if operand == 'y' else node.inputs[operand],)
                found[i] = planner.values.like(node.inputs[i])
                planner.loop(
                    loop, (*kept, grad), found[i], constants=self._constants)
        return found


class Function:
    """Lowers a function to a call of its shortcut, or of the graph engine.

    Parameters
    ----------
    index : int
        Position of the function in a workspace.
    has_shortcut : bool
    gives_rows : bool
        Whether the shortcut may return gradients by rows.
    draws : bool
        Whether it draws random numbers.
    has_effects : bool
        Whether it may change arrays that others read.
    """

    def __init__(self, index, has_shortcut, gives_rows, draws, has_effects):
        self._index = index
        self.has_shortcut = has_shortcut
        self._gives_rows = gives_rows
        self._draws = draws
        self._has_effects = has_effects

    def forward(self, planner, node):
        step = plans.FunctionCall(
            self._index, node.function, node.inputs, node.outputs, node.flows)
        planner.step(
            step, node.inputs, node.outputs, self._draws, self._has_effects)

    def backward(self, planner, node, grads, targets, sums):
        found: list[int | None] = [None] * len(node.inputs)
        for i in targets:
            found[i] = planner.values.like(node.inputs[i])
        made = [found[i] for i in targets]
        step = plans.FunctionGradient(
            self._index, node.function.label, grads, targets, made)
        if self._gives_rows:
            planner.values.rows.update(made)
        planner.step(
            step, [g for g in grads if g is not None], made, self._draws,
            self._has_effects)
        return found

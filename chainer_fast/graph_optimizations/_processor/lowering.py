"""Lowering: how each function of a graph becomes steps of plans.

A lowering appends the steps of a function, and of its gradient, as
:class:`.builders.Affine` does.
"""
import collections

from chainer_fast.backends.kernels.common import elementwise
from chainer_fast.backends.kernels.plan import engine, steps
from chainer_fast.graph_optimizations._processor import fallback
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
    short = len(node.outputs) == 1 and fallback.has_shortcut(
        node.function, len(node.inputs))
    return Function(index, short, type(node.function) in graph.drawing,
                    not short or bool(graph.updated))


class Loops:
    """Makes an elementwise function of the loops of its record."""

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
    """Makes a function by its shortcut, or else by the graph engine.

    Parameters
    ----------
    index : int
        Position of the function in a workspace.
    has_shortcut : bool
    draws : bool
        Whether it draws random numbers.
    has_effects : bool
        Whether it may change arrays that others read.
    """

    def __init__(self, index, has_shortcut, draws, has_effects):
        self._index = index
        self.has_shortcut = has_shortcut
        self._draws = draws
        self._has_effects = has_effects

    def forward(self, planner, node):
        step = engine.EngineCall(
            self._index, node.function, node.inputs, node.outputs, node.flows)
        if self.has_shortcut:
            step = steps.ShortcutCall(
                self._index, node.inputs, node.outputs[0], node.function, step)
        planner.step(
            step, node.inputs, node.outputs, self._draws, self._has_effects)

    def backward(self, planner, node, grads, targets, sums):
        found = [planner.values.like(value) if i in targets else None
                 for i, value in enumerate(node.inputs)]
        made = [found[i] for i in targets]
        step = engine.EngineGradient(
            self._index, node.function.label, grads, targets, made)
        if self.has_shortcut:
            step = steps.ShortcutGradient(self._index, grads[0], tuple(found), step)
        if fallback.gives_rows(node.function):
            planner.values.rows.update(made)
        planner.step(
            step, [g for g in grads if g is not None], made, self._draws,
            self._has_effects)
        return found

"""The two directions of a graph as plans."""
import heapq

from chainer_fast.backends.kernels.arithmetic import shortcuts as arithmetic
from chainer_fast.backends.kernels.common import elementwise
from chainer_fast.backends.kernels.plan import steps
from chainer_fast.graph_optimizations import _islands
from chainer_fast.graph_optimizations._builders import builder_of
from chainer_fast.graph_optimizations._plan import Plan


def forward(graph, values):
    """Return the plan of the forward direction, and how its steps are made.

    Parameters
    ----------
    graph : Graph
    values : Values

    Returns
    -------
    tuple of (Plan, list)
        For each step a record with its constants, a builder, ``'shortcut'`` or
        ``'engine'``.
    """
    plan = Plan(values)
    ways = []
    for index, step in enumerate(graph.steps):
        way = _way(step, values)
        island = _islands.Island(index, step)
        ways.append(way)
        if isinstance(way, tuple):
            plan.loop(way[0].loop, step.inputs, *step.outputs, constants=way[1])
        elif way == 'shortcut':
            call = steps.ShortcutCall(
                index, step.inputs, step.outputs[0], step.function, island)
            plan.step(call, step.inputs, step.outputs)
        elif way == 'engine':
            plan.step(island, step.inputs, step.outputs)
        else:
            way.forward(plan, step)
    return plan, ways


def _way(step, values):
    if values.fits(*step.inputs, *step.outputs):
        record = elementwise.elementwise_of(step.function, len(step.inputs))
        if record is not None:
            return record
    builder = builder_of(step.function, values, step.inputs, step.outputs)
    if builder is not None:
        return builder
    if _islands.has_shortcut(step.function, len(step.inputs)):
        return 'shortcut'
    return 'engine'


class Backward:
    """The plan of the backward direction.

    Functions are visited, and gradients added up, in the order in which the graph
    engine does.

    Parameters
    ----------
    graph : Graph
    ways : list
        As :func:`forward` returned it.
    values : Values
    wanted : tuple of int
        Arguments and parameters whose gradients are asked for.
    seeds : iterable of int
        Outputs that have a gradient.

    Attributes
    ----------
    plan : Plan
    given : list of int
        Gradients of the outputs.
    found : list of (int or None)
        Gradients of the wanted values.
    """

    def __init__(self, graph, ways, values, wanted, seeds):
        self.plan = Plan(values)
        self._graph = graph
        self._ways = ways
        self._values = values
        self._grads = {}
        # Gradients that nothing else refers to.
        self._sums = {}
        self._maker = {value: index for index, step in enumerate(graph.steps)
                       for value in step.outputs}
        # Values on a path to the wanted ones.
        self._useful = set(wanted)
        for step in graph.steps:
            if self._targets(step):
                self._useful.update(step.outputs)
        self._heap = []
        self._reached = set()
        self.given = []
        for value in seeds:
            self.given.append(values.like(value))
            self._add(value, self.given[-1])
        while self._heap:
            self._visit(heapq.heappop(self._heap)[2])
        taken = set(self.given)
        self.found = [self._own(value, taken) for value in wanted]

    def _targets(self, step):
        return [i for i, (value, flows) in enumerate(
            zip(step.inputs, step.flows, strict=True))
            if flows and value in self._useful]

    def _visit(self, index):
        step, way = self._graph.steps[index], self._ways[index]
        grads = [self._grads.pop(value, None) for value in step.outputs]
        targets = self._targets(step)
        if not targets:
            return
        if isinstance(way, tuple):
            found = self._by_loops(step, way, grads[0], targets)
        elif way in ('shortcut', 'engine'):
            found = self._by_function(index, step, way, grads, targets)
        else:
            found = way.backward(self.plan, step, grads, targets, self._sums)
        for i in targets:
            if found[i] is not None:
                self._add(step.inputs[i], found[i])
                if not isinstance(way, tuple | str) and (
                        self._grads[step.inputs[i]] == found[i]):
                    self._sums[step.inputs[i]] = found[i]

    def _by_loops(self, step, way, grad, targets):
        record, constants = way
        if isinstance(record.gradients, elementwise.Loop):
            found = [self._values.like(value) for value in step.inputs]
            self.plan.loop(record.gradients, (*step.inputs, grad), *found)
            return found
        found = {}
        for i in targets:
            found[i] = grad
            if record.gradients[i] is not None:
                loop, operand = record.gradients[i]
                kept = () if operand == 'g' else (
                    step.outputs[0] if operand == 'y' else step.inputs[operand],)
                found[i] = self._values.like(step.inputs[i])
                self.plan.loop(loop, (*kept, grad), found[i], constants=constants)
        return found

    def _by_function(self, index, step, way, grads, targets):
        found = [self._values.like(value) if i in targets else None
                 for i, value in enumerate(step.inputs)]
        made = [found[i] for i in targets]
        gradient = _islands.IslandGradient(index, step, grads, targets, made)
        if way == 'shortcut':
            gradient = steps.ShortcutGradient(index, grads[0], tuple(found), gradient)
        self.plan.step(gradient, [g for g in grads if g is not None], made)
        return found

    def _add(self, value, grad):
        earlier = self._grads.get(value)
        if earlier is not None:
            total = self._values.like(value)
            if self._values.fits(value):
                self.plan.loop(arithmetic.add.loop, (earlier, grad), total)
            else:
                self.plan.step(_islands.Sum(earlier, grad, total),
                               (earlier, grad), (total,))
            self._sums.pop(value, None)
            grad = total
        self._grads[value] = grad
        index = self._maker.get(value)
        if index is not None and index not in self._reached:
            self._reached.add(index)
            heapq.heappush(
                self._heap, (-self._graph.steps[index].rank, len(self._reached), index))

    def _own(self, value, taken):
        """Return the gradient of a value, in an array of its own."""
        grad = self._grads.get(value)
        if grad in taken:
            own = self._values.like(value)
            if self._values.fits(value):
                self.plan.loop(elementwise.copy, (grad,), own)
            else:
                self.plan.step(_islands.Copy(grad, own), (grad,), (own,))
            grad = own
        taken.add(grad)
        return grad

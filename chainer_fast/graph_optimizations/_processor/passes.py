"""The two directions of a graph, as lists of steps."""
import heapq

from chainer_fast.backends.kernels.arithmetic import elements
from chainer_fast.backends.kernels.common import elementwise
from chainer_fast.graph_optimizations._processor import plans
from chainer_fast.graph_optimizations._processor.lowering import Function, Loops
from chainer_fast.graph_optimizations._processor.planner import Planner


def forward(graph, lowerings, values):
    """Return the planner of the forward direction.

    Parameters
    ----------
    graph : Graph
    lowerings : list
    values : Values

    Returns
    -------
    Planner
    """
    planner = Planner(values)
    for node, lowering in zip(graph.nodes, lowerings, strict=True):
        lowering.forward(planner, node)
    return planner


class Backward:
    """The backward direction.

    Functions are visited, and gradients summed, in the order of the graph engine.

    Parameters
    ----------
    graph : Graph
    lowerings : list
    values : Values
    wanted : tuple of int
        Arguments and parameters whose gradients are requested.
    seeds : iterable of int
        Outputs that have a gradient.

    Attributes
    ----------
    planner : Planner
    given : list of int
        Gradients of the outputs.
    found : list of (int or None)
        Gradients of the values in ``wanted``.
    """

    def __init__(self, graph, lowerings, values, wanted, seeds):
        self.planner = Planner(values)
        self._graph = graph
        self._lowerings = lowerings
        self._values = values
        self._grads = {}
        # Gradients that nothing else references.
        self._sums = {}
        self._maker = {value: index for index, node in enumerate(graph.nodes)
                       for value in node.outputs}
        # Values on a path to those in ``wanted``.
        self._useful = set(wanted)
        for node in graph.nodes:
            if self._targets(node):
                self._useful.update(node.outputs)
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

    def _targets(self, node):
        return [i for i, (value, flows) in enumerate(
            zip(node.inputs, node.flows, strict=True))
            if flows and value in self._useful]

    def _visit(self, index):
        node, lowering = self._graph.nodes[index], self._lowerings[index]
        for value in node.outputs:
            self.planner.stacks.settle(value)
        grads = [self._whole(self._grads.pop(value, None)) for value in node.outputs]
        targets = self._targets(node)
        if not targets:
            return
        found = lowering.backward(self.planner, node, grads, targets, self._sums)
        for i in targets:
            if found[i] is not None:
                self._add(node.inputs[i], found[i])
                if not isinstance(lowering, Loops | Function) and (
                        self._grads[node.inputs[i]] == found[i]):
                    self._sums[node.inputs[i]] = found[i]

    def _whole(self, grad):
        """Return a gradient, or None, as an array."""
        if grad not in self._values.rows:
            return grad
        array = self._values.like(grad)
        self.planner.step(plans.Dense(grad, array), (grad,), (array,))
        return array

    def _add(self, value, grad):
        earlier = self._grads.get(value)
        if earlier is not None:
            self.planner.stacks.settle(value)
            total = self._values.like(value)
            self._sums.pop(value, None)
            if not self._values.rows.isdisjoint((earlier, grad)):
                self._values.rows.add(total)
            if total not in self._values.rows and self._values.fits(value):
                self.planner.loop(elements.loops['Add::of'], (earlier, grad), total)
                self._sums[value] = total
            else:
                self.planner.step(
                    plans.Sum(earlier, grad, total), (earlier, grad), (total,))
            grad = total
        self._grads[value] = grad
        index = self._maker.get(value)
        if index is not None and index not in self._reached:
            self._reached.add(index)
            heapq.heappush(
                self._heap, (-self._graph.nodes[index].rank, len(self._reached), index))

    def _own(self, value, taken):
        """Return the gradient of a value in a separate array, or None."""
        self.planner.stacks.settle(value)
        grad = self._grads.get(value)
        if grad is None:
            return None
        if grad in taken:
            grad = self._whole(grad)
            own = self._values.like(value)
            if self._values.fits(value):
                self.planner.loop(elementwise.copy, (grad,), own)
            else:
                self.planner.step(plans.Dense(grad, own, copied=True), (grad,), (own,))
            grad = own
        taken.add(grad)
        return grad

"""Calls of static chains on the processor, made by plans.

A call that equals the previous one gets a plan for the forward direction, and one for
the backward direction of each requested set of gradients. In the graph of functions, a
planned call is a single node, :class:`PlanRun`.
"""
import contextlib
import copy
import weakref

from chainer_fast import function, function_node
from chainer_fast.backends.kernels import record
from chainer_fast.configuration import config, using_config
from chainer_fast.graph_optimizations import _replay
from chainer_fast.graph_optimizations._call import is_input
from chainer_fast.graph_optimizations._gradients import (
    MOST_GRADIENTS,
    differentiated,
)
from chainer_fast.graph_optimizations._nested import flatten, replaced
from chainer_fast.graph_optimizations._processor import draws, passes, plans, state
from chainer_fast.graph_optimizations._processor.graph import Output
from chainer_fast.graph_optimizations._processor.lowering import Function, lower
from chainer_fast.graph_optimizations._processor.planner import Values
from chainer_fast.graph_optimizations._side_effects import OWN
from chainer_fast.variable import Variable


class _Nothing:
    pass


_GONE = (weakref.ref(_Nothing()),)


def _new_function(pristine, nodes):
    """Return a copy of a function, applied to nodes."""
    applied = copy.copy(pristine)
    applied.inputs = nodes
    # Its output does not belong to a graph.
    applied.outputs = _GONE
    return applied


class PlannedCall(plans.PlannedCallBase):
    """A call of a chain, with its plans.

    Parameters
    ----------
    graph : Graph
    call : Call
        The traced call.
    params : list of Parameter
    free : set of (int, str)
        Slots whose values before a call are irrelevant.
    """

    def __init__(self, graph, call, params, free):
        self._graph = graph
        self._repeat = call.repetition()
        call.note_settings(self)
        links = [weakref.ref(link) for link in call.chain.links()]
        places = [(links[i], name) for i, name in graph.before]
        self.guard = _replay.Guard(links, OWN, places)
        self._kinds = [None if slot in free else kind
                       for slot, kind in graph.before.items()]
        self.slots = _replay.Slots(
            places, [_replay.ANY if kind is None else state.pattern_of(kind)
                     for kind in self._kinds],
            [slot in graph.states for slot in graph.before])
        states = [graph.states[slot] for slot in graph.before if slot in graph.states]
        self._position = {slot: i for i, slot in enumerate(graph.before)}
        self._left = [(self._position[slot], output)
                      for slot, output in graph.left.items()]
        self.updated = graph.updated
        self.pattern = call.pattern()
        self.params = params
        self.params_grad = [p.requires_grad for p in params]
        self.input_values = graph.inputs + states
        self.param_values = graph.params
        self._make_plans()

    def holds(self):
        """Return whether links are unchanged."""
        return self.guard.holds()

    def _make_plans(self):
        graph = self._graph
        self._values = Values()
        for value in graph.values:
            self._values.add(*value)
        self._lowerings = lower(graph, self._values)
        planner = passes.forward(graph, self._lowerings, self._values)
        flowing = {
            value for node in graph.nodes
            for value, flows in zip(node.inputs, node.flows, strict=True) if flows}
        sources = self.input_values + self.param_values
        self.leaves = [value for value in sources if value in flowing]
        self.sources = [sources.index(value) for value in self.leaves]
        # An output may be returned twice.
        self.seeds = list(dict.fromkeys([
            y.value for y in graph.outputs if y.requires_grad and y.is_made]))
        self._gradient_plans = {}
        self.full = None
        needed = set()
        if self.seeds and self.leaves:
            wanted, given = tuple(self.leaves), (True,) * len(self.seeds)
            backward = self._backward(wanted, given)
            needed = {value for operation in backward.planner.operations
                      for value in operation.inputs if value < len(graph.values)}
            self.full = self._gradient_plans[wanted, given] = _planned(backward)
        results = {y.value for y in graph.outputs if y.is_made}
        self.plan = planner.plan(results, needed)
        self.node_class = PlanRun
        self.get_random_state = draws.getter(graph.drawing)
        self.set_random_state = draws.set_state
        self.is_one_variable = (
            self.enable_backprop and self.full is not None and not self._left
            and type(graph.returned) is Output and graph.returned.value in self.seeds)
        self.workspaces = []
        self.lent = set()

    def _backward(self, wanted, given):
        seeds = [value for value, is_given in zip(self.seeds, given, strict=True)
                 if is_given]
        return passes.Backward(
            self._graph, self._lowerings, self._values, wanted, seeds)

    def new_workspace(self):
        """Return a workspace for a call."""
        graph = self._graph
        templates = self._values.templates
        functions = [
            _new_function(node.function, tuple([
                Variable(templates[value], requires_grad=flows).node
                for value, flows in zip(node.inputs, node.flows, strict=True)]))
            if isinstance(lowering, Function) and lowering.has_shortcut else None
            for node, lowering in zip(graph.nodes, self._lowerings, strict=True)]
        workspace = plans.Workspace(
            templates, self._values.plain, functions, self.input_values)
        workspace.fill(graph.constants.keys(), graph.constants.values())
        return workspace

    def finish(self, workspace, inputs, before):
        """Return the result of the call, with new outputs, and set attributes."""
        made = {}
        is_in_graph = self.full is not None and self.enable_backprop
        if is_in_graph:
            made = dict(zip(
                self.seeds, self.apply(workspace, inputs, before), strict=True))
        held = self.slots.get() if self._left else []

        def output(y):
            return self._output(y, inputs, held, workspace, made)

        returned = replaced(output, self._graph.returned)
        if self._left:
            slots = list(held)
            for i, left in self._left:
                slots[i] = output(left)
            self.slots.set(slots)
        if not is_in_graph:
            self.take_back(workspace)
        return returned

    def _output(self, y, inputs, held, workspace, made):
        if type(y) is not Output:
            return y
        if y.argument is not None:
            return inputs[y.argument]
        if y.slot is not None:
            return held[self._position[y.slot]]
        if not y.is_variable:
            return workspace.result(y.value)
        if y.value not in made:
            made[y.value] = Variable(
                workspace.result(y.value), requires_grad=y.requires_grad)
        return made[y.value]

    def backward(self, workspace, wanted, grads):
        """Return gradients by arguments and parameters.

        Parameters
        ----------
        workspace : Workspace
            The workspace of the call.
        wanted : tuple of int
            Values whose gradients are requested.
        grads : list of (array or None)
            Gradients of the outputs.

        Returns
        -------
        list of (array, rows or None), or None
            None if the plan cannot compute them.
        """
        key = wanted, tuple([g is not None for g in grads])
        if key not in self._gradient_plans:
            if len(self._gradient_plans) >= MOST_GRADIENTS:
                return None
            self._gradient_plans[key] = _planned(self._backward(*key))
        return self.run_backward(
            workspace, self._gradient_plans[key], [g for g in grads if g is not None])

    def call_again(self, indexes, inputs, before, grads, double):
        """Return gradients of the call as variables, by calling the chain."""
        with function.force_backprop_mode(), self._as_before(inputs, before), \
                using_config('use_static_graph', False):
            returned = self._repeat(inputs)
            held = self.slots.get()
        made = flatten([returned, *[held[i] for i, _ in self._left]])
        found = {output.value: y for output, y in zip(
            self._graph.outputs, filter(is_input, made), strict=True)}
        every = [*inputs, *self.params]
        return tuple(differentiated(
            [found[value] for value in self.seeds], grads,
            [every[self.sources[i]] for i in indexes], double))

    @contextlib.contextmanager
    def _as_before(self, inputs, before):
        """Let a call find the same attributes as another, and restore them."""
        drawn, arrays = before or (None, ())
        held = self.slots.get()
        states = iter(inputs[len(self._graph.inputs):])
        self.slots.set([
            next(states) if is_used else state.example_of(kind)
            for is_used, kind in zip(self.slots.used, self._kinds, strict=True)])
        latest = [array.copy() for array in self.updated]
        current = None if drawn is None else self.get_random_state()
        for array, then in zip(self.updated, arrays, strict=True):
            array[...] = then
        if drawn is not None:
            draws.set_state(drawn)
        try:
            yield
        finally:
            self.slots.set(held)
            for array, now in zip(self.updated, latest, strict=True):
                array[...] = now
            if drawn is not None:
                draws.set_state(current)

    def wanted(self, indexes):
        """Return the values of some inputs of the node."""
        return tuple([self.leaves[i] for i in indexes])


@record(plans.PlanRunShortcut(), fields=('lease',))
class PlanRun(function_node.FunctionNode):
    """A call of a static chain, made by a plan.

    Its inputs are the arguments and parameters of the chain that have a gradient.

    Attributes
    ----------
    lease : Lease
    """

    lease: plans.Lease
    label = 'static_graph'

    def _check_data_type_forward(self, arrays):
        pass

    def forward(self, arrays):
        lease = self.lease
        return tuple([lease.workspace.result(value) for value in lease.call.seeds])

    def backward(self, indexes, grad_outputs):
        lease, call = self.lease, self.lease.call
        if not config.enable_backprop and not config.debug:
            found = call.backward(
                lease.workspace, call.wanted(indexes),
                [None if g is None else g.array for g in grad_outputs])
            if found is not None:
                return tuple([
                    None if g is None else Variable(
                        plans.as_array(g), requires_grad=False) for g in found])
        return call.call_again(
            indexes, lease.inputs, lease.before, grad_outputs, config.enable_backprop)


def _planned(backward):
    """Return a plan, the gradients that it receives, and those that it computes."""
    found = {value for value in backward.found if value is not None}
    return backward.planner.plan(found, set()), backward.given, backward.found

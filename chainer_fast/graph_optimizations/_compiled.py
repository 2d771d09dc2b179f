"""Calls of static chains on the processor, made by tapes.

A call that is the same as the one before is *compiled*: its steps become a tape for the
forward direction, and one for the backward direction for each set of gradients that is
asked for. In the graph of functions, such a call is a single node, :class:`Replay`.
"""
import weakref

import numpy

from chainer_fast import function, function_node
from chainer_fast.backends.kernels.tape import steps
from chainer_fast.configuration import config, using_config
from chainer_fast.graph_optimizations import _plan
from chainer_fast.graph_optimizations._trace import _outputs
from chainer_fast.variable import Variable

# Frames that wait for the next call.
LIMIT = 16


class Compiled:
    """A call of a chain, compiled.

    Parameters
    ----------
    graph : Graph
    params : list of Parameter
    state : State
        Attributes that must not change.
    call : callable
        ``call(inputs)`` runs the chain on a list of variables and arrays.
    """

    def __init__(self, graph, params, state, call):
        self.state = state
        self._graph = graph
        self._params = params
        self._call = call
        self._by_engine = set()
        self._make()

    def _make(self):
        graph = self._graph
        self._templates = [
            numpy.broadcast_to(numpy.empty((), dtype), shape)
            for shape, dtype in graph.values]
        plan, self._rules = _plan.forward(graph, self._templates, self._by_engine)
        flowing = {value for step in graph.steps
                   for value, flows in zip(step.inputs, step.flows, strict=True) if flows}
        self._leaves = [v for v in graph.inputs + graph.params if v in flowing]
        self._seeds = [y.value for y in graph.outputs
                       if y.requires_grad and y.argument is None]
        self._tapes = {}
        needed = set()
        if self._seeds and self._leaves:
            backward = _plan.backward(
                graph, self._rules, self._templates, self._leaves, self._seeds,
                self._by_engine)
            needed = {value for _, inputs, _, _ in backward[0].operations
                      for value in inputs if value < len(graph.values)}
            self._keep(tuple(self._leaves), (True,) * len(self._seeds), backward)
        self._results = [y.value for y in graph.outputs if y.argument is None]
        self._tape = plan.tape(set(self._results), needed)
        self._frames = []

    def _keep(self, wanted, given, backward):
        plan, seeds, results = backward
        found = [results[value] for value in wanted]
        tape = plan.tape({value for value in found if value is not None}, set())
        self._tapes[wanted, given] = tape, seeds, found
        return self._tapes[wanted, given]

    def _frame(self):
        if self._frames:
            return self._frames.pop()
        graph = self._graph
        functions = [
            steps.new_function(step.function, tuple([
                Variable(self._templates[value], requires_grad=flows).node
                for value, flows in zip(step.inputs, step.flows, strict=True)]))
            for step in graph.steps]
        frame = steps.Frame(self._templates, functions, graph.inputs)
        frame.fill(graph.constants.keys(), graph.constants.values())
        return frame

    def run(self, inputs):
        """Make a call.

        Parameters
        ----------
        inputs : list of Variable or array

        Returns
        -------
        tuple of (bool, object)
            Whether the tape could do it, and what the call returned.
        """
        graph = self._graph
        frame = self._frame()
        arrays = [getattr(x, 'raw_array', x) for x in inputs]
        if not frame.fill(graph.inputs, arrays) or not frame.fill(
                graph.params, [p.raw_array for p in self._params]):
            return False, None
        if not self._tape.run(frame):
            self._learn(frame)
            return False, None
        lease = _Lease(self._frames, frame)
        results = {value: frame.result(value) for value in self._results}
        made = {}
        if self._seeds and self._leaves and config.enable_backprop:
            node = Replay(self, lease, inputs, [results[v] for v in self._seeds])
            outputs = node.apply([self._leaf(v, inputs) for v in self._leaves])
            made = dict(zip(self._seeds, outputs, strict=True))
        return True, self._returned(graph.outline, inputs, results, made)

    def _leaf(self, value, inputs):
        return inputs[value] if value < len(inputs) else self._params[
            value - len(inputs)]

    def _learn(self, frame):
        """Leave functions to the graph engine whose shortcuts decline."""
        if frame.declined >= 0:
            self._by_engine.add(frame.declined)
            self._make()

    def _returned(self, outline, inputs, results, made):
        if isinstance(outline, (tuple, list)):
            return type(outline)([
                self._returned(each, inputs, results, made) for each in outline])
        if not hasattr(outline, 'value'):
            return outline
        if outline.argument is not None:
            return inputs[outline.argument]
        if outline.requires_grad and outline.value in made:
            return made[outline.value]
        array = results[outline.value]
        if outline.is_variable:
            return Variable(array, requires_grad=outline.requires_grad)
        return array

    def backward(self, frame, wanted, grads):
        """Return gradients by arguments and parameters.

        Parameters
        ----------
        frame : Frame
            The frame of the call.
        wanted : tuple of int
            Values whose gradients are asked for.
        grads : list of (array or None)
            Gradients of the outputs.

        Returns
        -------
        list of (array or None), or None
            None if the tape cannot do it.
        """
        key = wanted, tuple([g is not None for g in grads])
        found = self._tapes.get(key)
        if found is None:
            seeds = [v for v, g in zip(self._seeds, grads, strict=True) if g is not None]
            found = self._keep(*key, _plan.backward(
                self._graph, self._rules, self._templates, wanted, seeds,
                self._by_engine))
        tape, given, values = found
        if not frame.fill(given, [g for g in grads if g is not None]):
            return None
        if not tape.run(frame):
            self._learn(frame)
            return None
        return [None if value is None else frame.result(value) for value in values]

    def call_again(self, indexes, inputs, leaves, grads, double):
        """Return gradients of the call as variables, by calling the chain."""
        inputs = list(inputs)
        for value, leaf in zip(self._leaves, leaves, strict=True):
            if value < len(inputs):
                inputs[value] = leaf
        with function.force_backprop_mode(), using_config('use_static_graph', False):
            returned = self._call(inputs)
        found = [y for outline, y in zip(
            self._graph.outputs, _flat(returned), strict=True)
            if outline.requires_grad and outline.argument is None]
        given = [(y, g) for y, g in zip(found, grads, strict=True) if g is not None]
        outputs, grad_outputs = zip(*given, strict=True)
        return tuple(function_node.grad(
            outputs, [leaves[i] for i in indexes], grad_outputs,
            enable_double_backprop=double))

    def wanted(self, indexes):
        """Return the values of some inputs of the node."""
        return tuple([self._leaves[i] for i in indexes])


class _Lease:
    """Returns a frame to the others when the call is forgotten."""

    def __init__(self, frames, frame):
        self._frames = frames
        self.frame = frame

    def __del__(self):
        if len(self._frames) < LIMIT:
            self.frame.forget()
            self._frames.append(self.frame)


class Replay(function_node.FunctionNode):
    """A call of a static chain, made by a tape.

    Its inputs are the arguments and parameters of the chain that have a gradient.
    """

    label = 'static_graph'

    def __init__(self, compiled, lease, arguments, results):
        self._compiled = compiled
        self._lease = lease
        self._arguments = arguments
        self._results = tuple(results)

    def _check_data_type_forward(self, arrays):
        pass

    def forward(self, arrays):
        self.retain_inputs(tuple(range(len(arrays))))
        results, self._results = self._results, None
        return results

    def backward(self, indexes, grad_outputs):
        compiled = self._compiled
        if not config.enable_backprop and not config.debug:
            found = compiled.backward(
                self._lease.frame, compiled.wanted(indexes),
                [None if g is None else g.array for g in grad_outputs])
            if found is not None:
                return tuple([None if g is None else Variable(g, requires_grad=False)
                              for g in found])
        return compiled.call_again(
            indexes, self._arguments, self.get_retained_inputs(), grad_outputs,
            config.enable_backprop)


def _flat(returned):
    if isinstance(returned, (tuple, list)):
        return [leaf for each in returned for leaf in _flat(each)]
    return [returned] if isinstance(returned, (Variable, numpy.ndarray)) else []

"""Recordings of calls of static chains: CUDA graphs, and the arrays they work on.

Inputs are copied into arrays of the recording, and results out of them, so that no code
outside holds memory that the next launch overwrites. Parameters are used in place.
"""
from typing import Any

from chainer_fast import function, function_node
from chainer_fast.backends import _draws, cuda
from chainer_fast.backends.kernels import record
from chainer_fast.configuration import config, using_config
from chainer_fast.graph_optimizations import _replay
from chainer_fast.graph_optimizations._call import is_input
from chainer_fast.graph_optimizations._gpu.gradients import Gradients
from chainer_fast.graph_optimizations._gpu.recorder import Recorder
from chainer_fast.graph_optimizations._gradients import (
    MOST_GRADIENTS,
    differentiated,
)
from chainer_fast.graph_optimizations._nested import flatten, is_constant, replaced
from chainer_fast.graph_optimizations._side_effects import (
    OWN,
    ChainState,
    Unrecordable,
    forbidden,
)
from chainer_fast.variable import Variable


class Recording(_replay.RecordedCallBase):
    """A call, recorded.

    Parameters
    ----------
    call : Call
    refuse : weakref.WeakMethod
        Called with the kind of the call and a reason if the recording can no longer
        be launched.

    Raises
    ------
    Exception
        If the call cannot be recorded. In this case it had no effect.
    """

    def __init__(self, call, refuse):
        self._repeat = call.repetition()
        self._kind, self._refuse = call.kind, refuse
        self.recorder = Recorder()
        self.turns = self.recorder.turns
        self.arrays = [
            self.recorder.copy(getattr(x, 'raw_array', x)) for x in call.inputs]
        self._inputs = [
            Variable(array, requires_grad=x.requires_grad)
            if isinstance(x, Variable) else array
            for x, array in zip(call.inputs, self.arrays, strict=True)]
        # It also keeps objects in lists of links, as the graph may use their arrays.
        state = self._state = ChainState(call.chain)
        self.params = state.params
        if any(vars(link).get('_local_link_hooks') for link in call.chain.links()):
            raise Unrecordable('links have hooks')
        with forbidden(state), using_config('use_static_graph', False):
            self._forward, returned = self.recorder.record(
                lambda: self._repeat(self._inputs))
        self.launch = self._forward.launch
        self._outputs = []
        self._returned = replaced(self._take_output, returned)
        self._check_leaves()
        self.results = [getattr(y, 'raw_array', y) for y in self._outputs]
        self.is_one_variable = (
            isinstance(self._returned, _Output) and self._returned.is_variable)
        self.node_class = GraphLaunch
        self._backward = {}
        self._recognize(call, state.links)

    def _recognize(self, call, links):
        """Store the patterns by which compiled code recognizes the call."""
        self.device = call.kind.gpu
        call.note_settings(self)
        self.param_arrays = [p.raw_array for p in self.params]
        self.leaves = tuple([
            i for i, x in enumerate([*self._inputs, *self.params])
            if isinstance(x, Variable) and x.requires_grad])
        self.guard = _replay.Guard(links, OWN)
        try:
            self.pattern = call.pattern()
        except Unrecordable:
            self.pattern = None     # its kind determines it

    def _take_output(self, returned):
        """Move a variable or an array to the outputs, and return a placeholder."""
        if isinstance(returned, (Variable, cuda.ndarray)):
            self._outputs.append(returned)
            return _Output(isinstance(returned, Variable))
        if is_constant(returned):
            return returned
        raise Unrecordable('the result has a %s' % type(returned).__name__)

    def _check_leaves(self):
        """Raise ``Unrecordable`` if gradients would flow to other variables.

        Variables made in the call no longer exist, apart from its results.
        """
        own = [x for x in [*self._inputs, *self.params, *self._outputs]
               if isinstance(x, Variable)]
        known = {id(x.node) for x in own if x.creator_node is None}
        nodes = [y.node for y in self._outputs if isinstance(y, Variable)]
        while nodes:
            node = nodes.pop()
            if id(node) in known or not node.requires_grad:
                continue
            known.add(id(node))
            if node.creator_node is not None:
                nodes += node.creator_node.inputs
            elif node.get_variable_or_none() is not None:
                raise Unrecordable('a variable that is not an argument has a gradient')

    def returned(self, outputs):
        """Return the result of the call, with other outputs in it."""
        outputs = iter(outputs)

        def output(returned):
            if not isinstance(returned, _Output):
                return returned
            y = next(outputs)
            return y if returned.is_variable else y.array

        return replaced(output, self._returned)

    def backward(self, indexes, grads):
        """Launch the backward direction of the latest call.

        Parameters
        ----------
        indexes : tuple of int
            Inputs and parameters whose gradients are requested.
        grads : list of (cupy.ndarray or None)
            Gradients of the outputs.

        Returns
        -------
        list of cupy.ndarray or None
        """
        kind = indexes, tuple([None if g is None else g.dtype.char for g in grads])
        if kind not in self._backward and len(self._backward) < MOST_GRADIENTS:
            self._backward[kind] = self._record_backward(indexes, grads)
        gradients = self._backward.get(kind)
        if gradients is not None:
            return list(self.launch_backward(gradients, grads))
        self.release()
        with self.turns:
            return [None if g is None else g.copy()
                    for g in self.differentiate(indexes, grads)]

    def _record_backward(self, indexes, grads):
        """Record gradients; return None if that is not possible.

        The arrays of the forward direction exist, so that functions can use them one
        by one. Arrays of the recording must not be returned. If this kind of
        differentiation is not possible, the recording is not used for further calls.
        """
        try:
            gradients = Gradients(
                self.recorder, grads,
                lambda grads: self.differentiate(indexes, grads))
        except Exception as e:
            refuse = self._refuse()
            if refuse is not None:
                refuse(self._kind, 'its gradients: %s' % (str(e) or type(e).__name__))
            return None
        if indexes == self.leaves:
            self.gradients = gradients
        return gradients

    def differentiate(self, indexes, grads):
        """Return gradients by the recorded graph of functions, without launching."""
        candidates = [*self._inputs, *self.params]
        found = differentiated(
            self._outputs, [None if g is None else Variable(g) for g in grads],
            [candidates[i] for i in indexes])
        return [None if g is None else g.array for g in found]

    def call_again(self, indexes, inputs, grads):
        """Return differentiable gradients of the call, by calling the chain."""
        with function.force_backprop_mode(), using_config(
                'use_static_graph', False), self.turns, _draws.taken_from(
                    self._forward.draws.again()):
            found = filter(is_input, flatten(self._repeat(inputs)))
        candidates = [*inputs, *self.params]
        return tuple(differentiated(
            found, grads, [candidates[i] for i in indexes], True))

    def draws(self):
        """Return whether a call draws random numbers."""
        return bool(self._forward.draws)


class _Output:
    """Placeholder of an output in the result of a call."""

    def __init__(self, is_variable):
        self.is_variable = is_variable


@record(_replay.GraphLaunchShortcut())
class GraphLaunch(function_node.FunctionNode):
    """A call of a static chain, launched from a recording.

    Its inputs are the arguments of the call, and all parameters of the chain.

    Attributes
    ----------
    recording : Recording
    arguments : list of Variable or array
    generation : int
        Generation of the recording when the call was made.
    waiting : object
        Reserves the recording until it is released, or the gradients are computed.
    """

    recording: Recording
    arguments: list[Any]
    generation: int
    waiting: Any
    label = 'static_graph'

    def _check_data_type_forward(self, arrays):
        pass

    def forward(self, arrays):
        return self.recording.outputs

    def backward(self, indexes, grad_outputs):
        recording = self.recording
        if config.enable_backprop and not recording.draws():
            return recording.call_again(indexes, self.arguments, grad_outputs)
        if self.generation != recording.generation:
            raise RuntimeError(
                'a static chain was called again, after end_forward() or backward() '
                'had ended this call. Compute its gradients before, or set '
                'config.use_static_graph to False.')
        if config.enable_backprop:
            return recording.call_again(indexes, self.arguments, grad_outputs)
        return tuple([
            None if g is None else Variable(g, requires_grad=False)
            for g in recording.backward(
                tuple(indexes), [None if g is None else g.array
                                 for g in grad_outputs])])

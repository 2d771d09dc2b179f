"""Recordings of calls of static chains: CUDA graphs, and the arrays they work on.

Inputs are copied into arrays of the recording, and results out of them, so that nobody
outside ever holds memory that the next launch overwrites. Parameters are used in place.
"""
import typing as tp
import weakref

from chainer_fast import function, function_node
from chainer_fast.backends import _cuda_graph, cuda
from chainer_fast.configuration import using_config
from chainer_fast.graph_optimizations._call import is_input
from chainer_fast.graph_optimizations._nested import flatten, replaced
from chainer_fast.graph_optimizations._side_effects import (
    ChainState,
    Unrecordable,
    forbidden,
)
from chainer_fast.variable import Variable


class Recording:
    """A call, recorded.

    Parameters
    ----------
    call : Call

    Raises
    ------
    Exception
        If the call cannot be recorded. Nothing has happened then.
    """

    def __init__(self, call):
        self._repeat = call.repetition()
        self._recorder = _cuda_graph.Recorder()
        self._arrays = [
            self._recorder.copy(getattr(x, 'raw_array', x)) for x in call.inputs]
        self._inputs = [
            Variable(array, requires_grad=x.requires_grad)
            if isinstance(x, Variable) else array
            for x, array in zip(call.inputs, self._arrays, strict=True)]
        self.state = ChainState(call.chain)
        if any(vars(link).get('_local_link_hooks') for link in call.chain.links()):
            raise Unrecordable('links have hooks')
        with forbidden(self.state), using_config('use_static_graph', False):
            self._forward, returned = self._recorder.record(
                lambda: self._repeat(self._inputs))
        self._outputs = []
        self._returned = replaced(self._take_output, returned)
        self._check_leaves()
        self._backward = {}
        self._node = None
        self.generation = 0

    def _take_output(self, returned):
        """Move a variable or an array to the outputs, and leave its place."""
        if isinstance(returned, (Variable, cuda.ndarray)):
            self._outputs.append(returned)
            return _Output(isinstance(returned, Variable))
        if returned is None or isinstance(returned, (bool, int, float, str)):
            return returned
        raise Unrecordable('the result has a %s' % type(returned).__name__)

    def _check_leaves(self):
        """Raise ``Unrecordable`` if gradients would have to go anywhere else.

        Variables made in the call are gone by now, apart from its results.
        """
        own = [x for x in [*self._inputs, *self.state.params, *self._outputs]
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

    def is_free(self):
        """Return whether no call waits for its gradients."""
        return self._node is None or self._node() is None

    def release(self):
        """Forget the call that waits for its gradients, if any."""
        self._node = None

    def wait_for(self, node):
        """Not be free until gradients have been asked for, or a function is gone."""
        self._node = weakref.ref(node)

    def returned(self, outputs):
        """Return what the call returned, with other outputs in it."""
        outputs = iter(outputs)

        def output(returned):
            if not isinstance(returned, _Output):
                return returned
            y = next(outputs)
            return y if returned.is_variable else y.array

        return replaced(output, self._returned)

    def forward(self, arrays):
        """Launch the forward direction.

        Parameters
        ----------
        arrays : sequence of cupy.ndarray
            Inputs, and maybe more.

        Returns
        -------
        tuple of cupy.ndarray
        """
        self.generation += 1
        with self._recorder.in_turn():
            for own, array in zip(self._arrays, arrays, strict=False):
                own[...] = array
            self._forward.launch()
            return tuple([getattr(y, 'raw_array', y).copy() for y in self._outputs])

    def backward(self, indexes, grads):
        """Launch the backward direction of the latest call.

        Parameters
        ----------
        indexes : tuple of int
            Inputs and parameters whose gradients are asked for.
        grads : sequence of cupy.ndarray or None
            Gradients of the outputs.

        Returns
        -------
        list of cupy.ndarray or None
        """
        self._node = None
        kind = indexes, tuple([None if g is None else g.dtype.char for g in grads])
        if kind not in self._backward:
            self._backward[kind] = _Backward.record(self, indexes, grads)
        with self._recorder.in_turn():
            return self._backward[kind](grads)

    def differentiate(self, indexes, grads):
        """Return gradients by the recorded graph of functions, without launching."""
        given = [(y, Variable(g)) for y, g in zip(self._outputs, grads, strict=True)
                 if g is not None]
        candidates = [*self._inputs, *self.state.params]
        outputs, grad_outputs = zip(*given, strict=True)
        found = function_node.grad(
            outputs, [candidates[i] for i in indexes], grad_outputs)
        return [None if g is None else g.array for g in found]

    def call_again(self, indexes, inputs, grads):
        """Return differentiable gradients of the call, by calling the chain."""
        with function.force_backprop_mode(), using_config('use_static_graph', False):
            found = filter(is_input, flatten(self._repeat(inputs)))
        given = [(y, g) for y, g in zip(found, grads, strict=True) if g is not None]
        outputs, grad_outputs = zip(*given, strict=True)
        candidates = [*inputs, *self.state.params]
        return tuple(function_node.grad(
            outputs, [candidates[i] for i in indexes], grad_outputs,
            enable_double_backprop=True))


class _Output:
    """Place of an output in what a call returned."""

    def __init__(self, is_variable):
        self.is_variable = is_variable


class _Backward:
    """Gradients of a recording for some inputs, launched from a graph."""

    @classmethod
    def record(cls, recording, indexes, grads):
        """Record the gradients, or return a function that computes them otherwise."""
        try:
            return cls(recording, indexes, grads)
        except Exception:
            # The arrays of the forward direction are there, so that functions can use
            # them one by one. Arrays of the recording must not be handed out.
            return lambda grads: [
                None if g is None else g.copy()
                for g in recording.differentiate(indexes, grads)]

    def __init__(self, recording, indexes, grads):
        recorder = recording._recorder
        self._grads = [None if g is None else recorder.copy(g) for g in grads]
        self._graph, self._found = recorder.record(
            lambda: self._join(recording.differentiate(indexes, self._grads)))

    def _join(self, found):
        """Copy gradients of each dtype to one array, so that one copy takes them out.

        The places of the gradients are noted: dtype, begin, end and shape.
        """
        self._places: list[tp.Any] = []
        sizes: dict[tp.Any, tp.Any] = {}
        for g in found:
            if g is None:
                self._places.append(None)
                continue
            begin = sizes.get(g.dtype, 0)
            sizes[g.dtype] = begin + g.size
            self._places.append((g.dtype, begin, begin + g.size, g.shape))
        joined = {dtype: cuda.cupy.empty(size, dtype) for dtype, size in sizes.items()}
        for g, place in zip(found, self._places, strict=True):
            if g is not None:
                dtype, begin, end, shape = place
                joined[dtype][begin:end].reshape(shape)[...] = g
        return joined

    def __call__(self, grads):
        for own, g in zip(self._grads, grads, strict=True):
            if own is not None:
                own[...] = g
        self._graph.launch()
        found = {dtype: array.copy() for dtype, array in self._found.items()}
        return [None if place is None else
                found[place[0]][place[1]:place[2]].reshape(place[3])
                for place in self._places]

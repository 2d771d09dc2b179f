"""Calls of static chains that recordings make, and those that they do not.

A *recording* belongs to one kind of call. It has a CUDA graph for the forward
direction, and one for the backward direction for each set of gradients that was asked
for. In the graph of functions, a call that launches it is a single node,
:class:`GraphLaunch`.
"""
from __future__ import annotations

import itertools

from chainer_fast import function_node
from chainer_fast.configuration import config
from chainer_fast.graph_optimizations._cache import MISS, Cache
from chainer_fast.graph_optimizations._gpu.recording import Recording
from chainer_fast.variable import Variable

# Recordings of one kind of call that may be in use at the same time.
LIMIT = 16


class GraphLaunch(function_node.FunctionNode):
    """A call of a static chain, launched from a recording.

    Its inputs are the arguments of the call, and all parameters of the chain.
    """

    label = 'static_graph'

    def __init__(self, recording):
        self._recording = recording

    def forward(self, arrays):
        recording = self._recording
        self.retain_inputs(tuple(range(len(recording._arrays))))
        outputs = recording.forward(arrays)
        self._generation = recording.generation
        return outputs

    def backward(self, indexes, grad_outputs):
        recording = self._recording
        if config.enable_backprop:
            return recording.call_again(
                indexes, list(self.get_retained_inputs()), grad_outputs)
        if self._generation != recording.generation:
            raise RuntimeError(
                'a static chain was called again, after end_forward() or backward() '
                'had declared this call done. Ask for its gradients before, or set '
                'config.use_static_graph to False.')
        return tuple([
            None if g is None else Variable(g, requires_grad=False)
            for g in recording.backward(
                tuple(indexes), [None if g is None else g.array
                                 for g in grad_outputs])])


class _Recordings(list):
    """Recordings of one kind: one for each call that waits for its gradients."""

    def holds(self):
        """Return whether links are as they were."""
        return self[0].state.holds()


class RecordedCalls(Cache):
    """The recordings of a chain, by the kinds of its calls."""

    def release(self):
        """Declare all calls done."""
        for recording in itertools.chain(*self._kept.values()):
            recording.release()

    def apply(self, call):
        """Launch a call, and record it before that if it has to be.

        Parameters
        ----------
        call : Call

        Returns
        -------
        object
            What the call returned, or ``MISS``.
        """
        recording = self._free(call)
        if recording is None:
            return MISS
        node = GraphLaunch(recording)
        outputs = node.apply([*call.inputs, *recording.state.params])
        if config.enable_backprop:
            recording.wait_for(node)
        return recording.returned(outputs)

    def _free(self, call):
        """Return a recording that is free, or ``None`` if the chain has to run."""
        kept = self.find(call.kind) or _Recordings()
        if call.kind in self.refused:
            return None
        for recording in kept:
            if recording.is_free():
                return recording
        if len(kept) >= LIMIT:
            return None
        try:
            kept.append(Recording(call))
        except Exception as e:
            self.refuse(call.kind, str(e) or type(e).__name__)
            return None
        self._kept[call.kind] = kept
        return kept[-1]

"""Calls of static chains on a GPU, launched from recordings.

A *recording* belongs to one kind of call. It has a graph for the forward direction,
and one for the backward direction for each set of gradients that was asked for. In the
graph of functions, a call that launches it is a single node, :class:`Replay`.
"""
from __future__ import annotations

import itertools
import typing as tp

from chainer_fast import function_node
from chainer_fast._core.state import get_function_hooks
from chainer_fast.backends import _cuda_graph, cuda
from chainer_fast.configuration import config
from chainer_fast.link_hook import _get_link_hooks
from chainer_fast.variable import Variable

# Recordings of one kind of call that may be in use at the same time.
LIMIT = 16
# Times that recordings of one kind are made anew, since links have changed.
RENEWALS = 8

_SETTINGS = ('train', 'enable_backprop', 'dtype', 'use_cudnn', 'cudnn_deterministic',
             'use_cudnn_tensor_core', 'autotune', 'compute_mode')


def kind_of(inputs, outline):
    """Return what calls must have in common to be launched from one recording.

    Parameters
    ----------
    inputs : list of Variable or array
    outline : object
        The other arguments of the call.

    Returns
    -------
    tuple or None
        ``None`` if the call is not to be recorded.
    """
    if (not inputs or not _cuda_graph.supported() or config.debug
            or get_function_hooks() or _get_link_hooks()):
        return None
    found = [cuda.cupy.cuda.runtime.getDevice()]
    for x in inputs:
        array = getattr(x, 'raw_array', x)
        if not isinstance(array, cuda.ndarray) or array.device.id != found[0]:
            return None
        found += [array.shape, array.dtype.char, getattr(x, 'requires_grad', None)]
    kind = (*found, *[getattr(config, name) for name in _SETTINGS], _frozen(outline))
    try:
        hash(kind)
    except TypeError:
        return None
    return kind


def _frozen(value):
    """Return lists and dicts as tuples, and the rest with its type."""
    if isinstance(value, dict):
        return tuple([(key, _frozen(each)) for key, each in value.items()])
    if isinstance(value, (list, tuple)):
        return tuple([_frozen(each) for each in value])
    return type(value), value


class Replay(function_node.FunctionNode):
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


class Recordings:
    """The recordings of a chain, by kind.

    Attributes
    ----------
    refused : dict
        Why calls of a kind are not recorded.
    """

    def __init__(self):
        self._recordings = {}
        self._renewals = {}
        self.refused: dict[tp.Any, tp.Any] = {}

    def release(self):
        """Declare all calls done."""
        for recording in itertools.chain(*self._recordings.values()):
            recording.release()

    def apply(self, kind, inputs, make):
        """Launch a call, if there is a recording for it.

        Parameters
        ----------
        kind : tuple
            Result of :func:`kind_of`.
        inputs : list of Variable or array
        make : callable
            Makes a recording.

        Returns
        -------
        tuple of (bool, object)
            Whether it was launched, and what the call returned.
        """
        recording = self._find(kind, make)
        if recording is None:
            return False, None
        node = Replay(recording)
        outputs = node.apply([*inputs, *recording.state.params])
        if config.enable_backprop:
            recording.wait_for(node)
        return True, recording.returned(outputs)

    def _find(self, kind, make):
        """Return a recording that is free, or ``None`` if the chain has to run."""
        if kind in self.refused:
            return None
        recordings = self._recordings.setdefault(kind, [])
        if recordings and not recordings[0].state.holds():
            recordings.clear()
            self._renewals[kind] = self._renewals.get(kind, 0) + 1
            if self._renewals[kind] > RENEWALS:
                self.refused[kind] = 'attributes of links change'
                return None
        for recording in recordings:
            if recording.is_free():
                return recording
        if len(recordings) >= LIMIT:
            return None
        try:
            recordings.append(make())
        except Exception as e:
            self.refused[kind] = str(e) or type(e).__name__
            return None
        return recordings[-1]

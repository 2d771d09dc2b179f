"""Calls of static chains on the processor: which are compiled, and which are not."""
from __future__ import annotations

import contextlib
import typing as tp

import numpy

from chainer_fast._core.state import get_function_hooks
from chainer_fast.backends.kernels.plan.calls import MISS
from chainer_fast.backends.kernels.plan.steps import NotStatic
from chainer_fast.configuration import config
from chainer_fast.graph_optimizations import _chain_state
from chainer_fast.graph_optimizations._chain_state import Unrecordable
from chainer_fast.graph_optimizations._compiled import Compiled, settings
from chainer_fast.graph_optimizations._replay import RENEWALS, _frozen
from chainer_fast.graph_optimizations._trace import Graph
from chainer_fast.link_hook import _get_link_hooks


def kind_of(func, inputs, outline):
    """Return what calls must have in common to be made by one plan.

    Parameters
    ----------
    func : function
        The method of the chain.
    inputs : list of Variable or array
    outline : object
        The other arguments of the call.

    Returns
    -------
    tuple or None
        ``None`` if the call is not to be compiled.
    """
    if config.debug or get_function_hooks() or _get_link_hooks():
        return None
    found = []
    for x in inputs:
        array = getattr(x, 'raw_array', x)
        if type(array) is not numpy.ndarray or not array.flags.c_contiguous or (
                getattr(x, 'layout', None) is not None):
            return None
        found += [array.shape, array.dtype, getattr(x, 'requires_grad', None)]
    kind = (func, *found, *settings(), _frozen(outline))
    try:
        hash(kind)
    except TypeError:
        return None
    return kind


def watched(chain, trace):
    """Return a context that notes side effects in a trace, if there is one."""
    if trace is None:
        return contextlib.nullcontext()
    return _chain_state.watched(chain, trace)


class Calls:
    """The calls of a chain, by kind.

    Parameters
    ----------
    verbosity_level : int
        If 2 or more, a line is printed for each kind that is refused.

    Attributes
    ----------
    refused : dict
        Why calls of a kind are not compiled.
    """

    def __init__(self, verbosity_level=0):
        self._verbosity_level = verbosity_level
        self._graphs = {}
        self._compiled = {}
        self._latest = ()
        self._renewals = {}
        self.refused: dict[tp.Any, tp.Any] = {}

    def wants(self, kind):
        """Return whether the next call of a kind is to be recorded."""
        return kind not in self.refused and kind not in self._compiled

    def refuse(self, kind, reason):
        """Have all calls of a kind run the chain."""
        self._graphs.pop(kind, None)
        self._compiled.pop(kind, None)
        self._latest = ()
        self.refused[kind] = reason
        if self._verbosity_level > 1:
            print('static_graph: not compiled, as', reason)

    def note(self, kind, trace, chain, inputs, arguments, returned, call):
        """Take a recorded call, the second one of which is compiled.

        Parameters
        ----------
        kind : tuple
            Result of :func:`kind_of`.
        trace : Trace
        chain : Chain
        inputs : list of Variable or array
        arguments : tuple
            All arguments of the call, as a tuple and a dict.
        returned : object
        call : callable
            Calls the chain with other inputs.
        """
        params = [p for p in chain.params() if p.raw_array is not None]
        try:
            graph = Graph(trace, inputs, params, returned)
        except Unrecordable as e:
            # A first call may initialize parameters.
            if kind in self._graphs:
                self.refuse(kind, str(e))
            else:
                self._graphs[kind] = None
            return
        first = self._graphs.get(kind)
        self._graphs[kind] = graph
        if first is None:
            return
        difference = first.difference(graph)
        if difference is not None:
            self.refuse(kind, difference)
            return
        del self._graphs[kind]
        try:
            self._compiled[kind] = Compiled(graph, chain, params, arguments, call)
        except Exception as e:
            self.refuse(kind, str(e) or type(e).__name__)

    def apply(self, kind, func, schedule, args, kwargs):
        """Make a call by its plan, if there is one.

        Parameters
        ----------
        kind : tuple
            Result of :func:`kind_of`.
        func : function
            The method of the chain.
        schedule : StaticScheduleFunction
            The schedule of the chain for these inputs.
        args, kwargs
            The arguments of the call.

        Returns
        -------
        object
            What the call returned, or ``MISS``.
        """
        compiled = self._compiled.get(kind)
        if compiled is None:
            return MISS
        if compiled.refused is not None:
            self.refuse(kind, compiled.refused)
            return MISS
        if not compiled.guard.holds():
            del self._compiled[kind]
            self._renewals[kind] = self._renewals.get(kind, 0) + 1
            if self._renewals[kind] > RENEWALS:
                self.refuse(kind, 'attributes of links change')
            self._latest = ()
            return MISS
        self._latest = ((func, compiled, schedule), *self._latest[:3])
        return self._repeat(kind, compiled, args, kwargs)

    def _repeat(self, kind, compiled, args, kwargs):
        try:
            return compiled.repeat(args, kwargs)
        except NotStatic as e:
            self.refuse(kind, str(e))
            return MISS

    def repeat(self, chain, func, args, kwargs):
        """Make a call that is the same as one of the latest ones.

        Returns
        -------
        object
            What the call returned, or ``MISS``.
        """
        for known, compiled, schedule in self._latest:
            if known is func:
                try:
                    returned = compiled.repeat(args, kwargs)
                except NotStatic:
                    returned = MISS
                if returned is not MISS:
                    vars(chain)['static_schedule'] = schedule
                    return returned
        return MISS

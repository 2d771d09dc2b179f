"""Named graphs, and the modes that turn them off.

An array can be in several graphs. The default graph is that of
:class:`chainer_fast.Variable`, controlled by ``config.enable_backprop``. All others
are named by a :class:`BackpropId`. All are recorded in a single graph: nodes that
leave some of the graphs (:class:`StopGradients`) hide preceding nodes while one of
those graphs is being differentiated.
"""
from __future__ import annotations

import contextlib
import enum
import threading
from collections.abc import Sequence
from typing import Any, TypeAlias

from chainer_fast.chainerx import _contexts
from chainer_fast.chainerx._contexts import BackpropId, Context
from chainer_fast.configuration import config, using_config
from chainer_fast.function_node import FunctionNode
from chainer_fast.variable import Variable


class AnyGraph(enum.Enum):
    anygraph = 'anygraph'

    def __repr__(self) -> str:
        return 'anygraph'


anygraph = AnyGraph.anygraph


class _Local(threading.local):

    def __init__(self):
        self.modes = []         # (function of graphs, whether they are active)
        self.running = None     # the graph that is being differentiated


local = _Local()


def default_id() -> BackpropId:
    """Return the name of the default graph."""
    return _contexts.get_default_context()._default_id


def resolve(backprop_id: BackpropId | None) -> BackpropId:
    """Return the name of an existing graph; None means the default one."""
    if backprop_id is None:
        return default_id()
    if not isinstance(backprop_id, BackpropId):
        raise TypeError('a graph must be a BackpropId, not %s'
                        % type(backprop_id).__name__)
    backprop_id.context._check_valid_backprop_id(backprop_id)
    return backprop_id


class BackpropScope:
    """Makes a graph, which ends with the scope."""

    def __init__(self, name: str, context: Context | None) -> None:
        self._name = name
        self._context = context or _contexts.get_default_context()

    def __enter__(self) -> BackpropId:
        self._id = self._context.make_backprop_id(self._name)
        return self._id

    def __exit__(self, *exc_info: object) -> None:
        self._context.release_backprop_id(self._id)


def backprop_scope(name: str, context: Context | None = None) -> BackpropScope:
    """Return a scope with a new graph, whose name it yields."""
    return BackpropScope(name, context)


class _Mode:
    """Turns graphs on or off while it is entered."""

    def __init__(self, which, enabled):
        if which is None or isinstance(which, Context):
            context = which or _contexts.get_default_context()
            self._ids, self._context = None, context
        else:
            ids = [which] if isinstance(which, BackpropId) else list(which)
            self._ids, self._context = [resolve(each) for each in ids], None
        self._enabled = enabled
        self._scopes = []

    def _covers(self, backprop_id):
        if self._ids is None:
            return backprop_id.context is self._context
        return any([each is backprop_id for each in self._ids])

    def __enter__(self):
        local.modes.append((self._covers, self._enabled))
        scope = contextlib.nullcontext()
        if self._covers(_contexts.main_context._default_id):
            scope = using_config('enable_backprop', self._enabled)
        scope.__enter__()
        self._scopes.append(scope)

    def __exit__(self, *exc_info):
        local.modes.pop()
        self._scopes.pop().__exit__(*exc_info)


_Which: TypeAlias = Context | BackpropId | Sequence[BackpropId] | None


def no_backprop_mode(which: _Which = None) -> _Mode:
    """Return a scope in which nothing is recorded in graphs.

    Parameters
    ----------
    which : Context, BackpropId or sequence of BackpropId, optional
        The graphs; all of a context, by default the default one.
    """
    return _Mode(which, False)


def force_backprop_mode(which: _Which = None) -> _Mode:
    """Return a scope in which graphs are recorded, inside :func:`no_backprop_mode`.

    Parameters
    ----------
    which : Context, BackpropId or sequence of BackpropId, optional
        The graphs; all of a context, by default the default one.
    """
    return _Mode(which, True)


def is_on(backprop_id: BackpropId) -> bool:
    """Return whether a graph is being recorded."""
    if backprop_id is _contexts.main_context._default_id:
        return config.enable_backprop
    for covers, enabled in reversed(local.modes):
        if covers(backprop_id):
            return enabled
    return True


def is_backprop_required(
        backprop_id: BackpropId | None = None, context: Context | None = None) -> bool:
    """Return whether a graph is being recorded, by default the default one.

    Parameters
    ----------
    backprop_id : BackpropId, optional
    context : Context, optional
        The context of the default graph.
    """
    if context is not None and not isinstance(context, Context):
        raise TypeError('context must be a Context, not %s' % type(context).__name__)
    if backprop_id is None and context is not None:
        return is_on(context._default_id)
    return is_on(resolve(backprop_id))


class running:
    """A scope in which a graph is being differentiated."""

    def __init__(self, backprop_id):
        self._id = backprop_id

    def __enter__(self):
        self._before, local.running = local.running, self._id

    def __exit__(self, *exc_info):
        local.running = self._before


class StopGradients(FunctionNode):
    """Identity that stops the gradients of some graphs.

    Parameters
    ----------
    ids : frozenset of BackpropId
    """

    def __init__(self, ids: frozenset[BackpropId]) -> None:
        super().__init__()
        self.ids = ids

    def forward(self, inputs):
        return inputs

    def backward(self, indexes, grad_outputs):
        if (local.running or default_id()) in self.ids:
            return (None,) * len(indexes)
        return grad_outputs


def ids_of_leaf(node: Any) -> frozenset[BackpropId]:
    """Return the graphs of an array that no function computed."""
    return node.__dict__.get('_backprop_ids') or frozenset([default_id()])


def reached(
        variable: Variable, known: dict[int, frozenset[BackpropId]] | None = None,
        ) -> frozenset[BackpropId]:
    """Return the graphs of a variable, determined by the leaves on which it depends.

    ``known`` caches results for nodes, by identity, for the next call.
    """
    if not variable.requires_grad:
        return frozenset()
    known = {} if known is None else known
    stack = [variable.node]
    while stack:
        node = stack[-1]
        if id(node) in known:
            stack.pop()
            continue
        function = node.creator_node
        if function is None:
            known[id(node)] = frozenset(
                ids_of_leaf(node) if node.requires_grad else ())
            continue
        missing = [n for n in function.inputs if id(n) not in known]
        if missing:
            stack += missing
            continue
        ids = frozenset().union(*[known[id(n)] for n in function.inputs])
        if isinstance(function, StopGradients):
            ids -= function.ids
        known[id(node)] = ids
    return known[id(variable.node)]

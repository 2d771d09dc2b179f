"""Backpropagation in one graph, recorded as operations in the others."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

from chainer_fast import _backprop, function_node
from chainer_fast.chainerx import _array, _errors, _graphs, _running
from chainer_fast.chainerx._array import ndarray
from chainer_fast.chainerx._contexts import BackpropId
from chainer_fast.configuration import using_config
from chainer_fast.variable import Variable


def backward(
        outputs: ndarray | Sequence[ndarray], backprop_id: BackpropId | None = None,
        enable_double_backprop: bool = False) -> None:
    """Propagate gradients from arrays to those that require them.

    Parameters
    ----------
    outputs : ndarray or sequence of ndarray
        Initial gradients are those that are set, by default ones.
    backprop_id : BackpropId, optional
        The graph, by default the default one.
    enable_double_backprop : bool
        Whether the gradients remain in the graph.
    """
    outputs = [outputs] if isinstance(outputs, ndarray) else list(outputs)
    backprop_id = _graphs.resolve(backprop_id)
    outputs = [y for y in outputs if backprop_id in y._all_graphs()]
    if not outputs:
        return
    device = _running.common_device(outputs)
    if any([y._ids is not None for y in outputs]) or _has_inner(outputs):
        leaves = _leaves(outputs, backprop_id)
        gradients = _differentiate(
            outputs, leaves, None, backprop_id, enable_double_backprop)
        # The initial gradient of an output is already in its gradient.
        starts = {id(y._v) for y in outputs}
        _add_gradients(leaves, gradients, backprop_id, device, starts)
        return
    gradients = [(y._v, _initial(y, backprop_id)) for y in outputs]
    with numpy.errstate(all='ignore'), device.scope(), using_config(
            'enable_backprop', enable_double_backprop):
        for v, g in gradients:
            if v.creator_node is None:      # The output is a leaf.
                v.grad_var = g
        _backprop._backprop_to_all([
            (v.node, g) for v, g in gradients if v.creator_node is not None],
            False, None)


def _has_inner(outputs):
    """Return whether an intermediate result may keep its gradient."""
    return len(_array.inner_nodes) > sum([
        y._v.node in _array.inner_nodes for y in outputs])


def _initial(y, backprop_id):
    """Return the initial gradient, as a variable."""
    grad = y.get_grad(backprop_id) if y.is_grad_required(backprop_id) else None
    if grad is not None:
        return grad._v
    with y._device.scope():
        return Variable(y._device.xp.ones_like(y._array), requires_grad=False)


def _walk(variables):
    """Yield all nodes on which variables depend."""
    seen, rest = set(), [v.node for v in variables]
    while rest:
        node = rest.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        if node.creator_node is not None:
            rest += node.creator_node.inputs


def _leaves(outputs, backprop_id):
    """Return the variables of the arrays that keep gradients of a graph."""
    found = []
    ends = {id(y._v.node) for y in outputs}
    for node in _walk([y._v for y in outputs]):
        if not node.requires_grad or (
                node.creator_node is not None and id(node) in ends):
            continue
        if node.creator_node is None:
            wanted = backprop_id in _graphs.ids_of_leaf(node)
        else:
            wanted = backprop_id in node.__dict__.get('_backprop_keeps', ())
        variable = node.get_variable_or_none()
        if wanted and variable is not None:
            found.append(variable)
    return found


def _inner(outputs, backprop_id):
    """Return the arrays' variables between outputs and leaves."""
    ends = {id(y._v.node) for y in outputs}
    found = [node.get_variable_or_none() for node in _walk([y._v for y in outputs])
             if node.creator_node is not None and id(node) not in ends]
    known: dict[int, Any] = {}
    return [v for v in found
            if v is not None and backprop_id in _graphs.reached(v, known)]


def _differentiate(outputs, inputs, grad_outputs, backprop_id, enable_double_backprop):
    """Return the gradients of variables, as variables or None, outside of the graph.

    They belong to the other graphs that are turned on, and with
    ``enable_double_backprop`` also to this one.
    """
    if not inputs:
        return []
    variables = [y._v for y in outputs]
    if grad_outputs is None:
        grad_outputs = [_initial(y, backprop_id) for y in outputs]
    default = _graphs.default_id()
    several = any([y._ids is not None for y in outputs]) or backprop_id is not default
    with numpy.errstate(all='ignore'), _graphs.running(backprop_id), (
            outputs[0]._device.scope()), using_config('enable_backprop', True):
        found = function_node.grad(
            variables, inputs, grad_outputs,
            enable_double_backprop=enable_double_backprop or several)
    keeps = enable_double_backprop
    return [g if g is None else _outside(g, backprop_id, keeps) for g in found]


def _outside(gradient, backprop_id, keeps):
    """Return a gradient detached from its graph, unless kept, and inactive ones."""
    ids = _graphs.reached(gradient)
    left = frozenset([each for each in ids if (
        keeps if each is backprop_id else _graphs.is_on(each))])
    if left == ids:
        return gradient
    if not left:
        return Variable(gradient.raw_array, requires_grad=False)
    with using_config('enable_backprop', True):
        return _graphs.StopGradients(ids - left).apply((gradient,))[0]


def _add_gradients(variables, gradients, backprop_id, device, starts):
    """Add gradients to those that arrays keep, or replace those of some arrays."""
    for v, g in zip(variables, gradients, strict=True):
        if g is None:
            continue
        if backprop_id is _graphs.default_id():
            own = v.grad_var
            v.grad_var = g if own is None or id(v) in starts else own + g
            continue
        others = _array._others(v.node)
        own = others.get(backprop_id)
        if own is not None and id(v) not in starts:
            g = own._v + g
        others[backprop_id] = _array.as_array(g, device)


def grad(
        outputs: Sequence[ndarray], inputs: Sequence[ndarray],
        backprop_id: BackpropId | None = None, enable_double_backprop: bool = False,
        set_grad: bool = False, retain_grad: bool = False,
        grad_outputs: Sequence[ndarray | None] = ()) -> list[ndarray | None]:
    """Return gradients of arrays, without adding them to the arrays' gradients.

    Parameters
    ----------
    outputs, inputs : sequence of ndarray
    backprop_id : BackpropId, optional
        The graph, by default the default one.
    enable_double_backprop : bool
        Whether the gradients remain in the graph.
    set_grad : bool
        Whether to set the gradients of the inputs.
    retain_grad : bool
        Whether intermediate arrays keep their gradients.
    grad_outputs : sequence of ndarray or None
        Gradients of the outputs; by default those that are set, or ones.

    Returns
    -------
    list of ndarray or None
        None for an input that no output depends on in this graph.

    Raises
    ------
    GradientError
        If the numbers of ``grad_outputs`` and ``outputs`` differ.
    """
    backprop_id = _graphs.resolve(backprop_id)
    if grad_outputs and len(grad_outputs) != len(outputs):
        raise _errors.GradientError(
            '%d grad_outputs were passed for %d outputs'
            % (len(grad_outputs), len(outputs)))
    found: list[ndarray | None] = [None] * len(inputs)
    given = list(grad_outputs) or [None] * len(outputs)
    pairs = [(y, g) for y, g in zip(outputs, given, strict=True)
             if backprop_id in y._all_graphs()]
    places = [i for i, x in enumerate(inputs) if backprop_id in x._all_graphs()]
    if not pairs or not places:
        return found
    device = _running.common_device([y for y, _ in pairs])
    outputs = [y for y, _ in pairs]
    inner = _inner(outputs, backprop_id) if retain_grad else []
    gradients = _differentiate(
        outputs, [*[inputs[i]._v for i in places], *inner],
        [_initial(y, backprop_id) if g is None else g._v for y, g in pairs],
        backprop_id, enable_double_backprop)
    for v, g in zip(inner, gradients[len(places):], strict=True):
        if backprop_id is _graphs.default_id():
            v._set_grad_var_without_check(g)
        elif g is not None:
            _array._others(v.node)[backprop_id] = _array.as_array(g, device)
    for i, g in zip(places, gradients, strict=False):
        if g is not None:
            found[i] = _array.as_array(g, inputs[i].device)
        if set_grad:
            inputs[i].set_grad(found[i], backprop_id)
    return found


_array.method(backward)

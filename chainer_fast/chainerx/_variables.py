"""Variables of ChainerX arrays, and functions applied to them.

The array of such a variable is itself in the default graph if the variable requires a
gradient, and keeps that gradient; the variable has no separate node.
"""
from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from chainer_fast._core import kinds
from chainer_fast.chainerx import _apply, _array, _backward, _graphs
from chainer_fast.chainerx._array import ndarray
from chainer_fast.variable import Variable

new_variable: Any = Variable._init_unchecked
apply, computes_inside = _apply.apply, _apply.computes_inside


def connected(array: ndarray, requires_grad: bool) -> ndarray:
    """Return the array that a variable will hold.

    Raises
    ------
    ValueError
        If the array is in the graph, but the variable requires no gradient.
    """
    in_graph = array._v.requires_grad and _graphs.default_id() in array._all_graphs()
    if requires_grad == in_graph or array.dtype.kind != 'f':
        return array
    if in_graph:
        raise ValueError(
            'a variable that requires no gradient cannot hold an array in the graph: '
            'call as_grad_stopped of the array first')
    return array.view().require_grad()


def array_of(variable: Variable) -> ndarray:
    """Return the array outside of all graphs, the same object each time."""
    array = variable.raw_array
    if not array._is_connected():
        return array
    kept = variable.__dict__.get('_chainerx_array')
    if kept is None or kept[0] is not array:
        kept = variable.__dict__['_chainerx_array'] = array, array.as_grad_stopped()
    return kept[1]


def view_of(variable: Variable) -> ndarray:
    """Return a view of the array, in its graphs."""
    return variable.raw_array.view()


def check_replaceable(variable: Variable, array: Any) -> None:
    """Raise an error for another array of a variable whose array is in a graph.

    Raises
    ------
    RuntimeError
    """
    if variable.raw_array._is_connected() and array is not array_of(variable):
        raise RuntimeError(
            'the array of a variable that requires a gradient cannot be replaced: '
            'write to it, as in `variable.array[...] = array`')


def creator_of(variable: Variable) -> Any:
    """Return the function that made the array, or None."""
    return variable.raw_array._v.creator_node


def grad_of(variable: Variable) -> ndarray | None:
    """Return the gradient as an array outside of the graph."""
    array = variable.raw_array
    grad = array.get_grad() if array.is_grad_required() else None
    if grad is None or not grad._is_connected():
        return grad
    return array_of(grad_var_of(variable))


def grad_var_of(variable: Variable) -> Any:
    """Return the gradient as a variable, the same one each time."""
    array = variable.raw_array
    grad = array.get_grad() if array.is_grad_required() else None
    if grad is None:
        return None
    if variable._grad_var is None or (
            variable.__dict__.get('_chainerx_grad') is not grad):
        variable._grad_var = new_variable(grad)
        # The array in the graph replaces it, if it is another one.
        grad = variable._grad_var.raw_array
        array.set_grad(grad)
        variable.__dict__['_chainerx_grad'] = grad
    return variable._grad_var


def set_grad(variable: Variable, grad: ndarray | None, grad_var: Any) -> None:
    """Set or clear the gradient; ``grad_var`` is a variable of it, or None."""
    array = variable.raw_array
    if grad is None:
        array._v.cleargrad()
        variable._grad_var = array._grad = None
        return
    array.set_grad(grad)
    variable._grad_var = grad_var
    if grad_var is not None:
        variable.__dict__['_chainerx_grad'] = grad


def _scaled_ones(variable, loss_scale):
    """Return the initial gradient; None for the default."""
    if loss_scale is None:
        return None
    array = variable.raw_array
    with array._device.scope():
        return _array.plain(
            array._device.xp.full_like(array._array, loss_scale), array._device)


def backward(variable: Variable, retain_grad: bool, enable_double_backprop: bool,
             loss_scale: float | None) -> None:
    """Propagate gradients from a variable, dividing those of leaves by the scale."""
    array = variable.raw_array
    if retain_grad:
        inner = _backward._inner([array], _graphs.default_id())
        for v in inner:
            v.node._backprop_keeps = frozenset([_graphs.default_id()])
            _array.inner_nodes.add(v.node)
    if loss_scale is None:
        _backward.backward(array, None, enable_double_backprop)
        return
    default = _graphs.default_id()
    if not array.is_grad_required() or array.get_grad() is None:
        array.set_grad(_scaled_ones(variable, loss_scale))
    leaves = [v for v in _backward._leaves([array], default) if v is not array._v]
    before = [v.grad_var for v in leaves]
    for v in leaves:
        v.cleargrad()
    _backward.backward(array, None, enable_double_backprop)
    for v, old in zip(leaves, before, strict=True):
        new = v.grad_var
        if new is not None:
            new = new / loss_scale
        v.grad_var = new if old is None else old if new is None else old + new


def backward_all(outputs: Sequence[Variable], grad_outputs: Any,
                 enable_double_backprop: bool) -> None:
    """Propagate gradients from several variables; those without one are ignored.

    Gradients of variables that share one result, as for operands of a sum, are added.
    """
    if grad_outputs is None:
        found = {
            id(y.raw_array._v): y.raw_array for y in outputs if y.grad_var is not None}
        _backward.backward(list(found.values()), None, enable_double_backprop)
        return
    totals: dict[int, Any] = {}
    for y, gy in zip(outputs, grad_outputs, strict=True):
        if gy is not None and y.raw_array._is_connected():
            array, gradient = y.raw_array, gy.raw_array._v
            key = id(array._v)
            if key in totals:
                gradient = totals[key][1] + gradient
            totals[key] = array, gradient
    for array, gradient in totals.values():
        # Without checks, as gradients of a gradient check have higher precision.
        array._v._set_grad_var_without_check(gradient)
    _backward.backward(
        [array for array, _ in totals.values()], None, enable_double_backprop)


def grad(outputs: Sequence[Variable], inputs: Sequence[Variable],
         grad_outputs: Sequence[Variable | None],
         grad_inputs: Sequence[Variable | None], set_grad: bool, retain_grad: bool,
         enable_double_backprop: bool,
         loss_scale: float | None) -> list[Variable | None]:
    """Return gradients of variables, divided by the scale, added to those given."""
    gys = []
    for y, gy in zip(outputs, grad_outputs, strict=True):
        gys.append(_scaled_ones(y, loss_scale) if gy is None else gy.raw_array)
    found = _backward.grad(
        [y.raw_array for y in outputs], [x.raw_array for x in inputs], None,
        enable_double_backprop, False, retain_grad, gys)
    results = []
    for x, g, given in zip(inputs, found, grad_inputs, strict=True):
        gx = None if g is None else _apply._around(g)
        if gx is not None and loss_scale is not None:
            gx = gx / loss_scale
        if given is not None:
            gx = given if gx is None else gx + given
        if set_grad:
            x.grad_var = gx
        results.append(gx)
    return results


_kind = kinds.kinds['ChainerX']
_kind.types, _kind.variables = (ndarray,), sys.modules[__name__]
kinds.register(_kind)

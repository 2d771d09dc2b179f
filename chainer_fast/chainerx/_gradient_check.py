"""Comparison of gradients with finite differences."""
from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy

from chainer_fast.chainerx import _array, _backward, _errors, _graphs
from chainer_fast.chainerx._array import ndarray
from chainer_fast.chainerx._contexts import BackpropId

__all__ = ['check_backward', 'check_double_backward']

_Arrays: TypeAlias = tuple[ndarray, ...]
_Function: TypeAlias = Callable[[_Arrays], _Arrays]


def _host(array):
    """Return the values of an array in double precision."""
    found = array._array
    return numpy.array(found if array.device.native else found.get(), 'd')


def _numerical(function, inputs, weights, eps):
    """Return the gradients of weighted outputs, by central differences."""
    values = [_host(x) for x in inputs]

    def total():
        arrays = []
        for value, x in zip(values, inputs, strict=True):
            with x.device.scope():
                array = x.device.xp.asarray(value.astype(x.dtype))
            arrays.append(_array.plain(array, x.device))
        with _graphs.no_backprop_mode():
            outputs = function(tuple(arrays))
        return sum([float((_host(y) * w).sum())
                    for y, w in zip(outputs, weights, strict=True) if w is not None])
    found = []
    for value, step in zip(values, eps, strict=True):
        gradient, steps = numpy.empty_like(value), _host(step)
        for i in numpy.ndindex(*value.shape):
            middle, ends = value[i], []
            for sign in (1, -1):
                value[i] = middle + sign * steps[i]
                ends.append(total())
            value[i] = middle
            gradient[i] = (ends[0] - ends[1]) / (2 * steps[i])
        found.append(gradient)
    return found


def check_backward(
        func: _Function, inputs: _Arrays, grad_outputs: _Arrays, eps: _Arrays,
        atol: float = 1e-5, rtol: float = 1e-4,
        backprop_id: BackpropId | None = None) -> None:
    """Compare the gradients of a function with finite differences.

    Parameters
    ----------
    func : callable
        Function of a tuple of arrays, which returns one.
    inputs : tuple of ndarray
        At least one of them requires a gradient.
    grad_outputs : tuple of ndarray
        Gradients of the outputs.
    eps : tuple of ndarray
        Steps of the differences, of the shapes of the inputs.
    atol, rtol : float
        Tolerances.
    backprop_id : BackpropId, optional
        The graph, by default the default one.

    Raises
    ------
    GradientCheckError
        If they differ.
    """
    backprop_id = _graphs.resolve(backprop_id)
    wanted = [i for i, x in enumerate(inputs) if x.is_grad_required(backprop_id)]
    if not wanted:
        raise _errors.GradientCheckError('no input requires a gradient')
    if len(eps) != len(inputs):
        raise _errors.GradientCheckError(
            '%d steps were passed for %d inputs' % (len(eps), len(inputs)))
    outputs = func(inputs)
    if len(outputs) != len(grad_outputs):
        raise _errors.GradientCheckError(
            '%d grad_outputs were passed for %d outputs'
            % (len(grad_outputs), len(outputs)))
    found = _backward.grad(
        outputs, [inputs[i] for i in wanted], backprop_id, grad_outputs=grad_outputs)
    numerical = _numerical(func, inputs, [
        None if g is None else _host(g) for g in grad_outputs], eps)
    for i, gradient in zip(wanted, found, strict=True):
        values = (numpy.zeros(inputs[i].shape) if gradient is None
                  else _host(gradient))
        if not numpy.allclose(values, numerical[i], rtol, atol):
            raise _errors.GradientCheckError(
                'the gradient of input %d is\n%s\nbut the numerical gradient is\n%s'
                % (i, values, numerical[i]))


def check_double_backward(
        func: _Function, inputs: _Arrays, grad_outputs: _Arrays,
        grad_grad_inputs: _Arrays, eps: _Arrays, atol: float = 1e-5,
        rtol: float = 1e-4, backprop_id: BackpropId | None = None) -> None:
    """Compare the gradients of a function's gradients with finite differences.

    Parameters
    ----------
    func : callable
        Function of a tuple of arrays, which returns one.
    inputs, grad_outputs : tuple of ndarray
        Inputs, and gradients of the outputs.
    grad_grad_inputs : tuple of ndarray
        Gradients of the gradients of those inputs that require one.
    eps : tuple of ndarray
        Steps of the differences, of the inputs and of the gradients of the outputs.
    atol, rtol : float
        Tolerances.
    backprop_id : BackpropId, optional
        The graph, by default the default one.

    Raises
    ------
    GradientCheckError
        If they differ.
    """
    graph = _graphs.resolve(backprop_id)
    count = len(inputs)
    required = [x.is_grad_required(graph) for x in inputs]

    def gradients(arrays):
        xs = [x if x.is_backprop_required(graph) or not needed
              else x.as_grad_stopped().require_grad(graph)
              for x, needed in zip(arrays[:count], required, strict=True)]
        with _graphs.force_backprop_mode(graph):
            ys = func(tuple(xs))
            found = _backward.grad(
                ys, [x for x, needed in zip(xs, required, strict=True) if needed],
                graph, enable_double_backprop=True, grad_outputs=arrays[count:])
        return tuple([g for g in found if g is not None])
    check_backward(
        gradients, (*inputs, *grad_outputs), grad_grad_inputs, eps, atol, rtol, graph)


def _named():
    for name in __all__:
        globals()[name].__module__ = 'chainerx'


_named()

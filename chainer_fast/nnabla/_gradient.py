"""The function ``grad``."""
from __future__ import annotations

import operator
from collections.abc import Iterable
from functools import reduce
from typing import Any

import numpy

from chainer_fast import function_node
from chainer_fast.configuration import config
from chainer_fast.nnabla import _arguments, _paths
from chainer_fast.variable import Variable


def grad(
        outputs: Variable | Iterable[Variable], inputs: Variable | Iterable[Variable],
        grad_outputs: Any = None, persistent_outputs: Iterable[bool] = (),
        bind_grad_output: bool = False) -> list[Variable]:
    """Return gradients of the sum of outputs, which can be differentiated again.

    The interface is that of ``nnabla.grad``. Unlike :func:`chainer_fast.grad`, the
    function accepts single variables, numbers and arrays, returns zeros instead of
    None, and always builds the graph of the gradients, unless
    ``config.enable_backprop`` is False.

    Parameters
    ----------
    outputs : Variable or iterable of Variable
        The variables to differentiate. The gradients are those of their sum.
    inputs : Variable or iterable of Variable
        The variables with respect to which to differentiate. A variable that is not in
        the graph represents the leaves of the graph with the same array; for example, a
        parameter of ``link.copy()`` represents that of the link.
    grad_outputs : None, number, array, Variable or list of these, optional
        Gradients of the outputs; None means ones. If it is not a list, it is the
        gradient of the only output.
    persistent_outputs : iterable of bool, optional
        Whether the graph keeps the array of each output after its variable has been
        released; by default it keeps all.
    bind_grad_output : bool
        Whether to store the results in ``grad`` of the inputs that the outputs depend
        on, too.

    Returns
    -------
    list of Variable
        A gradient for each input. If no output depends on an input, or if it requires
        no gradient, the gradient is zero and not part of a graph.

    Raises
    ------
    ValueError
        If something other than a variable is among the outputs or the inputs, or if
        ``grad_outputs`` or ``persistent_outputs`` has a wrong type, length or shape.
    TypeError
        If ``persistent_outputs`` cannot be iterated over.
    NotImplementedError
        If a function between an input and an output has no gradient.
    RuntimeError
        If an old-style function would have to be differentiated twice.

    See Also
    --------
    chainer_fast.grad

    Examples
    --------
    >>> from chainer_fast import nnabla
    >>> x = chainer.Variable(np.array([1, 2], np.float32))
    >>> gx, = nnabla.grad(x ** 3, x)
    >>> ggx, = nnabla.grad(gx, x)
    >>> gx.array, ggx.array
    (array([ 3., 12.], dtype=float32), array([ 6., 12.], dtype=float32))
    """
    ys = _arguments.as_variables('outputs', outputs)
    xs = _arguments.as_variables('inputs', inputs)
    _arguments.check_initialized(ys)
    persistent = _arguments.as_flags(persistent_outputs, ys)
    gys = _arguments.as_gradients(grad_outputs, ys)
    reached = _paths.Reached(y.node for y in ys)
    matches = _match(xs, reached)
    targets = list({x.node: x for match in matches for x in match}.values())
    _paths.check_differentiable(reached, targets)
    sources, sums = _without_repetition(ys, gys)
    found = function_node.grad(
        sources, targets, sums, enable_double_backprop=bool(config.enable_backprop))
    by_node = {x.node: gx for x, gx in zip(targets, found, strict=True)}
    results = []
    for match in matches:
        terms = [by_node[x.node] for x in match if by_node[x.node] is not None]
        results.append(reduce(operator.add, terms) if terms else None)
    for y, keeps in zip(ys, persistent, strict=True):
        if keeps:
            y.retain_data()
    if bind_grad_output:
        _bind(xs, results, [v.array for v in (*ys, *xs, *gys) if v is not None])
    return [_zeros(x) if gx is None else gx
            for x, gx in zip(xs, results, strict=True)]


def _without_repetition(outputs, gradients):
    """Return each output once, and the sum of the gradients given for it."""
    sums = {}
    for y, gy in zip(outputs, gradients, strict=True):
        if y.node in sums:
            known = sums[y.node][1]
            gy = sum([_ones(y) if each is None else each for each in (known, gy)])
        sums[y.node] = y, gy
    return [y for y, _ in sums.values()], [gy for _, gy in sums.values()]


def _ones(y):
    return _arguments.as_gradients(1, [y])[0]


def _match(inputs, reached):
    """Return the variables of the graph that each input represents."""
    matches = [[x] if x.node in reached.nodes else [] for x in inputs]
    if all(matches):
        return matches
    leaves = reached.leaves_by_array()
    return [
        match if match or x.creator_node is not None else leaves.get(id(x.array), [])
        for x, match in zip(inputs, matches, strict=True)]


def _zeros(x):
    if x.array is None:
        return Variable(numpy.zeros((), x.dtype), requires_grad=False)
    with x.device.create_context():
        return Variable(x.xp.zeros_like(x.array), requires_grad=False)


def _bind(inputs, gradients, taken):
    """Set the gradients of inputs, in separate memory.

    In-place changes of a gradient by an optimizer also change the result, as in nnabla,
    but neither the gradient of another variable nor data.
    """
    owned = {id(array) for array in taken}
    for x, gx in zip(inputs, gradients, strict=True):
        if gx is None:
            continue
        array = gx.array
        if id(array) in owned or array.base is not None:
            array = array.copy()
        owned.add(id(array))
        x.grad = array

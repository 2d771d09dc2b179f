from __future__ import annotations

from collections.abc import Callable
from typing import Any

from chainer_fast import _backprop, function_node, variable
from chainer_fast.configuration import config, using_config
from chainer_fast.function import force_backprop_mode, no_backprop_mode
from chainer_fast.types import NdArray
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


def _ordinal(n):
    if 10 < n % 100 < 14:
        return '%dth' % n
    return '%d%s' % (n, {1: 'st', 2: 'nd', 3: 'rd'}.get(n % 10, 'th'))


def _call_func(func, xs):
    """Call a function and return its outputs as a tuple of variables."""
    outs = func(*xs)
    if isinstance(outs, variable.Variable):
        return outs,
    if not isinstance(outs, tuple):
        raise RuntimeError(
            'A tuple of Variables or a Variable are expected, but %s is '
            'returned.' % type(outs))
    for n, out in enumerate(outs, 1):
        if not isinstance(out, variable.Variable):
            raise RuntimeError(
                '%s element of a returned tuple is not Variable, but is %s'
                % (_ordinal(n), type(out)))
    return outs


class Forget(function_node.FunctionNode):
    """Runs a function again when its gradient is computed.

    Parameters
    ----------
    func : callable
        Function that maps variables to variables.
    """

    def __init__(self, func: Callable[..., Any]) -> None:
        super().__init__()
        if not callable(func):
            raise TypeError('func must be callable')
        self.func = func

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs(tuple(range(len(inputs))))
        # Links with running statistics store the data that the second run needs.
        with no_backprop_mode(), using_config('_will_recompute', True):
            outs = _call_func(
                self.func, [variable.Variable(x) for x in inputs])
        return tuple([out.data for out in outs])

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        # A graph built here would end at the copies of the inputs below.
        if config.enable_backprop:
            raise RuntimeError(
                'double backpropagation in functions.forget is not allowed.')
        dummies = [
            variable.Variable(x.array) for x in self.get_retained_inputs()]
        # Running statistics already include these inputs.
        with using_config('in_recomputing', True), \
                using_config('_will_recompute', False), \
                force_backprop_mode():
            outs = _call_func(self.func, dummies)
        wanted = [dummies[i] for i in indexes]
        reached = [
            (out, g) for out, g in zip(outs, grad_outputs, strict=True)
            if g is not None]
        for out, g in reached:
            out.grad_var = g
        # One backward pass for all outputs.
        _backprop.backward([out for out, _ in reached])
        return tuple([x.grad_var for x in wanted])


def forget(
        func: Callable[..., Any],
        *xs: VariableOrArray) -> Any:
    """Calls a function without keeping its intermediate results.

    They are computed again for the gradient, which trades time for memory.

    Parameters
    ----------
    func : callable
        Function that accepts variables and returns a variable or a tuple of variables.
        It must return the same result when it is called again.
    *xs : Variables or arrays
        Its arguments.

    Returns
    -------
    Variable or tuple of Variables
        The result of the function.

    Raises
    ------
    TypeError
        If ``func`` is not callable.
    RuntimeError
        If the function returns anything else, or a gradient is differentiated again.

    Notes
    -----
    A function with randomness or side effects, such as
    :func:`~chainer_fast.functions.dropout` or batch normalization in training mode,
    results in wrong gradients.

    Examples
    --------
    >>> x = chainer.Variable(np.array([1., 2., 3.], np.float32))
    >>> y = F.forget(lambda v: v ** 2 + v, x)
    >>> y.array
    array([ 2.,  6., 12.], dtype=float32)
    >>> F.sum(y).backward()
    >>> x.grad      # 2 x + 1
    array([3., 5., 7.], dtype=float32)
    """
    # The function may have its own parameters: arrays require gradients, too.
    variables = [
        x if isinstance(x, variable.Variable) else variable.Variable(x) for x in xs]
    outs = Forget(func).apply(variables)
    return outs[0] if len(outs) == 1 else outs

"""Decorators for code that belongs to the schedule of a static chain."""
from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from chainer_fast.configuration import config
from chainer_fast.graph_optimizations._decorator import decorated
from chainer_fast.types import NdArray

if TYPE_CHECKING:
    from chainer_fast.function_node import FunctionNode


def static_code(*dec_args: Any, **dec_kwargs: Any) -> Callable[..., Any]:
    """Make a function part of the schedule of the static chain that calls it.

    A decorator, with or without arguments. In the method of a chain under
    :func:`chainer_fast.static_graph`, calls of the function are recorded as steps of
    the schedule, like those of Chainer's functions. Elsewhere the function is called as
    usual.

    Parameters
    ----------
    func_name : str, optional
        Name of the step, for display.

    Returns
    -------
    callable
        The decorated function.

    See Also
    --------
    chainer_fast.static_graph

    Notes
    -----
    The function receives the arrays that it reads, and that differ from call to call,
    as the list ``inputs``, a keyword argument. It returns the arrays that it creates, a
    single one or a tuple. Arrays that it writes to are in the list ``outputs``.

    Examples
    --------
    A random mask that differs from call to call:

    >>> class Masked(chainer.Chain):
    ...     def __init__(self):
    ...         super().__init__()
    ...         with self.init_scope():
    ...             self.layer = L.Linear(3, 2)
    ...     @chainer.static_code
    ...     def draw(self, inputs, outputs):
    ...         outputs[0][...] = np.random.binomial(1, 0.5, outputs[0].shape)
    ...     @chainer.static_graph
    ...     def forward(self, x):
    ...         mask = np.empty_like(x.array)
    ...         self.draw(inputs=[], outputs=[mask])
    ...         return self.layer(x * mask)
    >>> model = Masked()
    >>> x = chainer.Variable(np.ones((4, 3), np.float32))
    >>> first, second = model(x).array.copy(), model(x).array.copy()
    >>> np.array_equal(first, second)
    False
    """
    return decorated('static_code', _static, dec_args, dec_kwargs)


def _static(func, *, func_name=None):
    @functools.wraps(func)
    def step(*args, **kwargs):
        schedule = config.schedule_func
        if schedule is None:
            return func(*args, **kwargs)
        if schedule.trace is not None:
            schedule.trace.refuse('%s is static code' % (func_name or func.__name__))
        return schedule.append_function(func, args, kwargs, func_name)
    return step


def static_forward_optimizations(
        func: FunctionNode, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
    """Run a function node's ``forward`` as a step of the current schedule.

    Parameters
    ----------
    func : FunctionNode
        The function.
    inputs : tuple of arrays
        Its inputs.

    Returns
    -------
    tuple of arrays
        Result of ``func.forward(inputs)``.
    """
    schedule = config.schedule_func
    trace = getattr(schedule, 'trace', None)
    if schedule is None or func._supports_static_optimizations:
        if trace is not None:
            trace.refuse('%s has static code' % func.label)
        return func.forward(inputs)
    # A repetition begins with a copy of the function from before it ran: values kept
    # for its gradient, or a random mask, belong to one call. Moreover, the step must
    # not keep the function itself, which keeps the graph before it alive.
    pristine = copy.copy(func)
    function = func

    def forward(*, inputs):
        nonlocal function
        current, function = function, None
        if current is None:
            current = copy.copy(pristine)
        return current.forward(tuple(inputs))

    if trace is not None:
        trace.begin(pristine)
    outputs = schedule.append_function(
        forward, (), {'inputs': list(inputs)}, func.label)
    if trace is not None:
        trace.end(pristine, func, inputs, outputs)
    return outputs

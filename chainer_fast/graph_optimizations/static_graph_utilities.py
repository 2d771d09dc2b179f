"""Marking code that belongs to the schedule of a static chain."""
import copy
import functools

from chainer_fast.configuration import config


def static_code(*dec_args, **dec_kwargs):
    """Make a function part of the schedule of the static chain that calls it.

    A decorator, with or without arguments. In the method of a chain under
    :func:`chainer_fast.static_graph`, calls of the function are recorded as steps of
    the schedule, beside those of Chainer's functions. Elsewhere the function is called
    as ever.

    Parameters
    ----------
    func_name : str, optional
        Name of the step, for people.

    Notes
    -----
    The function gets the arrays that it reads, and that differ from call to call, as
    the keyword argument ``inputs``, a list; and returns the arrays that it makes, as
    one or as a tuple. Arrays that it writes to go in the list ``outputs``.
    """
    if len(dec_args) == 1 and callable(dec_args[0]):
        return _static(dec_args[0], **dec_kwargs)
    return functools.partial(_static, **dec_kwargs)


def _static(func, *, func_name=None):
    @functools.wraps(func)
    def step(*args, **kwargs):
        schedule = config.schedule_func
        if schedule is None:
            return func(*args, **kwargs)
        return schedule.append_function(func, args, kwargs, func_name)
    return step


def static_forward_optimizations(func, inputs):
    """Run a function node's ``forward`` as a step of the current schedule.

    Parameters
    ----------
    func : FunctionNode
    inputs : tuple of arrays

    Returns
    -------
    tuple of arrays
        What ``func.forward(inputs)`` returns.
    """
    schedule = config.schedule_func
    if schedule is None or func._supports_static_optimizations:
        return func.forward(inputs)
    # A repetition begins with what the function was before it ran: what it keeps for
    # its gradient, or a mask drawn at random, belongs to this one call. And the step
    # must not keep the function itself, which holds on to the graph before it.
    pristine = copy.copy(func)
    function = func

    def forward(*, inputs):
        nonlocal function
        current, function = function, None
        if current is None:
            current = copy.copy(pristine)
        return current.forward(tuple(inputs))

    return schedule.append_function(
        forward, (), {'inputs': list(inputs)}, func.label)

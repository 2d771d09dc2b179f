"""Parts common to both directions in which values pass between the graphs."""
import contextlib

import numpy
import torch

from chainer_fast import configuration
from chainer_fast.interop.torch._arrays import as_tensor
from chainer_fast.variable import Variable


def is_tracing():
    """Return whether values keep their graphs.

    Raises
    ------
    RuntimeError
        If a chain under static_graph is being recorded.
    """
    if configuration.config.schedule_func is not None:
        raise RuntimeError(
            'a chain under static_graph repeats only its own computation, not that of '
            'PyTorch: call to_torch, from_torch and links of modules outside of the '
            'chain')
    return configuration.config.enable_backprop and torch.is_grad_enabled()


@contextlib.contextmanager
def cutting(functions):
    """Return a context in which no gradients pass through some functions."""
    for function in functions:
        function.n_cuts += 1
    try:
        yield
    finally:
        for function in functions:
            function.n_cuts -= 1


def anchor():
    """Return an input for functions that have no inputs."""
    return Variable(numpy.empty(0, 'float32'))


def as_tuple(result):
    """Return one value or a tuple as a tuple."""
    return result if isinstance(result, tuple) else (result,)


def copies(*variables):
    """Return copies of tensors with separate memory.

    Several gradients in Chainer may share one array, and PyTorch adds to them in place.
    """
    return tuple([as_tensor(var.array.copy()) for var in variables])


def merged(outputs, grads):
    """Sum the gradients of variables that occur twice; `chainer_fast.grad` does not."""
    merged = {}
    for y, gy in zip(outputs, grads, strict=True):
        _, old = merged.get(y.node, (y, None))
        merged[y.node] = y, gy if old is None else old + gy
    return tuple(zip(*merged.values(), strict=True))


def scattered(length, places, values, convert):
    """Return a tuple with converted values at given indices, and None at the others.

    Values that are None remain None.
    """
    results = [None] * length
    present = [(i, value) for i, value in zip(places, values, strict=True)
               if value is not None]
    if present:
        places, values = zip(*present, strict=True)
        for i, result in zip(places, as_tuple(convert(*values)), strict=True):
            results[i] = result
    return tuple(results)

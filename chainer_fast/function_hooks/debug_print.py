"""Printing the arguments of functions."""
from __future__ import annotations

import sys
import warnings
from typing import IO, TYPE_CHECKING, Any

from chainer_fast import backend, function_hook, variable
from chainer_fast.types import GradArrays

if TYPE_CHECKING:
    from chainer_fast.function_node import FunctionNode


class PrintHook(function_hook.FunctionHook):
    """Function hook that prints the inputs and the output gradients of functions.

    Before each computation, the device, type, shape, mean and standard deviation of
    each array are printed by :meth:`Variable.debug_print()
    <chainer_fast.Variable.debug_print>`.

    Parameters
    ----------
    sep : None
        Deprecated and ignored.
    end : str
        Printed after each piece of text.
    file : file-like
        Stream to print to.
    flush : bool
        Whether to flush the file after each text.

    Warns
    -----
    DeprecationWarning
        If ``sep`` is given.

    Examples
    --------
    Inputs and gradients of all functions in a backward pass: ::

        with chainer.function_hooks.PrintHook():
            loss.backward()
    """

    sep: None
    end: str
    file: IO[Any]
    flush: bool

    name = 'PrintHook'

    def __init__(
            self, sep: None = None, end: str = '\n', file: IO[Any] = sys.stdout,
            flush: bool = True) -> None:
        if sep is not None:
            warnings.warn(
                'sep argument in chainer.function_hooks.PrintHook is deprecated: '
                'it has no effect.', DeprecationWarning)
        self.sep, self.end = sep, end
        self.file, self.flush = file, flush

    def _print(self, lines):
        for line in lines:
            print(line, end=self.end, file=self.file, flush=self.flush)

    def forward_preprocess(self, function: FunctionNode, in_data: GradArrays) -> None:
        self._print(_describe(function, in_data))

    def backward_preprocess(
            self, function: FunctionNode, in_data: GradArrays,
            out_grad: GradArrays) -> None:
        self._print(_describe(function, in_data))
        self._print(['output gradient', *map(_describe_gradient, out_grad)])


def _describe(function, in_data):
    yield 'function\t%s' % function.label
    yield 'input data'
    for array in in_data:
        if array is None:
            yield '(removed)'
        else:
            yield variable.Variable(array).debug_print()


def _describe_gradient(gradient):
    # The data of the output is not available and is replaced by zeros.
    output = variable.Variable()
    if gradient is not None:
        output.array = backend.get_array_module(gradient).zeros_like(gradient)
    output.grad = gradient
    return output.debug_print()

"""Kernels: computations on arrays, with code for each kind of device.

A module here contains a family of kernels. Each kernel is written once as the
reference, in terms of the array module, and may have a compiled form for host memory
and a CUDA form for the GPU. Functions call the kernel without selecting a form.
"""
from __future__ import annotations

import functools
import typing as tp

import numpy

from chainer_fast._core import kinds
from chainer_fast._core.graphs.graph import declare
from chainer_fast.backends import cuda
from chainer_fast.backends.arrays import get_array_types
from chainer_fast.backends.kernels.common import halves
from chainer_fast.types import NdArray

#: The result type of a kernel, given by its reference.
Result = tp.TypeVar('Result')
Decorated = tp.TypeVar('Decorated', bound=type)


class Kernel(tp.Generic[Result]):
    """A step on arrays in up to three forms, selected by the first argument's device.

    Parameters
    ----------
    reference : callable
        The form for arrays of any device, dtype and strides.
    compiled : callable, optional
        Form for NumPy arrays.
    device : callable, optional
        Form for CuPy arrays.
    in_single : bool
        Whether the compiled form gets float32 instead of float16 arrays if it does not
        support them, and its results are rounded.

    Notes
    -----
    Both return ``NotImplemented`` for unsupported cases, before they have changed
    anything.
    """

    def __init__(
            self, reference: tp.Callable[..., Result],
            compiled: tp.Callable[..., tp.Any] | None = None,
            device: tp.Callable[..., tp.Any] | None = None,
            in_single: bool = False) -> None:
        functools.update_wrapper(self, reference)
        self.reference = reference
        self.compiled: tp.Callable[..., tp.Any] = compiled
        self.device: tp.Callable[..., tp.Any] = device
        self.in_single = in_single

    def __call__(self, x: NdArray, *args: tp.Any) -> Result:
        form = None
        if type(x) is numpy.ndarray:
            form = self.compiled
        elif isinstance(x, cuda.ndarray):
            form = self.device
        elif isinstance(x, kinds.wrappers):
            return self._of_wrappers(x, *args)
        if form is not None:
            result = form(x, *args)
            if result is NotImplemented and self.in_single and form is self.compiled:
                result = halves.by_floats(form, x, *args)
            if result is not NotImplemented:
                return result
        return self.reference(x, *args)

    def _of_wrappers(self, *args):
        """Compute with the wrapped plain arrays; return arrays like the first one."""
        kind: tp.Any = kinds.kind_of(args[0])
        device = kind.device_of(args[0])
        with device.fallback_device.create_context():
            result = self(*[kinds.plain(each) for each in args])
        if isinstance(result, (tuple, list)):
            return type(result)([_sent(each, device) for each in result])
        return _sent(result, device)


def _sent(value, device):
    return device.send(value) if isinstance(value, get_array_types()) else value


def kernel(
        compiled: tp.Any = None, device: tp.Any = None, in_single: bool = False,
) -> tp.Callable[[tp.Callable[..., Result]], Kernel[Result]]:
    """Return a decorator that makes a :class:`Kernel` of its reference form."""
    return lambda reference: Kernel(reference, compiled, device, in_single)


def record(
        shortcut: tp.Any = None, plan: tp.Any = None,
        fields: tuple[str, ...] | None = None,
) -> tp.Callable[[Decorated], Decorated]:
    """Return a decorator that registers compiled forms of a function class.

    Applying a function to small arrays costs more than its arithmetic. Compiled forms
    compute the result from the arrays without calling the methods of the class, and
    leave all cases that are not plain to the methods. They are only used for direct
    instances of the class, and only while its methods are not replaced.

    Parameters
    ----------
    shortcut : chainer_fast._core.graphs.graph.Shortcut, optional
        The shortcut of the graph engine. For an elementwise function, it contains
        everything: its loops, also for static chains, and its GPU kernels. Other
        functions have separate code, only for the graph engine.
    plan : object, optional
        Object that adds a non-elementwise function to a plan of a static chain, like
        :class:`chainer_fast.graph_optimizations._processor.builders.Affine`.
    fields : tuple of str, optional
        Attributes of instances that the shortcut reads and sets, in the order of their
        indices in its module.

    Returns
    -------
    callable
        Decorator of a class that is derived from ``FunctionNode``; with a shortcut, it
        has one output.
    """
    def decorate(cls):
        declare(cls, shortcut, plan, fields)
        return cls
    return decorate

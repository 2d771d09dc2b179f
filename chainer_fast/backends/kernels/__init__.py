"""Kernels: computations on arrays, with code for each kind of device.

A module here holds a family of kernels. Each kernel is written once as the reference,
in terms of the array module, and may have a compiled form for host memory and a CUDA
form for the GPU. Functions call the kernel and do not ask which of them runs.
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

#: What a kernel returns, by its reference.
Result = tp.TypeVar('Result')
Decorated = tp.TypeVar('Decorated', bound=type)


class Kernel(tp.Generic[Result]):
    """A step on arrays in up to three forms; the first argument's device decides.

    Parameters
    ----------
    reference : callable
        The form that takes arrays of any device, dtype and strides.
    compiled : callable, optional
        Form for arrays of NumPy.
    device : callable, optional
        Form for arrays of CuPy.
    in_single : bool
        Whether the compiled form gets floats in the place of halves, if it has no code
        for these, and its results are rounded.

    Notes
    -----
    Both return ``NotImplemented`` for cases that they have no code for, before they
    have changed anything.
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
        """Compute with the plain arrays inside, and return arrays like the first."""
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
    """Return a decorator that gives a class of functions its compiled forms.

    Applying a function to small arrays costs more than its arithmetic. Compiled forms
    go from the arrays to the result without calling the methods of the class, and leave
    to them every case that is not plain. Only direct instances of the class take them,
    and only while the class keeps the methods that it has now.

    Parameters
    ----------
    shortcut : chainer_fast._core.graphs.graph.Shortcut, optional
        What the graph engine applies. That of an elementwise function is all that is
        known of it: its loops, also for static chains, and its kernels on a GPU. Others
        have code of their own, for the graph engine alone.
    plan : object, optional
        What adds a function that is not elementwise to a plan of a static chain, as
        :class:`chainer_fast.graph_optimizations._processor.builders.Affine` does.
    fields : tuple of str, optional
        Attributes of instances that the shortcut reads and sets, in the order in which
        its module counts them.

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

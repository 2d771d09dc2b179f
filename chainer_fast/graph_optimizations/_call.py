"""Calls of static chains, and their kinds."""
import functools
import weakref
from typing import Any, NamedTuple

import numpy

from chainer_fast._core.configuration.state import get_function_hooks
from chainer_fast.backends import cuda
from chainer_fast.backends._launches import needs
from chainer_fast.backends.arrays import get_array_types
from chainer_fast.configuration import config
from chainer_fast.graph_optimizations._nested import flatten
from chainer_fast.graph_optimizations._replay import InputPattern, Of
from chainer_fast.graph_optimizations._side_effects import Unrecordable
from chainer_fast.link_hook import _get_link_hooks
from chainer_fast.variable import Variable

_SETTINGS = 'train', 'enable_backprop', 'dtype'
_PROCESSOR_SETTINGS = (
    *_SETTINGS, 'use_ideep', 'lazy_grad_sum', 'in_recomputing', '_will_recompute')
_GPU_SETTINGS = (
    *_SETTINGS, 'use_cudnn', 'cudnn_deterministic', 'use_cudnn_tensor_core', 'autotune',
    'cudnn_channels_last', 'compute_mode')

# Placeholder for an input in the arguments of a call.
_INPUT = object()


class Kind(NamedTuple):
    """Common properties of the calls that one plan or recording can repeat.

    ``gpu`` is the number of the device, or None for the processor; ``others`` are the
    arguments that are not inputs.
    """

    gpu: int | None
    func: Any
    inputs: tuple[Any, ...]
    settings: tuple[Any, ...]
    others: Any


class Call:
    """A call of a static chain's method.

    Parameters
    ----------
    func : function
    chain : Chain
    args : tuple
    kwargs : dict

    Attributes
    ----------
    inputs : list of Variable or array
        All arguments that are variables or arrays, including those in lists and
        tuples.
    kind : Kind or None
        ``None`` if only the chain's code can make the call.
    """

    def __init__(self, func, chain, args, kwargs):
        self.func, self.chain, self.args, self.kwargs = func, chain, args, kwargs
        self.inputs = [x for x in flatten([*args, *kwargs.values()]) if is_input(x)]
        self.kind = self._kind()

    def run(self):
        """Make the call with the chain's code."""
        return self.func(self.chain, *self.args, **self.kwargs)

    def repetition(self):
        """Return a function of a list of inputs that makes the call with them.

        It keeps neither the inputs of this call nor the chain alive.
        """
        return functools.partial(
            _repeat, self.func, weakref.ref(self.chain), _without_inputs(self.args),
            _without_inputs(self.kwargs))

    def note_settings(self, repeated):
        """Store the configuration in a repeated call."""
        repeated.same_settings = functools.partial(
            _same_settings, self.kind.settings, self.kind.gpu)
        repeated.enable_backprop = bool(config.enable_backprop)

    def pattern(self, is_refused=False):
        """Return the patterns that compiled code compares with arguments of other
        calls.

        Raises
        ------
        Unrecordable
            If an argument is a dictionary, unless the call is refused anyway.
        """
        gpu = self.kind.gpu
        return [_pattern(self.args, gpu, is_refused), {
            name: _pattern(each, gpu, is_refused)
            for name, each in self.kwargs.items()}]

    def _kind(self):
        if config.debug or get_function_hooks() or _get_link_hooks() or any(
                [getattr(x, 'layout', None) is not None for x in self.inputs]):
            return None
        arrays = [getattr(x, 'raw_array', x) for x in self.inputs]
        gpu = None
        if not all([type(x) is numpy.ndarray and x.flags.c_contiguous for x in arrays]):
            if not needs():     # CUDA graphs need GPUs of NVIDIA
                return None
            gpu = cuda.cupy.cuda.runtime.getDevice()
            if not all([isinstance(x, cuda.ndarray) and x.device.id == gpu
                        for x in arrays]):
                return None
        kind = Kind(gpu, self.func, tuple([
            input_kind(x) for x in self.inputs]),
            _settings(gpu), (_frozen(self.args), _frozen(self.kwargs)))
        try:
            hash(kind)
        except TypeError:
            return None
        return kind


def obstacle(inputs):
    """Return why a call with these inputs has no kind, as text."""
    if config.debug:
        return 'config.debug is True'
    if get_function_hooks() or _get_link_hooks():
        return 'hooks of functions or links are in use'
    if any([getattr(x, 'layout', None) is not None for x in inputs]):
        return 'an input has a memory layout'
    arrays = [getattr(x, 'raw_array', x) for x in inputs]
    if all([type(x) is numpy.ndarray for x in arrays]):
        if all([x.flags.c_contiguous for x in arrays]):
            return 'an argument is not hashable'
        return 'an input is not in C order'
    return 'the inputs are neither arrays of NumPy nor arrays on one GPU of NVIDIA'


def _settings(gpu):
    """Return the configuration that repeated calls depend on."""
    names = _PROCESSOR_SETTINGS if gpu is None else _GPU_SETTINGS
    return tuple([getattr(config, name) for name in names])


def _same_settings(then, gpu):
    return config.use_static_graph and then == _settings(gpu)


def is_input(x):
    """Return whether an object is an array, or a variable with one."""
    if isinstance(x, Variable):
        return x.raw_array is not None
    return isinstance(x, get_array_types())


def _without_inputs(args):
    """Return arguments with a placeholder for every input."""
    if isinstance(args, dict):
        return {name: _without_inputs(value) for name, value in args.items()}
    if isinstance(args, (list, tuple)):
        return [_without_inputs(value) for value in args]
    return _INPUT if is_input(args) else args


def _with_inputs(args, inputs):
    if isinstance(args, dict):
        return {name: _with_inputs(value, inputs) for name, value in args.items()}
    if isinstance(args, list):
        return [_with_inputs(value, inputs) for value in args]
    return next(inputs) if args is _INPUT else args


def _repeat(func, chain, args, kwargs, inputs):
    inputs = iter(inputs)
    return func(chain(), *_with_inputs(args, inputs), **_with_inputs(kwargs, inputs))


def _pattern(argument, gpu, is_refused):
    if isinstance(argument, (list, tuple)):
        return [_pattern(each, gpu, is_refused) for each in argument]
    if isinstance(argument, dict):
        if is_refused:
            return Of(type(argument))
        raise Unrecordable('an argument is a dictionary')
    if not is_input(argument):
        return argument
    return input_pattern(input_kind(argument), gpu)


def input_kind(x):
    """Return the common properties of inputs of one kind."""
    array = getattr(x, 'raw_array', x)
    # Some types of the same size are equal, apart from their characters.
    return (array.shape, array.dtype, array.dtype.char,
            getattr(x, 'requires_grad', None))


def input_pattern(kind, gpu=None):
    """Return the pattern that compiled code compares with inputs of a kind."""
    shape, dtype, _, requires_grad = kind
    return InputPattern(template(shape, dtype), requires_grad, gpu)


def template(shape, dtype):
    """Return an array of a shape and a type that takes no memory."""
    return numpy.broadcast_to(numpy.empty((), dtype), shape)


def _frozen(value):
    """Return a key of arguments: lists and dicts as tuples, without inputs."""
    if isinstance(value, dict):
        return tuple([(key, _frozen(each)) for key, each in value.items()])
    if isinstance(value, (list, tuple)):
        return tuple([_frozen(each) for each in value])
    if is_input(value):
        return _INPUT
    if isinstance(value, (float, complex, numpy.inexact)):
        # Zeros are equal regardless of sign, and a NaN equals nothing.
        return type(value), repr(value)
    return type(value), value

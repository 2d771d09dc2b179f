"""Reasons why a function did not take its fastest path."""
import numpy

from chainer_fast._core.configuration import state
from chainer_fast._core.graphs import graph
from chainer_fast.backends import cuda
from chainer_fast.configuration import config


def array_module(args):
    """Return the name of the library that computes with the first argument."""
    return 'CuPy' if args and isinstance(args[0], cuda.ndarray) else 'NumPy'


def of_kernel(kernel, args):
    """Return why the compiled form of a kernel declined."""
    arrays = [a for a in args if hasattr(a, 'dtype') and hasattr(a, 'strides')]
    return '%s: %s' % (kernel.__name__, _about(arrays))


def of_forward(frame, inputs):
    """Return why a function was not applied by its shortcut.

    Parameters
    ----------
    frame : records.Frame
    inputs : sequence of Variable or array

    Returns
    -------
    list of str
        Empty if the class has no shortcut.
    """
    if not _has_shortcut(frame.function):
        return _of_subclass(type(frame.function))
    if any(getattr(x, '_layout', None) is not None for x in inputs):
        return ['a memory layout']
    arrays = [getattr(x, 'array', x) for x in inputs]
    return _of_circumstances(frame.function) or [_about(arrays)]


def of_backward(frame, gradients):
    """Return why a function was not differentiated by its shortcut."""
    if not _has_shortcut(frame.function):
        return []
    found = _of_circumstances(frame.function)
    if found:
        return found
    if config.enable_backprop:
        return ['enable_double_backprop']
    if frame.function.lazy_grad_sum:
        return ['config.lazy_grad_sum']
    if not frame.declined:
        return ['chainer.grad']
    return ['gradient: ' + _about(
        [g.array for g in gradients if g is not None])]


def _has_shortcut(function):
    return graph.registered(type(function)) is not None


def _of_subclass(cls):
    """Return whether the class only inherits from one that has a shortcut."""
    for base in cls.__mro__[1:]:
        if graph.registered(base) is not None:
            return ['%s is derived from %s' % (cls.__name__, base.__name__)]
    return []


def _of_circumstances(function):
    """Return why a function takes the general path regardless of its arrays."""
    if config.debug:
        return ['config.debug']
    if getattr(config, 'schedule_func', None) is not None:
        return ['static_graph']
    hooks = list(state.get_function_hooks()) + list(
        function._local_function_hooks or ())
    if hooks:
        return ['hook ' + name for name in hooks]
    _, methods = graph.registered(type(function))
    for name, method in methods.items():
        if getattr(type(function), name) is not method or name in vars(function):
            return ['method %s was replaced' % name]
    return []


def _about(arrays):
    """Yield the properties of arrays that are not plain."""
    found = []
    for array in arrays:
        if type(array) is not numpy.ndarray:
            found.append('%s.%s' % (
                type(array).__module__.partition('.')[0], type(array).__name__))
            continue
        if array.dtype.kind == 'f' and array.dtype.char not in 'fd' or (
                not array.dtype.isnative):
            found.append(array.dtype.name)
        if not array.flags.c_contiguous:
            found.append('strides')
        if not array.flags.aligned:
            found.append('misaligned')
        if array.size == 0:
            found.append('empty')
    floats = sorted({a.dtype.name for a in arrays if a.dtype.kind == 'f'})
    if len(floats) > 1:
        found.append('mixed ' + ' and '.join(floats))
    elif not floats and arrays:
        found.append(arrays[0].dtype.name)
    return ', '.join(dict.fromkeys(found)) or 'shapes, values, arguments'

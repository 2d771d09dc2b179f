"""The values that calls find in attributes of links that they set.

A *slot* is such an attribute: the position of a link in its chain, and a name.
"""
import numpy

from chainer_fast.graph_optimizations import _replay
from chainer_fast.graph_optimizations._call import input_kind, input_pattern
from chainer_fast.graph_optimizations._nested import is_constant
from chainer_fast.graph_optimizations._side_effects import Unrecordable
from chainer_fast.variable import Parameter, Variable


def is_state(value):
    """Return whether an object is an array, or a non-parameter variable with one."""
    if isinstance(value, Parameter):
        return False
    return type(getattr(value, 'raw_array', value)) is numpy.ndarray


def kinds_of(found, name_of):
    """Return patterns that can be compared with those of other calls.

    Parameters
    ----------
    found : dict
        Values that a call found in slots.
    name_of : callable
        Returns the name of a slot in messages.

    Returns
    -------
    dict of tuple

    Raises
    ------
    Unrecordable
        If calls with such a value cannot be distinguished from others.
    """
    kinds = {}
    variables = {}
    arrays = set()
    for i, (slot, value) in enumerate(found.items()):
        if id(value) in variables:
            kinds[slot] = 'same', variables[id(value)]
        elif is_state(value):
            array = getattr(value, 'raw_array', value)
            if id(array) in arrays or not array.flags.c_contiguous or (
                    getattr(value, 'layout', None) is not None):
                raise Unrecordable('%s shares an array, or is not in C order'
                                   % name_of(*slot))
            variables[id(value)] = i
            arrays.add(id(array))
            kinds[slot] = 'input', *input_kind(value)
        elif value is _replay.MISSING or is_constant(value):
            kinds[slot] = 'value', type(value), value
        else:
            raise Unrecordable('%s is a %s' % (name_of(*slot), type(value).__name__))
    return kinds


def pattern_of(kind):
    """Return the pattern of a kind for compiled code."""
    if kind[0] == 'same':
        return _replay.Same(kind[1])
    if kind[0] == 'value':
        return kind[2]
    return input_pattern(kind[1:])


def example_of(kind):
    """Return a value of a kind, for code that only reads its kind."""
    if kind is None or kind[0] == 'same':
        return None
    if kind[0] == 'value':
        return kind[2]
    array = numpy.zeros(kind[1], kind[2])
    return array if kind[4] is None else Variable(array, requires_grad=kind[4])

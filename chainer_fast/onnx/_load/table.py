"""The table of operators, and helpers for their values.

A value is a variable if gradients flow through it, otherwise an array. Arrays that
specify a computation, such as shapes, are in host memory, regardless of the device.
"""
import collections

import numpy

from chainer_fast import backend
from chainer_fast.variable import Variable

#: An operator: ``build`` takes a node and returns a function of the values of its
#: inputs, with None for omitted ones. It returns a value, or a sequence of them if
#: the node has several outputs. ``host`` takes the node and returns the positions of
#: the inputs that are in host memory. ``outputs`` is the maximum number of outputs.
#: ``describes`` means that the result describes an array, such as its shape, and is
#: in host memory.
Operator = collections.namedtuple('Operator', 'build host outputs describes')

OPERATORS: dict[str, Operator] = {}


def operator(*names, host=(), outputs=1, describes=False):
    """Decorator that adds a builder to the table."""
    positions = host if callable(host) else lambda node: host

    def enter(build):
        for name in names:
            OPERATORS[name] = Operator(build, positions, outputs, describes)
        return build

    return enter


def same(name, function):
    """Add an operator that is a function of its inputs and has no attributes."""
    operator(name)(lambda node: function)


def raw(x):
    """Return the array of a value."""
    return x.array if isinstance(x, Variable) else x


def host(x):
    """Return a value as an array in host memory, or None for None."""
    return None if x is None else backend.CpuDevice().send(raw(x))


def ints(x):
    """Return the elements of an array as a list of int, or None for None."""
    return None if x is None else numpy.ravel(x).tolist()


def any_variable(*xs):
    """Return whether any value is a variable."""
    return any([isinstance(x, Variable) for x in xs])


def is_float(x):
    """Return whether a value has a floating-point dtype."""
    return x.dtype.kind == 'f'


def on_arrays(function):
    """Make a function of arrays a function of values, without gradients."""
    def compute(*xs):
        return function(*[raw(x) for x in xs])
    return compute


def either(on_variables, of_arrays):
    """Return a function that calls the first for variables, the second for arrays."""
    def compute(*xs):
        return (on_variables if any_variable(*xs) else of_arrays)(*xs)
    return compute


def normalize_axes(axes, ndim):
    """Return axes as non-negative numbers."""
    return [a % ndim for a in axes]

"""The table of operators, and the values that they compute with.

A value is a variable, if gradients flow through it, or else an array. Arrays that say
how to compute, such as shapes, lie in host memory, whatever the device.
"""
import collections

import numpy

from chainer_fast import backend
from chainer_fast.variable import Variable

#: An operator: ``build`` takes a node and returns a function of the values of its
#: inputs, None for those left out. It returns a value, or a sequence of them if the
#: node has several outputs. ``host`` takes the node and returns the positions of the
#: inputs that lie in host memory. ``outputs`` is the largest number of outputs.
#: ``describes`` tells that the result is about an array, not made of it, and lies in
#: host memory.
Operator = collections.namedtuple('Operator', 'build host outputs describes')

OPERATORS: dict[str, Operator] = {}


def operator(*names, host=(), outputs=1, describes=False):
    """Decorator that enters a builder into the table."""
    positions = host if callable(host) else lambda node: host

    def enter(build):
        for name in names:
            OPERATORS[name] = Operator(build, positions, outputs, describes)
        return build

    return enter


def same(name, function):
    """Enter an operator that is a function of its inputs and has no attributes."""
    operator(name)(lambda node: function)


def raw(x):
    """Return the array of a value."""
    return x.array if isinstance(x, Variable) else x


def host(x):
    """Return a value as an array in host memory; None stays None."""
    return None if x is None else backend.CpuDevice().send(raw(x))


def ints(x):
    """Return the elements of an array as a list of int; None stays None."""
    return None if x is None else numpy.ravel(x).tolist()


def any_variable(*xs):
    """Tell whether one of some values is a variable."""
    return any([isinstance(x, Variable) for x in xs])


def is_float(x):
    """Tell whether a value is of a floating dtype."""
    return x.dtype.kind == 'f'


def on_arrays(function):
    """Make a function of arrays one of values; no gradients flow through it."""
    def compute(*xs):
        return function(*[raw(x) for x in xs])
    return compute


def either(on_variables, of_arrays):
    """Return a function that is the first for variables and the second for arrays."""
    def compute(*xs):
        return (on_variables if any_variable(*xs) else of_arrays)(*xs)
    return compute


def normalize_axes(axes, ndim):
    """Return axes counted from the front."""
    return [a % ndim for a in axes]

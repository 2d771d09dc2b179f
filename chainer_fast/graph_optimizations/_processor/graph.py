"""Graphs of traced calls: the applied functions, and the arrays passed between them.

In a :class:`Graph`, a *value* is a number: one for each argument, parameter, constant
and output of a function.
"""
import collections
import dataclasses
from typing import Any

import numpy

from chainer_fast import function
from chainer_fast.graph_optimizations._nested import flatten, is_constant, replaced
from chainer_fast.graph_optimizations._processor import state
from chainer_fast.graph_optimizations._side_effects import Unrecordable
from chainer_fast.variable import Variable


@dataclasses.dataclass
class Node:
    """An application of a function.

    ``flows`` is, for each input, whether it gets a gradient.
    """

    function: Any
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    flows: tuple[bool, ...]
    rank: int


@dataclasses.dataclass
class Output:
    """A variable or an array that a call returns or stores in links.

    ``argument`` is its position if it is an argument itself, and ``slot`` the link
    attribute whose previous value it is.
    """

    value: int
    is_variable: bool
    requires_grad: bool
    argument: int | None = None
    slot: Any = None

    @property
    def is_made(self):
        """Whether the call creates it."""
        return self.argument is None and self.slot is None


class Graph:
    """The functions applied in a call, and the values between them.

    Parameters
    ----------
    trace : Trace
    inputs : list of Variable or array
        Arguments.
    params : list of Parameter
    returned : object
        Result of the call.
    slots : iterable of (int, str)
        Attributes of links that other calls of the chain set.

    Attributes
    ----------
    values : list of (tuple of int, numpy.dtype, bool)
        Shape and type of each value, and whether it is in C order: arguments first,
        then parameters, then others.
    constants : dict
        Arrays that are neither, by value.
    nodes : list of Node
    drawing : set of type
        Classes of functions that draw random numbers.
    updated : list of array
        Arrays that functions change in place.
    returned : object
        Result of the call, with :class:`Output` instead of variables and arrays.
    before : dict
        Values found in the attributes of links that this or another call sets; see
        :func:`.state.kinds_of`.
    states : dict
        Those of them that functions read, as values.
    left : dict
        Values stored in attributes, like ``returned``.
    computes : str or None
        Why the code may have computed other values from arrays.

    Raises
    ------
    Unrecordable
        If the call is not the same every time.
    """

    def __init__(self, trace, inputs, params, returned, slots=()):
        trace.begin()
        if trace.reason:
            raise Unrecordable(trace.reason)
        self.drawing = trace.drawing
        self.updated = trace.updated
        self.values = []
        self.constants = {}
        self.nodes = []
        self._of_array = {}
        self._of_node = {}
        # Uses of arrays without the variables that held them before.
        self._handed_on = collections.defaultdict(set)
        self._read = {id(each) for owner, _, _ in trace.reads
                      for each in (owner, getattr(owner, 'node', owner))}
        self._arguments = inputs
        for x in inputs + params:
            array = getattr(x, 'raw_array', x)
            if id(array) in self._of_array:
                raise Unrecordable('two arguments or parameters are the same array')
            value = self._of_array[id(array)] = self._value(array, 'an argument')
            if isinstance(x, Variable):
                self._of_node[id(x.node)] = value
        self.inputs = list(range(len(inputs)))
        self.params = list(range(len(inputs), len(self.values)))
        self._find_states(trace.state, sorted({*slots, *trace.changes}))
        for each in trace.functions:
            self._append(*each)
        self.returned = replaced(self._output, returned)
        self.left = {}
        for slot, (_, value) in trace.changes.items():
            if value is not None and not state.is_state(value):
                raise Unrecordable('%s changes' % trace.state.name_of(*slot))
            self.left[slot] = self._output(value)
        self.outputs = [y for y in flatten([self.returned, *self.left.values()])
                        if isinstance(y, Output)]
        self.computes = self._find_computed(trace.reads)
        del self._of_array, self._of_node, self._arguments, self._found, self._unread
        del self._handed_on, self._read

    def _value(self, array, owner):
        if type(array) is not numpy.ndarray:
            raise Unrecordable('%s is a %s' % (owner, type(array).__name__))
        flags = array.flags
        self.values.append((array.shape, array.dtype, (
            flags.c_contiguous and flags.aligned and array.dtype.isnative)))
        return len(self.values) - 1

    def _append(self, pristine, applied, inputs, outputs):
        label = pristine.label
        if isinstance(pristine, function.FunctionAdapter):
            raise Unrecordable('%s is an old-style function' % label)
        found = [self._find(*each, label) for each in zip(
            inputs, applied.inputs or [None] * len(inputs), strict=True)]
        made = [self._value(y, 'an output of ' + label) for y in outputs]
        for reference, value in zip(applied.outputs or (), made, strict=False):
            if reference() is not None:
                self._of_node[id(reference())] = value
        for y, value in zip(outputs, made, strict=True):
            self._of_array[id(y)] = value
        self.nodes.append(Node(
            pristine, tuple([value for value, _ in found]), tuple(made),
            tuple([flows for _, flows in found]), applied.rank))

    def _find_states(self, links, slots):
        """Record the values found in attributes of links that calls set."""
        self._found = {slot: links.before(*slot) for slot in slots}
        self.before = state.kinds_of(self._found, links.name_of)
        self.states = {}
        self._unread = {}
        for slot, kind in self.before.items():
            if kind[0] == 'input':
                array = getattr(self._found[slot], 'raw_array', self._found[slot])
                if id(array) in self._of_array:
                    raise Unrecordable('%s is an argument' % links.name_of(*slot))
                self._unread[id(array)] = slot, array

    def _enter(self, array):
        """Make a value for the content of a slot when a function reads it."""
        slot, array = self._unread.pop(id(array))
        value = self._value(array, 'an attribute of a link')
        self.states[slot] = self._of_array[id(array)] = value
        if isinstance(self._found[slot], Variable):
            self._of_node[id(self._found[slot].node)] = value

    def _find(self, array, node, label):
        """Return the value of an input, and whether it gets a gradient."""
        if id(array) in self._unread:
            self._enter(array)
        if node is not None and id(node) in self._of_node:
            return self._of_node[id(node)], (
                node.requires_grad and array.dtype.kind in 'fc')
        if node is not None and node.requires_grad and (
                node.creator_node is not None
                or node.get_variable_or_none() is not None):
            raise Unrecordable(
                '%s has an input with a gradient that is not an argument' % label)
        if id(array) not in self._of_array:
            value = self._value(array, 'an input of ' + label)
            self._of_array[id(array)] = value
            self.constants[value] = array
        elif node is not None and id(node) not in self._read:
            self._handed_on[id(array)].add(id(node))
        return self._of_array[id(array)], False

    def _find_computed(self, reads):
        """Return why an array was read other than to be passed on, or None."""
        count = collections.Counter([id(array) for _, array, _ in reads])
        for _, array, reason in reads:
            if array is None or count[id(array)] > len(self._handed_on[id(array)]):
                return reason
        return None

    def _output(self, returned):
        if is_constant(returned):
            return returned
        for i, x in enumerate(self._arguments):
            if x is returned:
                return Output(i, True, True, i)
        for slot, x in self._found.items():
            if x is returned and state.is_state(x):
                return Output(-1, True, True, slot=slot)
        array = getattr(returned, 'raw_array', returned)
        is_variable = isinstance(returned, Variable)
        if not is_variable and not isinstance(array, numpy.ndarray):
            raise Unrecordable('the result has a %s' % type(returned).__name__)
        requires_grad = is_variable and returned.requires_grad
        value = self._of_array.get(id(array))
        if is_variable and returned.creator_node is not None:
            value = self._of_node.get(id(returned.node))
        elif requires_grad and value not in self.constants and any(
                [any(node.flows) for node in self.nodes if value in node.outputs]):
            value = None
        if value is None:
            raise Unrecordable('a result is not computed by a function')
        if id(returned) not in self._read:
            self._handed_on[id(array)].add(id(returned))
        return Output(value, is_variable, requires_grad)

    def difference(self, other):
        """Return how another call of the chain differs, or None."""
        for a, b in zip(self.nodes, other.nodes, strict=False):
            label = b.function.label
            if type(a.function) is not type(b.function):
                return '%s is applied where %s was' % (label, a.function.label)
            if (a.inputs, a.outputs, a.flows) != (b.inputs, b.outputs, b.flows):
                return '%s is applied to other inputs' % label
            if not _same(vars(a.function), vars(b.function)):
                return '%s has other attributes' % label
            if [self.values[i] for i in a.outputs] != [
                    other.values[i] for i in b.outputs]:
                return '%s has another result' % label
            for value in a.inputs:
                if value in self.constants and not _same(
                        self.constants[value], other.constants.get(value)):
                    return '%s has an input that changes and is not an argument' % label
        if len(self.nodes) != len(other.nodes):
            longer = max(self.nodes, other.nodes, key=len)
            return '%s is not always applied' % longer[
                min(len(self.nodes), len(other.nodes))].function.label
        if (self.before.keys(), self.states, self.left) != (
                other.before.keys(), other.states, other.left):
            return 'attributes of links change'
        if self.returned != other.returned:
            return 'the structure of the result changes'
        return None


def _same(a, b):
    """Return whether two values are equal, including their parts."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all([_same(a[key], b[key]) for key in a])
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, numpy.ndarray):
        return a.dtype == b.dtype and numpy.array_equal(
            a, b, equal_nan=a.dtype.kind in 'fc')
    return bool(a == b)

"""Making of plans: the order of steps, and the memory of values."""
import collections
import itertools

import numpy

from chainer_fast.graph_optimizations._call import template
from chainer_fast.graph_optimizations._processor import plans
from chainer_fast.graph_optimizations._processor.batches import batched
from chainer_fast.graph_optimizations._processor.stacks import Stacks
from chainer_fast.graph_optimizations._processor.sums import with_sums

# A loop with its constants, or a step. ``is_planned`` is whether a step writes to
# memory of the plan; a loop always does. Steps that draw random numbers keep their
# order. A product that can share a step with others has a description.
Operation = collections.namedtuple(
    'Operation', ['inputs', 'outputs', 'loop', 'constants', 'step', 'is_planned',
                  'draws', 'product'], defaults=(False, None))
# Arrays of at least this many bytes are created on demand and dropped: the most
# recently dropped memory is still in a cache, whereas separate memory is not.
LARGE = 1 << 15
# Rows, terms and columns; the packed right operand; the initial row of the sums, or
# None.
Product = collections.namedtuple('Product', ['shape', 'right', 'start'])


class Values:
    """Shapes and types of values, by number.

    Attributes
    ----------
    templates : list of array
        Arrays of these shapes and types that need no memory.
    plain : list of bool
        Whether the arrays are in C order; others are in any order.
    rows : set of int
        Gradients that may be kept as rows, which only special steps support.
    """

    def __init__(self):
        self.templates = []
        self.plain = []
        self.rows = set()

    def add(self, shape, dtype, plain=True):
        """Return a new value."""
        self.templates.append(template(shape, dtype))
        self.plain.append(plain)
        return len(self.templates) - 1

    def like(self, value):
        """Return a new value, of the shape and type of another."""
        self.templates.append(self.templates[value])
        self.plain.append(self.plain[value])
        return len(self.templates) - 1

    def fits(self, *values):
        """Return whether loops can run on some values."""
        first = self.templates[values[0]]
        return first.dtype in (numpy.float32, numpy.float64) and first.size > 0 and all(
            [self.plain[v] and self.templates[v].dtype == first.dtype
             and self.templates[v].shape == first.shape for v in values])


def _by_segment(values, segments, count):
    """Return a list of the values of each segment, None for a segment without any."""
    found: list[list[int] | None] = [None] * count
    for value in values:
        those = found[segments[value]]
        if those is None:
            found[segments[value]] = [value]
        else:
            those.append(value)
    return found


class Planner:
    """A list of operations on values, which becomes a plan.

    Parameters
    ----------
    values : Values
        Shared by all plans of a graph.

    Attributes
    ----------
    stacks : Stacks
        Products that have not been added to gradients yet.
    """

    def __init__(self, values):
        self.values = values
        self.stacks = Stacks(self)
        self.operations = []
        self._packed = {}
        self._is_in_order = False

    def loop(self, loop, inputs, *outputs, constants=(0., 0.)):
        """Append a loop."""
        self.operations.append(
            Operation(tuple(inputs), outputs, loop, constants, None, True))

    def step(self, step, inputs, outputs, draws=False, has_effects=False):
        """Append a step that creates arrays.

        If a step may change arrays that others read, all steps keep their order.
        """
        self._is_in_order |= has_effects
        self.operations.append(
            Operation(tuple(inputs), tuple(outputs), None, (), step, False, draws))

    def step_into(self, step, inputs, outputs):
        """Append a step that writes to arrays."""
        self.operations.append(
            Operation(tuple(inputs), tuple(outputs), None, (), step, True))

    def product(self, shape, left, right, out, start=None):
        """Append a product with a packed right operand and one initial row."""
        inputs = (left, right) if start is None else (left, right, start)
        step = plans.Product(shape, left, right, out, start, one_row=True)
        self.operations.append(Operation(
            inputs, (out,), None, (), step, True, product=Product(shape, right, start)))

    def once(self, key, make):
        """Return a value shared by operations, which the first of them creates."""
        if key not in self._packed:
            self._packed[key] = make()
        return self._packed[key]

    def plan(self, fresh, needed):
        """Return the finished plan.

        Parameters
        ----------
        fresh : set of int
            Values whose arrays leave the workspace.
        needed : set of int
            Values that other plans read.
        """
        segments = with_sums(self._segments(
            self.operations if self._is_in_order else batched(self.operations)),
            fresh | needed)
        first = {}
        last = {}
        needs = set()
        whole = set(needed)
        made = set()
        for number, operations in enumerate(segments):
            for it in operations:
                needs.update(value for value in it.inputs if value not in first)
                if it.is_planned:
                    made.update(it.outputs)
                for value in it.inputs + it.outputs:
                    last[value] = number
                    is_earlier = first.setdefault(value, number) != number
                    if is_earlier or it.loop is None:
                        whole.add(value)
        whole &= made
        inner = {value for it in self.operations if it.loop
                 for value in it.outputs} - whole - fresh
        pieces = self._pieces(segments, inner)
        large = {value for value in whole - fresh
                 if self.values.templates[value].nbytes >= LARGE}
        buffers = self._buffers(segments, whole - fresh - large, needed, last)
        arrays = large.union(*[
            it.outputs for it in self.operations if not it.is_planned])
        starts = _by_segment(large, first, len(segments))
        drops = _by_segment(arrays - fresh - needed, last, len(segments))
        return plans.Plan(
            [self._fused(them, pieces) if them[0].loop else them[0].step
             for them in segments],
            sorted(fresh & made), buffers, inner, starts, drops, sorted(arrays),
            sorted(needs), self._checks(segments, made - fresh - large, drops),
            not all([it.is_planned for it in self.operations]))

    def _segments(self, operations):
        """Return runs of loops over arrays of one size and type, and other steps."""
        segments = []
        before = None
        for operation in operations:
            template = self.values.templates[operation.outputs[0]]
            kind = operation.loop and (template.dtype, template.size)
            if kind and kind == before:
                segments[-1].append(operation)
            else:
                segments.append([operation])
            before = kind
        return segments

    @staticmethod
    def _checks(segments, own, drops):
        """Return, for each segment of loops, which arrays may have been resized.

        Functions, and code that runs when their arrays are dropped, may resize
        arrays that do not belong to the workspace.
        """
        found: list[list[int]] = []
        checked: dict[int, int] = {}
        latest = -2
        for number, operations in enumerate(segments):
            found.append([])
            if operations[0].is_planned:
                used = {value for it in operations for value in it.inputs + it.outputs}
                found[-1] = sorted(value for value in used - own
                                   if checked.get(value, -1) <= latest)
                checked.update(dict.fromkeys(used, number))
            if not operations[0].is_planned or drops[number] is not None:
                latest = number
        return found

    def _fused(self, operations, pieces):
        template = self.values.templates[operations[0].outputs[0]]
        own = {value: pieces[value] for it in operations for value in it.outputs
               if value in pieces}
        return plans.FusedLoops(template.dtype.char, template.size, own, [
            (it.loop, it.inputs, it.outputs, it.constants) for it in operations])

    @staticmethod
    def _pieces(segments, values):
        """Return the numbers of pieces of values that only successive loops use."""
        found = {}
        for operations in segments:
            last = {value: i for i, it in enumerate(operations)
                    for value in it.inputs + it.outputs}
            free = []
            count = itertools.count()
            at = {}
            for i, it in enumerate(operations):
                for value in values.intersection(it.outputs):
                    found[value] = at[value] = free.pop() if free else next(count)
                for value in at.keys() & {*it.inputs, *it.outputs}:
                    if last[value] == i:
                        free.append(at.pop(value))
        return found

    def _buffers(self, segments, values, needed, last):
        """Return the arrays of values, which reuse those of others of their size."""
        found = []
        free = collections.defaultdict(list)
        count = itertools.count()
        at = {}
        # Arguments of a function may be shared with its results.
        kept = needed.union(*[
            it.inputs for operations in segments for it in operations
            if not it.is_planned])
        for number, operations in enumerate(segments):
            for it in operations:
                for value in values.intersection(it.outputs):
                    if value not in at:
                        pool = free[self._size(value)]
                        at[value] = pool.pop() if pool else next(count)
                        found.append((value, at[value]))
            done = [value for it in operations for value in it.inputs + it.outputs
                    if value in at and last[value] == number and value not in kept]
            for value in set(done):
                free[self._size(value)].append(at.pop(value))
        return found

    def _size(self, value):
        template = self.values.templates[value]
        return template.dtype, template.size

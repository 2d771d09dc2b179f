"""Plans of tapes: the order of steps, their gradients, and the memory of values."""
import heapq
import itertools

import numpy

from chainer_fast.backends.kernels.tape import elementwise, steps
from chainer_fast.graph_optimizations import _islands


class Plan:
    """A list of operations on the values of a graph.

    An operation is a loop, or a step: a tuple of the loop, the values that it reads and
    writes, and its constants; or of None, the values, and the step.

    Parameters
    ----------
    graph : Graph
    templates : list of array
        Shape and type of each value; values of the plan are appended.
    """

    def __init__(self, graph, templates):
        self.graph = graph
        self.templates = templates
        self.operations = []

    def value(self, like):
        """Return a new value, of the shape and type of another."""
        self.templates.append(self.templates[like])
        return len(self.templates) - 1

    def loop(self, loop, inputs, output, constants=()):
        """Append a loop."""
        outputs = output if isinstance(output, tuple) else (output,)
        self.operations.append((loop, tuple(inputs), outputs, constants))

    def step(self, step, inputs, outputs):
        """Append a step of another kind."""
        self.operations.append((None, tuple(inputs), tuple(outputs), step))

    def fits(self, *values):
        """Return whether loops can run on some values."""
        first = self.templates[values[0]]
        return first.dtype in (numpy.float32, numpy.float64) and first.size > 0 and all(
            [self.templates[v].dtype is first.dtype
             and self.templates[v].shape == first.shape for v in values])

    def tape(self, fresh, needed):
        """Return the tape.

        Parameters
        ----------
        fresh : set of int
            Values whose arrays leave the frame.
        needed : set of int
            Values that other tapes read.
        """
        segments = self._segments()
        last = {}
        whole = set(needed)
        chain_of = {}
        for number, (is_chain, operations) in enumerate(segments):
            for _, inputs, outputs, _ in operations:
                for value in inputs + outputs:
                    last[value] = number
                    if not is_chain or chain_of.setdefault(value, number) != number:
                        whole.add(value)
        made = {value for is_chain, operations in segments if is_chain
                for _, _, outputs, _ in operations for value in outputs}
        whole &= made
        pieces, slots = self._pieces(segments, made - whole - fresh)
        kept = self._buffers(segments, whole - fresh, needed, last)
        return steps.Tape(
            [self._chain(operations) if is_chain else operations[0][3]
             for is_chain, operations in segments],
            sorted(fresh & made), kept, pieces, slots)

    def _segments(self):
        """Return runs of loops over arrays of one size and type, and other steps."""
        def kind(operation):
            if operation[0] is None:
                return object()
            template = self.templates[operation[2][0]]
            return template.dtype, template.size
        segments = []
        for operation in self.operations:
            now = kind(operation)
            if segments and now == before:
                segments[-1][1].append(operation)
            else:
                segments.append((operation[0] is not None, [operation]))
            before = now
        return segments

    def _chain(self, operations):
        template = self.templates[operations[0][2][0]]
        return steps.Chain(template.dtype.char, template.size, operations)

    def _pieces(self, segments, values):
        """Return places for values that only one chain sees, and the number of places.
        """
        places = []
        slots = 0
        for is_chain, operations in segments:
            if not is_chain:
                continue
            last = {value: i for i, (_, inputs, outputs, _) in enumerate(operations)
                    for value in inputs + outputs}
            free = []
            count = itertools.count()
            at = {}
            for i, (_, inputs, outputs, _) in enumerate(operations):
                for value in outputs:
                    if value in values:
                        at[value] = free.pop() if free else next(count)
                        places.append((value, at[value]))
                for value in {*inputs, *outputs} & at.keys():
                    if last[value] == i:
                        free.append(at.pop(value))
            slots = max(slots, next(count))
        return places, slots

    def _buffers(self, segments, values, needed, last):
        """Return the arrays of values; one takes over that of another of its size."""
        buffers = []
        free = {}
        count = itertools.count()
        at = {}
        seen_by_steps = {
            value for is_chain, operations in segments if not is_chain
            for value in operations[0][1]}
        for number, (_, operations) in enumerate(segments):
            for _, _, outputs, _ in operations:
                for value in outputs:
                    if value in values:
                        template = self.templates[value]
                        pool = free.setdefault((template.dtype, template.size), [])
                        at[value] = pool.pop() if pool else next(count)
                        buffers.append((value, at[value]))
            for value in [v for v in at if last[v] <= number]:
                # What a function has seen may live on in its results.
                if value not in needed and value not in seen_by_steps:
                    template = self.templates[value]
                    free[template.dtype, template.size].append(at[value])
                del at[value]
        return buffers


def forward(graph, templates, by_engine):
    """Return the plan of the forward direction, and the rules of its steps.

    Parameters
    ----------
    graph : Graph
    templates : list of array
    by_engine : set of int
        Steps that the graph engine has to run.

    Returns
    -------
    tuple of (Plan, list)
        A rule is None for steps that are no loops.
    """
    plan = Plan(graph, templates)
    rules = []
    for index, step in enumerate(graph.steps):
        rule = None
        if plan.fits(*step.inputs, *step.outputs):
            rule = elementwise.rule_of(step.function, len(step.inputs))
        rules.append(rule)
        if rule is not None:
            plan.loop(rule[0].forward, step.inputs, step.outputs, rule[1])
        elif index not in by_engine and _islands.has_shortcut(step.function):
            plan.step(steps.Call(index, step.inputs, step.outputs[0], step.function),
                      step.inputs, step.outputs)
        else:
            plan.step(_islands.Island(index, step), step.inputs, step.outputs)
    return plan, rules


def backward(graph, rules, templates, wanted, seeds, by_engine):
    """Return the plan of the backward direction.

    Functions are visited, and gradients added up, in the order in which the graph
    engine does.

    Parameters
    ----------
    graph : Graph
    rules : list
        As :func:`forward` returned it.
    templates : list of array
    wanted : iterable of int
        Arguments and parameters whose gradients are asked for.
    seeds : iterable of int
        Outputs that have a gradient.
    by_engine : set of int
        Steps that the graph engine has to run.

    Returns
    -------
    tuple of (Plan, list of int, dict)
        The plan, the values of the seeds' gradients, and those of the wanted ones.
    """
    return _Backward(graph, rules, templates, wanted, by_engine).run(seeds)


class _Backward:

    def __init__(self, graph, rules, templates, wanted, by_engine):
        self.by_engine = by_engine
        self.plan = Plan(graph, templates)
        self.graph = graph
        self.rules = rules
        self.grads = {}
        self.wanted = tuple(wanted)
        self.maker = {value: index for index, step in enumerate(graph.steps)
                      for value in step.outputs}
        # Values on a path to the wanted ones.
        self.useful = set(wanted)
        for step in graph.steps:
            if self._targets(step):
                self.useful.update(step.outputs)
        self.heap = []
        self.reached = set()

    def _targets(self, step):
        return [i for i, (value, flows) in enumerate(
            zip(step.inputs, step.flows, strict=True))
            if flows and value in self.useful]

    def run(self, seeds):
        given = []
        for value in seeds:
            given.append(self.plan.value(value))
            self._add(value, given[-1])
        while self.heap:
            index = heapq.heappop(self.heap)[2]
            step = self.graph.steps[index]
            grads = [self.grads.pop(value, None) for value in step.outputs]
            targets = self._targets(step)
            if targets:
                self._differentiate(index, step, grads, targets)
        return self.plan, given, self._results(given)

    def _differentiate(self, index, step, grads, targets):
        rule = self.rules[index]
        if rule is None:
            found = self._by_function(index, step, grads, targets)
        elif rule[0].pair is not None:
            loop, operands = rule[0].pair
            found = tuple([self.plan.value(value) for value in step.inputs])
            self.plan.loop(loop, self._operands(step, operands, grads[0]), found)
        else:
            found = [
                self._by_rule(step, rule, grads[0], i) if i in targets else None
                for i in range(len(step.inputs))]
        for i in targets:
            self._add(step.inputs[i], found[i])

    def _by_rule(self, step, rule, grad, i):
        if rule[0].grads[i] is None:
            return grad
        loop, operands = rule[0].grads[i]
        found = self.plan.value(step.inputs[i])
        self.plan.loop(loop, self._operands(step, operands, grad), found, rule[1])
        return found

    def _operands(self, step, names, grad):
        special = {'g': grad, 'y': step.outputs[0]}
        return [special[name] if name in special else step.inputs[name]
                for name in names]

    def _by_function(self, index, step, grads, targets):
        found = [self.plan.value(value) if i in targets else None
                 for i, value in enumerate(step.inputs)]
        given = [g for g in grads if g is not None]
        if index not in self.by_engine and _islands.has_shortcut(step.function):
            made = steps.Gradient(index, grads[0], tuple(found))
        else:
            made = _islands.IslandGradient(
                index, step, grads, targets, [found[i] for i in targets])
        self.plan.step(made, given, [found[i] for i in targets])
        return found

    def _add(self, value, grad):
        if value not in self.useful:
            return
        earlier = self.grads.get(value)
        if earlier is not None:
            total = self.plan.value(value)
            if self.plan.fits(value):
                self.plan.loop(elementwise.add, (earlier, grad), total)
            else:
                self.plan.step(_islands.Sum(earlier, grad, total),
                               (earlier, grad), (total,))
            grad = total
        self.grads[value] = grad
        index = self.maker.get(value)
        if index is not None and index not in self.reached:
            self.reached.add(index)
            heapq.heappush(
                self.heap, (-self.graph.steps[index].rank, len(self.reached), index))

    def _results(self, given):
        """Return the gradients of the wanted values, each in an array of its own."""
        results = {}
        taken = set(given)
        for value in self.wanted:
            grad = self.grads.get(value)
            if grad in taken:
                own = self.plan.value(value)
                if self.plan.fits(value):
                    self.plan.loop(elementwise.copy, (grad,), own)
                else:
                    self.plan.step(_islands.Copy(grad, own), (grad,), (own,))
                grad = own
            results[value] = grad
            taken.add(grad)
        return results

"""A small engine in plain Python, to hold the compiled one against.

It is written to be checked by reading. Gradients are variables, each operation is
differentiated by operations on variables, and a backward pass is the loop in
:func:`backward` alone: take the function of highest rank (of equal ranks, the one
reached first), hand it the gradients of its outputs, append what it gives to the lists
of its inputs. Values are NumPy arrays of float64.
"""
import heapq

import numpy as np


class Var:
    """An array, its gradient (a ``Var`` or None) and the call that made it."""

    def __init__(self, array, requires_grad=True):
        self.array = np.asarray(array)
        self.requires_grad = requires_grad
        self.grad = None
        self.creator = None
        self.rank = 0

    def __add__(self, other):
        return apply(Add(), self, other)[0]

    def __sub__(self, other):
        return apply(Sub(), self, other)[0]

    def __mul__(self, other):
        return apply(Mul(), self, other)[0]

    def __neg__(self):
        return apply(Neg(), self)[0]


class Call:
    """An operation that has been applied."""

    def __init__(self, op, inputs, outputs):
        self.op = op
        self.inputs = inputs
        self.outputs = outputs
        self.rank = max((x.rank for x in inputs), default=0)


def apply(op, *inputs):
    """Apply an operation; return the outputs as a tuple."""
    arrays = op.forward(*[x.array for x in inputs])
    requires_grad = any(x.requires_grad for x in inputs)
    outputs = tuple(Var(array, requires_grad) for array in arrays)
    call = Call(op, inputs, outputs)
    for y in outputs:
        y.creator = call
        y.rank = call.rank + 1
    return outputs


def add_up(gradients):
    """Sum from left to right; None of nothing."""
    total = None
    for g in gradients:
        total = g if total is None else total + g
    return total


def backward(starts, retain_grad=False, visited=None):
    """Propagate gradients from pairs of a variable and its gradient to all leaves.

    Names of the operations are appended to ``visited`` in the order of the visits.
    """
    sums = {}
    leaves = []
    heap = []
    seen = set()

    def gradients_of(x):
        if x not in sums:
            sums[x] = [x.grad] if x.creator is None and x.grad is not None else []
        return sums[x]

    def reach(x):
        if x.creator is None:
            if x not in leaves:
                leaves.append(x)
        elif x.creator not in seen:
            seen.add(x.creator)
            heapq.heappush(heap, (-x.creator.rank, len(seen), x.creator))

    def take(y):
        if y.creator is None:
            return None
        if y in sums:
            return add_up(sums.pop(y))
        # Nothing led here: what the user has set for this output counts.
        own, y.grad = y.grad, None
        return own

    for y, gy in starts:
        y.grad = None
        gradients_of(y).append(gy)
        reach(y)
    while heap:
        call = heapq.heappop(heap)[2]
        targets = [i for i, x in enumerate(call.inputs) if x.requires_grad]
        gys = [take(y) for y in call.outputs]
        if not targets:
            continue
        if visited is not None:
            visited.append(type(call.op).__name__)
        for x in {call.inputs[i]: None for i in targets}:
            gradients_of(x)
        for i, g in zip(targets, call.op.backward(call, targets, *gys), strict=True):
            if g is not None:
                gradients_of(call.inputs[i]).append(g)
        for i in targets:
            if gradients_of(call.inputs[i]):
                reach(call.inputs[i])
        if retain_grad:
            for y, gy in zip(call.outputs, gys, strict=True):
                y.grad = gy
    for x in leaves:
        x.grad = add_up(sums[x])


# Operations. ``backward`` gets the call, the wanted inputs and the gradients of the
# outputs, each of which may be None; it gives a gradient or None for each wanted input.

class Add:
    def forward(self, a, b):
        return a + b,

    def backward(self, call, targets, gy):
        return [gy for _ in targets]


class Sub:
    def forward(self, a, b):
        return a - b,

    def backward(self, call, targets, gy):
        return [gy if i == 0 else -gy for i in targets]


class Mul:
    def forward(self, a, b):
        return a * b,

    def backward(self, call, targets, gy):
        return [gy * call.inputs[1 - i] for i in targets]


class Neg:
    def forward(self, a):
        return -a,

    def backward(self, call, targets, gy):
        return [-gy]


class AddConstant:
    def __init__(self, value):
        self.value = value

    def forward(self, a):
        return a + self.value,

    def backward(self, call, targets, gy):
        return [gy]


class MulConstant:
    def __init__(self, value):
        self.value = value

    def forward(self, a):
        return a * self.value,

    def backward(self, call, targets, gy):
        return [apply(MulConstant(self.value), gy)[0]]


class ReLU:
    def forward(self, a):
        return np.maximum(a, 0),

    def backward(self, call, targets, gy):
        return [gy * Var((call.outputs[0].array > 0).astype(float), False)]


class SumAndProduct:
    """Two outputs of two inputs."""

    def forward(self, a, b):
        return a + b, a * b

    def backward(self, call, targets, g_sum, g_product):
        gradients = []
        for i in targets:
            terms = [] if g_sum is None else [g_sum]
            if g_product is not None:
                terms.append(g_product * call.inputs[1 - i])
            gradients.append(add_up(terms))
        return gradients


class Branch:
    """Three outputs of one input; the second has no influence on the gradient."""

    def forward(self, a):
        return a * 2., a * 0., -a

    def backward(self, call, targets, g0, g1, g2):
        terms = [] if g0 is None else [apply(MulConstant(2.), g0)[0]]
        if g2 is not None:
            terms.append(-g2)
        return [add_up(terms)]


class Select:
    """The first input, for the gradient; the second goes unseen, with a None."""

    def forward(self, a, b):
        return a + b * 0.,

    def backward(self, call, targets, gy):
        return [gy if i == 0 else None for i in targets]

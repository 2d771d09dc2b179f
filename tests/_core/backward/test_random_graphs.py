"""Random graphs, differentiated by the compiled engine and by a plain one."""
import contextlib
import dataclasses

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import chainer_fast
from chainer_fast import functions as F
from chainer_fast.variable import Variable
from tests import reference_engine as ref

SHAPE = (3,)


class SumAndProduct(chainer_fast.FunctionNode):

    def forward(self, inputs):
        self.retain_inputs((0, 1))
        a, b = inputs
        return a + b, a * b

    def backward(self, indexes, gradients):
        inputs = self.get_retained_inputs()
        g_sum, g_product = gradients
        result = []
        for i in indexes:
            g = g_sum
            if g_product is not None:
                term = g_product * inputs[1 - i]
                g = term if g is None else g + term
            result.append(g)
        return tuple(result)


class Branch(chainer_fast.FunctionNode):

    def forward(self, inputs):
        a, = inputs
        return a * 2., a * 0., -a

    def backward(self, indexes, gradients):
        g0, _, g2 = gradients
        g = None if g0 is None else g0 * 2.
        if g2 is not None:
            g = -g2 if g is None else g + -g2
        return g,


class Select(chainer_fast.FunctionNode):

    def forward(self, inputs):
        a, b = inputs
        return a + b * 0.,

    def backward(self, indexes, gradients):
        return gradients[0], None


# By name: number of inputs, and what applies the operation in either engine.
OPERATIONS = {
    'add': (2, lambda a, b: [a + b], lambda a, b: [a + b]),
    'sub': (2, lambda a, b: [a - b], lambda a, b: [a - b]),
    'mul': (2, lambda a, b: [a * b], lambda a, b: [a * b]),
    'neg': (1, lambda a: [-a], lambda a: [-a]),
    'add constant': (
        1, lambda a: [a + 0.25], lambda a: ref.apply(ref.AddConstant(0.25), a)),
    'mul constant': (
        1, lambda a: [a * 1.5], lambda a: ref.apply(ref.MulConstant(1.5), a)),
    'relu': (1, lambda a: [F.relu(a)], lambda a: ref.apply(ref.ReLU(), a)),
    'two outputs': (2, lambda a, b: SumAndProduct().apply((a, b)),
                    lambda a, b: ref.apply(ref.SumAndProduct(), a, b)),
    'three outputs': (1, lambda a: Branch().apply((a,)),
                      lambda a: ref.apply(ref.Branch(), a)),
    'none': (2, lambda a, b: Select().apply((a, b)),
             lambda a, b: ref.apply(ref.Select(), a, b)),
}


@dataclasses.dataclass
class Program:
    """A computation, as indexes into the list of all values so far."""

    leaves: list            # (requires_grad, whether there is a gradient already)
    steps: list             # (name of an operation, indexes of its inputs)
    starts: list            # where gradients start, from the end
    with_gradient: list     # other values that the user has given gradients
    unchained: list
    dropped: list
    retain_grad: bool
    seed: int


indexes = st.integers(0, 30)


@st.composite
def programs(draw, n_starts=2, tidy=False):
    """A program; a tidy one has nothing but leaves, steps and starts."""
    some = st.just([]) if tidy else st.lists(indexes, max_size=3)
    leaf = st.tuples(st.just(True), st.just(False)) if tidy else st.tuples(
        st.sampled_from([True, True, True, False]), st.booleans())
    steps = draw(st.lists(
        st.tuples(st.sampled_from(sorted(OPERATIONS)), st.tuples(indexes, indexes)),
        min_size=1, max_size=10))
    return Program(
        draw(st.lists(leaf, min_size=1, max_size=3)), steps,
        draw(st.lists(st.integers(0, 3), min_size=1, max_size=n_starts)),
        draw(some), draw(some), draw(some), draw(st.booleans()), draw(indexes))


def numbers(random):
    return random.uniform(-2, 2, SHAPE)


def build(program, variable, which):
    """Compute the values of a program in one of the engines."""
    random = np.random.RandomState(program.seed)
    values = [variable(numbers(random), requires_grad=requires_grad)
              for requires_grad, _ in program.leaves]
    for name, places in program.steps:
        arity = OPERATIONS[name][0]
        inputs = [values[i % len(values)] for i in places[:arity]]
        values.extend(OPERATIONS[name][1 + which](*inputs))
    return values


def start_places(program, n):
    return list(dict.fromkeys(n - 1 - i % n for i in program.starts))


def presets(program, n):
    """Gradients that values have beforehand: a dict of arrays by place."""
    random = np.random.RandomState(program.seed + 1)
    places = [i for i, (_, given) in enumerate(program.leaves) if given]
    places += [i % n for i in program.with_gradient]
    return {i: numbers(random) for i in places + start_places(program, n)}


def run_reference(program):
    values = build(program, ref.Var, 1)
    given = presets(program, len(values))
    for i, g in given.items():
        values[i].grad = ref.Var(g)
    for i in program.unchained:
        values[i % len(values)].creator = None
    starts = [values[i] for i in start_places(program, len(values))]
    drop(program, values, lambda y: setattr(y, 'grad', None))
    visited = []
    ref.backward([(y, y.grad) for y in starts],
                 program.retain_grad and len(starts) == 1, visited)
    return [None if v.grad is None else v.grad.array for v in values], visited


def drop(program, values, forget):
    """Forget values that nothing else holds but the graph."""
    kept = set(start_places(program, len(values))) | set(range(len(program.leaves)))
    for i in {i % len(values) for i in program.dropped} - kept:
        if values[i] is not None:
            forget(values[i])


class Log(chainer_fast.FunctionHook):
    name = 'log'

    def __init__(self):
        self.visited = []

    def backward_preprocess(self, function, in_data, out_grad):
        self.visited.append(type(function).__name__)


def run_compiled(program, double, hook):
    values = build(program, Variable, 0)
    n = len(values)
    given = presets(program, n)
    held = {i: g.copy() for i, g in given.items()}
    for i, g in given.items():
        values[i].grad = g
    for i in program.unchained:
        values[i % n].unchain()
    starts = [values[i] for i in start_places(program, n)]
    gone = []
    drop(program, values, gone.append)
    gone = {id(v) for v in gone}
    values = [None if id(v) in gone else v for v in values]
    with hook or contextlib.nullcontext():
        if len(starts) == 1:
            starts[0].backward(
                retain_grad=program.retain_grad, enable_double_backprop=double)
        else:
            chainer_fast.backward(starts, enable_double_backprop=double)
    for i, g in given.items():
        # What the user holds is never written to.
        np.testing.assert_array_equal(g, held[i])
    return values


@settings(max_examples=250, deadline=None)
@given(program=programs(), double=st.booleans(), lazy=st.booleans(),
       hooked=st.booleans(), debug=st.booleans())
def test_gradients_and_order(program, double, lazy, hooked, debug):
    hook = Log() if hooked else None
    with chainer_fast.using_config('lazy_grad_sum', lazy), \
            chainer_fast.using_config('debug', debug):
        values = run_compiled(program, double, hook)
    expected, visited = run_reference(program)
    for v, g in zip(values, expected, strict=True):
        if v is None:
            continue
        if g is None:
            assert v.grad is None
            continue
        # Not close: the same, since the order of summation is part of the contract.
        np.testing.assert_array_equal(v.grad, g)
        assert v.grad_var.array is v.grad
    if hooked:
        assert hook.visited == visited


@settings(max_examples=100, deadline=None)
@given(program=programs(n_starts=1, tidy=True))
def test_second_gradients(program):
    def twice(values, first, second):
        """Differentiate a weighted sum of the gradients."""
        y, = (values[i] for i in start_places(program, len(values)))
        leaves = values[:len(program.leaves)]
        first(y)
        random = np.random.RandomState(program.seed + 2)
        total = None
        for x in leaves:
            weight = type(x)(numbers(random))
            g = x.grad_var if isinstance(x, Variable) else x.grad
            x.grad = None
            if g is not None:
                total = g * weight if total is None else total + g * weight
        if total is not None:
            second(total)
        return leaves

    ones = np.ones(SHAPE)

    def first(y):
        y.grad = ones
        y.backward(enable_double_backprop=True)

    def second(total):
        total.grad = ones
        total.backward()

    leaves = twice(build(program, Variable, 0), first, second)
    expected = twice(
        build(program, ref.Var, 1),
        lambda y: ref.backward([(y, ref.Var(ones))]),
        lambda total: ref.backward([(total, ref.Var(ones))]))
    for x, e in zip(leaves, expected, strict=True):
        if e.grad is None:
            assert x.grad is None
        else:
            np.testing.assert_allclose(x.grad, e.grad.array, rtol=1e-12, atol=1e-12)


@settings(max_examples=150, deadline=None)
@given(program=programs(tidy=True), wanted=st.lists(indexes, min_size=1, max_size=3),
       double=st.booleans())
def test_grad_of_any_values(program, wanted, double):
    values = build(program, Variable, 0)
    n = len(values)
    starts = start_places(program, n)
    gys = [Variable(g) for g in presets(program, n).values()]
    wanted = [i % n for i in wanted]
    gradients = chainer_fast.grad(
        [values[i] for i in starts], [values[i] for i in wanted], gys,
        enable_double_backprop=double)
    assert all(v.grad is None for v in values)

    expected = build(program, ref.Var, 1)
    ref.backward([(expected[i], ref.Var(g.array))
                  for i, g in zip(starts, gys, strict=True)], retain_grad=True)
    for i, g in zip(wanted, gradients, strict=True):
        if expected[i].grad is None:
            assert g is None
        else:
            np.testing.assert_array_equal(g.array, expected[i].grad.array)

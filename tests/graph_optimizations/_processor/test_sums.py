"""Fused elementwise loops, and sums in them: the bits of plain chains."""
import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chainer_fast as chainer
import chainer_fast.functions as F
from chainer_fast.backends.kernels.arithmetic import elements
from chainer_fast.graph_optimizations._processor import plans, sums
from chainer_fast.graph_optimizations._processor.planner import Operation
from tests import forced
from tests.graph_optimizations.static_chains import check, draw

MUL, NEG, DIV_GRADS = [
    elements.loops[name] for name in ('Mul::of', 'Neg::of', 'Div::grads')]

# Functions whose results stay small, so that no flag is raised.
OF_ONE = [
    F.tanh, F.sigmoid, F.relu, F.sin, F.cos, F.arctan, F.hard_sigmoid, abs,
    lambda x: -x, lambda x: x * .5, lambda x: .25 - x, lambda x: x / 3, lambda x: x + 1,
    lambda x: F.elu(x, .5), lambda x: F.softplus(x, 2), lambda x: F.leaky_relu(x, .1),
    lambda x: F.clipped_relu(x, .7), lambda x: F.clip(x, -.5, .5),
    lambda x: F.exp(-abs(x)), lambda x: F.sqrt(abs(x) + 1), lambda x: F.tanh(x) ** 2,
    lambda x: (F.sigmoid(x) + 1) ** .3, lambda x: 1 / (abs(x) + 1),
    lambda x: F.log(abs(x) + 1), lambda x: F.square(F.tanh(x)),
]
OF_TWO = [
    lambda x, y: x + y, lambda x, y: x - y, lambda x, y: F.tanh(x) * y,
    lambda x, y: x / (abs(y) + 1), lambda x, y: F.tanh(x * y),
]
# The function and its arguments: numbers of values before it.
STEPS = st.lists(
    st.tuples(st.integers(0, len(OF_ONE) + 3 * len(OF_TWO) - 1), st.integers(0, 9),
              st.integers(0, 9)), min_size=1, max_size=40)


def program(steps):
    """Return a computation in which any value may have any number of uses."""
    def compute(chain, *xs):
        values = list(xs)
        for number, first, second in steps:
            x, y = (values[-1 - i % len(values)] for i in (first, second))
            number -= len(OF_ONE)
            values.append(
                OF_TWO[number % len(OF_TWO)](x, y) if number >= 0 else
                OF_ONE[number](x))
        return values[-1], sum(values[-3:-1])
    return compute


# Chains
#

@given(STEPS, st.sampled_from('fd'), st.sampled_from([(3,), (8, 8), (2, 1031)]))
@settings(max_examples=60)
def test_bits_of_random_chains(steps, dtype, shape):
    check(program(steps), *[draw(i, *shape, dtype=dtype) for i in range(3)],
          exact=not forced.GENERAL)


@pytest.mark.parametrize('dtype', 'fd')
def test_more_loops_than_have_their_own_call(dtype):
    def compute(chain, x, y):
        for function in OF_ONE:
            x = x + function(x) * y
        return x
    check(compute, draw(0, 5, 3, dtype=dtype), draw(1, 5, 3, dtype=dtype), exact=True)


@pytest.mark.parametrize('threads', [1, 2])
def test_arrays_of_several_pieces(threads):
    with chainer.using_config('num_threads', threads):
        check(program([(25, 0, 1), (27, 0, 2), (0, 0, 0), (25, 0, 3)] * 20),
              *[draw(i, 70, 1001) for i in range(3)], exact=True)


@pytest.mark.parametrize('shape', [(), (1,), (15,), (17,), (1023,), (1024,), (1025,)])
def test_arrays_that_end_in_a_vector(shape):
    check(program([(i, 0, 0) for i in range(len(OF_ONE))] + [(25, 0, 7)]),
          *[draw(i, *shape) for i in range(3)], exact=True)


# Plans
#

def operation(loop, inputs, *outputs, constants=(0., 0.)):
    return Operation(tuple(inputs), outputs, loop, constants, None, True)


def joined(*operations, kept=()):
    segment, = sums.with_sums([list(operations)], set(kept))
    return [(it.loop, it.inputs, it.outputs) for it in segment]


@pytest.mark.parametrize('other', ['first', 'second'])
def test_a_term_is_not_stored(other):
    added = (9, 2) if other == 'first' else (2, 9)
    assert joined(
        operation(MUL, (0, 1), 2), operation(NEG, (0,), 9),
        operation(sums.ADD, added, 3), kept=[9, 3],
    ) == [(NEG, (0,), (9,)), (MUL, (0, 1, 9), (3,))]


def test_the_later_term_computes_the_sum():
    assert joined(
        operation(MUL, (0, 1), 2), operation(NEG, (0,), 3),
        operation(sums.ADD, (2, 3), 4), kept=[4],
    ) == [(MUL, (0, 1), (2,)), (NEG, (0, 2), (4,))]


def test_a_sum_may_be_a_term():
    assert joined(
        operation(sums.ADD, (0, 1), 2), operation(sums.ADD, (3, 2), 4), kept=[4],
    ) == [(sums.ADD, (0, 1, 3), (4,))]


def test_only_one_array_is_added():
    assert len(joined(
        operation(MUL, (0, 1), 2), operation(sums.ADD, (2, 3), 4),
        operation(sums.ADD, (4, 5), 6), kept=[6])) == 2


@pytest.mark.parametrize('kept', [(), (2,)])
def test_terms_with_other_uses_stay(kept):
    uses = [] if kept else [operation(NEG, (2,), 5)]
    operations = [operation(MUL, (0, 1), 2), *uses, operation(sums.ADD, (2, 3), 4)]
    assert len(joined(*operations, kept=[4, 5, *kept])) == len(operations)


def test_terms_that_are_added_to_themselves_or_have_a_second_result_stay():
    assert len(joined(
        operation(MUL, (0, 1), 2), operation(sums.ADD, (2, 2), 3), kept=[3])) == 2
    assert len(joined(
        operation(DIV_GRADS, (0, 1, 2), 3, 4), operation(sums.ADD, (3, 5), 6),
        kept=[4, 6])) == 2


@pytest.mark.parametrize('dtype', 'fd')
@pytest.mark.parametrize(
    'loop', [loop for loop in elements.loops.values() if loop.arrays < 3],
    ids=lambda loop: loop.name)
def test_each_loop_adds(loop, dtype):
    arrays = [numpy.asarray(1.5, dtype) * draw(i, 2, 37, dtype=dtype)
              + numpy.asarray(.85, dtype) for i in range(3)]
    out = [numpy.empty_like(arrays[0]) for _ in range(2)]
    workspace = plans.Workspace([*arrays, *out], [True] * 5, [], [])
    assert workspace.fill(range(5), [*arrays, *out])
    inputs = tuple(range(loop.arrays))
    for added, target in ((), 3), ((2,), 4):
        plans.FusedLoops(dtype, 74, {}, [
            (loop, inputs + added, (target,), (.5, -.5))]).run(workspace)
    with numpy.errstate(all='ignore'):
        numpy.testing.assert_array_equal(out[1], arrays[2] + out[0])
    assert numpy.isfinite(out[0]).any()

"""Products of many functions in one step of a plan."""
import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast.graph_optimizations._processor import batches, planner
from tests.graph_optimizations._processor.tiles import needs_tiles
from tests.graph_optimizations.static_chains import draw

STEPS, ROWS, UNITS, WORDS = 7, 20, 48, 60
WEIGHT = 100


# The order
#

@st.composite
def lists_of_operations(draw):
    """Operations on few values; each product writes to a value of its own."""
    found = []
    values = list(range(6))
    for i in range(draw(st.integers(0, 20))):
        value = st.sampled_from(values)
        product, drawing = None, draw(st.booleans())
        if draw(st.booleans()):
            rows = draw(st.sampled_from([2, batches.MOST_ROWS + 1]))
            product = planner.Product((rows, 3, 4), WEIGHT, None)
            inputs, outputs, drawing = (draw(value), WEIGHT), (200 + i,), False
            values += outputs
        else:
            inputs = tuple(draw(st.lists(value, max_size=3)))
            outputs = tuple(draw(st.lists(
                st.integers(0, 5), min_size=1, max_size=2, unique=True)))
        found.append(planner.Operation(
            inputs, outputs, None, (), i, True, drawing, product))
    return found


def computed(operations):
    """Return what all values are made of at the end, and the order of effects."""
    store, effects = {}, []
    for it in operations:
        if it.product is not None:
            products = [(value, store.get(value, value)) for value in it.inputs[:-1]]
            store.update({out: ('product', it.product.shape, x) for out, (_, x) in zip(
                it.outputs, products, strict=True)})
            continue
        made = it.step, tuple([store.get(value, value) for value in it.inputs])
        store.update({value: (k, made) for k, value in enumerate(it.outputs)})
        effects += [it.step] * it.draws
    return store, effects


@given(lists_of_operations())
def test_all_values_are_the_same(operations):
    found = batches.batched(operations)
    assert computed(found) == computed(operations)


def product(left, out, rows=2):
    return planner.Operation(
        (left, WEIGHT), (out,), None, (), None, True, False,
        planner.Product((rows, 3, 4), WEIGHT, None))


def other(inputs, outputs, drawing=False):
    return planner.Operation(inputs, outputs, None, (), None, True, drawing)


def sizes(operations):
    return [len(it.outputs) for it in batches.batched(operations) if it.product]


def test_independent_products_are_one():
    assert sizes([other((), (0,)), product(0, 10), other((10,), (1,)),
                  other((), (2,)), product(2, 11), other((11, 1), (3,))]) == [2]


def test_products_of_each_other_stay():
    assert sizes([product(0, 10), other((10,), (1,)), product(1, 11)]) == [1, 1]


def test_random_numbers_are_drawn_in_their_order():
    between = [product(0, 10), other((10,), (1,), True), other((), (2,), True),
               product(2, 11)]
    assert sizes(between) == [1, 1]
    between[2] = other((), (2,))
    assert sizes(between) == [2]


def test_groups_that_need_each_other():
    # The second product of either weight needs the first one of the other.
    def by(weight, left, out):
        return planner.Operation(
            (left, weight), (out,), None, (), None, True, False,
            planner.Product((2, 3, 4), weight, None))
    found = batches.batched([
        by(100, 0, 10), by(101, 1, 11), other((10,), (2,)), by(101, 2, 12),
        other((11,), (3,)), by(100, 3, 13)])
    assert sorted(len(it.outputs) for it in found if it.product) == [1, 1, 2]


def test_many_rows_and_many_elements_stay(monkeypatch):
    rows = batches.MOST_ROWS + 1
    assert sizes([product(i, 10 + i, rows) for i in range(2)]) == [1, 1]
    few = [product(i, 10 + i) for i in range(5)]
    assert sizes(few) == [5]
    monkeypatch.setattr(batches, 'MOST_ELEMENTS', 2 * (3 + 4) * 2)
    assert sizes(few) == [2, 2, 1]


# The numbers
#

class Cells(chainer.Chain):
    """Cells, of which only the recurrent product is made step by step."""

    def __init__(self, noise=0.):
        super().__init__()
        self.noise = noise
        with self.init_scope():
            self.cell = L.LSTM(UNITS, UNITS)
            self.out = L.Linear(UNITS, WORDS)
        for param in self.params():
            param.array[...] = draw(param.size, *param.shape)

    @chainer.static_graph
    def forward(self, *xs):
        self.cell.reset_state()
        total = 0
        for x in xs:
            h = self.cell(x)
            if self.noise:
                h = F.dropout(h, self.noise)
            total += F.sum(F.tanh(self.out(h)))
        return total

    def gradients(self, seed=0):
        """Return what a static call gives."""
        for _ in range(4):
            numpy.random.seed(seed)
            xs = [chainer.Variable(draw(k, ROWS, UNITS)) for k in range(STEPS)]
            self.cleargrads()
            loss = self(*xs)
            loss.backward()
        assert self.schedule_manager.calls.refused == {}
        return [loss.array] + [x.grad for x in xs] + [p.grad for p in self.params()]


@pytest.fixture
def noted(monkeypatch):
    """How many products each step of a plan makes."""
    found = []
    before = planner.batched

    def batched(operations):
        result = before(operations)
        found.append([len(it.outputs) for it in result if it.product])
        return result
    monkeypatch.setattr(planner, 'batched', batched)
    return found


@needs_tiles
@pytest.mark.parametrize('noise', [0., .3])
def test_bits_of_single_products(noted, noise, monkeypatch):
    result = Cells(noise).gradients()
    assert max(map(max, noted)) == STEPS
    monkeypatch.setattr(batches, 'MOST_ROWS', 0)
    noted.clear()
    for a, b in zip(Cells(noise).gradients(), result, strict=True):
        numpy.testing.assert_array_equal(a, b)
    assert max(map(max, noted)) == 1


class Statistics(chainer.Chain):
    """Reads the running average after it has been updated."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.layer = L.Linear(UNITS, UNITS)
            self.bn = L.BatchNormalization(UNITS)
        self.layer.W.array[...] = draw(0, UNITS, UNITS)

    def forward(self, x):
        total = F.sum(self.bn(self.layer(x))) + F.sum(F.tanh(self.bn.avg_mean))
        return total + F.sum(self.layer(F.tanh(F.tanh(x))))


class StaticStatistics(Statistics):

    @chainer.static_graph
    def forward(self, x):
        return super().forward(x)


@needs_tiles
def test_arrays_that_functions_update():
    plain, static = Statistics(), StaticStatistics()
    for k in range(5):
        x = draw(k, ROWS, UNITS) * 5
        numpy.testing.assert_allclose(static(x).array, plain(x).array, atol=1e-3)
    assert static.schedule_manager.calls.refused == {}


@needs_tiles
def test_threads_change_nothing():
    with chainer.using_config('num_threads', 1):
        expected = Cells().gradients()
    for threads in 2, 3, 16:
        with chainer.using_config('num_threads', threads):
            for a, b in zip(expected, Cells().gradients(), strict=True):
                numpy.testing.assert_array_equal(a, b)

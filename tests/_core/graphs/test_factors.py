"""Gradients of weights that many functions use: products of the rows of all."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chainer_fast as chainer
import chainer_fast.functions as F
from chainer_fast._core.graphs import graph

DTYPES = 'f', 'd'


def draw(seed, *shape, dtype='d'):
    return np.random.RandomState(seed).uniform(-1, 1, shape).astype(dtype)


def assert_near(actual, expected, terms, dtype='d'):
    assert (actual.dtype, actual.shape) == (np.dtype(dtype), expected.shape)
    np.testing.assert_allclose(
        actual, expected, rtol=0, atol=4 * terms * np.finfo(actual.dtype).eps)


def uses(weight, rows, seed=0):
    """Apply a weight to matrices; return the products, and the gradient expected."""
    (m, n), dtype = weight.shape, weight.dtype
    ys, total = [], 0
    for i, count in enumerate(rows):
        x, gy = draw(seed + i, count, n, dtype=dtype), draw(i, count, m, dtype=dtype)
        y = F.linear(x, weight)
        y.grad = gy
        ys.append(y)
        total = total + gy.astype('d').T @ x.astype('d')
    return ys, total


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(DTYPES), st.integers(1, 40), st.integers(1, 40),
       st.lists(st.sampled_from([1, 2, 3, 20, 127, 128, 129, 300]), min_size=2,
                max_size=12),
       st.booleans(), st.integers(0, 12))
def test_sum_over_uses(dtype, m, n, rows, has_gradient, other):
    weight = chainer.Parameter(draw(1, m, n, dtype=dtype))
    if has_gradient:
        weight.grad = before = draw(2, m, n, dtype=dtype)
        kept = before.copy()
    else:
        weight.cleargrad()
    ys, expected = uses(weight, rows[:other])
    # Another function of the weight among them.
    z = F.sin(weight)
    z.grad = np.ones_like(weight.array)
    more, rest = uses(weight, rows[other:], 100)
    chainer.backward([*ys, z, *more])
    expected = expected + rest + np.cos(weight.array.astype('d'))
    if has_gradient:
        np.testing.assert_array_equal(before, kept)
        expected = expected + kept
    assert_near(weight.grad, expected, sum(rows) + 2, dtype)


@pytest.mark.parametrize('dtype', DTYPES)
def test_weight_that_a_function_made(dtype):
    leaf = chainer.Parameter(draw(1, 5, 4, dtype=dtype))
    leaf.cleargrad()
    ys, expected = uses(leaf * 2, [2] * 9)
    chainer.backward(ys)
    assert_near(leaf.grad, 2 * expected, 40, dtype)


def test_observer_changes_no_bit():
    def gradient():
        weight = chainer.Parameter(draw(1, 5, 4, dtype='f'))
        weight.cleargrad()
        chainer.backward(uses(weight, [7] * 9)[0])
        return weight.grad

    expected = gradient()
    linear = F.connection.linear.LinearFunction
    plain = graph.registered(linear)[0]
    calls = []
    graph.declare(linear, graph.ObservedShortcut(
        plain, lambda *_: None, lambda *args: calls.append(args)))
    try:
        found = gradient()
    finally:
        graph.declare(linear, plain)
    assert len(calls) == 9
    np.testing.assert_array_equal(found, expected)


def test_weight_as_rows_of_itself():
    weight = chainer.Parameter(draw(1, 4, 4))
    weight.cleargrad()
    ys = [F.linear(weight, weight) for _ in range(3)]
    for y in ys:
        y.grad = np.ones((4, 4))
    chainer.backward(ys)
    one = np.ones((4, 4))
    assert_near(weight.grad, 3 * (one @ weight.array + one.T @ weight.array), 40)


@pytest.mark.parametrize('first', [True, False])
def test_gradient_that_somebody_has(first):
    weight = chainer.Parameter(draw(1, 5, 4))
    weight.cleargrad()
    array = draw(2, 5, 4)
    kept = array.copy()
    ys, expected = uses(weight, [2] * 4)
    # An addition passes the very array on.
    z = weight + draw(3, 5, 4)
    z.grad = array
    chainer.backward([z, *ys] if first else [*ys, z])
    np.testing.assert_array_equal(array, kept)
    assert_near(weight.grad, expected + kept, 20)


class Copy(chainer.FunctionNode):
    """Keeps its arrays, and the gradients that it gave."""

    given: list[np.ndarray]

    def forward(self, inputs):
        self.output = inputs[0].copy()
        return self.output,

    def backward(self, indexes, gys):
        self.used()
        self.given.append(gys[0].array.copy())
        return chainer.Variable(self.given[-1]),

    def used(self):
        """Do something to arrays that nobody needs any more."""


class Spoiled(Copy):
    def used(self):
        for array in [self.output, *self.given]:
            array[...] = np.nan


def test_arrays_that_are_overwritten_before_the_end():
    def gradient(function):
        weight = chainer.Parameter(draw(1, 4, 4))
        weight.cleargrad()
        function.given = []
        h = chainer.Variable(draw(2, 3, 4))
        for _ in range(6):
            h, = function().apply((F.linear(h, weight),))
        h.grad = np.ones((3, 4))
        h.backward()
        return weight.grad

    np.testing.assert_array_equal(gradient(Spoiled), gradient(Copy))


def test_rows_that_are_together():
    assert graph.rows_together(512, 128, 4) == 256
    # Of a large matrix, not more memory than it has.
    rows = graph.rows_together(50000, 128, 4)
    assert 0 < rows * (50000 + 128) <= 50000 * 128
    assert graph.rows_together(1, 10 ** 7, 8) == 0


def test_matrix_that_is_not_finite():
    weight = chainer.Parameter(draw(1, 3, 2))
    weight.cleargrad()
    xs = [draw(i, 2, 2) for i in range(3)]
    xs[1][0, 0] = np.inf
    ys = [F.linear(x, weight) for x in xs]
    for y in ys:
        y.grad = np.ones((2, 3))
    # Some libraries multiply more than there is.
    with np.errstate(invalid='ignore'):
        chainer.backward(ys)
    assert np.isposinf(weight.grad[:, 0]).all()
    assert np.isfinite(weight.grad[:, 1]).all()

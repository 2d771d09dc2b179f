import itertools

import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast import grad, using_config
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients

COST = gradients.uniform((3, 3))


def data(sizes):
    xs = [gradients.uniform((n, 3), 1 + i) for i, n in enumerate(sizes)]
    ys = [np.random.RandomState(i).randint(0, 3, n) for i, n in enumerate(sizes)]
    return xs, ys


def chains(xs):
    """The scores of each chain."""
    return [np.array([x[b] for x in xs if b < len(x)]) for b in range(len(xs[0]))]


def labellings(x):
    for y in itertools.product(range(3), repeat=len(x)):
        score = sum(row[k] for row, k in zip(x, y, strict=True))
        yield y, score + sum(COST[k] for k in itertools.pairwise(y))


each = pytest.mark.parametrize(
    'sizes', [[2, 2, 2], [3, 2, 1], [3, 1, 1], [2], [2, 1, 0]])


@each
@pytest.mark.parametrize('double', [False, True])
def test_labels_below_zero_count_from_the_end(device, sizes, double):
    xs, ys = data(sizes)
    found = []
    for labels in ys, [np.where(y > 0, y - 3, y) for y in ys]:
        inputs = [Variable(x) for x in device.send([COST, *xs])]
        loss = F.crf1d(inputs[0], inputs[1:], device.send(labels))
        found.append([loss, *[g for g in grad(
            [loss], inputs, enable_double_backprop=double) if g is not None]])
    for a, b in zip(*found, strict=True):
        compare.assert_array_equal(a.array, b.array)


@pytest.mark.parametrize('label', [-4, 3])
def test_labels_out_of_range(label):
    xs, ys = data([2, 2])
    ys[1][1] = label
    with pytest.raises(IndexError, match=r'ys\[1\]\[1\] is %d' % label):
        F.crf1d(COST, xs, ys)


def test_labels_below_zero_are_errors_in_debug_mode():
    xs, ys = data([2, 2])
    ys[1][1] = -1
    with using_config('debug', True), pytest.raises(ValueError, match='is -1'):
        F.crf1d(COST, xs, ys)


@each
@pytest.mark.parametrize('reduce', ['mean', 'no'])
def test_values_and_gradients(device, sizes, reduce):
    xs, ys = data(sizes)
    losses = []
    for b, x in enumerate(chains(xs)):
        scores = dict(labellings(x))
        own = scores[tuple(y[b] for y in ys[:len(x)])]
        losses.append(np.log(np.exp(list(scores.values())).sum()) - own)
    expected = losses if reduce == 'no' else np.mean(losses)
    compare.assert_allclose(
        F.crf1d(*device.send((COST, xs, ys)), reduce).array, expected)
    used = xs if sizes[-1] else xs[:-1]

    def f(cost, *some):
        return F.crf1d(
            cost, [*some, *device.send(xs[len(some):])], device.send(ys), reduce)

    if len(sizes) > 1:
        gradients.check(device, f, COST, *used)
    else:
        gradients.check(
            device, lambda x: F.crf1d(device.send(COST), [x], device.send(ys), reduce),
            *xs)


@each
def test_best_labels(device, sizes):
    xs, _ = data(sizes)
    score, path = F.argmax_crf1d(device.send(COST), device.send(xs))
    assert [(p.dtype, p.shape) for p in path] == [(np.int32, (n,)) for n in sizes]
    for b, x in enumerate(chains(xs)):
        best, value = max(labellings(x), key=lambda pair: pair[1])
        assert tuple(p[b] for p in path[:len(x)]) == best
        compare.assert_allclose(score.array[b], value)


@pytest.mark.parametrize('dtype', 'efd')
def test_each_of_several_best_paths_counts(device, dtype):
    """As many paths as go through a place are the gradient of it."""
    cost = Variable(device.send(np.zeros((2, 2), dtype)))
    xs = [Variable(device.send(np.zeros((1, 2), dtype))) for _ in range(4)]
    score, path = F.argmax_crf1d(cost, xs)
    F.sum(score).backward()
    for y in path:
        compare.assert_array_equal(y, [0])
    compare.assert_array_equal(cost.grad, [[7, 7], [7, 7]])
    for x, expected in zip(xs, [8, 4, 2, 1], strict=True):
        compare.assert_array_equal(x.grad, [[expected] * 2])


def test_gradients_of_the_best_score(device):
    xs, _ = data([3, 2, 1])
    gradients.check(device, lambda cost, *xs: F.argmax_crf1d(cost, xs)[0], COST, *xs)


def test_first_of_equal_labels(device):
    _, path = F.argmax_crf1d(
        device.send(np.zeros((3, 3))), device.send([np.zeros((2, 3))] * 2))
    compare.assert_array_equal(path, 0)


@pytest.mark.parametrize('dtype', 'ef')
@pytest.mark.parametrize('double', [False, True])
def test_dtypes(device, dtype, double):
    xs, ys = data([3, 2])
    vs = [Variable(device.send(x.astype(dtype))) for x in (COST, *xs)]
    y = F.crf1d(vs[0], vs[1:], device.send(ys))
    gs = grad([y], vs, enable_double_backprop=double)
    score, _ = F.argmax_crf1d(vs[0], vs[1:])
    assert {y.dtype, score.dtype, *[g.dtype for g in gs]} == {np.dtype(dtype)}


def test_no_costs_of_one_label(device):
    xs, ys = data([2])
    cost, x = Variable(device.send(COST)), Variable(device.send(xs[0]))
    F.crf1d(cost, [x], device.send(ys)).backward()
    assert cost.grad is None
    assert x.grad is not None


def test_both_orders_of_gradients_agree(device):
    xs, ys = data([3, 3, 1])
    vs = [Variable(device.send(x)) for x in (COST, *xs)]
    first, second = [
        grad([F.crf1d(vs[0], vs[1:], device.send(ys))], vs,
        enable_double_backprop=double) for double in (False, True)]
    for g, h in zip(first, second, strict=True):
        compare.assert_allclose(g.array, h.array, atol=1e-12)


def test_large_and_forbidden_costs(device):
    cost = device.send(np.array([[-np.inf, 2e3], [0, -np.inf]]))
    xs = device.send([np.zeros((1, 2))] * 3)
    alternating = [np.array([k]) for k in (0, 1, 0)]
    v = Variable(cost)
    y = F.crf1d(v, xs, device.send(alternating))
    compare.assert_allclose(y.array, np.log(2), 1e-10)
    y.backward()
    compare.assert_allclose(v.grad, 0, atol=1e-10)
    assert F.crf1d(cost, xs, device.send([np.array([0])] * 3)).array == np.inf


@pytest.mark.parametrize('times', [1, 2, 4])
@pytest.mark.parametrize('sizes', [[2, 2, 2], [3, 2, 1]])
def test_times_without_labels_and_labels_without_scores(device, sizes, times):
    xs, ys = data(sizes)
    ys = [*ys, np.array([7])][:times]
    scores = np.zeros(sizes[0])
    for t, y in enumerate(ys[:3]):
        scores[:len(y)] += xs[t][np.arange(len(y)), y]
        if t:
            scores[:len(y)] += COST[ys[t - 1][:len(y)], y]
    totals = [
        np.log(sum(np.exp(score) for score in dict(labellings(x)).values()))
        for x in chains(xs)]
    loss = F.crf1d(*device.send((COST, xs, ys)), 'no')
    compare.assert_allclose(loss.array, totals - scores)
    gradients.check(
        device, lambda cost, *xs: F.crf1d(cost, xs, device.send(ys), 'no'), COST, *xs)


@pytest.mark.parametrize('error, change', [
    (IndexError, lambda c, x, y: (c, [], [])),
    pytest.param(
        IndexError, lambda c, x, y: (c, x, [k + 3 for k in y]), marks=pytest.mark.host),
    pytest.param(
        IndexError, lambda c, x, y: (c, x, [k - 4 for k in y]), marks=pytest.mark.host),
    (AssertionError, lambda c, x, y: (c[:2], x, y)),
    (IndexError, lambda c, x, y: (c, x, [])),
    (ValueError, lambda c, x, y: (c, x, y, 'sum')),
    (type_check.InvalidType, lambda c, x, y: (c[:, :2], x, y)),
    (type_check.InvalidType, lambda c, x, y: (c, x[::-1], y[::-1])),
    (type_check.InvalidType, lambda c, x, y: (c.astype('f'), x, y)),
    (type_check.InvalidType, lambda c, x, y: (c, x, [k.astype('f') for k in y])),
    (type_check.InvalidType, lambda c, x, y: (c, x, [y[0], y[0]])),
])
def test_errors(device, error, change):
    args = change(COST, *data([3, 2]))
    with pytest.raises(error):
        F.crf1d(*device.send(args))
    if args[0] is not COST:
        with pytest.raises(type_check.InvalidType):
            F.argmax_crf1d(*device.send(args[:2]))


@pytest.mark.parametrize('shape', [(1, 3), (3, 1), (1, 1), (3,), (1,), ()])
def test_costs_for_all_pairs(device, shape):
    cost, (xs, _) = gradients.uniform(shape), data([3, 2])
    score, path = F.argmax_crf1d(device.send(cost), device.send(xs))
    full = np.broadcast_to(cost, (3, 3)).copy()
    expected, labels = F.argmax_crf1d(device.send(full), device.send(xs))
    compare.assert_array_equal(score.array, expected.array)
    for y, expected in zip(path, labels, strict=True):
        compare.assert_array_equal(y, expected)
    gradients.check(device, lambda cost, *xs: F.argmax_crf1d(cost, xs)[0], cost, *xs)


@pytest.mark.parametrize('repeated', [0, 1, 2])
def test_scores_that_all_labels_share(device, repeated):
    xs, _ = data([2, 2, 1])
    xs[repeated] = xs[repeated][:, :1]
    whole = [np.broadcast_to(x, (len(x), 3)) for x in xs]
    expected, path = F.argmax_crf1d(*device.send((COST, whole)))
    for cost in COST, COST[None]:
        score, labels = F.argmax_crf1d(*device.send((cost, xs)))
        compare.assert_allclose(score.array, expected.array)
        for y, each in zip(labels, path, strict=True):
            compare.assert_array_equal(y, each)
        gradients.check(
            device, lambda cost, *xs: F.argmax_crf1d(cost, xs)[0], cost, *xs)


@pytest.mark.parametrize('change', [
    lambda c, x: (c[:, None], x), lambda c, x: (c[:2], x), lambda c, x: (c, x[0]),
    lambda c, x: (c, [x[0], x[1][0]]), lambda c, x: (c[:1], [x[0], x[1][:, :1]])])
def test_scores_that_do_not_fit(device, change):
    with pytest.raises(type_check.InvalidType):
        F.argmax_crf1d(*device.send(change(COST, data([2, 2])[0])))


def test_costs_in_a_list(device):
    with pytest.raises(TypeError, match='list'):
        F.argmax_crf1d(COST.tolist(), device.send(data([2, 2])[0]))


@pytest.mark.parametrize('where', [0, 1, 2, 'cost'])
def test_nan_is_the_best(device, where):
    """NaN is the largest element of an array for NumPy."""
    cost, (xs, _) = COST.copy(), data([2, 2, 2])
    if where == 'cost':
        cost[1, 2] = np.nan
    else:
        xs[where][0, 2] = np.nan
    score, path = F.argmax_crf1d(device.send(cost), device.send(xs))
    assert np.isnan(score.array[0])
    if where == 'cost':
        # From label 1 to label 2, which all that comes next comes from.
        compare.assert_array_equal([int(y[0]) for y in path], [1, 2, 0])
    else:
        assert path[where][0] == 2
        assert np.isfinite(score.array[1])


def test_scores_that_depend_on_each_other(device):
    xs, ys = data([3, 3])
    v, w = Variable(device.send(COST)), Variable(device.send(xs[0]))

    def gradients_of_both(double):
        later = F.matmul(F.sin(w), v)
        y = F.crf1d(v, [w, later], device.send(ys))
        return grad([y], [v, w], enable_double_backprop=double)

    for g, h in zip(*map(gradients_of_both, (False, True)), strict=True):
        compare.assert_allclose(g.array, h.array, rtol=1e-6)

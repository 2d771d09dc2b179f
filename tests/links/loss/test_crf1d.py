import itertools

import numpy as np
import pytest

import chainer_fast
from chainer_fast import gradient_check, links
from tests import compare

LENGTHS = [2, 3, 1, 3]
# The order from the longest to the shortest, and how they lie by times.
ORDER = [1, 3, 0, 2]


def all_scores(cost, x):
    """Scores of all labellings of a chain, by the labels."""
    return {
        path: sum(x[i, y] for i, y in enumerate(path)) + sum(
            cost[a, b] for a, b in itertools.pairwise(path))
        for path in itertools.product(range(3), repeat=len(x))}


def setup(dtype):
    rng = np.random.RandomState(0)
    with chainer_fast.using_config('dtype', np.dtype(dtype)):
        link = links.CRF1d(3, initial_cost=rng.uniform(-1, 1, (3, 3)))
    xs = [rng.uniform(-1, 1, (n, 3)).astype(dtype) for n in LENGTHS]
    return link, xs, [rng.randint(0, 3, n).astype('i') for n in LENGTHS]


def by_times(chains):
    return [
        np.array([chains[k][i] for k in ORDER if len(chains[k]) > i]) for i in range(3)]


@pytest.mark.parametrize('dtype', ['e', 'f', 'd'])
@pytest.mark.parametrize('transpose', [True, False])
def test_loss(device, dtype, transpose):
    link, xs, ys = setup(dtype)
    expected = []
    for k in ORDER:
        scores = all_scores(link.cost.array.astype('d'), xs[k].astype('d'))
        expected.append(
            np.log(np.sum(np.exp(list(scores.values())))) - scores[tuple(ys[k])])
    if not transpose:
        xs, ys = by_times(xs), by_times(ys)
    link, xs, ys = device.send((link, xs, ys))
    tol = {'rtol': 5e-3, 'atol': 5e-3} if dtype == 'e' else {'rtol': 1e-5}
    y = link(xs, ys, reduce='no', transpose=transpose)
    assert y.dtype == np.dtype(dtype)
    compare.assert_allclose(y.array, expected, **tol)
    y = link(xs, ys, transpose=transpose)
    compare.assert_allclose(y.array, np.mean(expected), **tol)


@pytest.mark.parametrize('transpose', [True, False])
def test_argmax(device, transpose):
    link, xs, _ = setup('f')
    best = []
    for x in xs:
        scores = all_scores(link.cost.array, x)
        best.append(max(scores, key=scores.get))
    expected = [all_scores(link.cost.array, xs[k])[best[k]] for k in ORDER]
    scores, path = device.send(link).argmax(
        device.send(xs if transpose else by_times(xs)), transpose)
    compare.assert_allclose(scores.array, expected, rtol=1e-5)
    assert isinstance(path, list) and path[0].dtype == np.int32
    wanted = best if transpose else by_times(best)
    assert [p.tolist() for p in path] == [list(p) for p in wanted]


def test_gradients(device):
    link, xs, ys = device.send(setup('d'))
    gradient_check.check_backward(
        lambda *xs: link(xs, ys, transpose=True), tuple(xs), device.send(np.array(2.)),
        (link.cost,), atol=1e-6)


def test_cost():
    assert not links.CRF1d(3).cost.array.any()
    assert links.CRF1d(3).cost.shape == (3, 3)
    link = links.CRF1d(2, initial_cost=np.arange(4.).reshape(2, 2))
    assert link.cost.dtype == np.float32
    compare.assert_array_equal(link.cost.array, [[0, 1], [2, 3]])
    assert (links.CRF1d(2, 3).cost.array == 3).all()


def test_errors(device):
    link, xs, ys = device.send(setup('f'))
    with pytest.raises(ValueError, match='reduce'):
        link(xs, ys, 'sum', True)
    with pytest.raises(IndexError):
        link(xs, ys[:3], transpose=True)
    with pytest.raises(IndexError):
        link([], [], transpose=True)

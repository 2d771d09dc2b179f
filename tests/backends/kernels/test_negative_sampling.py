"""Compiled forms for scores of a few classes, against the reference."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainer_fast.backends.kernels import negative_sampling as kernels
from tests import devices
from tests.backends.kernels import forms


@st.composite
def arguments(draw):
    n, k, classes, width = [draw(st.integers(1, m)) for m in (5, 4, 6, 40)]
    rng = np.random.RandomState(draw(st.integers(0, 2 ** 16)))
    dtype = draw(st.sampled_from('efd'))
    x, W, g = [
        rng.uniform(-1, 1, shape).astype(dtype)
        for shape in ((n, width), (classes, width), (n, k))]
    if draw(st.booleans()):
        W, g = W[:, ::-1], np.asfortranarray(g)
    ids = rng.randint(-classes, classes, (n, k)).astype(draw(st.sampled_from('iq')))
    counted = draw(st.sampled_from([None, rng.uniform(size=n) < .6]))
    return x, W, g, ids, counted


@given(arguments())
def test_compiled_forms(args):
    x, W, g, ids, counted = args
    tolerance = {'e': 1e-2, 'f': 1e-5, 'd': 1e-12}[x.dtype.char]
    for f, some in (
            (kernels.scores, (x, W, ids, counted)),
            (kernels.sum_rows, (g, W, ids, counted)),
            (kernels.spread_rows, (g, x, ids, counted, len(W)))):
        actual, expected = f(*some), f.reference(*some)
        assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
        np.testing.assert_allclose(actual, expected, tolerance, tolerance)


@given(st.integers(1, 50), st.sampled_from([5, (7,), (0,), (3, 4), (2, 3, 4)]),
       st.integers(0, 2 ** 16), st.booleans())
def test_buckets(n, shape, seed, edges):
    rng = np.random.RandomState(seed)
    threshold, values = rng.uniform(size=n).astype('f'), np.arange(2 * n, dtype='i')
    heights = rng.uniform(0, n, shape)
    if edges:
        # The single precision of thresholds counts.
        buckets = heights.astype('i')
        heights = buckets + threshold[buckets].astype('d')
        heights[heights >= n] = 0
    compiled = kernels.in_buckets.compiled(threshold, values, heights)
    expected = kernels.in_buckets.reference(threshold, values, heights)
    assert (compiled.dtype, compiled.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(compiled, expected)
    for out in -1., n, np.nan:
        heights = np.array([out])
        assert kernels.in_buckets.compiled(threshold, values, heights) is NotImplemented


@pytest.mark.gpu
@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('some', [False, True])
def test_device_forms(device, dtype, some):
    rng = np.random.RandomState(0)
    shapes = (5, 40), (6, 40), (5, 3)
    ids = rng.randint(-6, 6, (5, 3)).astype('i')
    counted = np.array([True, False, True, True, False])
    mask = counted if some else None
    for x, W, g in zip(*[
            forms.layouts(rng.uniform(-1, 1, shape).astype(dtype)) for shape in shapes],
            strict=True):
        forms.check(kernels.scores, x, W, ids, mask)
        forms.check(kernels.sum_rows, g, W, ids, mask)
        forms.check(kernels.spread_rows, g, x, ids, mask, 6)
        # Scores of samples that are left out are zero.
        scores = kernels.scores.reference(x, W, ids, counted)
        for each in False, True:
            forms.check(kernels.losses, scores, counted, each)
        for gy in np.array(.3, dtype), rng.uniform(-1, 1, 5).astype(dtype):
            factors = kernels.factors.device(*device.send((scores, counted, gy)))
            forms.assert_close(
                devices.to_cpu(factors)[counted],
                kernels.factors.reference(scores, counted, gy)[counted])


@pytest.mark.gpu
@pytest.mark.parametrize('dtype', 'efd')
def test_device_forms_of_trees(device, dtype):
    rng = np.random.RandomState(0)
    # The leaf 1 does not exist.
    begins = np.array([0, 2, 2, 5, 6], 'i')
    paths = np.array([0, 1, 0, 1, 2, 0], 'i')
    codes = np.array([1, -1, 1, 1, -1, -1], dtype)
    t = np.array([0, 2, 3, 0], 'i')
    nodes, turns = kernels.ways.reference(t, begins, paths, codes, 3)
    assert turns.tolist() == [[1, -1, 0], [1, 1, -1], [-1, 0, 0], [1, -1, 0]]
    forms.check(kernels.ways, t, begins, paths, codes, 3)
    scores = rng.uniform(-9, 9, turns.shape).astype(dtype)
    forms.check(kernels.tree_loss, scores, turns.astype(dtype))
    forms.check(
        kernels.tree_factors, scores, turns.astype(dtype), np.array(.3, dtype))


@pytest.mark.gpu
def test_targets_on_a_device(device):
    samples = device.send(np.arange(8, dtype='i').reshape(4, 2))
    t = device.send(np.array([5, -1, 2, 5], 'i'))
    counted = kernels.put_targets.device(t, samples, -1)
    assert devices.to_cpu(counted).tolist() == [True, False, True, True]
    assert devices.to_cpu(samples).tolist() == [[5, 1], [-1, 3], [2, 5], [5, 7]]


@pytest.mark.gpu
def test_no_device_form_for_these(device):
    x, ids = device.send((np.ones((2, 3), 'f'), np.zeros((2, 1), 'i')))
    for W in x.astype('d'), x.astype('e'):
        assert kernels.scores.device(x, W, ids, None) is NotImplemented
        assert kernels.sum_rows.device(x, W, ids, None) is NotImplemented
        assert kernels.spread_rows.device(x, W, ids, None, 2) is NotImplemented


@given(arguments())
def test_products_are_adjoint(args):
    x, W, g, ids, counted = args
    if x.dtype != 'd':
        return
    total = (kernels.scores(x, W, ids, counted) * g).sum()
    rows = kernels.sum_rows(g, W, ids, counted)
    spread = kernels.spread_rows(g, x, ids, counted, len(W))
    np.testing.assert_allclose([(rows * x).sum(), (spread * W).sum()], total, 1e-9)


@pytest.mark.parametrize('wrong', [5, -6])
def test_ids_without_a_row(wrong):
    x, W = np.ones((1, 2)), np.ones((5, 2))
    ids = np.array([[0, wrong]])
    with pytest.raises(IndexError):
        kernels.scores(x, W, ids, None)
    with pytest.raises(IndexError):
        kernels.sum_rows(np.ones((1, 2)), W, ids, None)
    with pytest.raises(IndexError):
        kernels.spread_rows(np.ones((1, 2)), x, ids, None, 5)


def test_lengths_that_differ():
    with pytest.raises(ValueError):
        kernels.scores(np.ones((1, 2)), np.ones((5, 3)), np.array([[0]]), None)

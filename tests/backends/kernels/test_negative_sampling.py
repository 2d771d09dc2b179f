"""Compiled forms for scores of a few classes, against the reference."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainer_fast.backends.kernels import negative_sampling as kernels


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

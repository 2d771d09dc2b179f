"""Compiled forms for conditional random fields, against the reference."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chainer_fast.backends.kernels import crf
from tests import devices


@st.composite
def chains(draw):
    labels = draw(st.integers(1, 6))
    sizes = sorted(draw(st.lists(st.integers(0, 4), min_size=1, max_size=6)))[::-1]
    sizes[0] = max(sizes[0], 1)
    rng = np.random.RandomState(draw(st.integers(0, 2 ** 16)))
    # The largest scale lets the fast steps underflow.
    scale = draw(st.sampled_from([.1, 3, 100, 3000]))
    dtype = draw(st.sampled_from('fd'))
    x = rng.uniform(-scale, scale, (sum(sizes), labels))
    cost = rng.uniform(-scale, scale, (labels, labels))
    # Single precision holds the finite ones.
    low = draw(st.sampled_from([-np.inf, -2e30, -3e34]))
    for scores in x, cost:
        share = draw(st.sampled_from([0, .3, .8]))
        scores[rng.uniform(size=scores.shape) < share] = low
    return x.astype(dtype), cost.astype(dtype), sizes


def quiet(f, *args):
    # The reference subtracts infinities where nothing is possible.
    with np.errstate(invalid='ignore'):
        return f(*args)


def are_lost(totals):
    """Whether logarithms of sums of probabilities are lost in rounding somewhere."""
    return (totals < -1e12).any()


@given(chains())
def test_sums_over_labellings(args):
    before, totals = crf.forth(*args)
    expected, expected_totals = quiet(crf.forth.reference, *args)
    np.testing.assert_allclose(totals, expected_totals, 1e-10, 1e-9)
    np.testing.assert_allclose(before, expected, 1e-10, 1e-9)


@given(chains())
def test_gradients(args):
    x, cost, sizes = args
    before, totals = quiet(crf.forth.reference, *args)
    if are_lost(totals[np.isfinite(totals)]):
        return
    g = np.linspace(-1, 2, sizes[0])
    own = crf.forth(*args)
    tolerance = 1e-5 if x.dtype == 'f' else 1e-9
    for actual, expected in zip(
            crf.back(*args, *own, g),
            quiet(crf.back.reference, *args, before, totals, g), strict=True):
        assert actual.dtype == expected.dtype == x.dtype
        np.testing.assert_allclose(actual, expected, tolerance, tolerance)


@pytest.mark.gpu
@settings(max_examples=40)
@given(args=chains())
def test_device_forms(device, args):
    x, cost, sizes = args
    before, totals = quiet(crf.forth.reference, *args)
    own = crf.forth.device(*device.send(args))
    for actual, expected in zip(devices.to_cpu(own), (before, totals), strict=True):
        np.testing.assert_allclose(actual, expected, 1e-10, 1e-9)
    if not np.isfinite(totals).all() or are_lost(totals):
        return
    g = np.linspace(-1, 2, sizes[0])
    rng = np.random.RandomState(0)
    ys = [rng.randint(0, len(cost), n).astype('i') for n in sizes]
    xs = np.split(x, np.cumsum(sizes)[:-1])
    tolerance = 1e-5 if x.dtype == 'f' else 1e-9
    expected = crf.back.reference(*args, before, totals, g)
    gs = crf.back.device(*device.send(args), *own, device.send(g))
    for subtracted in False, True:
        if subtracted:
            crf.subtract_paths.reference(*expected, ys, g)
            crf.subtract_paths.device(*gs, *device.send((ys, g)))
        for a, e in zip(devices.to_cpu(gs), expected, strict=True):
            assert a.dtype == e.dtype == x.dtype
            np.testing.assert_allclose(a, e, tolerance, tolerance)
    np.testing.assert_allclose(
        devices.to_cpu(crf.path_scores.device(*device.send((cost, xs, ys)))),
        crf.path_scores.reference(cost, xs, ys), tolerance, tolerance)


@given(chains())
def test_best_paths(args):
    x, cost, sizes = args
    for scores in x, np.round(x), np.asfortranarray(x):
        for actual, expected in zip(
                crf.best_paths(scores, cost, sizes),
                crf.best_paths.reference(scores, cost, sizes), strict=True):
            assert actual.dtype == expected.dtype
            np.testing.assert_array_equal(actual, expected)


def test_no_compiled_form():
    x, cost = np.zeros((2, 3), 'e'), np.zeros((3, 3), 'e')
    assert crf.forth.compiled(x, cost, [2]) is NotImplemented
    assert crf.best_paths.compiled(x, cost, [2]) is NotImplemented
    assert crf.forth.compiled(x.astype('f'), cost.astype('d'), [2]) is NotImplemented

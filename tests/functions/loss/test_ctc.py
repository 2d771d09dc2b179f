import itertools

import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast import no_backprop_mode
from chainer_fast.functions.loss import ctc
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients

loss = F.connectionist_temporal_classification
X = gradients.uniform((4, 3, 4), low=-2, high=2)
T = np.array([[0, 1], [1, 1], [2, 0]], 'i')
BLANK = 3
FULL = np.array([4, 4, 4], 'i'), np.array([2, 2, 2], 'i')


def collapsed(path):
    return [k for k, _ in itertools.groupby(path) if k != BLANK]


def by_enumeration(x, labels):
    """Negative logarithm of the probability of all paths that give the labels."""
    y = np.exp(x - x.max(axis=1, keepdims=True))
    y /= y.sum(axis=1, keepdims=True)
    total = sum(
        np.prod([y[t, k] for t, k in enumerate(path)])
        for path in itertools.product(range(x.shape[1]), repeat=len(x))
        if collapsed(path) == list(labels))
    return -np.log(total)


@pytest.mark.parametrize('lengths', [
    FULL,
    (np.array([3, 4, 1], 'i'), np.array([2, 2, 1], 'i')),
    (np.array([4, 3, 2], 'i'), np.array([0, 1, 0], 'i')),
])
@pytest.mark.parametrize('reduce', ['mean', 'no'])
def test_values_and_gradients(device, lengths, reduce):
    losses = [
        by_enumeration(X[:n, i], T[i][:m])
        for i, (n, m) in enumerate(zip(*lengths, strict=True))]
    expected = losses if reduce == 'no' else np.mean(losses)
    compare.assert_allclose(
        loss(device.send(list(X)), device.send(T), BLANK, *device.send(lengths),
             reduce).array,
        expected, 1e-10)
    gradients.check(
        device, lambda *xs: loss(xs, device.send(T), BLANK, *device.send(lengths),
        reduce), *X, double=False)


def test_lengths_are_those_of_the_arrays(device):
    y = loss(device.send(list(X)), device.send(T), BLANK).array
    assert loss(
        device.send(list(X)), device.send(T), BLANK, *device.send(FULL)).array == y
    lengths = [Variable(n) for n in device.send(FULL)]
    assert loss(
        device.send(tuple(X)), Variable(device.send(T)), BLANK, *lengths).array == y


def test_padding_has_no_gradient(device):
    xs = [Variable(device.send(x)) for x in X]
    loss(xs, device.send(T), BLANK, device.send(np.array([4, 3, 2], 'i'))).backward()
    for t, x in enumerate(xs):
        for i, n in enumerate([4, 3, 2]):
            assert x.grad[i].any() == (t < n)


@pytest.mark.parametrize('dtype', 'ef')
@pytest.mark.parametrize('reduce', ['mean', 'no'])
def test_dtypes(device, dtype, reduce):
    xs = [Variable(device.send(x.astype(dtype))) for x in X]
    y = loss(xs, device.send(T), BLANK, reduce=reduce)
    y.grad = np.ones_like(y.array)
    y.backward()
    assert {y.dtype, *[x.grad.dtype for x in xs]} == {np.dtype(dtype)}
    compare.assert_allclose(
        y.array, loss(device.send(list(X)), device.send(T), BLANK, reduce=reduce).array,
        rtol=1e-2)


@pytest.mark.parametrize('dtype, most', [('e', 1e4), ('f', 1e10), ('d', 1e10)])
def test_impossible_labels(device, dtype, most):
    xs = [Variable(device.send(x.astype(dtype))) for x in X]
    # The second sample would need a blank between its labels.
    y = loss(
        xs, device.send(T), BLANK, device.send(np.array([2, 2, 2], 'i')), reduce='no')
    compare.assert_array_equal(y.array == most, [False, True, False])
    y.grad = np.ones_like(y.array)
    y.backward()
    for x in xs[:2]:
        compare.assert_array_equal(x.grad.any(axis=1), [True, False, True])


def test_zero_probabilities(device):
    x = X.copy()
    x[:, :, 2] = -np.inf
    xs = [Variable(device.send(a)) for a in x]
    y = loss(xs, device.send(T), BLANK, reduce='no')
    compare.assert_allclose(
        y.array, [by_enumeration(x[:, 0], T[0]), by_enumeration(x[:, 1], T[1]), 1e10])
    y.grad = device.send(np.ones(3))
    y.backward()
    assert all(np.isfinite(v.grad).all() for v in xs)
    # Not even one class is possible.
    x[1, 0] = -np.inf
    y = loss(device.send(list(x)), device.send(T), BLANK, reduce='no')
    assert y.array[0] == 1e10


def test_large_scores(device):
    x = np.zeros((3, 1, 3), 'f')
    x[[0, 1, 2], 0, [0, 2, 1]] = 3e4
    xs = [Variable(device.send(a)) for a in x]
    y = loss(xs, device.send(np.array([[1, 0]], 'i')), 2)
    # The labels are in the wrong order: two classes must come against the scores.
    compare.assert_allclose(y.array, 6e4)
    y.backward()
    assert all(np.isfinite(v.grad).all() for v in xs)


def test_nan_comes_out(device):
    x = X.copy()
    x[0, 0, 0] = np.nan
    assert np.isnan(loss(device.send(list(x)), device.send(T), BLANK).array)


def test_empty_batch(device):
    assert loss(
        device.send(list(X[:, :0])), device.send(T[:0]), BLANK,
        reduce='no').shape == (0,)


def test_without_backprop(device):
    with no_backprop_mode():
        y = loss([Variable(device.send(x)) for x in X], device.send(T), BLANK)
    compare.assert_array_equal(
        y.array, loss(device.send(list(X)), device.send(T), BLANK).array)


@pytest.mark.parametrize('error, args', [
    (TypeError, (X, T, BLANK)),
    (TypeError, (list(X), T, '3')),
    (AssertionError, (list(X), T, -1)),
    (AssertionError, (list(X), T, 4)),
    (IndexError, ([], T, BLANK)),
    pytest.param(IndexError, (list(X), T + 4, BLANK), marks=pytest.mark.host),
    pytest.param(
        ValueError, (list(X), T, BLANK, None, np.array([3, 0, 0], 'i')),
        marks=pytest.mark.host),
    pytest.param(
        ValueError, (list(X), T, BLANK, None, np.array([-1, 0, 0], 'i')),
        marks=pytest.mark.host),
    (ValueError, (list(X), T, BLANK, None, None, 'sum')),
    (type_check.InvalidType, (list(X), T.astype('l'), BLANK)),
    (type_check.InvalidType, (list(X), T[:2], BLANK)),
    (type_check.InvalidType, (list(X), T, BLANK, np.array([4, 4, 4], 'l'))),
    (type_check.InvalidType, (list(X), T, BLANK, np.array([4, 4], 'i'))),
])
def test_errors(device, error, args):
    with pytest.raises(error):
        loss(*device.send(args))


def test_helpers_of_the_class():
    f = ctc.ConnectionistTemporalClassification(BLANK)
    f(*FULL, T, X)
    y = np.exp(X) / np.exp(X).sum(axis=2, keepdims=True)
    log_y = f.log_matrix(y, np)
    compare.assert_allclose(log_y, np.log(y))
    assert f.log_matrix(np.zeros(1), np) == f.zero_padding
    args = FULL[0], T, FULL[1], f.path, f.path_length, np
    states = f.calc_trans(log_y, *args)
    total = np.exp(states).sum(axis=2)
    losses = [by_enumeration(X[:, i], T[i]) for i in range(3)]
    compare.assert_allclose(total, np.tile(np.exp(-np.array(losses)), (4, 1)))
    shares = f.label_probability(
        4, f.path, f.path_length, np.exp(states) / total[:, :, None], np)
    compare.assert_allclose(shares.sum(axis=2), 1)
    assert shares.shape == X.shape

"""Functions of float16 whose steps leave float16, and whose results do not."""
import numpy as np
import pytest

import chainer_fast.functions as F
from chainer_fast import Variable, config, using_config
from tests.devices import to_cpu


def draw(*shape, scale=1., shift=0., seed=0):
    """Return float16 numbers, as float64."""
    values = np.random.RandomState(seed).standard_normal(shape) * scale + shift
    return values.astype('e').astype('d')


def labels(x, classes=3):
    """Return labels where the scores are."""
    return x.xp.arange(len(x)) % classes


def zeros(x):
    return x.xp.zeros(9000, 'i')


def both(n, *others):
    return [draw(n, *others, seed=seed) for seed in (1, 2)]


# Name: the function, and its arrays.  All results are float16, of magnitude 1 or so.
CASES = {
    'sum of rows': (lambda x: F.sum(x, axis=0), [draw(9000, 3, shift=1)]),
    'sum of middle axis': (
        lambda x: F.sum(x, axis=(0, 2)), [draw(60, 2, 500, shift=1)]),
    'sum_to': (lambda x: F.sum_to(x, (1, 3)), [draw(9000, 3, shift=1)]),
    'broadcast_to': (
        lambda x: F.broadcast_to(x, (9000, 3)) * 2, [draw(3)], lambda x: np.ones(
            (9000, 3))),
    'bias': (lambda x, b: x + b, [draw(9000, 3), draw(1, 3)], lambda *xs: np.ones(
        (9000, 3))),
    'mean': (F.average, [draw(100000, shift=2)]),
    'weighted mean': (
        lambda x, w: F.average(x, weights=w * w), both(100000)),
    'cumsum': (F.cumsum, [draw(9000, scale=.1, shift=1)]),
    'logsumexp': (F.logsumexp, [draw(70000, scale=.1)]),
    'logsumexp of columns': (lambda x: F.logsumexp(x, axis=0), [draw(70000, 2)]),
    'log_softmax': (lambda x: F.log_softmax(x, axis=0), [draw(70000, 2)]),
    'batch_l2_norm_squared': (F.batch_l2_norm_squared, [draw(3, 9000, scale=3e-4)]),
    'huber_loss': (
        lambda x, t: F.huber_loss(x, t, 1.), [
            draw(3, 9000, scale=3e-4, seed=seed) for seed in (1, 2)]),
    'mean_squared_error': (F.mean_squared_error, both(400000)),
    'mean_absolute_error': (F.mean_absolute_error, both(400000)),
    'sigmoid_cross_entropy': (
        lambda x: F.sigmoid_cross_entropy(x, labels(x, 2)), [draw(400000)]),
    'hinge': (lambda x: F.hinge(x * .25, labels(x)), [draw(100000, 3)]),
    'gaussian_kl_divergence': (
        lambda m, v: F.gaussian_kl_divergence(m, v, 'mean'), both(400000)),
    'large gaussian_kl_divergence': (
        lambda m, v: F.gaussian_kl_divergence(m, v, 'mean') * 1e-2,
        [draw(300, scale=200), draw(300)]),
    'bernoulli_nll': (lambda y: F.bernoulli_nll(
        labels(y, 2).astype(y.dtype), y, 'mean'), [draw(400000)]),
    'gaussian_nll': (
        lambda x, m: F.gaussian_nll(x, m, m * 0, 'mean'), both(400000)),
    'cross_covariance': (F.cross_covariance, both(70000, 3)),
    'large cross_covariance': (
        lambda x, y: F.cross_covariance(x, y, 'no'), both(500, 3)),
    'decov': (F.decov, [draw(70000, 3) + draw(70000, 1)]),
    'bilinear': (
        lambda x, y, w: F.bilinear(x, y, w), [
            draw(3, 20, scale=300), draw(3, 20, scale=300, seed=1),
            draw(20, 20, 2, scale=1e-4)], lambda *xs: np.full((3, 2), .05)),
    'rows that are used often': (
        lambda w: F.embed_id(zeros(w), w), [draw(2, 3)],
        lambda w: np.ones((9000, 3))),
    'elements that are used often': (
        lambda x: F.get_item(x, zeros(x)), [draw(2, 3)],
        lambda w: np.ones((9000, 3))),
    'scatter_add': (
        lambda x, y: F.scatter_add(x, zeros(x), y),
        [draw(2), draw(9000, shift=1)]),
    'accuracy': (lambda y: F.accuracy(y, labels(y)), [draw(200000, 3)]),
    'binary_accuracy': (
        lambda y: F.binary_accuracy(y, labels(y, 2)), [draw(200000)]),
    'r2_score': (
        lambda x, y: F.r2_score(x, x * .875 + y * .125), both(70000)),
    'large r2_score': (
        lambda x, y: F.r2_score(x, x * .875 + y * .125), [
            300 * values for values in both(70)]),
}


def results(device, function, arrays, dtype, gradient, differentiable):
    xs = [Variable(device.send(x.astype(dtype))) for x in arrays]
    y = function(*xs)
    found = [y.array]
    if y.requires_grad:
        gy = gradient(*xs) if gradient else (
            # As a loss scale would do it: quotients of many fit in.
            np.full((), 1024.) if y.ndim == 0 else draw(*y.shape, seed=5))
        y.grad = device.send(np.asarray(gy, dtype))
        y.backward(enable_double_backprop=differentiable)
        found += [x.grad for x in xs if x.grad is not None]
    assert {x.dtype for x in found} == {np.dtype(dtype)}
    return to_cpu(found)


@pytest.mark.parametrize('differentiable', [False, True])
@pytest.mark.parametrize('name', CASES)
def test_results_that_float16_holds(device, name, differentiable):
    function, arrays, *gradient = CASES[name]
    gradient = gradient[0] if gradient else None
    expected = results(device, function, arrays, 'd', gradient, differentiable)
    found = results(device, function, arrays, 'e', gradient, differentiable)
    for each, exact in zip(found, expected, strict=True):
        assert np.isfinite(exact.astype('e')).all()
        np.testing.assert_allclose(
            each, exact, rtol=4e-3, atol=4e-3 * max(abs(exact).max(), 1e-6))


def test_configuration_is_as_ever():
    with using_config('enable_backprop', False):
        assert F.average(np.ones(3, 'e'), weights=np.ones(3, 'e')).dtype == 'e'
        assert not config.enable_backprop

"""Losses over a target and samples of noise."""
import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast import grad
from chainer_fast.utils import WalkerAlias, type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients

X, W = gradients.uniform((4, 3)), gradients.uniform((5, 3), 1)
T = np.array([0, 2, -1, 1], 'i')
W_OF_MANY = gradients.uniform((60, 3), 2)
NOISE = np.array([[1, 2], [0, 2], [4, 4], [1, 1]], 'i')


def sampler(shape):
    assert shape == (4, 3)
    return np.concatenate([np.full((4, 1), 9, 'i'), NOISE], axis=1)


def negative_sampling(device, x, W, **options):
    return F.negative_sampling(
        x, device.send(T), W, lambda shape: device.send(sampler(shape)), 2, **options)


def black_out(device, x, W, reduce='mean'):
    return F.black_out(x, device.send(abs(T)), W, device.send(NOISE), reduce)


def scores(t):
    return np.einsum('ij,ikj->ik', X, W[np.concatenate([t[:, None], NOISE], 1)])


def negative_sampling_losses():
    f = scores(T) * [-1, 1, 1]
    return np.log1p(np.exp(f)).sum(axis=1) * (T != -1)


def black_out_losses():
    p = np.exp(scores(abs(T)))
    p /= p.sum(axis=1, keepdims=True)
    return -np.log(p[:, 0]) - np.log(1 - p[:, 1:]).sum(axis=1)


@pytest.mark.parametrize('reduce', ['sum', 'no'])
def test_negative_sampling(device, reduce):
    losses = negative_sampling_losses()
    y = negative_sampling(device, device.send(X), device.send(W), reduce=reduce)
    compare.assert_allclose(y.array, losses if reduce == 'no' else losses.sum())
    gradients.check(
        device, lambda x, W: negative_sampling(device, x, W, reduce=reduce), X, W)


@pytest.mark.parametrize('reduce', ['mean', 'no'])
def test_black_out(device, reduce):
    losses = black_out_losses()
    y = black_out(device, device.send(X), device.send(W), reduce)
    compare.assert_allclose(y.array, losses if reduce == 'no' else losses.mean())
    gradients.check(device, lambda x, W: black_out(device, x, W, reduce), X, W)


@pytest.mark.parametrize('f', [negative_sampling, black_out])
@pytest.mark.parametrize('dtype', 'ef')
def test_dtypes(device, f, dtype):
    for reduce in {}, {'reduce': 'no'}:
        vs = [Variable(device.send(a.astype(dtype))) for a in (X, W)]
        y = f(device, *vs, **reduce)
        gs = grad([y], vs) + grad([y], vs, enable_double_backprop=True)
        assert {y.dtype, *[g.dtype for g in gs]} == {np.dtype(dtype)}


@pytest.mark.parametrize('x_type, w_type', ['fd', 'df', 'ef', 'ed', 'de'])
def test_black_out_of_two_dtypes(device, x_type, w_type):
    x, w = [Variable(device.send(array.astype(dtype)))
            for array, dtype in ((X, x_type), (W, w_type))]
    exact = [Variable(device.send(v.array.astype('d'))) for v in (x, w)]
    y, expected = black_out(device, x, w), black_out(device, *exact)
    assert y.dtype == np.promote_types(x_type, w_type)
    for v in y, expected:
        v.backward()
    rtol = 1e-5 if 'e' not in x_type + w_type else 1e-2
    compare.assert_allclose(y.array, expected.array, rtol=rtol)
    for v, of in zip((x, w), exact, strict=True):
        assert v.grad.dtype == v.dtype
        compare.assert_allclose(v.grad, of.grad, rtol=rtol, atol=1e-4)


def test_black_out_in_half_precision(device):
    """Rounding errors of many samples of noise do not add up."""
    x, W = X.astype('e'), W_OF_MANY.astype('e')
    ids = np.arange(len(W))[None].repeat(len(x), 0)
    y, expected = [
        F.black_out(*device.send((a, ids[:, 0], b, ids[:, 1:])), 'no')
        for a, b in [(x, W), (x.astype('d'), W.astype('d'))]]
    compare.assert_allclose(y.array, expected.array, rtol=1e-3, atol=0)


def test_samples_are_returned(device):
    y, samples = negative_sampling(
        device, device.send(X), device.send(W), return_samples=True)
    compare.assert_array_equal(samples[:, 0], T)
    compare.assert_array_equal(samples[:, 1:], NOISE)
    compare.assert_array_equal(
        y.array, negative_sampling(device, device.send(X), device.send(W)).array)


def test_stream_of_samples():
    walker = WalkerAlias([1, 2, 3, 4, 5])
    np.random.seed(0)
    _, samples = F.negative_sampling(
        X, abs(T), W, walker.sample, 3, return_samples=True)
    np.random.seed(0)
    compare.assert_array_equal(samples[:, 1:], walker.sample((4, 4))[:, 1:])


def test_ignored_samples_have_no_part(device):
    x = X.copy()
    x[2] = np.nan
    v, w = Variable(device.send(x)), Variable(device.send(W))
    y = negative_sampling(device, v, w)
    y.backward()
    compare.assert_allclose(y.array, negative_sampling_losses().sum())
    compare.assert_array_equal(v.grad[2], 0)
    assert np.isfinite(w.grad).all()


@pytest.mark.parametrize('index', [0, 1])
def test_second_gradients_of_one_first(device, index):
    v, w = Variable(device.send(X)), Variable(device.send(W))
    y = negative_sampling(device, v, w)
    g = grad([y], [v, w], enable_double_backprop=True)[index]
    for gg in grad([F.sum(g)], [v, w]):
        assert gg.array.any()


def test_second_gradients_through_the_gradient_of_the_loss(device):
    # d(l^2) = 2 l dl depends on the inputs through l as well.
    def squared(x, w):
        return negative_sampling(device, x, w) ** 2

    gradients.check(device, squared, X, W)


def test_far_better_scores(device):
    x, w = Variable(device.send(X * 1000)), Variable(device.send(W))
    f = scores(abs(T)) * 1000
    # A sample of noise with nearly all of the probability has a finite loss.
    y = black_out(device, x, w, 'no')
    assert np.isfinite(y.array).all()
    for i, row in enumerate(f):
        best = row.argmax()
        if best and (row == row[best]).sum() == 1:
            gap = row[best] - np.delete(row, best).max()
            assert y.array[i] >= gap
    for g in grad([F.sum(y)], [x, w]) + grad(
            [F.sum(black_out(device, x, w, 'no'))], [x, w],
            enable_double_backprop=True):
        assert np.isfinite(g.array).all()
    y = negative_sampling(device, x, w)
    y.backward()
    assert np.isfinite(x.grad).all()


def test_nothing_to_sum_up(device):
    y = F.negative_sampling(
        *device.send((X[:0], T[:0], W)), lambda shape: device.xp.zeros(shape, 'i'), 2)
    assert y.array == 0
    compare.assert_allclose(
        F.black_out(*device.send((X, abs(T), W, NOISE[:, :0]))).array, 0)


@pytest.mark.parametrize('error, args', [
    (ValueError, (X, T, W, sampler, 2, 'mean')),
    pytest.param(IndexError, (X, T + 5, W, sampler, 2), marks=pytest.mark.host),
    (type_check.InvalidType, (X, T.astype('l'), W, sampler, 2)),
    (type_check.InvalidType, (X, T[:3], W, sampler, 2)),
    (type_check.InvalidType, (X, T, W.astype('f'), sampler, 2)),
    (type_check.InvalidType, (X, T, W[0], sampler, 2)),
])
def test_errors_of_negative_sampling(device, error, args):
    with pytest.raises(error):
        F.negative_sampling(*device.send(args))


def test_unknown_arguments(device):
    with pytest.raises(TypeError):
        F.negative_sampling(
            *device.send((X, T, W)), sampler, 2, samples=device.send(NOISE))


@pytest.mark.parametrize('error, args', [
    pytest.param(IndexError, (X, T + 5, W, NOISE), marks=pytest.mark.host),
    pytest.param(IndexError, (X, T, W, NOISE + 5), marks=pytest.mark.host),
    (TypeError, (X, T.tolist(), W, NOISE)),
    (ZeroDivisionError, (X[:0], T[:0], W, NOISE[:0])),
    (type_check.InvalidType, (X, T.astype('f'), W, NOISE)),
    (type_check.InvalidType, (X, T[:3], W, NOISE)),
    (type_check.InvalidType, (X, T, W[:, :2], NOISE)),
])
def test_errors_of_black_out(device, error, args):
    with pytest.raises(error):
        F.black_out(*device.send(args))


def test_labels_of_another_type_are_refused():
    x, t, W = np.ones((2, 3), 'f'), np.zeros(2, 'i8'), np.ones((4, 3), 'f')
    with pytest.raises(type_check.InvalidType):
        F.negative_sampling(x, t, W, lambda shape: np.zeros(shape, 'i'), 2)

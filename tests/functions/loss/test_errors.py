"""Losses of regressions and of binary and one-against-all classification."""
import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast.functions.loss.sigmoid_cross_entropy import SigmoidCrossEntropy
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients


def huber(a, delta):
    return np.where(abs(a) < delta, a * a / 2, delta * (abs(a) - delta / 2))


PAIRS = {
    'mean_squared_error': (F.mean_squared_error, lambda a: np.mean(a * a)),
    'mean_absolute_error': (F.mean_absolute_error, lambda a: np.mean(abs(a))),
    'absolute_error': (F.absolute_error, abs),
    'squared_error': (F.squared_error, np.square),
    'squared_difference': (F.squared_difference, np.square),
    'huber_loss': (lambda x, t: F.huber_loss(x, t, .8, 'no'), lambda a: huber(a, .8)),
    'summed huber_loss': (
        lambda x, t: F.huber_loss(x, t, .8), lambda a: huber(a, .8).sum(axis=1)),
}
each_pair = pytest.mark.parametrize('f, expected', PAIRS.values(), ids=PAIRS)


@each_pair
@pytest.mark.parametrize('dtype, tolerance', [('e', 5e-3), ('f', 1e-5), ('d', 1e-12)])
def test_values_and_types(device, f, expected, dtype, tolerance):
    x0 = gradients.uniform((4, 3), 0, dtype, -2, 2)
    x1 = gradients.uniform((4, 3), 1, dtype)
    y = f(Variable(device.send(x0)), Variable(device.send(np.asfortranarray(x1))))
    assert y.dtype == dtype
    difference = x0.astype('d') - x1.astype('d')
    compare.assert_allclose(y.array, expected(difference), tolerance, tolerance)


@each_pair
def test_gradients(device, f, expected):
    x = gradients.spread((4, 3))
    gradients.check(device, f, x, gradients.uniform((4, 3), 1, low=-.01, high=.01))


@pytest.mark.parametrize('name', list(PAIRS)[:6])
def test_scalars(device, name):
    f, expected = PAIRS[name]
    x0 = Variable(device.send(np.array(2., 'f')))
    x1 = Variable(device.send(np.array(.5, 'f')))
    y = f(x0, x1)
    assert isinstance(y.array, device.xp.ndarray)
    compare.assert_allclose(y.array, expected(np.array(1.5)))
    y.backward()
    assert x0.grad == -x1.grad > 0


@each_pair
def test_operands_must_be_alike(device, f, expected):
    x = np.zeros((2, 3), 'f')
    for other in np.zeros((3, 2), 'f'), np.zeros((2, 3)), np.zeros((2, 3), 'i'):
        with pytest.raises(type_check.InvalidType):
            f(device.send(x), device.send(other))
    with pytest.raises(type_check.InvalidType):
        f(device.send(other), device.send(other))


def test_mean_of_many_halves(device):
    x = Variable(device.send(np.full(30000, 4, 'e')))
    y = F.mean_absolute_error(x, np.zeros_like(x.array))
    assert y.array == 4


LABELS = np.array([[0, 1, -1], [1, 1, 0]])


def sigmoid_losses(x, t):
    p = 1 / (1 + np.exp(-x))
    return np.where(t == -1, 0, -np.log(np.where(t == 1, p, 1 - p)))


@pytest.mark.parametrize('normalize', [True, False])
def test_sigmoid_cross_entropy(device, normalize):
    x = gradients.uniform((2, 3), low=-3, high=3)
    losses = sigmoid_losses(x, LABELS)
    compare.assert_allclose(
        F.sigmoid_cross_entropy(device.send(x), device.send(LABELS), reduce='no').array,
        losses)
    count = 5 if normalize else 2
    compare.assert_allclose(
        F.sigmoid_cross_entropy(device.send(x), device.send(LABELS), normalize).array,
        losses.sum() / count)
    for reduce in 'mean', 'no':
        gradients.check(
            device, lambda x, r=reduce: F.sigmoid_cross_entropy(x, device.send(LABELS),
            normalize, r), x)


def test_sigmoid_cross_entropy_far_out(device):
    x = Variable(device.send(np.array([1e5, -1e5, 1e5], 'f')))
    y = F.sigmoid_cross_entropy(x, device.send(np.array([1, 0, 0])), reduce='no')
    compare.assert_array_equal(y.array, np.array([0, 0, 1e5], 'f'))
    y.grad = device.send(np.ones(3, 'f'))
    y.backward()
    compare.assert_array_equal(x.grad, [0, 0, 1])


def test_sigmoid_cross_entropy_of_nothing(device):
    x = np.zeros((2, 3), 'f')
    assert F.sigmoid_cross_entropy(
        device.send(x), device.send(np.full((2, 3), -1))).array == 0
    assert F.sigmoid_cross_entropy(
        device.send(x[:0]), device.send(LABELS[:0]), False).array == 0


@pytest.mark.parametrize('reduce', ['mean', 'no'])
def test_sigmoid_cross_entropy_that_ignores_another_label(device, reduce):
    class Loss(SigmoidCrossEntropy):
        ignore_label = 0

    t = np.array([[0, 1, 1], [1, 0, 1]])
    gradients.check(
        device, lambda x: Loss(reduce=reduce).apply((x, device.send(t)))[0],
        gradients.uniform((2, 3), low=-3, high=3))


@pytest.mark.parametrize('norm, power', [('L1', 1), ('L2', 2)])
def test_hinge(device, norm, power):
    x, t = gradients.spread((2, 3)), np.array([2, 0])
    signs = np.where(np.arange(3) == t[:, None], 1, -1)
    losses = np.maximum(0, 1 - signs * x) ** power
    compare.assert_allclose(
        F.hinge(device.send(x), device.send(t), norm, 'no').array, losses)
    compare.assert_allclose(
        F.hinge(device.send(x), device.send(t), norm).array, losses.sum() / 2)
    for reduce in 'mean', 'no':
        gradients.check(
            device, lambda x, r=reduce: F.hinge(x, device.send(t), norm, r), x,
            double=False)


def test_options_are_checked(device):
    x, t = device.send(np.zeros((2, 3), 'f')), np.zeros(2, 'i')
    with pytest.raises(NotImplementedError):
        F.hinge(x, device.send(t), 'L3')
    for call in (
            lambda: F.hinge(x, device.send(t), reduce='other'),
            lambda: F.sigmoid_cross_entropy(x, device.send(LABELS), reduce='other'),
            lambda: F.huber_loss(x, x, 1., 'mean')):
        with pytest.raises(ValueError):
            call()
    for call in (lambda: F.hinge(x, device.send(np.zeros(3, 'i'))),
                 lambda: F.hinge(x, device.send(t.astype('f'))),
                 lambda: F.sigmoid_cross_entropy(x, device.send(t)),
                 lambda: F.sigmoid_cross_entropy(x, x)):
        with pytest.raises(type_check.InvalidType):
            call()

import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast import grad, using_config
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients

loss = F.softmax_cross_entropy
twice = pytest.mark.parametrize('twice', [False, True])


def expected(x, t, class_weight=None, ignore_label=-1):
    x = np.moveaxis(x.astype('d'), 1, -1)
    log_p = x - np.log(np.exp(x).sum(axis=-1, keepdims=True))
    losses = np.zeros(t.shape)
    for i in np.ndindex(*t.shape):
        if t[i] != ignore_label:
            weight = 1 if class_weight is None else class_weight[t[i]]
            losses[i] = -log_p[i][t[i]] * weight
    return losses


CASES = [
    (gradients.uniform((4, 3)), np.array([0, 2, -1, 1])),
    (gradients.uniform((2, 3, 2, 2)), np.array([[[0, 1], [-1, 2]], [[2, 2], [1, 0]]])),
    (gradients.uniform((1, 3)), np.array([-1])),
]
each = pytest.mark.parametrize('x, t', CASES)


@twice
@each
@pytest.mark.parametrize('class_weight', [None, np.array([1., 2, .5])])
@pytest.mark.parametrize('normalize', [True, False])
def test_values_and_gradients(device, x, t, class_weight, normalize, twice):
    options = {
        'class_weight': device.send(class_weight), 'enable_double_backprop': twice}
    losses = expected(x, t, class_weight)
    compare.assert_allclose(
        loss(device.send(x), device.send(t), reduce='no', **options).array, losses,
        1e-10)
    count = (t != -1).sum() if normalize else len(t)
    mean = losses.sum() / max(count, 1)
    compare.assert_allclose(
        loss(device.send(x), device.send(t), normalize=normalize, **options).array,
        mean, 1e-10)
    for more in {'normalize': normalize}, {'reduce': 'no'}:
        gradients.check(
            device, lambda x, more=more: loss(x, device.send(t), **more, **options), x,
            double=twice)


@twice
@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('label_dtype', 'bhiq')
def test_types(device, dtype, label_dtype, twice):
    x = Variable(device.send(CASES[0][0].astype(dtype)))
    t = device.send(CASES[0][1].astype(label_dtype))
    y = loss(x, t, enable_double_backprop=twice)
    assert (y.shape, y.dtype) == ((), dtype)
    y.backward()
    assert x.grad.dtype == dtype


@pytest.mark.parametrize('cache_score', [True, False])
def test_scores_are_kept_if_wanted(device, cache_score):
    x, t = device.send(CASES[0])
    v = Variable(x)
    y = loss(v, t, cache_score=cache_score)
    if cache_score:
        compare.assert_allclose(y.creator.y, F.softmax(x).array)
    else:
        assert y.creator.y is None
    y.backward()
    compare.assert_allclose(v.grad.sum(axis=1), 0, atol=1e-12)


@twice
def test_large_scores_and_large_batches(device, twice):
    x = Variable(device.send(np.array([[1e4, -1e4, 0], [-1e4, 1e4, 0]], 'f')))
    y = loss(x, device.send(np.array([1, 1])), enable_double_backprop=twice)
    assert y.array == 1e4
    y.backward()
    compare.assert_array_equal(x.grad, [[.5, -.5, 0], [0, 0, 0]])
    # The sum is beyond the largest half, and the mean is not.
    x = Variable(device.send(np.zeros((150000, 2), 'e')))
    y = loss(x, device.send(np.zeros(150000, 'i')), enable_double_backprop=twice)
    compare.assert_allclose(y.array, np.log(2), 1e-3)
    y.backward()
    compare.assert_allclose(x.grad[0], [-.5 / 150000, .5 / 150000], .05)


@twice
def test_nothing_to_learn_from(device, twice):
    for x, t in (np.zeros((0, 3)), np.zeros(0, 'i')), CASES[2]:
        v = Variable(device.send(x))
        y = loss(v, device.send(t), enable_double_backprop=twice)
        assert y.array == 0
        y.backward()
        compare.assert_array_equal(v.grad, np.zeros_like(x))


@twice
@pytest.mark.parametrize('ignore_label', [-2, 9])
def test_an_ignored_label_need_not_be_a_class(device, twice, ignore_label):
    x = gradients.uniform((2, 3))
    t = np.array([ignore_label, 1])
    options = {'ignore_label': ignore_label, 'enable_double_backprop': twice}
    compare.assert_allclose(
        loss(device.send(x), device.send(t), reduce='no', **options).array,
        expected(x, t, None, ignore_label))
    gradients.check(
        device, lambda x: loss(x, device.send(t), **options), x, double=twice)


@pytest.mark.parametrize('shape', [(4, 3), (2, 3, 2)])
@pytest.mark.parametrize('kind', ['cross-entropy', 'kl-divergence'])
def test_soft_labels(device, shape, kind):
    x = gradients.uniform(shape)
    p = F.softmax(device.send(gradients.uniform(shape, 1))).array
    log_q = F.log_softmax(device.send(x)).array
    against = np.log(p) if kind == 'kl-divergence' else 0
    losses = (p * (against - log_q)).sum(axis=1)
    y = loss(device.send(x), p, reduce='no', soft_target_loss=kind)
    compare.assert_allclose(y.array, losses, atol=1e-6)
    y = loss(device.send(x), p, soft_target_loss=kind)
    compare.assert_allclose(y.array, losses.mean(), atol=1e-6)
    for reduce in 'mean', 'no':
        gradients.check(
            device, lambda x, r=reduce: loss(x, p, reduce=r, soft_target_loss=kind),
            x, double=False)


def test_zero_probabilities_are_no_trouble(device):
    x = Variable(device.send(np.array([[0., 1000.]])))
    y = loss(x, device.send(np.array([[0., 1.]])), soft_target_loss='kl-divergence')
    compare.assert_allclose(y.array, 0, atol=1e-6)
    y.backward()
    compare.assert_array_equal(x.grad, [[0, 0]])


def test_labels_have_no_gradient(device):
    x, t = [Variable(array) for array in device.send(CASES[0])]
    loss(x, t).backward()
    assert t.grad is None
    p = Variable(F.softmax(x).array)
    loss(x, p).backward()
    assert p.grad is None


def test_a_second_gradient_must_be_asked_for(device):
    x, t = [Variable(array) for array in device.send(CASES[0])]
    g, = grad([loss(x, t)], [x], enable_double_backprop=True)
    with pytest.raises(RuntimeError, match='enable_double_backprop'):
        F.sum(g * g).backward()


@twice
@pytest.mark.parametrize('options', [
    {'reduce': 'other'}, {'soft_target_loss': 'other'},
    {'class_weight': np.ones((1, 3))}, {'class_weight': np.ones(3, 'i')},
    {'class_weight': Variable(np.ones(3))}])
def test_options_are_checked(device, twice, options):
    with pytest.raises(ValueError):
        loss(
            *device.send(CASES[0]), enable_double_backprop=twice,
            **device.send(options))


@twice
def test_one_weight_is_that_of_all_classes(device, twice):
    x, t = device.send(CASES[0])
    options = {'enable_double_backprop': twice, 'reduce': 'no'}
    y = loss(x, t, class_weight=device.send(np.full(1, 2., x.dtype)), **options)
    compare.assert_allclose(y.array, 2 * loss(x, t, **options).array, 1e-6)
    # What is composed of functions fails as they do.
    error = type_check.InvalidType if twice else ValueError
    with pytest.raises(error, match='weight for each of'):
        loss(x, t, class_weight=device.send(np.ones(2)), **options)


@twice
@pytest.mark.parametrize('x, t', [
    (np.zeros((2, 3)), np.zeros(3, 'i')), (np.zeros((2, 3), 'i'), np.zeros(2, 'i')),
    (np.zeros((2, 3, 4)), np.zeros((2, 3), 'i')), (np.zeros((2, 3)), np.zeros((2, 2)))])
def test_types_are_checked(device, twice, x, t):
    with pytest.raises(type_check.InvalidType):
        loss(device.send(x), device.send(t), enable_double_backprop=twice)


@twice
def test_labels_are_checked_in_debug_mode(device, twice):
    with using_config('debug', True):
        loss(*device.send(CASES[0]), enable_double_backprop=twice)
        for t in [0, 3], [0, -2]:
            with pytest.raises(ValueError):
                loss(
                    device.send(np.zeros((2, 3))), device.send(np.array(t)),
                    enable_double_backprop=twice)

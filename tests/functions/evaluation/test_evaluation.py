import numpy as np
import pytest
from sklearn import metrics

from chainer_fast import functions as F
from chainer_fast.functions.evaluation import classification_summary
from chainer_fast.utils import type_check
from tests import compare
from tests.functions import gradients

SCORES = np.array([[1, 9, 2], [3, 0, 1], [0, 1, 5], [7, 8, 6]])
LABELS = np.array([1, 2, 2, -1])


@pytest.mark.parametrize('dtype', 'efd')
def test_accuracy(device, dtype):
    y = device.send(SCORES.astype(dtype))
    assert F.accuracy(y, device.send(LABELS)).array == np.asarray(2 / 4, dtype)
    assert F.accuracy(y, device.send(LABELS)).dtype == dtype
    share = F.accuracy(y, device.send(LABELS), ignore_label=-1)
    assert share.array == np.asarray(2 / 3, dtype)
    assert isinstance(share.array, device.xp.ndarray)
    assert share.shape == ()
    assert F.accuracy(y, device.send(np.full(4, -1)), ignore_label=-1).array == 0


@pytest.mark.parametrize('dtype', 'fd')
@pytest.mark.parametrize('label_dtype', 'iq')
@pytest.mark.parametrize('classes', [1, 2, 127, 130, 1000])
def test_accuracy_of_ties_and_of_what_is_no_number(dtype, label_dtype, classes):
    """The label has to be that of the class which numpy.argmax gives."""
    random = np.random.RandomState(0)
    for largest in 1, 4, 10 ** 6:
        y = random.randint(0, largest, (200, classes)).astype(dtype)
        y[::3, random.randint(classes)] = np.nan
        y[::7, random.randint(classes)] = np.nan
        y[::5, random.randint(classes)] = np.inf
        y[1::9] = -np.inf
        best = y.argmax(axis=1)
        near = best + random.randint(-1, 2, 200) * (random.rand(200) < .5)
        for t in best, near, best - classes, random.randint(-2, classes + 2, 200):
            t = t.astype(label_dtype)
            expected = (t == best).mean(dtype=y.dtype)
            assert F.accuracy(y, t).array == expected


def test_accuracy_of_further_axes(device):
    y, t = gradients.uniform((2, 3, 4)), np.arange(8).reshape(2, 4) % 3
    expected = np.mean(y.argmax(axis=1) == t)
    assert F.accuracy(device.send(y), device.send(t)).array == expected
    assert F.accuracy(device.send(y[..., None]), device.send(t)).array == expected


@pytest.mark.parametrize('f', [F.accuracy, F.classification_summary])
@pytest.mark.parametrize('y, t', [
    (np.zeros((2, 3), 'f'), np.zeros(3, 'i')),
    (np.zeros((2, 3), 'i'), np.zeros(2, 'i')),
    (np.zeros((2, 3), 'f'), np.zeros(2, 'f')), (np.zeros((2, 3, 2)), np.zeros(2, 'i')),
    (np.zeros((2, 3, 2)), np.zeros((2, 3), 'i'))])
def test_scores_and_labels_must_fit(device, f, y, t):
    with pytest.raises(type_check.InvalidType):
        f(device.send(y), device.send(t))


def test_binary_accuracy(device):
    y = device.send(np.array([[-2., 0], [3, -5], [0, 1]]))
    t = np.array([[0, 1], [0, -1], [-1, -1]])
    assert F.binary_accuracy(y, device.send(t)).array == 2 / 3
    assert F.binary_accuracy(y, device.send(np.full_like(t, -1))).array == 0
    with pytest.raises(type_check.InvalidType):
        F.binary_accuracy(y, device.send(t[0]))


@pytest.mark.parametrize('beta', [1., 2.])
def test_classification_summary(device, beta):
    y = gradients.uniform((50, 4))
    t = np.random.RandomState(0).randint(-1, 4, 50)
    kept = t >= 0
    precision, recall, score, support = F.classification_summary(
        device.send(y), device.send(t), 4, beta)
    expected = metrics.precision_recall_fscore_support(
        t[kept], y.argmax(axis=1)[kept], beta=beta, labels=range(4))
    ours = precision, recall, score, support
    for ours_of, theirs in zip(ours, expected, strict=True):
        # What is not defined is zero there, and NaN here.
        compare.assert_allclose(np.nan_to_num(ours_of.array), theirs)
    y, t = device.send((y, t))
    for f, which in (F.precision, precision), (F.recall, recall):
        compare.assert_array_equal(f(y, t, 4)[0].array, which.array)
    compare.assert_array_equal(
        classification_summary.fbeta_score(y, t, 4, beta)[0].array, score.array)
    if beta == 1:
        compare.assert_array_equal(
            F.f1_score(y, t)[0].array, score.array)


def test_classes_that_do_not_occur(device):
    y = np.array([[1., 0, 0], [1, 0, 0]])
    precision, recall, _, support = F.classification_summary(
        device.send(y), device.send(np.array([0, 1])), label_num=3)
    compare.assert_array_equal(precision.array, [.5, np.nan, np.nan])
    compare.assert_array_equal(recall.array, [1, 0, np.nan])
    compare.assert_array_equal(support.array, [1, 1, 0])


@pytest.mark.parametrize('shape', [(5,), (5, 3)])
@pytest.mark.parametrize('multioutput', ['uniform_average', 'raw_values'])
def test_r2_score(device, shape, multioutput):
    pred, true = gradients.uniform(shape), gradients.uniform(shape, 1)
    expected = metrics.r2_score(true, pred, multioutput=multioutput)
    score = F.r2_score(device.send(pred), device.send(true), multioutput=multioutput)
    compare.assert_allclose(score.array, np.reshape(expected, score.shape))


def test_r2_score_of_constants(device):
    assert F.r2_score(device.send(np.ones(3)), device.send(np.ones(3))).array == 0
    with pytest.raises(ValueError):
        F.r2_score(
            device.send(np.ones(3)), device.send(np.ones(3)), multioutput='other')
    with pytest.raises(NotImplementedError):
        F.r2_score(device.send(np.ones(3)), device.send(np.ones(3)), sample_weight=1)


def test_nothing_flows_back(device):
    y = F.accuracy(
        device.send(gradients.uniform((2, 3))), device.send(np.array([0, 1])))
    y.grad = device.send(np.ones(()))
    y.backward()
    assert y.creator.inputs[0].grad is None


@pytest.mark.host
@pytest.mark.parametrize('label', [2 ** 31 - 1, 2 ** 62])
def test_a_label_far_from_all_classes(label):
    y, t = SCORES.astype('f'), np.array([1, 2, label, 0])
    # It is of no class that is looked at.
    precision, recall, _, support = F.classification_summary(y, t, label_num=3)
    np.testing.assert_array_equal(support.array, [1, 1, 1])
    np.testing.assert_array_equal(recall.array, [0, 1, 0])
    np.testing.assert_array_equal(precision.array, [0, .5, 0])
    with pytest.raises(ValueError, match='the highest label in t is %d' % label):
        F.classification_summary(y, t)


@pytest.mark.parametrize('multioutput', ['uniform_average', 'raw_values'])
@pytest.mark.parametrize('true', 'efd')
@pytest.mark.parametrize('pred', 'efd')
def test_r2_score_has_the_dtype_of_predictions(device, pred, true, multioutput):
    values = np.arange(6.).reshape(3, 2)
    score = F.r2_score(
        device.send(values.astype(pred)), device.send(values.astype(true)),
        multioutput=multioutput)
    assert score.dtype == pred

"""Names that ``chainer.functions`` had."""
import copy
import importlib
import pickle

import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast import legacy
from chainer_fast import links as L
from chainer_fast._help.past.removed import functions_and_links as removed
from chainer_fast.legacy._functions import classes

X = np.random.RandomState(0).uniform(-1, 1, (2, 3, 6, 6)).astype(np.float32)


def test_links_are_those_of_today(enable, used):
    enable('v1')
    for name in removed.LINKS_IN_FUNCTIONS:
        assert getattr(F, name) is getattr(L, name)
    assert {'chainer.functions.Linear', 'chainer.functions.PReLU'} <= used().keys()


def test_classes_belong_to_their_version(enable):
    enable('v3')
    assert F.ReLU.__name__ == 'ReLU'
    for name in ('Ceil', 'Linear', 'NStepLSTM', 'Nonsense'):
        with pytest.raises(AttributeError, match=name):
            getattr(F, name)


def test_results_know_their_class(enable):
    enable()
    assert isinstance(F.relu(X).creator, F.ReLU)


def test_object_is_called_again(enable):
    enable()
    pool = F.MaxPooling2D(2, 2)
    for x in (X, X[:, :, ::-1].copy()):
        y = pool(x)
        expected, indexes = F.max_pooling_2d(x, 2, 2, return_indices=True)
        np.testing.assert_array_equal(y.array, expected.array)
        np.testing.assert_array_equal(pool.indexes, indexes)


def test_dropout_draws_again(enable):
    enable()
    drop = F.Dropout(0.5)
    first = drop(X).array
    np.testing.assert_array_equal(drop.mask * X, first)
    assert (drop(X).array != first).any()
    given = F.Dropout(0.5, drop.mask)
    np.testing.assert_array_equal(given(X).array, given(X).array)


def test_objects_keep_what_the_last_call_computed(enable):
    enable()
    t = np.array([2, 0], 'i')
    loss = F.SoftmaxCrossEntropy()
    for x in (X[:, :, 0, 0], X[:, :, 1, 1]):
        loss(x, t)
        np.testing.assert_allclose(loss.y, F.softmax(x).array, rtol=1e-6)
    pool = F.Unpooling2D(2)
    for n in (2, 3):
        assert pool(X[:, :, :n]).shape[2] == pool.outh == 2 * n - 1
    again = pickle.loads(pickle.dumps(copy.deepcopy(pool)))
    assert again(X).shape == (2, 3, 11, 11)


def test_switches_of_constructors(enable):
    enable('v1')
    np.testing.assert_array_equal(
        F.Softmax(False, 2)(X).array, F.softmax(X, axis=2).array)
    np.testing.assert_array_equal(
        F.AveragePooling2D(2, 2, 0, True, False)(X).array,
        F.average_pooling_2d(X, 2, 2).array)


def test_unknown_pooling_class(enable):
    enable()
    with pytest.raises(ValueError, match='has to be MaxPooling2D, not ReLU'):
        F.spatial_pyramid_pooling_2d(X, 2, F.ReLU)


@pytest.mark.parametrize('module, name, _', removed.CLASSES_IN_MODULES)
def test_classes_in_modules(enable, used, module, name, _):
    enable('v6')
    found = importlib.import_module('chainer_fast.functions.' + module)
    assert getattr(found, name) is classes.ADDED[name]
    assert 'chainer.functions.%s.%s' % (module, name) in used()


def test_max_pooling_knows_its_class_if_its_version_is_named(enable):
    enable('v6')
    from chainer_fast.functions.pooling.max_pooling_2d import MaxPooling2D
    y, indexes = F.max_pooling_2d(X, (2, 1), (2, 1), (0, 1), return_indices=True)
    pool = y.creator
    assert type(pool) is MaxPooling2D and pool.label == 'MaxPooling2D'
    assert [pool.kh, pool.kw, pool.sy, pool.sx, pool.ph, pool.pw] == [2, 1, 2, 1, 0, 1]
    legacy.disable()
    expected, places = F.max_pooling_2d(X, (2, 1), (2, 1), (0, 1), return_indices=True)
    np.testing.assert_array_equal(y.array, expected.array)
    np.testing.assert_array_equal(indexes, places)
    assert expected.creator.label == 'MaxPoolingND'


def test_resizing_without_a_mode(enable, used):
    enable('v6')
    from chainer_fast.functions.array.resize_images import ResizeImages
    y, = ResizeImages((4, 9)).apply((X,))
    np.testing.assert_array_equal(y.array, F.resize_images(X, (4, 9)).array)
    assert list(used().values()) == [1]

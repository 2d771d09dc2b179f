"""Names that ``chainer.functions`` had."""
import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast import links as L
from chainer_fast._past.removed import functions_and_links as removed

X = np.random.RandomState(0).uniform(-1, 1, (2, 3, 6, 6)).astype(np.float32)


def test_links_are_those_of_today(enable, used):
    enable('v1')
    for name in removed.LINKS_IN_FUNCTIONS:
        assert getattr(F, name) is getattr(L, name)
    assert {'chainer.functions.Linear', 'chainer.functions.PReLU'} <= used().keys()


def test_classes_belong_to_their_version(enable):
    enable('v3')
    assert F.ReLU.__name__ == 'ReLU'
    for name in ('Ceil', 'Linear', 'Copy', 'Nonsense'):
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
    assert (drop(X).array != drop(X).array).any()


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

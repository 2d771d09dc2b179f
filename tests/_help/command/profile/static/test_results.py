"""Comparison of planned calls with the code."""
import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast._help.command.profile.static import results

NAN = float('nan')


@pytest.mark.parametrize('found, expected, same', [
    ([1., 2.], [1., 2.], True), ([1., 2.0001], [1., 2.], True),
    ([1., 2.01], [1., 2.], False), ([1e-6, 2.], [0., 2.], True),
    ([NAN, 2.], [NAN, 2.], True), ([NAN, 2.], [1., 2.], False),
    ([float('inf'), 2.], [float('inf'), 2.], True), ([], [], True),
    ([1.], [1., 2.], False)])
def test_rounding(found, expected, same):
    found, expected = np.array(found, 'f'), np.array(expected, 'f')
    assert results.are_same(found, expected) == same
    assert results.are_same(
        (chainer.Variable(found), None), [chainer.Variable(expected), None]) == same


def test_doubles_are_equal_to_more_digits():
    assert not results.are_same(np.array([1 + 1e-6]), np.array([1.]))
    assert results.are_same(np.array([1 + 1e-12]), np.array([1.]))


def test_integers_and_dtypes():
    assert not results.are_same(np.array([1, 2]), np.array([1, 3]))
    assert not results.are_same(np.ones(2, 'f'), np.ones(2))
    assert not results.are_same([np.ones(2)], [np.ones(2), np.ones(2)])

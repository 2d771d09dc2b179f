"""FunctionSet."""
import pickle

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import links as L


@pytest.fixture(autouse=True)
def v1(enable):
    enable()


@pytest.fixture
def model():
    return chainer.FunctionSet(b=L.Linear(2, 3), a=L.Linear(1, 1))


def test_parameters_in_the_order_of_assignment(model):
    model.c = L.Linear(4, 4)
    assert [p.shape for p in model.parameters] == [
        (3, 2), (3,), (1, 1), (1,), (4, 4), (4,)]
    assert model['c'] is model.c
    assert model.collect_parameters() is model


def test_other_attributes(model):
    model.size = 3
    assert model.size == 3 and len(list(model.children())) == 2
    with pytest.raises(AttributeError):
        model['nothing']


def test_arrays_are_those_of_the_links(model):
    model.parameters[0][...] = 7
    assert (model.b.W.array == 7).all()
    arrays = [np.full_like(p, 2) for p in model.parameters]
    model.copy_parameters_from(arrays)
    assert (model.a.b.array == 2).all() and model.a.b.array is not arrays[3]
    model.parameters = arrays
    assert model.a.b.array is arrays[3]


def test_gradients(model):
    assert all(np.isnan(g).all() for g in model.gradients)
    for gradient in model.gradients:
        gradient.fill(0)
    chainer.functions.sum(model.b(np.ones((1, 2), np.float32))).backward()
    assert model.gradients[0].tolist() == [[1, 1]] * 3
    model.gradients = [g + 1 for g in model.gradients]
    assert model.b.W.grad.tolist() == [[2, 2]] * 3


@pytest.mark.parametrize('arrays', [
    lambda arrays: arrays[:2], lambda arrays: (*arrays[:3], np.ones(2, np.float32))])
def test_arrays_have_to_agree(arrays, model):
    before = [p.copy() for p in model.parameters]
    wrong = arrays([p + 1 for p in model.parameters])
    with pytest.raises(ValueError, match='has 4 parameters|has the shape'):
        model.parameters = wrong
    with pytest.raises(ValueError, match='has 4 parameters|has the shape'):
        model.copy_parameters_from(wrong)
    with pytest.raises(ValueError, match='has 4 parameters|has the shape'):
        model.gradients = wrong
    for array, expected in zip(model.parameters, before, strict=True):
        np.testing.assert_array_equal(array, expected)


def test_pickle(model):
    copy = pickle.loads(pickle.dumps(model))
    assert type(copy) is chainer.FunctionSet
    np.testing.assert_array_equal(copy.b.W.array, model.b.W.array)
    assert [p.shape for p in copy.parameters] == [p.shape for p in model.parameters]

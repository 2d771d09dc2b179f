import random

import numpy
import pytest

from chainer_fast import serializers
from chainer_fast.utils import _random_state


@pytest.fixture(autouse=True)
def same_state_afterwards():
    states = numpy.random.get_state(), random.getstate()
    yield
    numpy.random.set_state(states[0])
    random.setstate(states[1])


def save():
    target = {}
    _random_state.serialize_global(serializers.DictionarySerializer(target))
    return target


def load(contents, **kwargs):
    _random_state.serialize_global(serializers.NpzDeserializer(contents, **kwargs))


def draw():
    return [numpy.random.randint(2**31), numpy.random.randn(), random.random(),
            random.gauss(0, 1)]


# The position goes from one end of the state to the other; normal numbers are made in
# pairs.
@pytest.mark.parametrize('n', [0, 1, 2, 623, 624, 625])
def test_both_go_on_as_before(n):
    numpy.random.seed(n)
    random.seed(n)
    for _ in range(n):
        numpy.random.randn()
        random.gauss(0, 1)
    saved = save()
    expected = [draw() for _ in range(3)]
    numpy.random.seed(7)
    random.seed(7)
    load(saved)
    assert {key: (value.shape, value.dtype) for key, value in saved.items()} == {
        '_numpy_random_state': ((627,), numpy.float64),
        '_python_random_state': ((627,), numpy.float64)}
    assert [draw() for _ in range(3)] == expected


def test_both_stay_where_a_snapshot_has_nothing():
    saved = save()
    load({})
    load({}, strict=False)
    expected = draw()
    load(saved)
    assert draw() == expected


@pytest.mark.parametrize('place, value', [
    (0, -1), (0, 2.**32), (0, .5), (0, numpy.nan), (slice(624), 0), (624, 625),
    (624, -1), (624, 1.5), (624, numpy.nan), (625, 2), (626, numpy.inf)])
@pytest.mark.parametrize('name', ['_numpy_random_state', '_python_random_state'])
def test_what_is_no_state(name, place, value):
    saved = save()
    saved[name][place] = value
    numpy.random.seed(1)
    random.seed(1)
    expected = draw()
    numpy.random.seed(1)
    random.seed(1)
    with pytest.raises(ValueError, match=name + ' is not the state'):
        load(saved)
    assert draw() == expected   # neither was changed


def test_generators_that_are_no_mersenne_twister():
    generator = numpy.random.RandomState(numpy.random.PCG64(1))
    target = {}
    _random_state.serialize(
        serializers.DictionarySerializer(target), 'x', generator)
    assert target == {}
    _random_state.serialize(serializers.NpzDeserializer(
        {'x': save()['_numpy_random_state']}), 'x', generator)
    assert generator.rand() == numpy.random.RandomState(numpy.random.PCG64(1)).rand()
